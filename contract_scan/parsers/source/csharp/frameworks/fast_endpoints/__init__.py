"""How routes and events of FastEndpoints are read."""
