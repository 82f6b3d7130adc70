"""Handlers that tell methods and paths apart themselves."""
