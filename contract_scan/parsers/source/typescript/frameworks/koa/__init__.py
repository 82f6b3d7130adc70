"""How routes and events of Koa are read."""
