"""What a build writes for agents to find: their instructions, settings and hooks."""
