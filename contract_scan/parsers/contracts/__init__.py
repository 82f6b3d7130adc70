"""Contract documents -> `ir`."""
