"""Whether the text of a source file is read by its language as it is written.

Compilers know more spellings than grammars do: other encodings, escapes in names, letters that
count as others, further ends of lines. `plain_spelling.py` rewrites a text in which one stands.

Sources: PEP 263 and 3131 (Python), ECMA-262 12.7 (JavaScript), the Java Language Specification 3.3
and 3.8, the C# specification 6.3 and 6.4.3.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import re

from contract_scan.parsers.source.discovery.minified import WIDE_MARKS

_COOKIE = re.compile(rb"[ \t\f]*+#[^\n]*?coding[:=][ \t]*+([-\w.]++)")
_COMMENT_ALONE = re.compile(rb"[ \t\f]*+(?:#[^\n]*+)?\r?$")
MARK = b"\xef\xbb\xbf"
_UTF8 = re.compile(rb"utf[-_]?8(?:[-_].*)?|u8|ascii|us[-_]ascii", re.IGNORECASE)
"""Encodings in which nothing is to be done."""

_ASCII_NAME = r"(?:24|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])"
"""The numbers of the ASCII characters that names consist of."""
_ESCAPED_NAME = rf"\\u+00{_ASCII_NAME}|\\U000000{_ASCII_NAME}|\\u\{{0*+{_ASCII_NAME}\}}".encode()
_ESCAPED_LETTER = re.compile(rb"\\u([0-9a-fA-F]{4})")
ESCAPED_SYNTAX = re.compile(rb"\\u+00(?:0[aAdD]|2[0-9a-fA-F]|3[a-fA-F]|40|5[b-eB-E]|7[b-dB-D])")
"""What may end a text or comment of Java, or stand around its names."""
_LINE_ENDS = (b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")
"""What ends a line of C# besides line feeds and carriage returns, in UTF-8."""
FORMATTING = re.compile("[\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
"""Characters that names of Java and C# may hold and that do not count (the category Cf)."""
_VERBATIM = re.compile(rb"@[^\W\d]\w*+")
"""A name of C# with the sign that lets it be a keyword."""
_LONE_RETURN = re.compile(rb"\r(?!\n)")
SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")


def is_as_written(content: bytes, path: str) -> bool:
    """Whether the text of a source file is surely read as it is written."""
    if content[:2] in WIDE_MARKS:
        return False
    if path.endswith(".py"):
        return encoding_cookie(content) is None and _is_compatible(content)
    if path.endswith(SCRIPTS):
        return not _may_escape_names(content)
    if path.endswith(".java"):
        if escapes_name(content) or ESCAPED_SYNTAX.search(content):
            return False
        return not _LONE_RETURN.search(content) and not _holds_formatting(content)
    if path.endswith(".cs"):
        if any(end in content for end in _LINE_ENDS) or escapes_name(content):
            return False
        if any(name[1:] not in KEYWORDS for name in {*_VERBATIM.findall(content)}):
            return False
        return not _holds_formatting(content)
    return True


def escapes_name(content: bytes) -> bool:
    """Whether a text escapes a character that names consist of, which few hold a sign of."""
    return b"\\" in content and re.search(_ESCAPED_NAME, content) is not None


def as_read(content: bytes, path: str) -> bytes | None:
    """The text of a source file in its plain spelling, in UTF-8; None where it declares an encoding
    that is not known, or in which lines are others."""
    if is_as_written(content, path):
        return content
    from contract_scan.parsers.source.discovery.plain_spelling import plain_text_of

    return plain_text_of(content, path)


KEYWORDS = frozenset(
    b"""abstract as base bool break byte case catch char checked class const continue decimal
    default delegate do double else enum event explicit extern false finally fixed float for foreach
    goto if implicit in int interface internal is lock long namespace new null object operator out
    override params private protected public readonly ref return sbyte sealed short sizeof
    stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe
    ushort using virtual void volatile while""".split()
)
"""The keywords of C#, which are names only with `@` before them."""


# Python


def encoding_cookie(content: bytes) -> re.Match[bytes] | None:
    """Where a file declares another encoding than UTF-8."""
    lines = content[:8192].split(b"\n", 2)[:2]
    start = 0
    for line in lines:
        found = _COOKIE.match(line)
        if found is not None:
            if _UTF8.fullmatch(found[1]):
                return None
            return _COOKIE.match(content, start)
        if not _COMMENT_ALONE.match(line):
            return None
        start += len(line) + 1
    return None


def _is_compatible(content: bytes) -> bool:
    """Whether no letter of a text counts as another one."""
    if content.isascii():
        return True
    import unicodedata

    return unicodedata.is_normalized("NFKC", content.decode("utf-8", "replace"))


# JavaScript and TypeScript


def _may_escape_names(content: bytes) -> bool:
    if b"\\u" not in content:
        return False
    if escapes_name(content):
        return True
    if content.isascii():
        return False
    escaped = {chr(int(number, 16)) for number in {*_ESCAPED_LETTER.findall(content)}}
    return not escaped.isdisjoint(content.decode("utf-8", "replace"))


# Java and C#


def _holds_formatting(content: bytes) -> bool:
    if content.isascii():
        return False
    text = content.removeprefix(MARK).decode("utf-8", "replace")
    return FORMATTING.search(text) is not None
