"""What well-known calls of TypeScript and its libraries give."""
