"""How routes and events of Django REST framework are read."""
