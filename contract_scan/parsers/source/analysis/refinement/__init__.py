"""What conditions leave of values: narrowing, constant branches, feasible paths, null checks."""
