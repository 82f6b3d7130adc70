"""Everything that reads: contracts and source code, each lowered to `ir`."""
