"""How routes and events of Armeria are read."""
