"""What senders and receivers of messages have in common, whatever the broker."""
