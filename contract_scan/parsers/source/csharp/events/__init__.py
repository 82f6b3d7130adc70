"""What readers of events have in common."""
