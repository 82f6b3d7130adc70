"""How routes and events of ts-rest are read."""
