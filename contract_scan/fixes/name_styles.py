"""How names are put together, in code and on the wire."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def words(name: str) -> list[str]:
    """The words of a name, in small letters."""
    return [word.lower() for word in _WORD.findall(name)]


def _camel(name: str) -> str:
    first, *rest = words(name) or [""]
    return first + "".join(word.capitalize() for word in rest)


def _unchanged_name(name: str) -> str:
    return name


STYLES: tuple[Callable[[str], str], ...] = (
    _unchanged_name,
    _camel,
    lambda name: "_".join(words(name)),
    lambda name: "-".join(words(name)),
    lambda name: "_".join(words(name)).upper(),
    lambda name: "-".join(words(name)).upper(),
    lambda name: "".join(word.capitalize() for word in words(name)),
    str.lower,
    str.upper,
)
"""How a name in code becomes one on the wire."""


def styles_of(known: Mapping[str, str]) -> list[Callable[[str], str]]:
    """The styles that turn every name into its value."""
    return [style for style in STYLES if all(style(name) == value for name, value in known.items())]


def pascal(name: str) -> str:
    """`BankTransfer` for `bank-transfer`."""
    return "".join(word.capitalize() for word in words(name))


def constant(name: str) -> str:
    """`BANK_TRANSFER` for `bank-transfer`."""
    return "_".join(words(name)).upper()
