"""Java source -> facts: the only modules that see a syntax tree."""
