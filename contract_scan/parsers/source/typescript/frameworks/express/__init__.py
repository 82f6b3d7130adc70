"""How routes and events of Express are read."""
