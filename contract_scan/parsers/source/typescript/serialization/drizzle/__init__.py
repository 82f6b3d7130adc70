"""How Drizzle writes classes."""
