"""How Jackson writes classes."""
