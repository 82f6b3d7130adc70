"""The C# front end."""
