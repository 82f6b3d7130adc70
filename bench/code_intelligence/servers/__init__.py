"""What other tools know of a code base: language servers, and the compiler platform of C#."""
