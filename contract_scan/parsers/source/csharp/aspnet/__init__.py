"""What controllers and minimal APIs of ASP.NET Core have in common."""
