"""Which file, class or function a name of Python means, and what a build says of it."""
