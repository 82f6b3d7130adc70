"""The Java front end."""
