"""What methods of a project write with a streaming writer of JSON."""
