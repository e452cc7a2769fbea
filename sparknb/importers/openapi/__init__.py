"""OpenAPI: a description becomes one draft or one skip per operation (ST-99 to ST-112)."""
