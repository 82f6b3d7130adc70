"""How TypeORM writes classes."""
