"""How routes and events of HttpListener are read."""
