"""Whether values that were really sent conform to a contract."""
