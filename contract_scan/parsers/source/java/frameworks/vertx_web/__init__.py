"""How routes and events of Vert.x Web are read."""
