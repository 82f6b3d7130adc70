"""Methods of strings, worked out where the string and what it is given are constants, and what
libraries of dates make texts and numbers of."""

from __future__ import annotations

from collections.abc import Callable

from contract_scan.ir.schema import LiteralValue, Scalar
from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import BySchema, Constant, Items, Value
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


# ------------------------------------------------------------------------------------- dates


_DATES = ("moment", "dayjs", "luxon.DateTime", "@js-joda/core", "date-fns")
_DAYS = frozenset({"YYYY-MM-DD", "yyyy-MM-dd"})
"""Patterns of a date in the form of ISO 8601, of Day.js and Moment, and of the others."""
_TEXT = Scalar(type="string")
_INSTANT = Scalar(type="string", format="date-time")
_DAY = Scalar(type="string", format="date")
_OF_DATES: dict[str, Scalar] = {
    **dict.fromkeys(("toISO", "formatISO", "formatRFC3339"), _INSTANT),
    "toISODate": _DAY,
    **dict.fromkeys(("toISOTime", "toSQL", "toSQLDate", "toSQLTime", "toRFC2822", "toHTTP"), _TEXT),
    **dict.fromkeys(("fromNow", "toNow", "from", "calendar", "toRelative", "humanize"), _TEXT),
    **dict.fromkeys(("formatDistance", "formatDistanceToNow", "formatRelative"), _TEXT),
    **dict.fromkeys(("unix", "toMillis", "toSeconds", "getUnixTime"), Scalar(type="numeric")),
    **dict.fromkeys(("toUnixInteger", "daysInMonth"), Scalar(type="integer")),
    **dict.fromkeys(("isBefore", "isAfter", "isSame", "isBetween"), Scalar(type="boolean")),
}
"""What methods of dates give, and the functions of date-fns that bear these names.
(https://momentjs.com/docs, https://day.js.org/docs, https://moment.github.io/luxon/api-docs,
https://date-fns.org/docs)"""


def _of_date(site: CallSite) -> Value | None:
    """A method of a date, or a function of date-fns."""
    holder = site.program.evaluator.qualified_name(site.receiver) if site.receiver else site.name
    if holder.startswith("Intl.") and site.name == ".format":
        return BySchema(_TEXT)
    if not holder.startswith(_DATES):
        return None
    name = site.name.rsplit(".", 1)[-1]
    if name not in ("format", "toFormat"):
        return BySchema(_OF_DATES[name])
    pattern = site.value(1 if holder.startswith("date-fns") else 0)
    if pattern is None:
        return BySchema(_INSTANT)  # Moment and Day.js: `format()`
    text = pattern.value if isinstance(pattern, Constant) else None
    return BySchema(_DAY if text in _DAYS else _TEXT)


CALL_MODELS: dict[str, CallModel] = {
    **{f".{name}": _of_date for name in (*_OF_DATES, "format", "toFormat")},
    **{f"date-fns.{name}": _of_date for name in (*_OF_DATES, "format")},
    **{f"date-fns/{name}.default": _of_date for name in (*_OF_DATES, "format")},
}
