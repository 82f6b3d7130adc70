"""The Architect: services, a domain model and contract stubs out of a requirements document."""
