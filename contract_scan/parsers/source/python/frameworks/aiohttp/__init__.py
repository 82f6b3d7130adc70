"""How routes and events of aiohttp are read."""
