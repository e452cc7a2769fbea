"""cURL: a pasted command becomes a definition (ST-91 to ST-98)."""
