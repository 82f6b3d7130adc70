"""How routes and events of Fastify are read."""
