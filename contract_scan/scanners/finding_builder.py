"""From a comparison of schemas to findings, the same way for every rule that compares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.evidence import ENFORCED, Constraint, Evidence, Grade
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import Finding, OperationRef, RuleId, Undetermined
from contract_scan.scanners.differences import Comparison, Difference, Direction
from contract_scan.scanners.differences.kinds import DifferencePlace, UndeterminedPart, constraint
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
    evidence: Evidence = ENFORCED
    """How the code's side of the comparison is known, where a difference does not say."""


def findings(subject: Subject, comparison: Comparison) -> Iterator[Finding]:
    """One finding for each difference that is known well enough."""
    for difference in comparison.differences:
        finding = _build_finding(subject, difference)
        if finding is not None:
            yield finding


def undetermined_entries(subject: Subject, comparison: Comparison) -> Iterator[Undetermined]:
    """One entry for each place that could not be compared, and for each difference that lacks
    the evidence for a finding."""
    for place in comparison.undetermined:
        yield undetermined_because(subject, place.reason, place)
    for difference in comparison.differences:
        _, outcome = judge(difference, subject.direction, grade_of(subject, difference))
        if outcome == "undetermined":
            yield undetermined_because(subject, _UNPROVED[constraint(difference)], difference)


_UNPROVED: Mapping[Constraint, Reason] = {
    "required": Reason("field-need-unchecked"),
    "nullable": Reason("null-unchecked"),
    "closed": Reason("field-unchecked"),
    "type": Reason("guessed-from-name"),
    "values": Reason("values-guessed-from-name"),
}
"""Why a difference is not known well enough, by what it is about."""


def grade_of(subject: Subject, difference: Difference) -> Grade:
    """How the code's side of a difference is known."""
    return difference.evidence or subject.evidence.of(constraint(difference)) or "enforced"


def undetermined_because(
    subject: Subject, reason: Reason, place: DifferencePlace | None = None
) -> Undetermined:
    """An entry for something of the subject that is undetermined."""
    origin = place.code if place is not None and _is_placed(place.code) else subject.code
    return Undetermined(
        rule=subject.rule,
        reason=reason,
        origin=origin if origin.path else subject.contract,
        operation=subject.operation,
        channel=subject.channel,
        model=subject.model,
        field=place.path if place is not None else "",
        null_alone=isinstance(place, UndeterminedPart) and place.null_alone,
    )


def _is_placed(origin: Origin) -> bool:
    """Whether an origin names a line: what a library adds stands nowhere in the file."""
    return bool(origin.path) and origin.span.line > 0


def _build_finding(subject: Subject, difference: Difference) -> Finding | None:
    grade = grade_of(subject, difference)
    row, severity = judge(difference, subject.direction, grade)
    if severity == "undetermined":
        return None
    # A body that is wrong as a whole is wrong where it is sent; its type may be right elsewhere.
    own = difference.code if difference.path or subject.model else subject.code
    contract = difference.contract if difference.contract.path else subject.contract
    # What is generated has its shape from the contract: it is wrong where the code makes it.
    places = [p for p in (own, difference.code) if not p.is_in_document_of(contract)]
    origin = next(filter(_is_placed, places), subject.code)
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
        evidence=grade,
        contract=contract,
        reached_from=subject.code if subject.code != origin and subject.code.path else None,
        help=row.help,
        objects=difference.objects,
    )
