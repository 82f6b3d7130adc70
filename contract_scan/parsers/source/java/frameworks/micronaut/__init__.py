"""How routes and events of Micronaut are read."""
