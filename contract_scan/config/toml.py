"""TOML text, and the line on which a key of it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from contract_scan.errors import ConfigurationError

LARGEST = 1_000_000
MAX_LINES = 1_000
"""Lines of a configuration in which the place of a mistake is looked for."""

MAX_KEY_PARTS = 50
"""Parts of one dotted key. A reader keeps every beginning of a key: its memory grows with the
square of the parts, and 60,000 of them, 180 kB of text, took more than 4 GB."""
_TEXT_OR_COMMENT = re.compile(
    r'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?>(?:[^"\\\n]++|\\.)*)"?|\'[^\'\n]*\'|#[^\n]*'
)
_BETWEEN_KEYS = re.compile(r"[=,{}\[\]]")

KeyPath: TypeAlias = "tuple[str | int, ...]"
"""The way to a value: `("services", 1, "name")`."""


def read_text(file: Path) -> str:
    """The text of a configuration file. Raises ConfigurationError where it cannot be read."""
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        reason = error.strerror or "the file cannot be opened"
        raise ConfigurationError(f"cannot be read: {reason}", str(file)) from None
    if len(data) > LARGEST:
        raise ConfigurationError("is larger than 1 MB: not a configuration", str(file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigurationError("is not UTF-8; save it as UTF-8", str(file), line) from None


def parse(text: str, path: str) -> dict[str, Any]:
    """The values of a TOML text. Raises ConfigurationError, with `path` and the line, where it is
    none."""
    import tomllib

    if line := _line_of_long_key(text):
        raise ConfigurationError(f"a key has more than {MAX_KEY_PARTS} parts", path, line)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigurationError("is nested too deeply", path) from None
    except ValueError as error:
        said = str(error).rpartition("(at ")[0].rstrip() or str(error)
        place = re.search(r"\(at line (\d+)", str(error))
        line = int(place.group(1)) if place else text.count("\n") + 1
        raise ConfigurationError(f"is not valid TOML: {said}", path, line) from None


def _line_of_long_key(text: str) -> int:
    """The line of the first key with too many parts; 0 where there is none."""
    # A text or comment becomes as many line ends as it has, and a part of a key where it is one.
    plain = _TEXT_OR_COMMENT.sub(lambda found: "x" + "\n" * found[0].count("\n"), text)
    for number, line in enumerate(plain.split("\n"), start=1):
        if any(piece.count(".") >= MAX_KEY_PARTS for piece in _BETWEEN_KEYS.split(line)):
            return number
    return 0


def lines_in(text: str, wanted: Sequence[KeyPath]) -> list[int]:
    """The lines that keys start on, of each the line of the innermost table that is there; 0 where
    it is undetermined.

    Found by reading ever longer beginnings of the file: the first one in which a key is there
    ends with the statement that sets it, and that statement starts after the last beginning that
    could be read before. TOML readers give no positions, and this needs no second one.
    """
    import tomllib

    lines = text.split("\n", MAX_LINES)[:MAX_LINES]
    left = {way[:depth] for way in wanted for depth in range(1, len(way) + 1)}
    found: dict[KeyPath, int] = {}
    start = 0
    for end in range(1, len(lines) + 1):
        if not left:
            break
        try:
            document = tomllib.loads("\n".join(lines[:end]))
        except ValueError:
            continue
        there = {way for way in left if _contains(document, way)}
        found |= dict.fromkeys(there, start + 1)
        left -= there
        start = end
    return [
        next((found[way[:depth]] for depth in range(len(way), 0, -1) if way[:depth] in found), 0)
        for way in wanted
    ]


def line_in(text: str, wanted: KeyPath) -> int:
    """The line of one key, as `lines_in` tells it."""
    return lines_in(text, [wanted])[0]


def _contains(document: Any, keys: KeyPath) -> bool:
    for key in keys:
        if isinstance(key, int):
            if not isinstance(document, list) or key >= len(document):
                return False
            document = document[key]
        elif not isinstance(document, dict) or key not in document:
            return False
        else:
            document = document[key]
    return True
