"""How Gson writes classes."""
