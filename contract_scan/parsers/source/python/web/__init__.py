"""What the web frameworks of Python share: mounts, signatures, returned values."""
