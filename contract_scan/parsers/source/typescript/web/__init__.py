"""What routers of the JavaScript world share: path patterns, statuses, handlers."""
