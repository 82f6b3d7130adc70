"""What converters of a project write, read step by step."""
