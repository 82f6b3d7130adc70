"""What interpreted string functions may call: builtins, functions of `re` and methods of values.

All keep within bounds: NotPlainError is raised for results that grow too long, and for regular
expressions that may take long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

MAX_LENGTH = 2_000
"""Characters of a string, or items of a list."""
MAX_STEPS = 10_000_000
"""Steps that a regular expression may take for one text, by an upper bound."""
_REPETITION = re.compile(r"(?<!\\)[*+{]")
_REPEATED_GROUP = re.compile(r"\)\s*[*+{]|\(\?[a-zA-Z]*x")
_CHOICE = re.compile(r"(?<![\\(*+?}])\?|\|")
"""What may be there or not, and alternatives; `(?:`, `*?` are neither."""

Function: TypeAlias = Callable[..., object]


class NotPlainError(Exception):
    """The function does something that is not interpreted."""


STRING_METHODS = frozenset(
    {"lower", "upper", "title", "capitalize", "swapcase", "casefold"}
    | {"split", "rsplit", "join", "replace", "partition", "rpartition"}
    | {"strip", "lstrip", "rstrip", "removeprefix", "removesuffix"}
    | {"startswith", "endswith", "find", "rfind", "index", "count"}
    | {"isupper", "islower", "isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal"}
)
LIST_METHODS = frozenset({"append", "extend", "insert", "pop", "reverse", "index", "copy"})


def check_length(value: object) -> object:
    """The value; raises NotPlainError where it is too long."""
    if isinstance(value, str | list) and len(value) > MAX_LENGTH:
        raise NotPlainError
    return value


def as_iterable(value: object) -> Iterable[object]:
    """The value as one to iterate over; raises NotPlainError for any other."""
    if not isinstance(value, str | list | tuple | enumerate | zip | range | map | filter):
        raise NotPlainError
    return value


class Pattern:
    """A regular expression that cannot take long on a short text."""

    def __init__(self, pattern: object) -> None:
        if not isinstance(pattern, str) or not _is_harmless(pattern):
            raise NotPlainError
        self._longest = _longest_text(pattern)
        try:
            self._compiled = re.compile(pattern)
        except (re.error, OverflowError, RecursionError):
            raise NotPlainError from None

    def sub(self, replacement: object, text: object, count: int = 0) -> str:
        """`re.sub`."""
        if not isinstance(text, str) or not (isinstance(replacement, str) or callable(replacement)):
            raise NotPlainError
        self._check(text)
        if isinstance(replacement, str):
            return self._compiled.sub(replacement, text, count)
        return self._compiled.sub(lambda match: str(replacement(match)), text, count)

    def split(self, text: object) -> list[object]:
        """`re.split`."""
        return list(self._compiled.split(self._check(text)))

    def findall(self, text: object) -> list[object]:
        """`re.findall`."""
        return list(self._compiled.findall(self._check(text)))

    def _check(self, text: object) -> str:
        if len(str(text)) > self._longest:
            raise NotPlainError
        return str(text)


def _is_harmless(pattern: str) -> bool:
    """No repetition inside a repetition, and few of them."""
    if len(pattern) > 100 or _REPEATED_GROUP.search(pattern) is not None:
        return False
    return len(_REPETITION.findall(pattern)) <= 3 and _longest_text(pattern) > 0


def _longest_text(pattern: str) -> int:
    """How long a text may be so that every way to share it among the repetitions, from every place
    and with every choice, takes no more than `MAX_STEPS`."""
    ways = 2 ** len(_CHOICE.findall(pattern))
    return int((MAX_STEPS / ways) ** (1 / (len(_REPETITION.findall(pattern)) + 1)))


def _plain_text(value: object) -> str:
    return str(value) if isinstance(value, str | int) else _refuse()


def _refuse() -> str:
    raise NotPlainError


def _range(*bounds: int) -> range:
    made = range(*bounds)
    return made if len(made) <= MAX_LENGTH else range(len(str(_refuse())))


BUILTINS: dict[str, Function] = {
    "len": len,
    "str": _plain_text,
    "int": int,
    "bool": bool,
    "list": lambda value=(): list(as_iterable(value)),
    "tuple": lambda value=(): list(as_iterable(value)),
    "enumerate": lambda value, start=0: list(enumerate(as_iterable(value), start)),
    "zip": lambda *values: list(zip(*(list(as_iterable(v)) for v in values), strict=False)),
    "reversed": lambda value: list(as_iterable(value))[::-1],
    "range": _range,
    "map": lambda function, value: [function(item) for item in as_iterable(value)],
    "filter": lambda function, value: [item for item in as_iterable(value) if function(item)],
    "any": lambda value: any(as_iterable(value)),
    "all": lambda value: all(as_iterable(value)),
}
MODULE_FUNCTIONS: dict[str, Function] = {
    "re.compile": Pattern,
    "re.sub": lambda pattern, with_, text: Pattern(pattern).sub(with_, text),
    "re.split": lambda pattern, text: Pattern(pattern).split(text),
    "re.findall": lambda pattern, text: Pattern(pattern).findall(text),
    "str.lower": lambda text: str(text).lower(),
    "str.upper": lambda text: str(text).upper(),
    "str.title": lambda text: str(text).title(),
    "str.capitalize": lambda text: str(text).capitalize(),
}
