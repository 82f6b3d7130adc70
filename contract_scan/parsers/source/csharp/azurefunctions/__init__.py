"""Azure Functions with HTTP triggers, in-process and isolated."""
