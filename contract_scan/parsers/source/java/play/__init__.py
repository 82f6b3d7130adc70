"""Play: its routes files, and the results of actions."""
