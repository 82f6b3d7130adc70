"""One file per rule; its docstring is its documentation."""
