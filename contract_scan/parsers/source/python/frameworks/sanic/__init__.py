"""How routes and events of Sanic are read."""
