"""Armeria: annotated services and the responses of handlers."""
