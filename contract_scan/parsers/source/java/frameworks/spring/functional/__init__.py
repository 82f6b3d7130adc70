"""How functional routes of Spring are read."""
