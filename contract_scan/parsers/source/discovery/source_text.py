"""The text of a source file as its language reads it, where that is not as it is written.

Compilers know more spellings than grammars do: other encodings, escapes in names, letters that
count as others, further ends of lines. Each is brought into the plain spelling here, in UTF-8, so
that a route that is spelt in an odd way is found like any other. No line moves.

Sources: PEP 263 and 3131 (Python), ECMA-262 12.7 (JavaScript), the Java Language Specification 3.3
and 3.8, the C# specification 6.3 and 6.4.3.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

from __future__ import annotations

import re

from contract_scan.parsers.source.discovery.minified import WIDE_MARKS

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from typing import Any

_COOKIE = re.compile(rb"[ \t\f]*+#[^\n]*?coding[:=][ \t]*+([-\w.]++)")
_COMMENT_ALONE = re.compile(rb"[ \t\f]*+(?:#[^\n]*+)?\r?$")
_MARK = b"\xef\xbb\xbf"
_UTF8 = re.compile(rb"utf[-_]?8(?:[-_].*)?|u8|ascii|us[-_]ascii", re.IGNORECASE)
"""Encodings in which nothing is to be done."""
_NO_ENCODINGS = frozenset({"idna", "punycode", "undefined", "mbcs", "oem"})
"""Codecs that take long, or that are of one system."""

_ASCII_NAME = r"(?:24|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])"
"""The numbers of the ASCII characters that names consist of."""
_ESCAPED_NAME = re.compile(
    rf"\\u+00{_ASCII_NAME}|\\U000000{_ASCII_NAME}|\\u\{{0*+{_ASCII_NAME}\}}".encode()
)
_ESCAPED_LETTER = re.compile(rb"\\u([0-9a-fA-F]{4})")
_ESCAPED_SYNTAX = re.compile(rb"\\u+00(?:0[aAdD]|2[0-9a-fA-F]|3[a-fA-F]|40|5[b-eB-E]|7[b-dB-D])")
"""What may end a text or comment of Java, or stand around its names."""
_LINE_ENDS = (b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")
"""What ends a line of C# besides line feeds and carriage returns, in UTF-8."""
_FORMATTING = re.compile("[\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
"""Characters that names of Java and C# may hold and that do not count (the category Cf)."""
_VERBATIM = re.compile(rb"@[^\W\d]\w*+")
"""A name of C# with the sign that lets it be a keyword."""
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_SCRIPTS = (".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx")


def is_as_written(content: bytes, path: str) -> bool:
    """Whether the text of a source file is surely read as it is written."""
    if content[:2] in WIDE_MARKS:
        return False
    if path.endswith(".py"):
        return _cookie(content) is None and _is_compatible(content)
    if path.endswith(_SCRIPTS):
        return not _may_escape_names(content)
    if path.endswith(".java"):
        if _ESCAPED_NAME.search(content) or _ESCAPED_SYNTAX.search(content):
            return False
        return not _LONE_RETURN.search(content) and not _holds_formatting(content)
    if path.endswith(".cs"):
        if any(end in content for end in _LINE_ENDS) or _ESCAPED_NAME.search(content):
            return False
        if any(name[1:] not in _KEYWORDS for name in {*_VERBATIM.findall(content)}):
            return False
        return not _holds_formatting(content)
    return True


def as_read(content: bytes, path: str) -> bytes | None:
    """The text of a source file in its plain spelling, in UTF-8; None where it declares an encoding
    that is not known, or in which lines are others."""
    if is_as_written(content, path):
        return content
    if content[:2] in WIDE_MARKS:
        content = content.decode("utf-16", "replace").encode()
        return content if is_as_written(content, path) else as_read(content, path)
    if path.endswith(".py"):
        return _python(content)
    if path.endswith(_SCRIPTS):
        return _script(content, path)
    text = content.decode("utf-8", "surrogateescape")
    text = _java(text) if path.endswith(".java") else _csharp(text)
    return text.encode("utf-8", "surrogateescape")


_KEYWORDS = frozenset(
    b"""abstract as base bool break byte case catch char checked class const continue decimal
    default delegate do double else enum event explicit extern false finally fixed float for foreach
    goto if implicit in int interface internal is lock long namespace new null object operator out
    override params private protected public readonly ref return sbyte sealed short sizeof
    stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe
    ushort using virtual void volatile while""".split()
)
"""The keywords of C#, which are names only with `@` before them."""


# Python


def _cookie(content: bytes) -> re.Match[bytes] | None:
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


def _python(content: bytes) -> bytes | None:
    cookie = _cookie(content)
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
        if content.startswith(_MARK):
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


def _may_escape_names(content: bytes) -> bool:
    if b"\\u" not in content:
        return False
    if _ESCAPED_NAME.search(content):
        return True
    if content.isascii():
        return False
    escaped = {chr(int(number, 16)) for number in {*_ESCAPED_LETTER.findall(content)}}
    return not escaped.isdisjoint(content.decode("utf-8", "replace"))


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


def _holds_formatting(content: bytes) -> bool:
    if content.isascii():
        return False
    text = content.removeprefix(_MARK).decode("utf-8", "replace")
    return _FORMATTING.search(text) is not None


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
    if _ESCAPED_NAME.search(text.encode("utf-8", "replace")) or _ESCAPED_SYNTAX.search(
        text.encode("utf-8", "replace")
    ):
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
    return _FORMATTING.sub("", _NAME_ESCAPE.sub(_name_letter, found[0]))


def _csharp_token(found: re.Match[str]) -> str:
    """The same, and a name without the sign that it does not need."""
    token = _plain_token(found)
    needless = found["name"] is not None and token[1:].encode() not in _KEYWORDS
    return token.removeprefix("@") if needless else token


def _name_letter(found: re.Match[str]) -> str:
    number = int(found[1] or found[2], 16)
    return chr(number) if number < 0xD800 or 0xE000 <= number < 0x110000 else found[0]


def _as_block_comment(comment: str) -> str:
    """A comment to the end of a line, which is not the one that grammars see, as one between `/*`
    and `*/`: what follows it stands on the same line."""
    inner = comment[2:].replace("*/", "* ")
    return f"/*{inner}*/"
