"""ASP.NET Web API 2 and MVC 5."""
