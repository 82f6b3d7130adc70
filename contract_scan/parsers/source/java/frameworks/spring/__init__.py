"""Spring: what its libraries have in common."""
