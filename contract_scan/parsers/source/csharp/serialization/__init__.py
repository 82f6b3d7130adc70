"""How instances of C# classes and library types look on the wire."""
