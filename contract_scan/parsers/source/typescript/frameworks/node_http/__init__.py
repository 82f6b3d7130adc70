"""How routes and events of the HTTP server of Node.js are read."""
