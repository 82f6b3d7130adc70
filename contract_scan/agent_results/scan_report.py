"""The JSON report of a scan as a result, and issues of results as problems of the scan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.agent_results.markdown_form import issues_part
from contract_scan.agent_results.result import (
    AgentResult,
    AgentResultError,
    Blocker,
    Confidence,
    ErrorDetails,
    Issue,
    IssueSeverity,
    Location,
    Part,
    Reference,
    Status,
)
from contract_scan.counted import counted

AGENT: Final = "Contract Scan"
"""The agent whose name the result of a scan bears."""
SCHEMA_VERSION: Final = 1
"""The version of the report that is read (docs/output.md)."""

ScanSeverity: TypeAlias = Literal["error", "warning", "note"]

_SEVERITIES: Final[Mapping[ScanSeverity, IssueSeverity]] = {
    "error": "critical",
    "warning": "important",
    "note": "minor",
}
_CONFIDENCE: Final[Mapping[str, int]] = {
    "enforced": 94,
    "checked": 90,
    "declared": 80,
    "inferred": 75,
    "guessed": 60,
}
"""By how the scan knows what the code does. 95 and more ask for an execution, and nothing is run;
what the code or a checked type proves is clear evidence, what only suggests it an inference."""
_OF_NO_FINDING: Final = 94
_INCOMPLETE: Final = "IncompleteScan"
_RECOVERY: Final = "Mend or exclude what could not be read, then scan again"


class Place(Struct, frozen=True, kw_only=True):
    """Where the report shows something."""

    path: str
    line: int


class ScanProblem(Struct, frozen=True, kw_only=True):
    """One entry of `problems` in the report."""

    fingerprint: str
    rule: str
    kind: str
    severity: ScanSeverity
    title: str
    code: Place | None = None
    contract: Place | None = None
    operations: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """`CONTRACT-001/missing-field`."""
        return f"{self.rule}/{self.kind}"


class ScanFinding(Struct, frozen=True, kw_only=True):
    """What is read of an entry of `findings`."""

    problem: str
    evidence: str
    help: str = ""


class ScanUnread(Struct, frozen=True, kw_only=True):
    """An entry of `not_analysed`."""

    path: str
    line: int
    reason: str
    partly: bool = False


class ScanCounts(Struct, frozen=True, kw_only=True):
    """What is read of the summary."""

    operations: int
    verified: int
    undetermined: int
    partly: int = 0
    files: int


class ScanReport(Struct, frozen=True, kw_only=True):
    """What `contract-scan check --output-format json` writes, as far as it is needed here."""

    schema_version: int
    summary: ScanCounts
    problems: tuple[ScanProblem, ...]
    findings: tuple[ScanFinding, ...]
    not_analysed: tuple[ScanUnread, ...]


def read_scan_report(raw: bytes, path: str = "") -> ScanReport:
    """A JSON report. Raises AgentResultError where it is none, or one of another version."""
    try:
        report = msgspec.json.decode(raw, type=ScanReport)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AgentResultError(f"is no JSON report of a scan: {error}", path) from error
    if report.schema_version != SCHEMA_VERSION:
        raise AgentResultError(
            f"has the schema version {report.schema_version}; {SCHEMA_VERSION} can be read", path
        )
    return report


def result_of_scan(report: ScanReport, path: str) -> AgentResult:
    """A scan as the result of an agent: its problems are issues, which keep their fingerprints.
    `path` is that of the report.

    SUCCESS: nothing is wrong and nothing undetermined. FAILED: something could not be read, so
    that nobody knows what is wrong. PARTIAL: everything else.
    """
    issues = tuple(_issue(problem, report.findings) for problem in report.problems)
    unread = [one for one in report.not_analysed if not one.partly]
    counts = report.summary
    status: Status = "SUCCESS"
    if unread:
        status = "FAILED"
    elif issues or report.not_analysed or counts.partly or counts.undetermined:
        status = "PARTIAL"
    return AgentResult(
        agent=AGENT,
        status=status,
        summary=(
            f"Compared {counted(counts.files, 'source file')} with their contracts: "
            f"{counted(len(issues), 'problem')}; "
            f"{counts.verified} of {counted(counts.operations, 'operation')} verified, "
            f"{counts.undetermined} undetermined."
        ),
        findings=tuple(_parts(issues, report.not_analysed)),
        references=tuple(_references(report.problems, path)),
        confidence=None if unread else _confidence(issues),
        next_steps=_next_steps(report),
        error=_error(unread),
        attempted_actions=tuple(f"Read {_code_location(one)}" for one in unread),
        root_cause="\n".join(f"- {_code_location(one)}: {one.reason}" for one in unread),
        recovery_options=(_RECOVERY,) if unread else (),
        blockers=tuple(
            Blocker(description=_code_location(one), resolution=one.reason) for one in unread
        ),
    )


def problems_of(results: Sequence[AgentResult], report: ScanReport) -> tuple[ScanProblem, ...]:
    """The problems of a scan that issues of results stand for, by their fingerprints, in the order
    of the report. Raises AgentResultError for a fingerprint that the report has not."""
    wanted = {
        issue.fingerprint: issue
        for result in results
        for issue in result.issues
        if issue.fingerprint
    }
    known = {problem.fingerprint for problem in report.problems}
    for fingerprint, issue in wanted.items():
        if fingerprint not in known:
            raise AgentResultError(
                f"line {issue.line}: the report has no problem {fingerprint!r:.80}"
            )
    return tuple(problem for problem in report.problems if problem.fingerprint in wanted)


# Private helpers


def _issue(problem: ScanProblem, findings: Sequence[ScanFinding]) -> Issue:
    grades = [one.evidence for one in findings if one.problem == problem.fingerprint]
    known = [_CONFIDENCE[grade] for grade in grades if grade in _CONFIDENCE]
    place = problem.code or problem.contract
    return Issue(
        id="",
        title=problem.title,
        location=Location(place.path, place.line) if place and place.line else None,
        severity=_SEVERITIES[problem.severity],
        category=problem.name,
        confidence=float(max(known)) if known else None,
        fingerprint=problem.fingerprint,
    )


def _confidence(issues: Sequence[Issue]) -> Confidence:
    known = [issue.confidence for issue in issues if issue.confidence is not None]
    return Confidence(
        score=min(known, default=float(_OF_NO_FINDING)),
        justification="how the least certain problem is known; nothing was run",
    )


def _parts(issues: Sequence[Issue], unread: Sequence[ScanUnread]) -> list[Part]:
    parts = [issues_part(issues)] if issues else [Part(title="", text="No problem was found.")]
    if unread:
        lines = (f"- {_code_location(one)}: {one.reason}" for one in unread)
        parts.append(Part(title="Not Analysed", text="\n".join(lines)))
    return parts


def _references(problems: Sequence[ScanProblem], report: str) -> list[Reference]:
    """The report, and the places of the contracts that are broken, each once."""
    whole = Reference(item="Report", location=Location(report, 1), relevance="all that was found")
    found = {(report, 1): whole}
    for problem in problems:
        place = problem.contract
        if place is not None and place.line:
            affected = (*problem.operations, *problem.channels, *problem.models)
            found.setdefault(
                (place.path, place.line),
                Reference(
                    item="Contract",
                    location=Location(place.path, place.line),
                    relevance=", ".join(affected[:3]) + (", …" if len(affected) > 3 else ""),
                ),
            )
    return list(found.values())


def _next_steps(report: ScanReport) -> tuple[str, ...]:
    helps = {one.problem: one.help for one in report.findings if one.help}
    said = (helps.get(problem.fingerprint, "") for problem in report.problems)
    steps = tuple(dict.fromkeys(step for step in said if step))
    if (report.summary.undetermined or report.summary.partly) and not steps:
        return ("Read what is undetermined: `contract-scan check --show=notes`",)
    return steps


def _error(unread: Sequence[ScanUnread]) -> ErrorDetails | None:
    if not unread:
        return None
    return ErrorDetails(
        type=_INCOMPLETE,
        message=f"{counted(len(unread), 'file')} could not be read",
        occurred_at=_code_location(unread[0]),
        recoverable=True,
    )


def _code_location(one: ScanUnread) -> str:
    return f"`{one.path}:{one.line}`" if one.line else f"`{one.path}`"
