"""The sessions of a project on the screen: a tree that follows what happens."""
