"""Methods of strings, worked out where the string and what it is given are constants."""

from __future__ import annotations

from collections.abc import Callable

from contract_scan.ir.schema import LiteralValue
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import Constant, Items, Value
from contract_scan.parsers.source.language import CallModel

_Worked = Callable[..., "LiteralValue | list[str]"]
_MOST = 4_096
"""How many characters of a text are worked on."""


def _slice(text: str, start: int = 0, end: int | None = None) -> str:
    """JavaScript's `slice`: as Python's, whose step is one."""
    return text[start:end]


def _substring(text: str, start: int, end: int | None = None) -> str:
    first, last = max(start, 0), len(text) if end is None else max(end, 0)
    return text[min(first, last) : max(first, last)]


def _replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new, 1)


def _split(text: str, separator: str) -> list[str]:
    return text.split(separator) if separator else list(text)


_METHODS: dict[str, tuple[_Worked, tuple[type, ...]]] = {
    "endsWith": (str.endswith, (str,)),
    "startsWith": (str.startswith, (str,)),
    "includes": (str.__contains__, (str,)),
    "indexOf": (str.find, (str,)),
    "lastIndexOf": (str.rfind, (str,)),
    "slice": (_slice, (int, int)),
    "substring": (_substring, (int, int)),
    "replace": (_replace, (str, str)),
    "replaceAll": (str.replace, (str, str)),
    "split": (_split, (str,)),
    "toLowerCase": (str.lower, ()),
    "toUpperCase": (str.upper, ()),
    "trim": (str.strip, ()),
}
"""Method -> how it is worked out, and the types of its arguments."""


def worked_out(name: str, otherwise: CallModel) -> CallModel:
    """A method of strings; `otherwise` says what it gives where not all is constant."""
    work, types = _METHODS[name]

    def call(site: CallSite) -> Value | None:
        given = _constants(site, types)
        text = None if site.receiver is None else site.unwrap(site.receiver)
        held = text.value if isinstance(text, Constant) and text.declared_type is None else None
        if given is None or not isinstance(held, str) or len(held) > _MOST:
            return otherwise(site)
        try:
            found = work(held, *given)
        except (TypeError, ValueError):
            return otherwise(site)
        return _value(found, site)

    return call


def _constants(site: CallSite, types: tuple[type, ...]) -> list[LiteralValue] | None:
    if len(site.call.args) > len(types) or (types and not site.call.args):
        return None
    found: list[LiteralValue] = []
    for position, type in zip(range(len(site.call.args)), types, strict=False):
        value = site.value(position)
        if not isinstance(value, Constant) or not isinstance(value.value, type):
            return None
        found.append(value.value)
    return found


def _value(found: LiteralValue | list[str], site: CallSite) -> Value:
    span, path = site.call.span, site.scope.file.path
    if isinstance(found, list):
        return Items(tuple(Constant(part, span, path) for part in found))
    return Constant(found, span, path)


METHODS = tuple(_METHODS)
