"""Questions about images, asked of a provider (ST-44 to ST-46)."""
