"""How routes and events of Django Ninja are read."""
