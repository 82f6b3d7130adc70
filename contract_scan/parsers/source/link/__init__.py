"""Facts of all files -> what names, expressions and types mean."""
