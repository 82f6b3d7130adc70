"""How routes and events of Falcon are read."""
