"""How routes and events of Socket.IO are read."""
