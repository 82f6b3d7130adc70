"""The neutral form of one source file, and the one way to go through it."""
