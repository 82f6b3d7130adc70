"""Which file, class or function a name of C# means, and what a build says of it."""
