"""How a NestJS application is put together, and what its handlers take and send."""
