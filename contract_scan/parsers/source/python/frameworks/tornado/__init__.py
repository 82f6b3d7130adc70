"""How routes and events of Tornado are read."""
