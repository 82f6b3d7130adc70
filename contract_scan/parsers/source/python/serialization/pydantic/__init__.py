"""How pydantic writes classes."""
