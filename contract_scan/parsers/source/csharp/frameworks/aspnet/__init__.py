"""How routes and events of ASP.NET Core are read."""
