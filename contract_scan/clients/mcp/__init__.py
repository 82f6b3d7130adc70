"""Clients of MCP servers: sessions with server processes, and one typed client for each server."""
