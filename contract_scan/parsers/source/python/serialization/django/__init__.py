"""How models of Django write classes."""
