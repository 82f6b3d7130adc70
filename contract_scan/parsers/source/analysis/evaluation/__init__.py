"""What expressions and calls give, without running them."""
