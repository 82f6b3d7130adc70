"""How routes and events of Javalin are read."""
