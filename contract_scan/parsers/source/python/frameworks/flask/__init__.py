"""How routes and events of Flask, its libraries, and Quart are read."""
