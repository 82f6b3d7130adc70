"""Which file, class or function a name of TypeScript means, and what a build says of it."""
