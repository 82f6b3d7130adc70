"""How Wolverine is told to route messages, and what handles them."""
