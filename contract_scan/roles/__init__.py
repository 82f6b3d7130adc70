"""Roles of agents that build together: what each is handed, and what it may write."""
