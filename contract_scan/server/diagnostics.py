"""A report as diagnostics, by file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from lsprotocol import types

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding, Severity
from contract_scan.reports.display import display
from contract_scan.reports.place import expected_text, way_to
from contract_scan.reports.rule_url import rule_url
from contract_scan.server.positions import Positions
from contract_scan.server.scan_worker import ScanOutcome

SOURCE = "contract-scan"
NOT_ANALYSED = "not-analysed"
"""Code of what is said of files that could not be read whole."""


def diagnostics_of(outcome: ScanOutcome, positions: Positions) -> dict[str, list[types.Diagnostic]]:
    """What is to be shown, by the address of its file, in the order of the report."""
    found: dict[str, list[types.Diagnostic]] = {}
    for finding in outcome.report.findings:
        uri = positions.uri(finding.origin.path)
        found.setdefault(uri, []).append(_of_finding(finding, positions))
    problems = list(outcome.report.not_analysed)
    if outcome.problem is not None and not outcome.quiet:
        problems.append(outcome.problem)
    for problem in problems:
        if problem.path:
            uri = positions.uri(problem.path)
            found.setdefault(uri, []).append(_of_problem(problem, positions))
    return found


def _of_finding(finding: Finding, positions: Positions) -> types.Diagnostic:
    help = f"\n{display(finding.help)}" if finding.help else ""
    return types.Diagnostic(
        range=positions.range(finding.origin),
        severity=_severity(finding.severity),
        code=finding.name,
        code_description=types.CodeDescription(href=rule_url(finding.name)),
        source=SOURCE,
        message=display(finding.message) + help,
        related_information=list(_related_information(finding, positions)) or None,
        data={"rule": finding.rule, "fingerprint": finding.fingerprint},
    )


def _related_information(
    finding: Finding, positions: Positions
) -> Iterator[types.DiagnosticRelatedInformation]:
    contract = finding.contract
    if contract is not None and contract.path and contract != finding.origin:
        expected = expected_text(finding)
        expected = f": {expected}" if expected else ""
        yield types.DiagnosticRelatedInformation(
            positions.location(contract), display(f"the contract says this{expected}")
        )
    if (way := way_to(finding)) is not None and way.path:
        yield types.DiagnosticRelatedInformation(positions.location(way), "reached from here")


def _of_problem(problem: NotAnalysed, positions: Positions) -> types.Diagnostic:
    column = len(positions.line(problem.path, problem.line)) + 1
    origin = Origin(problem.path, Span(problem.line, 1, problem.line, column))
    return types.Diagnostic(
        range=positions.range(origin),
        severity=types.DiagnosticSeverity.Error
        if problem.fatal
        else types.DiagnosticSeverity.Warning,
        code=NOT_ANALYSED,
        source=SOURCE,
        message=display(problem.reason),
    )


def _severity(severity: Severity) -> types.DiagnosticSeverity:
    match severity:
        case "error":
            return types.DiagnosticSeverity.Error
        case "warning":
            return types.DiagnosticSeverity.Warning
        case "note":
            return types.DiagnosticSeverity.Information
        case _:
            assert_never(severity)
