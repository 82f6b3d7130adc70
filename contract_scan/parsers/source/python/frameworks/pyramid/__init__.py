"""How routes and events of Pyramid are read."""
