"""How routes and events of Elysia are read."""
