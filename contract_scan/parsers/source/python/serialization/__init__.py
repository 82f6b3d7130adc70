"""How instances of Python classes and library types look on the wire."""
