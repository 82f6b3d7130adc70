"""What messaging libraries share: addresses, payloads, own wrappers, uses of channels."""
