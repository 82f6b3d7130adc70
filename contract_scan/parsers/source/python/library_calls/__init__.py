"""What well-known calls of Python and its libraries give."""
