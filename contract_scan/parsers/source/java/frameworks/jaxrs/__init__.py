"""How routes and events of JAX-RS are read."""
