"""MCP servers: thin doors to the engine's `api` for agents and pipelines."""
