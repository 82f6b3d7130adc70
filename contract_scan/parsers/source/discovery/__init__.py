"""Which files are looked at, and what their bytes say before any is parsed."""
