"""How Mongoose writes classes."""
