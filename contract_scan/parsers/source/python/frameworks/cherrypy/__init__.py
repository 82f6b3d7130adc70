"""How routes and events of CherryPy are read."""
