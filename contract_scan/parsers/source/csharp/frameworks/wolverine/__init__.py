"""How routes and events of Wolverine are read."""
