"""Mutations of texts, each a function of its random numbers alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

Mutation: TypeAlias = Callable[[str, Random, Sequence[str]], str]
"""(text, random numbers, other texts) -> what the text becomes."""

LARGEST = 400_000
"""Letters that a mutated text has at most."""
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_OPENING = (
    "(",
    "[",
    "{",
    "<",
    "((",
    "[[",
    "{[",
    "f(",
    "a[",
    "{a:",
    "<a>",
    "!(",
    "() => {",
    "if x:\n ",
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ODD = (
    "\x00",
    "\ufeff",
    "\u2028",
    "\u2029",
    "\u202e",
    "\u200b",
    "\x85",
    "\x0b",
    "\x0c",
    "\r",
    "\r\n",
    "\u0301" * 40,
    "\U0001f600",
    "\ud7ff",
    "\uffff",
    "ﬁ",
    "İ",
    "ß",
    "ſ",
    "\u0660",
    "٣",
    "x\u0308",
    "\x1b[31m",
    "\x7f",
    "\\",
    "\\u{110000}",
    "\\x",
    "\\N{",
    '"""',
    "'''",
    "`",
    "${",
    "{{",
    "}}",
    "%s",
    "@",
)
_NUMBERS = (
    "0",
    "-1",
    "1e309",
    "NaN",
    "-Infinity",
    "9" * 40,
    "9" * 5000,
    "0x" + "f" * 40,
    "1_0",
    "0o9",
    "1e-400",
    "9223372036854775808",
    "0.1",
    "00",
    "1n",
    "2001-02-30",
    "12:34:56",
    "!!float",
    "~",
    "null",
    "true",
)
_WORDS = (
    "$ref",
    "#/",
    "#/components/schemas/Node",
    "allOf",
    "oneOf",
    "additionalProperties",
    "extends",
    "self",
    "this",
    "super",
    "class",
    "def",
    "async",
    "await",
    "yield",
    "lambda",
    "return",
    "import",
    "from",
    "*",
    "**",
    "...",
    "=>",
    "::",
    "?.",
    "??",
    "|",
    "&",
    "<<",
    ">>",
    "typeof",
    "keyof",
    "infer",
    "T",
    "T<T>",
    "record",
    "required",
    "null",
    "None",
    "__proto__",
    "constructor",
    "prototype",
    "../",
    "/",
    "//",
    "&a",
    "*a",
    "<<: *a",
    "!!python/object",
    "---",
    "...",
    "%YAML 1.2",
    "#if X",
    "#endif",
    "/*",
    "*/",
    "<!--",
    "&x;",
)


def truncated(text: str, random: Random, _: Sequence[str]) -> str:
    """The text up to somewhere, or from somewhere on."""
    at = random.randrange(len(text) + 1)
    return text[:at] if random.random() < 0.8 else text[at:]


def spliced(text: str, random: Random, others: Sequence[str]) -> str:
    """The text with a piece of another one in it."""
    other = random.choice(others)
    start = random.randrange(len(other) + 1)
    piece = other[start : start + random.choice((5, 40, 400, 4000))]
    at, gone = random.randrange(len(text) + 1), random.choice((0, 0, 10, 200))
    return text[:at] + piece + text[at + gone :]


def without_tokens(text: str, random: Random, _: Sequence[str]) -> str:
    """The text without some of its tokens."""
    tokens = _TOKEN.findall(text)
    for _n in range(random.choice((1, 1, 2, 5, 20))):
        if tokens:
            del tokens[random.randrange(len(tokens))]
    return "".join(tokens)


def with_other_tokens(text: str, random: Random, _: Sequence[str]) -> str:
    """The text with tokens that change places, or are words that mean something."""
    tokens = _TOKEN.findall(text)
    for _n in range(random.choice((1, 2, 5, 20))):
        if tokens:
            at = random.randrange(len(tokens))
            own = random.choice(tokens) if random.random() < 0.5 else random.choice(_WORDS)
            tokens[at] = own
    return "".join(tokens)


def doubled(text: str, random: Random, _: Sequence[str]) -> str:
    """The text with a piece of it several times."""
    at = random.randrange(len(text) + 1)
    piece = text[at : at + random.choice((1, 5, 40, 400, 4000))]
    return text[:at] + piece * random.choice((2, 2, 3, 20, 300)) + text[at:]


