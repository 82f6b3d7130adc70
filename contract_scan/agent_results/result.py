"""What an agent hands back, whatever it was asked to do."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from contract_scan.errors import ContractScanError

Status: TypeAlias = Literal["SUCCESS", "PARTIAL", "FAILED"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
"""Every status, the best first."""
IssueSeverity: TypeAlias = Literal["critical", "important", "minor"]
SEVERITIES: Final[tuple[IssueSeverity, ...]] = get_args(IssueSeverity)
"""Every severity, the gravest first."""


class AgentResultError(ContractScanError):
    """A text holds no result, or results cannot be merged."""


class Location(Struct, frozen=True, order=True):
    """A place that a result refers to."""

    path: str
    line: int
    """Counts from 1."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Reference(Struct, frozen=True, kw_only=True):
    """A row of the key references."""

    item: str
    location: Location | None
    """None where no line of a file is named."""
    relevance: str = ""
    line: int = 0


class Issue(Struct, frozen=True, kw_only=True):
    """Something that an agent found to be wrong."""

    id: str = ""
    """`SEC-001`; empty where it bears none."""
    title: str
    description: str = ""
    location: Location | None = None
    """None where no line of a file is named."""
    severity: IssueSeverity | None = None
    """None where none of the three is named."""
    category: str = ""
    """What sort of issue it is; the letters of its id where nothing else says so."""
    confidence: float | None = None
    """0 to 100."""
    fingerprint: str = ""
    """Identity of the problem of a scan that it stands for."""
    agents: tuple[str, ...] = ()
    """Who reported it, in a merged result."""
    line: int = 0


class ComplianceCheck(Struct, frozen=True, kw_only=True):
    """Whether a standard is met, as one agent sees it."""

    standard: str
    outcome: str
    """`PASS` or `FAIL`, in capitals, or another word."""
    notes: str = ""
    line: int = 0


class Confidence(Struct, frozen=True, kw_only=True):
    """How sure an agent is of its result as a whole."""

    score: float
    """0 to 100."""
    justification: str = ""
    line: int = 0


class Blocker(Struct, frozen=True, kw_only=True):
    """What keeps an agent from going on."""

    description: str
    resolution: str = ""
    line: int = 0


class ErrorDetails(Struct, frozen=True, kw_only=True):
    """Why an agent failed."""

    type: str = ""
    message: str = ""
    occurred_at: str = ""
    """A place or a step."""
    recoverable: bool | None = None
    """None where neither is said."""
    line: int = 0


class Conflict(Struct, frozen=True, kw_only=True):
    """What agents say of one thing and cannot all be right about; a person has to look."""

    subject: str
    """The issue or the standard."""
    about: str
    """What they say differently: its severity, its id, whether it is met."""
    statements: str
    """What each agent says: `A: critical; B: minor`."""


class Part(Struct, frozen=True, kw_only=True):
    """A section whose form depends on the agent, as it was written."""

    title: str
    text: str
    issues: tuple[Issue, ...] = ()
    """The rows of its tables that have a column of severities."""
    compliance: tuple[ComplianceCheck, ...] = ()
    """The rows of its tables of standards."""
    conflicts: tuple[Conflict, ...] = ()
    """The rows of its tables of conflicts, in a merged result."""
    line: int = 0


class AgentResult(Struct, frozen=True, kw_only=True):
    """One result."""

    agent: str
    status: Status | None
    """None where none of the three is named."""
    summary: str = ""
    findings: tuple[Part, ...] = ()
    """What stands under the findings, by the headings there; a part without a title comes first."""
    references: tuple[Reference, ...] = ()
    confidence: Confidence | None = None
    listed_issues: tuple[Issue, ...] = ()
    """Of the list of issues; a review has them in a table of its findings instead."""
    next_steps: tuple[str, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    error: ErrorDetails | None = None
    attempted_actions: tuple[str, ...] = ()
    root_cause: str = ""
    recovery_options: tuple[str, ...] = ()
    others: tuple[Part, ...] = ()
    """Sections that the form does not name."""
    line: int = 0
    """Where it begins."""

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Every issue, wherever it is told."""
        return (*(issue for part in self.findings for issue in part.issues), *self.listed_issues)

    @property
    def compliance(self) -> tuple[ComplianceCheck, ...]:
        """Whether standards are met."""
        return tuple(check for part in self.findings for check in part.compliance)

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """What agents disagreed about, in a merged result."""
        return tuple(conflict for part in self.findings for conflict in part.conflicts)


class Band(Struct, frozen=True):
    """A range of confidence, and the evidence that it asks for."""

    name: str
    lowest: float
    evidence: str


BANDS: Final = (
    Band("certain", 95, "direct evidence in the code, verified by execution"),
    Band("high", 85, "clear evidence in the code, consistent patterns"),
    Band("moderate", 75, "some evidence, reasonable inference"),
    Band("low", 60, "limited evidence, assumptions made"),
    Band("uncertain", 0, "speculation; clarification should be asked for"),
)
"""The bands of the subagent contract, the surest first."""


def band_of(score: float) -> Band:
    """The band that a confidence of 0 to 100 lies in."""
    return next(band for band in BANDS if score >= band.lowest)
