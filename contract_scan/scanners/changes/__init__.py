"""What changed from one revision of a contract to the next: differences, then judgements."""
