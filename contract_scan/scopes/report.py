"""What departs from scope contracts, as a report of the engine: in every format that scans have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.report_assembly import report_of
from contract_scan.reports.report import Report
from contract_scan.scopes.verification import Deviation, rule_of


def report_of_scopes(
    deviations: Iterable[Deviation],
    *,
    contracts: str,
    handoffs: Mapping[str, str],
    not_analysed: Sequence[NotAnalysed] = (),
    files: int = 0,
) -> Report:
    """A report of deviations. A broken promise is what the engine found, with the fingerprints that
    a scan gives it; everything else is a finding of a SCOPE rule.

    `contracts` is the file of the scope contracts, `handoffs` those of handoffs by scope id, all
    relative to the root of the report. `files` is the number of files of code that were read.
    """
    own: list[Finding] = []
    promises: dict[str, Finding] = {}
    undetermined: list[Undetermined] = []
    for one in deviations:
        written = _line(handoffs[one.scope_id] if one.in_handoff else contracts, one.line)
        match one.kind:
            case "broken-promise":
                for finding in one.findings:
                    before = promises.get(finding.fingerprint, finding)
                    promises[finding.fingerprint] = _broken_by(before, one.scope_id)
            case "undetermined":
                undetermined.append(_make_undetermined(one, written))
            case _:
                own.append(_make_finding(one, written))
    return report_of(
        [*own, *promises.values()], undetermined, sorted_once(not_analysed), files=files
    )


def sorted_once(problems: Iterable[NotAnalysed]) -> list[NotAnalysed]:
    """Problems by place, each once."""
    return sorted(set(problems), key=lambda one: (one.path, one.line, one.reason))


# Private helpers


def _make_finding(deviation: Deviation, written: Origin) -> Finding:
    rule, kind = rule_of(deviation)
    place = deviation.findings[0].origin if deviation.findings else _line(deviation.path, 1)
    return Finding(
        rule=rule,
        kind=kind,
        severity="error",
        message=f"scope `{deviation.scope_id}`: {deviation.message}",
        origin=place if deviation.path else written,
        contract=written,
        field=deviation.item,
        scopes=(deviation.scope_id,),
    )


def _make_undetermined(deviation: Deviation, written: Origin) -> Undetermined:
    rule, _ = rule_of(deviation)
    reason = deviation.message.removeprefix(f"{deviation.item}: ")
    return Undetermined(rule=rule, reason=reason, origin=written, field=deviation.item)


def _broken_by(finding: Finding, scope_id: str) -> Finding:
    """What the engine found, with the scope that changed the file."""
    scopes = (*finding.scopes, *((scope_id,) if scope_id not in finding.scopes else ()))
    return replace(finding, scopes=scopes)


def _line(path: str, line: int) -> Origin:
    """The whole of a line."""
    return Origin(path, Span(line, 1, line + 1, 1)) if line else Origin(path)
