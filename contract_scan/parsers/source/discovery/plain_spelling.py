"""The text of a source file as its language reads it, where that is not as it is written.

Other encodings, escapes in names, letters that count as others and further ends of lines are each
brought into the plain spelling, in UTF-8, so that a route that is spelt in an odd way is found like
any other. No line moves.

Apart from `source_text.py`, since few files need it and its patterns take longer to be compiled
than a hook has.
"""

from __future__ import annotations

import re
from typing import Any

from contract_scan.parsers.source.discovery.minified import WIDE_MARKS
from contract_scan.parsers.source.discovery.source_text import (
    ESCAPED_SYNTAX,
    FORMATTING,
    KEYWORDS,
    MARK,
    SCRIPTS,
    as_read,
    encoding_cookie,
    escapes_name,
    is_as_written,
)

_NO_ENCODINGS = frozenset({"idna", "punycode", "undefined", "mbcs", "oem"})
"""Codecs that take long, or that are of one system."""


def plain_text_of(content: bytes, path: str) -> bytes | None:
    """A text that is not as it is written, in its plain spelling; None as `as_read` says."""
    if content[:2] in WIDE_MARKS:
        content = content.decode("utf-16", "replace").encode()
        return content if is_as_written(content, path) else as_read(content, path)
    if path.endswith(".py"):
        return _python(content)
    if path.endswith(SCRIPTS):
        return _script(content, path)
    text = content.decode("utf-8", "surrogateescape")
    text = _java(text) if path.endswith(".java") else _csharp(text)
    return text.encode("utf-8", "surrogateescape")


# Python


def _python(content: bytes) -> bytes | None:
    cookie = encoding_cookie(content)
    if cookie is not None:
        start, end = cookie.span(1)
        decoded = _decode(content, cookie[1].decode("ascii", "replace"))
        if decoded is None:
            return None
        # What is read from here on is UTF-8, and says so.
        name = cookie[1].decode("ascii", "replace")
        head, _, rest = decoded.partition(name)
        if len(head) > end or start < 0:
            return None
        content = f"{head}utf-8{rest}".encode("utf-8", "surrogatepass")
        if content.startswith(MARK):
            return None
    text = content.decode("utf-8", "surrogateescape")
    if not text.isascii():
        text = _PYTHON_TOKEN.sub(_normalised_name, text)
    return text.encode("utf-8", "surrogateescape")


def _decode(content: bytes, name: str) -> str | None:
    import codecs
    import warnings

    try:
        codec = codecs.lookup(name.replace("_", "-").removesuffix("-unix").removesuffix("-dos"))
    except (LookupError, ValueError):
        return None
    if not getattr(codec, "_is_text_encoding", True) or codec.name in _NO_ENCODINGS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = content.decode(codec.name)
    except (ValueError, LookupError, TypeError):
        return None
    # A codec may write the end of a line in another way (`+AAo-`), so that lines would be others.
    return text if text.count("\n") == content.count(b"\n") and "\r" not in _odd(text) else None


def _odd(text: str) -> str:
    return text.replace("\r\n", "")


_PYTHON_TOKEN = re.compile(
    r"""
      \#[^\n]*+
    | (?P<formatted> [fF][rR]? | [rR][fF] )?
      (?: '{3} (?> (?: [^'\\]++ | \\. | '(?!'') )* ) (?: '{3} | \Z )
        | "{3} (?> (?: [^"\\]++ | \\. | "(?!"") )* ) (?: "{3} | \Z )
        | ' (?: [^'\\\n]++ | \\. )* '?
        | " (?: [^"\\\n]++ | \\. )* "?
      )
    | (?P<name> \w++ )
    """,
    re.VERBOSE | re.DOTALL,
)


_BRACES = re.compile(r"(\{\{|\}\}|\{|\})")


def _normalised_name(found: re.Match[str]) -> str:
    """A name as Python compares it, also in an expression within a text (`f"{name}"`)."""
    if found[0].isascii():
        return found[0]
    if found["name"] is not None:
        import unicodedata

        return unicodedata.normalize("NFKC", found[0])
    return found[0] if found["formatted"] is None else _normalised_fields(found[0])


def _normalised_fields(text: str) -> str:
    """A formatted text with the names in its replacement fields as Python compares them."""
    depth = 0
    pieces = _BRACES.split(text)
    for position, piece in enumerate(pieces):
        if piece[:1] in ("{", "}"):
            if depth or len(piece) == 1:
                depth = max(0, depth + (len(piece) if piece[0] == "{" else -len(piece)))
        elif depth:
            pieces[position] = _PYTHON_TOKEN.sub(_normalised_name, piece)
    return "".join(pieces)


# JavaScript and TypeScript

