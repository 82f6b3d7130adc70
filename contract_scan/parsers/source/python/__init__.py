"""The Python front end."""
