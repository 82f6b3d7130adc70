"""How zod writes classes."""
