"""Spring Security: the paths that it answers itself."""
