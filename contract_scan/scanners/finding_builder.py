"""From a comparison of schemas to findings, the same way for every rule that compares them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.origin import Origin
from contract_scan.ir.violation import Finding, OperationRef, RuleId, Undetermined
from contract_scan.scanners.differences import Comparison, Difference, Direction, NotTold
from contract_scan.scanners.severity_table import judge, sentence


class Subject(Struct, frozen=True, kw_only=True):
    """What a comparison is about, for the findings made of it."""

    rule: RuleId
    words: str
    """Names it at the start of a sentence."""
    direction: Direction
    contract: Origin
    """Shown where a difference has no place of its own in the contract."""
    code: Origin
    """Shown where a difference has no place of its own in the code."""
    operation: OperationRef | None = None
    channel: str | None = None
    model: str | None = None


def findings(subject: Subject, comparison: Comparison) -> Iterator[Finding]:
    """One finding for each difference."""
    for difference in comparison.differences:
        yield _finding(subject, difference)


def undetermined(subject: Subject, comparison: Comparison) -> Iterator[Undetermined]:
    """One entry for each place that could not be compared."""
    for place in comparison.not_told:
        yield not_told(subject, place.reason, place)


def not_told(subject: Subject, reason: str, place: NotTold | None = None) -> Undetermined:
    """An entry for something of the subject that could not be told."""
    origin = place.code if place is not None and _is_placed(place.code) else subject.code
    return Undetermined(
        rule=subject.rule,
        reason=reason,
        origin=origin if origin.path else subject.contract,
        operation=subject.operation,
        channel=subject.channel,
        model=subject.model,
        field=place.path if place is not None else "",
    )


def _is_placed(origin: Origin) -> bool:
    """Whether an origin names a line: what a library adds stands nowhere in the file."""
    return bool(origin.path) and origin.span.line > 0


def _finding(subject: Subject, difference: Difference) -> Finding:
    row, severity = judge(difference, subject.direction)
    # A body that is wrong as a whole is wrong where it is sent; its type may be right elsewhere.
    own = difference.code if difference.path or subject.model else subject.code
    places = (own, difference.code)
    origin = next((place for place in places if _is_placed(place)), subject.code)
    contract = difference.contract if difference.contract.path else subject.contract
    return Finding(
        rule=subject.rule,
        kind=row.kind,
        severity=severity,
        message=sentence(subject.words, difference, subject.direction),
        origin=origin if origin.path else contract,
        operation=subject.operation,
        channel=subject.channel,
        model=subject.model,
        field=difference.path,
        expected=difference.expected,
        found=difference.found,
        contract=contract,
        reached_from=subject.code if subject.code != origin and subject.code.path else None,
        help=row.help,
    )
