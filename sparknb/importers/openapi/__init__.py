"""OpenAPI: one draft or one skip for each operation (ST-99 to ST-112)."""
