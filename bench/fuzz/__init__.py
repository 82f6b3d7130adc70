"""Scans of files that are broken on purpose: no traceback, no odd exit status, no long run, no
large one."""
