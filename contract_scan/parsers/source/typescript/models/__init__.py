"""How types and schema values of TypeScript look on the wire, one file per library."""
