"""TypeScript, TSX and JavaScript libraries that declare routes or events, one file each."""
