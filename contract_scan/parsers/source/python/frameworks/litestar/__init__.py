"""How routes and events of Litestar are read."""
