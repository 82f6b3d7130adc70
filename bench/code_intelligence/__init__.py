"""The index of code, measured against the language servers that people use."""
