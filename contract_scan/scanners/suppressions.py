"""Exceptions that stand in the code or contract they are about.

`# contract-scan: ignore[CONTRACT-001] reason` on the line of a finding, or alone on the line above,
takes it out of the report; `ignore[CONTRACT-001/nullable]` does so for one kind of drift. The line
may be any that the finding names: the place in the code, the place in the contract, or the route
that leads there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import msgspec
from msgspec import Struct

from contract_scan.config.rules import SELECTORS, unknown_rule
from contract_scan.ir.comment import Comment
from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, Kind, Suppressed
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.report import Report

RULE = "CONTRACT-000"
"""The rule about exceptions themselves. It cannot be excepted from."""

_IGNORE = re.compile(r"ignore\[(?P<rules>[^\]]*)\](?P<reason>.*)", re.DOTALL)


class _Ignore(Struct, frozen=True):
    """What a comment excepts."""

    comment: Comment
    names: frozenset[str]
    """Of rules, or of kinds of them."""
    reason: str


class _Ignores:
    """All of them, by the lines that they are about."""

    def __init__(self, ignores: Sequence[_Ignore]) -> None:
        self._at: dict[tuple[str, int], list[_Ignore]] = {}
        for ignore in ignores:
            for line in ignore.comment.lines:
                self._at.setdefault((ignore.comment.origin.path, line), []).append(ignore)

    def ignores_covering(self, finding: Finding) -> list[_Ignore]:
        """Those that are about a place of the finding, and name its rule."""
        places = (finding.origin, finding.contract, finding.reached_from)
        return [
            ignore
            for origin in places
            if origin is not None
            for ignore in self._at.get((origin.path, origin.span.line), ())
            if ignore.names & {finding.rule, finding.name}
        ]


def without_ignored(
    report: Report,
    comments: Sequence[Comment],
    *,
    select: Collection[str],
    inside: Collection[str],
) -> Report:
    """The report without what comments except, and with what is wrong with the comments.

    `select` are the rules that ran: an exception from one that did not is not called unused.
    `inside` are the paths whose comments may be complained of; what is wrong with those of files
    beyond the scanned root is not this scan's business.
    """
    complaints: list[Finding] = []
    ignores: list[_Ignore] = []
    for comment in comments:
        names, wrong = _parse_comment(comment)
        if names:
            ignores.append(_Ignore(comment, names, comment.said.partition("]")[2].strip()))
        complaints += [
            suppression_finding("invalid-ignore", comment.origin, *each) for each in wrong
        ]
    reported: list[Finding] = []
    suppressed: list[Suppressed] = []
    used: set[tuple[Origin, str]] = set()
    by_place = _Ignores(ignores)
    for finding in report.findings:
        covering = by_place.ignores_covering(finding)
        used |= {
            (ignore.comment.origin, name)
            for ignore in covering
            for name in ignore.names & {finding.rule, finding.name}
        }
        if not covering:
            reported.append(finding)
        else:
            suppressed.append(_suppression(finding, covering[0]))
    incomplete = {problem.path for problem in report.not_analysed}
    for ignore in ignores:
        if ignore.comment.origin.path not in incomplete:
            complaints += _unused_ignores(ignore, used, select)
    if RULE in select:
        shown = [finding for finding in complaints if finding.origin.path in inside]
        reported += with_fingerprints(shown)
    return msgspec.structs.replace(
        report,
        findings=tuple(sorted(reported, key=place_key)),
        ignored=report.ignored + len(suppressed),
        suppressed=(*report.suppressed, *suppressed),
    )


def _suppression(finding: Finding, ignore: _Ignore) -> Suppressed:
    return Suppressed(
        finding=finding, by="comment", justification=ignore.reason, origin=ignore.comment.origin
    )


def _parse_comment(comment: Comment) -> tuple[frozenset[str], list[tuple[str, str]]]:
    """The rules and kinds that a comment excepts from, and (message, help) of its mistakes."""
    written = _IGNORE.match(comment.said)
    example = "write `ignore[CONTRACT-001] reason`"
    if written is None:
        word = re.match(r"[\w-]*", comment.said)
        if comment.said.split("[")[0].split(" ")[0] == "ignore":
            return frozenset(), [("`ignore` names no rule", example)]
        said = word[0] if word else ""
        return frozenset(), [(f"`contract-scan: {said}` is not understood", example)]
    names = [name.strip() for name in written["rules"].split(",") if name.strip()]
    if not names:
        return frozenset(), [("`ignore[]` names no rule", example)]
    wrong = []
    known = set()
    for name in dict.fromkeys(names):
        if name.partition("/")[0] == RULE:
            wrong.append((f"{RULE} cannot be ignored in place", "mend the comment it is about"))
        elif name in SELECTORS:
            known.add(name)
        else:
            what, _, hint = unknown_rule(name).partition("; ")
            wrong.append((f"`ignore` names the {what}", hint))
    return frozenset(known), wrong


def _unused_ignores(
    ignore: _Ignore, used: Collection[tuple[Origin, str]], select: Collection[str]
) -> Iterator[Finding]:
    for name in sorted(ignore.names):
        if name.partition("/")[0] in select and (ignore.comment.origin, name) not in used:
            message = f"`ignore[{name}]` is not needed: nothing is found here"
            yield suppression_finding("unused-ignore", ignore.comment.origin, message, "remove it")


def suppression_finding(kind: Kind, origin: Origin, message: str, help: str) -> Finding:
    """What is wrong with a suppression itself."""
    return Finding(
        rule=RULE, kind=kind, severity="warning", message=message, origin=origin, help=help
    )


def place_key(finding: Finding) -> tuple[str, int, int, str]:
    """Where a finding of a rule stands."""
    span = finding.origin.span
    return finding.origin.path, span.line, span.column, finding.rule
