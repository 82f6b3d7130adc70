"""What the annotations and response objects of JAX-RS (Jakarta REST) mean."""
