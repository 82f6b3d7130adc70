"""The outside world: the only package that starts a process."""
