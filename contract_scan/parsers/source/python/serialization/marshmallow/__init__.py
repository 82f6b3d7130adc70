"""How marshmallow writes classes."""
