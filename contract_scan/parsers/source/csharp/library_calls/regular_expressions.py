"""What `Regex.Replace` makes of a constant, as in the kebab case of the name of a class.

The pattern is code of somebody else, so only such are run as cannot take long: few repetitions,
none of a group, on short texts.
"""

from __future__ import annotations

import re

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import Constant, Value

_LONGEST_TEXT = 100
_LONGEST_PATTERN = 100
_MOST_REPETITIONS = 2
_OPTIONS = tuple(f"RegexOptions.{name}" for name in ("Compiled", "None", "CultureInvariant"))
_PLAIN = re.compile(r"(?:\\[dwsDWSb.\-]|\[\^?[\w\- ]+\]|\((?:\?(?:<?[=!]|:))?|[\w\-. ^$|)]|[+*?])*")
"""Patterns that mean the same to .NET and to Python: letters, classes, groups, looking around."""
_REPEATED_GROUP = re.compile(r"\)[+*?]")
_REFERENCE = re.compile(r"\$(\d)")


def replace_by_pattern(site: CallSite) -> Value | None:
    """`Regex.Replace(text, "([a-z])([A-Z])", "$1-$2")` of a constant."""
    given = [site.value(position) for position in range(3)]
    texts = [v.value for v in given if isinstance(v, Constant) and isinstance(v.value, str)]
    if len(texts) == 3 and all(_is_harmless(site, n) for n in range(3, len(site.call.args))):
        replaced = _replaced_text(*texts)
        if replaced is not None:
            return Constant(replaced)
    return None


def _is_harmless(site: CallSite, position: int) -> bool:
    """Whether an option of a replacement does not change what it gives."""
    expr = site.argument(position)
    return expr is not None and site.program.qualified_name(expr, site.scope).endswith(_OPTIONS)


def _replaced_text(text: str, pattern: str, replacement: str) -> str | None:
    if len(text) > _LONGEST_TEXT or len(pattern) > _LONGEST_PATTERN:
        return None
    repetitions = sum(pattern.count(sign) for sign in "+*")
    if repetitions > _MOST_REPETITIONS or _REPEATED_GROUP.search(pattern):
        return None
    if _PLAIN.fullmatch(pattern) is None or "\\" in replacement:
        return None
    if "$" in _REFERENCE.sub("", replacement):
        return None
    try:
        return re.sub(pattern, _REFERENCE.sub(r"\\\1", replacement), text)
    except (re.error, IndexError):
        return None
