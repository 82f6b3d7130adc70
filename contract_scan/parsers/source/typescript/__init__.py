"""The TypeScript, TSX and JavaScript front end."""
