"""How routes and events of ws are read."""
