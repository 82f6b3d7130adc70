"""What names mean: locals, members, declarations, imports and re-exports, libraries."""
