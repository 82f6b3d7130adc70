"""How messaging libraries of Spring are read."""
