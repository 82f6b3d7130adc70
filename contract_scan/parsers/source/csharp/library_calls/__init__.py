"""What well-known calls of C# and its libraries give."""
