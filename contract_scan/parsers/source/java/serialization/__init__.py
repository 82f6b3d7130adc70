"""How instances of Java classes and library types look on the wire."""
