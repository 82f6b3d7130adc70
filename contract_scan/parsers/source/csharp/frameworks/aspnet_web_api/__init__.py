"""How routes and events of ASP.NET Web API 2 and MVC 5 are read."""
