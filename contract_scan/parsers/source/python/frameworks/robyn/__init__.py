"""How routes and events of Robyn are read."""
