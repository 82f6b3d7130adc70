"""What Spring's annotations and response objects mean."""