def with_odd_letters(text: str, random: Random, _: Sequence[str]) -> str:
    """The text with letters that few expect: NUL, line separators, marks, escapes."""
    for _n in range(random.choice((1, 1, 3, 10))):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(_ODD) + text[at:]
    return text


def with_long_line(text: str, random: Random, _: Sequence[str]) -> str:
    """The text with a token many times over."""
    tokens = [token for token in _TOKEN.findall(text) if not token.isspace()] or ["x"]
    token: str = random.choice(tokens)[:100] + random.choice(("", "", " ", ".", ",", "|", " + "))
    at = random.randrange(len(text) + 1)
    return text[:at] + token * random.choice((1_000, 10_000, 60_000)) + text[at:]


def nested(text: str, random: Random, _: Sequence[str]) -> str:
    """The text with brackets within brackets, closed or not."""
    at = random.randrange(len(text) + 1)
    end = min(len(text), at + random.choice((0, 1, 10, 100)))
    opening = random.choice(_OPENING)
    depth = random.choice((3, 50, 150, 250, 3_000, 50_000))
    closing = "".join(_CLOSING.get(letter, "") for letter in reversed(opening))
    after = closing * depth if random.random() < 0.7 else ""
    return text[:at] + opening * depth + text[at:end] + after + text[end:]


def with_other_numbers(text: str, random: Random, _: Sequence[str]) -> str:
    """The text with numbers, and words in their place, that few expect."""
    places = [match.span() for match in re.finditer(r"\b\d+\b|\btrue\b|\bstring\b", text)]
    for start, end in sorted(random.sample(places, min(len(places), 3)), reverse=True):
        text = text[:start] + random.choice(_NUMBERS) + text[end:]
    return text if places else text + random.choice(_NUMBERS)


def with_other_lines(text: str, random: Random, _: Sequence[str]) -> str:
    """The text with lines gone, moved, or indented otherwise."""
    lines = text.split("\n")
    for _n in range(random.choice((1, 2, 5))):
        at = random.randrange(len(lines))
        match random.randrange(4):
            case 0 if len(lines) > 1:
                del lines[at]
            case 1:
                lines.insert(at, lines[random.randrange(len(lines))])
            case 2:
                lines[at] = " " * random.choice((1, 2, 7, 300)) + lines[at]
            case _:
                lines[at] = lines[at].replace("    ", "\t") + random.choice(("", "\\", " #", ":"))
    return "\n".join(lines)


def renamed(text: str, random: Random, _: Sequence[str]) -> str:
    """The text with all of one name called like another, so that things hold themselves."""
    names = sorted(set(re.findall(r"\b[A-Za-z_]\w{2,}\b", text)))
    if len(names) < 2:
        return text
    one, other = random.sample(names, 2)
    changed: str = re.sub(rf"\b{one}\b", other, text)
    return changed


def emptied(_text: str, random: Random, _: Sequence[str]) -> str:
    """Hardly anything."""
    return random.choice(("", "\n", " ", "\x00", "{}", "[]", "null", "0", "---\n", "#", "{", '"'))


MUTATIONS: tuple[Mutation, ...] = (
    *(truncated, spliced, spliced, without_tokens, without_tokens, with_other_tokens),
    *(with_other_tokens, doubled, with_odd_letters, with_long_line, nested, with_other_numbers),
    *(with_other_lines, renamed, renamed, emptied),
)
"""What is chosen from; some are chosen more often."""


def mutated(text: str, random: Random, others: Sequence[str]) -> bytes:
    """A text after one or several mutations, in an encoding that is not always right."""
    for _n in range(random.choice((1, 1, 1, 2, 3, 6))):
        mutation = random.choice(MUTATIONS)
        if mutation is emptied and random.random() < 0.7:
            continue
        text = mutation(text, random, others)[:LARGEST]
    match random.randrange(30):
        case 0:
            return text.encode("utf-16", "replace")
        case 1:
            return b"\xef\xbb\xbf" + text.encode("utf-8", "replace")
        case 2:
            return text.encode("latin-1", "replace")
        case 3:
            raw = bytearray(text.encode("utf-8", "replace"))
            for _n in range(min(len(raw), 5)):
                raw[random.randrange(len(raw))] = random.randrange(256)
            return bytes(raw)
        case _:
            return text.encode("utf-8", "replace")
