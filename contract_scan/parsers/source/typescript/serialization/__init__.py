"""How instances of TypeScript classes and library types look on the wire."""
