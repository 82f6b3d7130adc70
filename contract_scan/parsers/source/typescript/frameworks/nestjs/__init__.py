"""How routes and events of NestJS are read."""
