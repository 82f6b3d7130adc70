"""From findings to exact edits of files, and into them.

`plan` says what would mend each finding; `mend` puts that together, file by file; `write` writes.
"""
