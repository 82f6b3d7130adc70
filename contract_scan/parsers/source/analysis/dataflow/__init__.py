"""Which definitions reach a place, and what statements on the way do to objects."""
