"""What `HttpListener` hands to the code of a project, and what that makes of it."""
