"""Which file, class or function a name of Java means, and what a build says of it."""
