"""What a rule is, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from contract_scan.ir.violation import Finding, RuleId, Severity, Undetermined
from contract_scan.scanners.pairing.channels import ChannelPairing, pair_channels
from contract_scan.scanners.pairing.models import ModelPair, pair_models
from contract_scan.scanners.pairing.operations import pair_operations
from contract_scan.scanners.pairing.paired import OperationPairing
from contract_scan.scanners.report import Subject, Verdict
from contract_scan.scanners.unit import Unit


class Options(Struct, frozen=True, kw_only=True):
    """What a project may ask of the rules."""

    required_models: frozenset[str] = frozenset()
    """Names of shared models that must have a type in the code."""


class PairedUnit:
    """A unit with its pairings, each made when first asked for and then shared by the rules."""

    def __init__(self, unit: Unit, options: Options) -> None:
        self.unit = unit
        self.options = options
        self._operations: OperationPairing | None = None
        self._channels: ChannelPairing | None = None
        self._models: tuple[ModelPair, ...] | None = None

    @property
    def operations(self) -> OperationPairing:
        """Contracted operations and routes."""
        if self._operations is None:
            self._operations = pair_operations(self.unit)
        return self._operations

    @property
    def channels(self) -> ChannelPairing:
        """Channels and the places that use them."""
        if self._channels is None:
            self._channels = pair_channels(self.unit)
        return self._channels

    @property
    def models(self) -> tuple[ModelPair, ...]:
        """Shared models and the types that stand for them."""
        if self._models is None:
            self._models = pair_models(self.unit)
        return self._models


class RuleResult:
    """What a rule says of one unit. Rules fill it and take nothing out again."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.undetermined: list[Undetermined] = []
        self.operations: dict[Subject, Verdict] = {}
        self.channels: dict[Subject, Verdict] = {}
        self.models: dict[Subject, Verdict] = {}
        self.absent: dict[Subject, Undetermined] = {}
        """What is said of shared models that the code does not have."""

    def add(self, entries: Iterable[Finding | Undetermined]) -> None:
        """Take what is said of a promise."""
        for entry in entries:
            if isinstance(entry, Finding):
                self.findings.append(entry)
            else:
                self.undetermined.append(entry)


Check = Callable[[PairedUnit, RuleResult], None]


class Rule(Struct, frozen=True, kw_only=True):
    """One promise that is checked."""

    id: RuleId
    name: str
    """In a word, in CamelCase."""
    summary: str
    """One sentence."""
    severity: Severity
    """Of its gravest findings."""
    check: Check
    documentation: str
    """The page about it, in Markdown."""


def judged_for_scopes(_: PairedUnit, __: RuleResult) -> None:
    """The check of a rule that scans do not apply: `contract_scan.scopes` holds what scopes did
    against their contracts."""


def mark(verdicts: dict[Subject, Verdict], subject: Subject, verdict: Verdict) -> None:
    """Note what is known of a promise; a graver verdict stays."""
    verdicts[subject] = max(verdict, verdicts.get(subject, verdict))


def merge(into: dict[Subject, Verdict], other: Mapping[Subject, Verdict]) -> None:
    """Add the verdicts of another rule or unit."""
    for subject, verdict in other.items():
        mark(into, subject, verdict)


def documentation(docstring: str | None) -> str:
    """A module's docstring as a page."""
    return (docstring or "").strip() + "\n"
