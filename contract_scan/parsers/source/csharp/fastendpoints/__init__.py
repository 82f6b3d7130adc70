"""FastEndpoints: one class for each endpoint."""
