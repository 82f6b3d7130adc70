"""Pairing contract with code, differences, and the rules that judge them."""
