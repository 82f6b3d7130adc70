"""The text of a Python file as the grammar reads it.

Bytes are put into one shape before parsing: no byte order mark, UTF-8 whatever the encoding cookie
says, lone carriage returns as line ends. None of that moves a line.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache

from contract_scan.parsers.source.syntax_tree import UTF8_BOM, UTF16_BOMS, SyntaxTree

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


@lru_cache(maxsize=1024)
def parsed_part(text: bytes) -> SyntaxTree:
    """A part of a file that is parsed on its own, such as a quoted annotation: they recur."""
    return SyntaxTree(text, ".py")


def normalise(content: bytes) -> bytes | None:
    """UTF-8 bytes with the same lines; None where the text is UTF-16 (or UTF-32)."""
    if content.startswith(UTF16_BOMS):
        return None
    if content.startswith(UTF8_BOM):
        content = content[len(UTF8_BOM) :]
    elif not content.isascii():
        content = _decoded_by_cookie(content)
    elif content[:2].count(b"\0") == 1:
        return None
    if b"\r" in content:
        content = _LONE_RETURN.sub(b"\n", content)
    return content


def _decoded_by_cookie(content: bytes) -> bytes:
    for line in content.split(b"\n", 2)[:2]:
        match = _COOKIE.match(line)
        if match is None:
            continue
        try:
            name = codecs.lookup(match[1].decode("ascii", "replace")).name
            if name == "utf-8":
                return content
            return content.decode(name).encode("utf-8", "replace")
        except (LookupError, ValueError, TypeError, AttributeError):
            return content
    return content
