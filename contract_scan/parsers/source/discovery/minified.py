"""Text that machines packed, and what is no matter at the end of a text.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

try:
    from _blake2 import blake2b as blake2b  # `hashlib` loads all of OpenSSL besides
except ImportError:
    from hashlib import blake2b as blake2b

MAX_LINE = 20_000
"""A file whose average line is far beyond what people write is minified; see `is_minified`."""
SCRIPTS = (".js", ".cjs", ".mjs")
"""Files that bundlers write."""
_LONG_LINE = 2_000
"""Bytes. Nobody writes lines like this in a script by hand."""
_BLANK = b" \t\r\n"
WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""What text in UTF-16 starts with."""


def is_packed(content: bytes, path: str) -> bool:
    """Whether nobody reads a file: minified, or a bundle of scripts."""
    return is_minified(content) or (path.endswith(SCRIPTS) and is_bundle(content))


def is_minified(content: bytes) -> bool:
    """Whether text is machine-packed: long, and hardly a line break in it."""
    if len(content) < MAX_LINE:
        return False
    return len(content) // (content.count(b"\n") + 1) > 1_000


def is_bundle(content: bytes) -> bool:
    """Whether a script is machine-packed beside text that is not, such as licences: most of it
    stands in lines far longer than what people write."""
    if len(content) < MAX_LINE:
        return False
    packed = sum(len(line) for line in content.split(b"\n") if len(line) > _LONG_LINE)
    return 2 * packed > len(content)


def trimmed_key(content: bytes) -> bytes:
    """Digest of a text without the blank lines at its end; empty where it does not end with a line
    break, or is not in UTF-8."""
    if not content.endswith(b"\n") or content[:2] in WIDE_MARKS:
        return b""
    return blake2b(content.rstrip(_BLANK), digest_size=16).digest()
