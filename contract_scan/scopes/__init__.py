"""Scope contracts: what the parts of a feature promise to each other and to whoever divided it."""
