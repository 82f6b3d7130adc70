"""What frameworks for HTTP of all languages share."""
