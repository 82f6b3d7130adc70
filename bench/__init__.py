"""What the scanner costs and how often it is right, each one command."""
