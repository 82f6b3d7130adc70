"""How routes and events of hapi are read."""
