"""What statements say by their form alone: definitions, side effects, closures, null checks."""
