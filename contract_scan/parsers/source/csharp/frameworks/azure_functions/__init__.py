"""How routes and events of Azure Functions are read."""
