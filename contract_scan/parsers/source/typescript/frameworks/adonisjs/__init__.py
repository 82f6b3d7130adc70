"""How routes and events of AdonisJS are read."""
