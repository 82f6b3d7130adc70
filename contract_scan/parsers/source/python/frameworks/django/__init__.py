"""How routes and events of Django are read."""