_NAMES = frozenset(
    {
        "identifier",
        "private_property_identifier",
        "property_identifier",
        "shorthand_property_identifier",
        "shorthand_property_identifier_pattern",
        "statement_identifier",
        "type_identifier",
    }
)
"""Nodes of the grammars that are names."""
_ANY_ESCAPE = re.compile(rb"\\u(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4}))")


def _script(content: bytes, path: str) -> bytes:
    """A script whose names are spelt without escapes; as it is where it cannot be parsed."""
    from contract_scan.parsers.source.bounded_parse import ParseLimitError, parse
    from contract_scan.parsers.source.discovery.normalised_source import parser_of

    parser = parser_of(path[path.rfind(".") :])
    if parser is None:
        return content
    try:
        cursor = parse(parser, content).root_node.walk()
    except ParseLimitError:
        return content  # whoever parses it next names it
    pieces, end = [], 0
    for node in _leaf_nodes(cursor):
        if node.type in _NAMES and b"\\" in content[node.start_byte : node.end_byte]:
            pieces.append(content[end : node.start_byte])
            name = content[node.start_byte : node.end_byte]
            pieces.append(_ANY_ESCAPE.sub(_letter, name))
            end = node.end_byte
    return b"".join((*pieces, content[end:]))


def _leaf_nodes(cursor: Any) -> Any:
    """The nodes without children below a cursor, in their order."""
    while True:
        if cursor.goto_first_child():
            continue
        yield cursor.node
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _letter(found: re.Match[bytes]) -> bytes:
    number = int(found[1] or found[2], 16)
    return chr(number).encode("utf-8", "replace") if number < 0x110000 else found[0]


# Java and C#

_C_TOKEN = re.compile(
    r"""
      (?P<comment> //[^\r\n\x1e\x85\u2028\u2029]*+ (?P<ends> (?= [\x1e\x85\u2028\u2029] ) )? )
    | /\* .*? (?: \*/ | \Z )
    | (?: @\$? | \$@ ) " (?: [^"]++ | "" )* "?
    | "{3} (?> (?: [^"]++ | "(?!"") )* ) (?: "{3} | \Z )
    | " (?: [^"\\\r\n]++ | \\. )* "?
    | ' (?: [^'\\\r\n]++ | \\. )* '?
    | (?P<name>
        @? (?: [\w$\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]++
          | \\u[0-9a-fA-F]{4} | \\U[0-9a-fA-F]{8} )+
      )
    | (?P<end> [\x1e\x85\u2028\u2029] )
    """,
    re.VERBOSE | re.DOTALL,
)
_JAVA_ESCAPE = re.compile(r"(\\\\)|\\u+([0-9a-fA-F]{4})")
_NAME_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})")
_END = "\x1e"
"""Stands for an end of a line that must not become one, since it would move the others."""


def _csharp(text: str) -> str:
    head = "\ufeff" if text.startswith("\ufeff") else ""
    return head + _C_TOKEN.sub(_csharp_token, text[len(head) :])


def _java(text: str) -> str:
    text = re.sub(r"\r(?!\n)", "\n", text)
    head = "\ufeff" if text.startswith("\ufeff") else ""
    content = text.encode("utf-8", "replace")
    if escapes_name(content) or ESCAPED_SYNTAX.search(content):
        text = _JAVA_ESCAPE.sub(_java_letter, text)
    return head + _C_TOKEN.sub(_plain_token, text[len(head) :])


def _java_letter(found: re.Match[str]) -> str:
    if found[1]:
        return found[0]
    number = int(found[2], 16)
    if number in (0x0A, 0x0D):
        return _END
    return found[0] if 0xD800 <= number < 0xE000 else chr(number)


def _plain_token(found: re.Match[str]) -> str:
    """A comment that ends where its language says, a name without what does not count in it."""
    if found["end"] is not None:
        return " "
    if found["comment"] is not None:
        return found[0] if found["ends"] is None else _as_block_comment(found[0])
    if found["name"] is None:
        return found[0]
    return FORMATTING.sub("", _NAME_ESCAPE.sub(_name_letter, found[0]))


def _csharp_token(found: re.Match[str]) -> str:
    """The same, and a name without the sign that it does not need."""
    token = _plain_token(found)
    needless = found["name"] is not None and token[1:].encode() not in KEYWORDS
    return token.removeprefix("@") if needless else token


def _name_letter(found: re.Match[str]) -> str:
    number = int(found[1] or found[2], 16)
    return chr(number) if number < 0xD800 or 0xE000 <= number < 0x110000 else found[0]


def _as_block_comment(comment: str) -> str:
    """A comment to the end of a line, which is not the one that grammars see, as one between `/*`
    and `*/`: what follows it stands on the same line."""
    inner = comment[2:].replace("*/", "* ")
    return f"/*{inner}*/"
