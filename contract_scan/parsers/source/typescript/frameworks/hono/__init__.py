"""How routes and events of Hono are read."""
