"""What the libraries of message brokers share: values traced through wrappers, payloads."""
