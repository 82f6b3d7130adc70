"""Source code -> facts of each file -> `ir`."""
