"""Contract compliance as a list of violations, for a pipeline that builds services.

Four scans, one for each rule, and one that runs all of them. Each takes the project's folder, the
contracts it has to keep (records of a Contract Engine: `{id, type, version, service_name, spec}`)
and a scope, and gives at most 100 violations, errors first. A scope names the changed files whose
violations are told; an endpoint, channel or model that is missing from the code is in no file, so
that it belongs to its contract and is told in every scope. The service tables (`SVC-001 …`) of the
project's REQUIREMENTS.md count as contracts, too. Routes and channels that no contract mentions are
left out; `contract_scan.scan` has them, and everything that is undetermined.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from msgspec import Struct

from contract_scan.config import Config
from contract_scan.config.confinement import is_confined
from contract_scan.ir.violation import Finding, Undetermined
from contract_scan.regular_file import read_regular
from contract_scan.scanners.report import NO_ROUTES, SEVERITY_ORDER, Report
from contract_scan.scanners.scope import ScanScope

__all__ = [
    "ScanScope",
    "Violation",
    "run_contract_compliance_scan",
    "run_endpoint_schema_scan",
    "run_event_schema_scan",
    "run_missing_endpoint_scan",
    "run_shared_model_scan",
]

logger = logging.getLogger(__name__)

_MAX_VIOLATIONS: Final = 100
"""The most that one call gives."""

_REQUIREMENTS: Final = (
    "REQUIREMENTS.md",
    ".agent-team/REQUIREMENTS.md",
    ".agent-team/milestones/*/REQUIREMENTS.md",
)
"""Where the service tables of a project stand."""

_SERVICE_ROW: Final = re.compile(r"\bSVC-\d{3}")
_LARGEST: Final = 5_000_000

_LEFT_OUT: Final = frozenset({"undocumented-endpoint", "undocumented-channel"})
"""Kinds that say something of the code alone rather than of a contract."""


class Violation(Struct, frozen=True):
    """One broken promise."""

    check: str
    """The rule: `CONTRACT-001` … `CONTRACT-004`."""
    message: str
    file_path: str
    """Relative to the project, with `/`."""
    line: int
    severity: str


class Scope(Protocol):
    """What a scope has to have."""

    @property
    def mode(self) -> str: ...
    @property
    def changed_files(self) -> Collection[Path | str]: ...


class Scan(Protocol):
    """The scan that the violations are taken from: `contract_scan.api.scan`."""

    def __call__(
        self,
        root: Path,
        *,
        contracts: Sequence[Path | dict[str, Any]],
        select: Collection[str],
        scope: ScanScope | None,
        config: Config | None,
        allow_empty: bool,
    ) -> Report: ...


def run_endpoint_schema_scan(
    project_dir: Path,
    contracts: list[dict[str, Any]],
    scope: Scope | None = None,
    *,
    scan: Scan | None = None,
) -> list[Violation]:
    """CONTRACT-001: what handlers send and accept has the contracted shape."""
    return _run_rule("CONTRACT-001", project_dir, contracts, scope, scan)


def run_missing_endpoint_scan(
    project_dir: Path,
    contracts: list[dict[str, Any]],
    scope: Scope | None = None,
    *,
    scan: Scan | None = None,
) -> list[Violation]:
    """CONTRACT-002: every contracted endpoint has a route."""
    return _run_rule("CONTRACT-002", project_dir, contracts, scope, scan)


def run_event_schema_scan(
    project_dir: Path,
    contracts: list[dict[str, Any]],
    scope: Scope | None = None,
    *,
    scan: Scan | None = None,
) -> list[Violation]:
    """CONTRACT-003: what is published and consumed has the contracted payload."""
    return _run_rule("CONTRACT-003", project_dir, contracts, scope, scan)


def run_shared_model_scan(
    project_dir: Path,
    contracts: list[dict[str, Any]],
    scope: Scope | None = None,
    *,
    scan: Scan | None = None,
) -> list[Violation]:
    """CONTRACT-004: types that stand for shared models agree with them."""
    return _run_rule("CONTRACT-004", project_dir, contracts, scope, scan)


def run_contract_compliance_scan(
    project_dir: Path,
    contracts: list[dict[str, Any]],
    scope: Scope | None = None,
    config: object | None = None,
    *,
    scan: Scan | None = None,
) -> list[Violation]:
    """Run the four scans, each on its own: one that fails is logged, the others still count.

    `config` may say which scans to run (`contract_scans.endpoint_schema_scan` and so on, or the
    same names on itself) and whether a Contract Engine is in use (`contract_engine.enabled`).
    Where it says so in neither way and the project has no service table, nothing is scanned.
    """
    project_dir = Path(project_dir)
    if not _is_enabled(project_dir, contracts, config):
        return []
    wanted = getattr(config, "contract_scans", config)
    own = {"scan": scan} if scan is not None else {}
    scans: dict[str, tuple[str, Callable[..., list[Violation]]]] = {
        "endpoint_schema_scan": ("CONTRACT-001", run_endpoint_schema_scan),
        "missing_endpoint_scan": ("CONTRACT-002", run_missing_endpoint_scan),
        "event_schema_scan": ("CONTRACT-003", run_event_schema_scan),
        "shared_model_scan": ("CONTRACT-004", run_shared_model_scan),
    }
    violations: list[Violation] = []
    for switch, (rule, run) in scans.items():
        if not getattr(wanted, switch, True):
            continue
        try:
            violations += run(project_dir, contracts, scope, **own)
        except Exception:
            logger.warning("%s scan failed", rule, exc_info=True)
    return sorted(violations, key=_gravest_first)[:_MAX_VIOLATIONS]


def _run_rule(
    rule: str,
    project_dir: Path,
    contracts: Sequence[dict[str, Any]],
    scope: Scope | None,
    scan: Scan | None,
) -> list[Violation]:
    project_dir = Path(project_dir)
    sources: list[Path | dict[str, Any]] = [*contracts, *_service_tables(project_dir)]
    if not sources:
        return []
    if scan is None:
        from contract_scan.api import scan as the_scan

        scan = the_scan
    report = scan(
        project_dir,
        contracts=sources,
        select={rule},
        scope=_with_missing(scope) if scope is not None else None,
        config=None,
        allow_empty=True,
    )
    return sorted(_violations(report), key=_gravest_first)[:_MAX_VIOLATIONS]


def _with_missing(scope: Scope) -> ScanScope:
    return ScanScope(scope.mode, tuple(scope.changed_files), includes_missing=True)


def _violations(report: Report) -> Iterator[Violation]:
    for finding in report.findings:
        # A note breaks no promise.
        if finding.kind not in _LEFT_OUT and finding.severity != "note":
            yield _violation(finding, finding.severity, finding.message)
    for entry in report.undetermined:
        # Where not a single route is there, every contracted endpoint is missing.
        if entry.reason == NO_ROUTES and entry.operation is not None:
            name = f"`{entry.operation.method} {entry.operation.path}`"
            yield _violation(entry, "error", f"{name} has no route: {NO_ROUTES}")


def _violation(entry: Finding | Undetermined, severity: str, message: str) -> Violation:
    return Violation(
        check=entry.rule,
        message=message,
        file_path=entry.origin.path,
        line=entry.origin.span.line,
        severity=severity,
    )


def _gravest_first(violation: Violation) -> tuple[int, str, str, int]:
    order: Mapping[str, int] = {str(name): place for name, place in SEVERITY_ORDER.items()}
    return order[violation.severity], violation.check, violation.file_path, violation.line


def _is_enabled(project_dir: Path, contracts: Sequence[object], config: object | None) -> bool:
    if config is None:
        return bool(contracts) or bool(_service_tables(project_dir))
    engine = getattr(config, "contract_engine", None)
    enabled = getattr(engine, "enabled", None)
    if enabled is None:
        # A configuration of the scans alone says nothing of where contracts come from.
        enabled = bool(contracts)
    return bool(enabled) or bool(_service_tables(project_dir))


def _service_tables(project_dir: Path) -> list[Path]:
    """The requirement documents of a project that hold a service table."""
    return [
        path
        for pattern in _REQUIREMENTS
        for path in sorted(project_dir.glob(pattern))
        if is_confined(path, Path(os.path.realpath(project_dir))) and _has_svc_table(path)
    ]


def _has_svc_table(requirements_path: Path) -> bool:
    """Whether a requirements document names services by `SVC-001`; False where there is none, or
    a pipe in its place."""
    if not Path(requirements_path).is_file():
        return False
    try:
        text = read_regular(Path(requirements_path), _LARGEST).decode("utf-8", "replace")
    except OSError:
        return False
    return _SERVICE_ROW.search(text) is not None
