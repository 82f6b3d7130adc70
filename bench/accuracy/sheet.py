"""Which findings of a scan a person reads, drawn at random, and the sheet for the verdicts.

Every error is drawn and a random half of the warnings; notes are not. Where that is more than the
cap, errors have two thirds of it, and findings are drawn in rounds: each round takes at most one of
every code place, so that a place with a thousand findings does not crowd out the others. The same
seed and scan give the same sheet.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

CAP = 60
"""Findings to read of one repository at most."""
SEED = 15
VERDICTS = {
    "true": "a client or service would notice the difference that the message names, and what the"
    " message says of the code is literally so",
    "false": "what the message says is not so, or nobody could notice",
    "debatable": "it depends on something that neither the code nor the contract tells",
}
"""What may be said of a finding."""

Reported: TypeAlias = Mapping[str, Any]
"""A finding as `--output-format json` writes it."""


class SheetError(Exception):
    """A sheet lacks a verdict or has one that does not exist."""


class Place(NamedTuple):
    """Where the code says something of one kind: what is drawn once before any is drawn twice."""

    rule: str
    kind: str
    path: str
    line: int


def drawn(findings: Iterable[Reported], seed: int = SEED, cap: int = CAP) -> list[Reported]:
    """The findings to read: at most `cap`, ordered by place. Equal for equal findings, in whatever
    order they come."""
    chance = random.Random(seed)
    ordered = sorted(findings, key=_order)
    errors = [found for found in ordered if found["severity"] == "error"]
    warnings = [found for found in ordered if found["severity"] == "warning"]
    half = chance.sample(warnings, math.ceil(len(warnings) / 2))
    for_errors = max(cap * 2 // 3, cap - len(half))
    chosen = _spread(errors, chance, for_errors)
    return sorted(chosen + _spread(half, chance, cap - len(chosen)), key=_order)


def _spread(findings: list[Reported], chance: random.Random, cap: int) -> list[Reported]:
    if len(findings) <= cap:
        return findings
    by_place: dict[Place, list[Reported]] = defaultdict(list)
    for found in chance.sample(findings, len(findings)):
        by_place[place_of(found)].append(found)
    chosen: list[Reported] = []
    while len(chosen) < cap:
        one_of_each = [of_place.pop() for of_place in by_place.values() if of_place]
        chosen += one_of_each[: cap - len(chosen)]
    return chosen


def place_of(found: Reported) -> Place:
    """The code place of a finding, and what it says of it."""
    return Place(found["rule"], found["kind"], found["path"], found["line"])


def subject_of(found: Reported) -> str:
    """What a finding is about: `GET /orders 200 response items[].price`, a channel or a model."""
    operation = found["operation"]
    parts = (
        [operation["method"], operation["path"], operation["status"], operation["direction"]]
        if operation
        else [found["channel"] or found["model"] or ""]
    )
    return " ".join(part for part in [*parts, found["field"]] if part)


def _order(found: Reported) -> tuple[str, str, str, int, str, str]:
    at = place_of(found)
    return (at.path, at.rule, at.kind, at.line, subject_of(found), found["message"])


def rows(
    findings: Iterable[Reported], read_before: Iterable[Reported] = ()
) -> list[dict[str, Any]]:
    """Lines of a sheet, one for each drawn finding. The verdict is empty, unless an earlier sheet
    of the same repository has one for the same message at the same code place."""
    known = {(row["message"], row["code"]): row for row in read_before}
    made = []
    for found in findings:
        contract = found["contract"]
        row = {
            "severity": found["severity"],
            "rule": found["rule"],
            "kind": found["kind"],
            "evidence": found["evidence"],
            "message": found["message"],
            "code": f"{found['path']}:{found['line']}",
            "contract": f"{contract['path']}:{contract['line']}" if contract else "",
        }
        before = known.get((row["message"], row["code"]), {})
        made.append({**row, "verdict": before.get("verdict", ""), "cause": before.get("cause", "")})
    return made


def counted(sheet: Iterable[Reported]) -> list[dict[str, Any]]:
    """How often which verdict was given, by severity, rule and kind.

    Raises SheetError for a finding without a verdict that exists, or a false one without a cause.
    """
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for row in sheet:
        if row["verdict"] not in VERDICTS:
            wanted = ", ".join(VERDICTS)
            raise SheetError(f"{row['code']}: verdict {row['verdict']!r} is none of {wanted}")
        if row["verdict"] == "false" and not row["cause"]:
            raise SheetError(f"{row['code']}: is false, and no cause is given")
        counts[row["severity"], row["rule"], row["kind"], row["verdict"]] += 1
    kinds = sorted({key[:3] for key in counts})
    return [
        {
            "severity": severity,
            "rule": rule,
            "kind": kind,
            **{verdict: counts[severity, rule, kind, verdict] for verdict in VERDICTS},
        }
        for severity, rule, kind in kinds
    ]


def causes(sheet: Iterable[Reported]) -> list[dict[str, Any]]:
    """Causes of what is false, the most frequent first."""
    found = Counter(row["cause"] for row in sheet if row["verdict"] == "false")
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [{"cause": cause, "findings": count} for cause, count in ordered]
