"""What is particular to Micronaut."""
