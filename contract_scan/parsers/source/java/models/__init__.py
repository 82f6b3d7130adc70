"""How instances of Java classes look on the wire."""
