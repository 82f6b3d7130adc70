"""How Spring Security is read."""
