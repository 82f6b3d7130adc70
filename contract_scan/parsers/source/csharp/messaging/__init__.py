"""What messaging libraries of C# have in common: addresses, payloads, sends and receives."""
