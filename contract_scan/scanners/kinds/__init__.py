"""The kinds of drift as rules of their own: what each finds, why it matters, and how to mend it."""
