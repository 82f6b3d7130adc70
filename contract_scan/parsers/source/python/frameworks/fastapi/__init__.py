"""How routes and events of FastAPI and Starlette are read."""
