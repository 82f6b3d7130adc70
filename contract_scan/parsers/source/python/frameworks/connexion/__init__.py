"""How routes and events of Connexion are read."""
