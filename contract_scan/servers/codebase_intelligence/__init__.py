"""Codebase Intelligence: an index of code for agents and pipelines, over MCP."""
