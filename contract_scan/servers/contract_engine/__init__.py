"""The Contract Engine: a registry of contracts for agents and pipelines, over MCP."""
