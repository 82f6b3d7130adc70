"""How routes and events of Remix and React Router are read."""
