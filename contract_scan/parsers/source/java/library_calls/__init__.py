"""What well-known calls of Java and its libraries give."""
