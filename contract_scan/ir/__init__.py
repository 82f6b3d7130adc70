"""The nouns of contract-scan: the one form that contracts and code are both lowered to.

Frozen values without behaviour. Nothing here reads a file or knows a language.
"""
