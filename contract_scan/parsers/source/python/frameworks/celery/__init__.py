"""How routes and events of Celery are read."""
