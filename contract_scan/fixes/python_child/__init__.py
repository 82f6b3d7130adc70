"""Drafts fixes of Python with libcst. Runs as a process of its own (`__main__.py`)."""
