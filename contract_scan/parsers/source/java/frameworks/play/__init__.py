"""How routes and events of Play are read."""
