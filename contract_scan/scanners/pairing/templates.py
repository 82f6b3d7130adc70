"""Which fixed words the parameters of a route take: `{device}-settings` takes `pump-settings`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from contract_scan.ir.schema import Scalar
from contract_scan.scanners.pairing.dynamic_prefix import tail_of
from contract_scan.scanners.pairing.paths import CATCH_ALL, PARAMETER, Segments
from contract_scan.scanners.pairing.routes import Route

MAX_STEPS: Final = 10_000_000
"""Length of a segment to the power of the repetitions in a pattern: an upper bound of the ways in
which these can share it. What exceeds it is not matched."""
_PARAMETER = re.compile(r"\{([^{}]*)\}")
_REPETITION = re.compile(r"[+*?{]")
_WORDS = re.compile(r"[\w.-]+(?:\|[\w.-]+)*")
_PLAIN = re.compile(
    r"(?:\\[dDwWsS.\-]|\[\^?(?:\\[dDwWsS.\-]|[\w.\- ])+\]|[\w.|\-]|[+*?]|\{\d{1,3}(?:,\d{0,3})?\})*"
)


def answers_word_for_word(route: Route, path: Segments) -> bool:
    """Whether a route is meant for a path that has words where the route has parameters: each of
    these is a part of its segment, or takes a few words alone (`{format: svg|txt}`), and takes the
    word."""
    return _matches_template(route, path, whole=False)


def answers_as_values(route: Route, path: Segments) -> bool:
    """Whether a route answers a path that has words where the route has parameters, as any values
    of these."""
    return _matches_template(route, path, whole=True)


def values_of_parameters(route: Route, path: Segments) -> list[str]:
    """The words of a path where the route has parameters that take any text; empty where one of
    these takes something else, a number perhaps."""
    types = {p.name: p.schema for p in route.operation.parameters if p.location == "path"}
    written = [part for part in route.operation.path.split("/") if part]
    tail = tail_of(route)
    if len(written) != len(route.path) or (not tail and len(written) != len(path)):
        return []
    # From the end: a prefix that is not known has as many segments as the contract says.
    found: list[str] = []
    for ours, theirs, template in zip(
        reversed(tail or route.path), reversed(path), reversed(written), strict=False
    ):
        if ours == PARAMETER != theirs:
            schema = types.get(template.strip("{}*"))
            if isinstance(schema, Scalar) and (schema.type != "string" or schema.format):
                return []
            found.append(theirs)
    return found[::-1]


def takes_text(expression: str, text: str, *, folds_case: bool) -> bool:
    """Whether the regular expression of a parameter takes a text; one that is not plain is taken to
    do so."""
    pattern = _pattern("{}", (("", expression),), folds_case)
    is_long = len(text) ** pattern.repetitions > MAX_STEPS
    return is_long or pattern.accepted.fullmatch(text) is not None


def fixed_characters(path: Segments) -> int:
    """How many characters of a path are no parameter: of several routes that answer a path, the one
    with the most is the one that is meant."""
    return sum(len(_PARAMETER.sub("", part)) for part in path)


def _matches_template(route: Route, path: Segments, *, whole: bool) -> bool:
    if len(route.path) != len(path):
        return False
    written = [part for part in route.operation.path.split("/") if part]
    if len(written) != len(path):
        written = list(route.path)
    differs = False
    for ours, theirs, template in zip(route.path, path, written, strict=True):
        if ours == theirs:
            continue
        if PARAMETER not in ours or "{" in theirs or CATCH_ALL in ours:
            return False
        if ours == PARAMETER and not whole and not _is_of_words(template, route):
            return False
        pattern = _pattern(
            template,
            route.operation.path_expressions,
            route.operation.traits.paths_case_insensitive,
        )
        if len(theirs) ** pattern.repetitions > MAX_STEPS or not pattern.accepted.fullmatch(theirs):
            return False
        differs = True
    return differs


def _is_of_words(template: str, route: Route) -> bool:
    expression = dict(route.operation.path_expressions).get(template.strip("{}"), "")
    return _WORDS.fullmatch(expression) is not None


class _Pattern(NamedTuple):
    accepted: re.Pattern[str]
    repetitions: int


@lru_cache(maxsize=256)
def _pattern(template: str, expressions: tuple[tuple[str, str], ...], fold_case: bool) -> _Pattern:
    """What a segment takes."""
    asked = dict(expressions)
    parts: list[str] = []
    position = 0
    repetitions = 0
    for match in _PARAMETER.finditer(template):
        expression = _expression(asked.get(match[1], ""))
        repetitions += len(_REPETITION.findall(expression))
        parts.append(re.escape(template[position : match.start()]))
        parts.append(f"(?:{expression})")
        position = match.end()
    parts.append(re.escape(template[position:]))
    accepted = re.compile("".join(parts), re.IGNORECASE if fold_case else re.NOFLAG)
    return _Pattern(accepted, repetitions)


def _expression(text: str) -> str:
    """The expression of a parameter, as far as it is plain: without groups, whose repetitions can
    take forever, and without what libraries write in different ways."""
    text = text.removeprefix("^").removesuffix("$")
    if not text or not _PLAIN.fullmatch(text):
        return "[^/]+"
    try:
        re.compile(text)
    except re.error:
        return "[^/]+"
    return text
