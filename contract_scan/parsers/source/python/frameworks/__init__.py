"""Python libraries that declare routes or events, one file each."""
