"""How routes and events of ServiceStack are read."""
