"""What is particular to ServiceStack."""
