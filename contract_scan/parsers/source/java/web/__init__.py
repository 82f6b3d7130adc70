"""What libraries have in common whose routes are calls with a handler each."""
