"""What the configuration and the baseline make of a report: exceptions, severities, limits.

What they need is imported where one of them is used: most scans have neither.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from contract_scan.config import Config
from contract_scan.config.rules import kinds_named, rules_of
from contract_scan.ir.violation import RULE_IDS
from contract_scan.scanners.report import Report
from contract_scan.scanners.reporting_limits import within_limits

if TYPE_CHECKING:
    from contract_scan.scanners.baseline import BaselineFile


class BaselineOfRoot(Struct, frozen=True):
    """A baseline that was read."""

    path: str
    """As seen from the root."""
    file: BaselineFile


def load_baseline(baseline: Path | None, root: Path) -> BaselineOfRoot | None:
    """The baseline in a file; None: there is no file. Raises ConfigurationError where it cannot be
    read."""
    if baseline is None:
        return None
    from contract_scan.scanners.baseline import read_baseline

    path = Path(os.path.relpath(os.path.realpath(baseline), root)).as_posix()
    return BaselineOfRoot(path, read_baseline(baseline))


def apply_suppressions(
    report: Report,
    root: Path,
    config: Config,
    kinds: Collection[str],
    known: BaselineOfRoot | None,
    *,
    today: date | None = None,
    complete: bool,
) -> Report:
    """What is left of a report of the rules of some kinds after all suppressions, and what is wrong
    with them."""
    select = rules_of(kinds)
    if config.exceptions or config.per_file_ignores:
        from contract_scan.scanners.configured_suppressions import without_suppressed

        report = without_suppressed(report, config, select, root, today=today, complete=complete)
    if known is not None:
        from contract_scan.scanners.baseline import without_known

        report = without_known(
            report,
            known.file.baseline,
            select,
            known.path,
            known.file.text,
            is_file=lambda path: os.path.lexists(root / path),
        )
    if config.severities:
        from contract_scan.scanners.severities import with_severities

        report = with_severities(report, config.severities)
    return within_limits(
        report,
        kinds,
        least_evidence=config.min_confidence,
        least_severity=config.min_severity,
    )


def with_suppressed(
    report: Report, root: Path, config: Config, kinds: Collection[str], *, complete: bool
) -> Report:
    """A report with everything that can be asked about: what exceptions leave out as well as what
    is wrong with them. `complete`: all contracts were looked at.

    Raises ConfigurationError for a baseline that cannot be read.
    """
    known = load_baseline(config.baseline, root)
    left = apply_suppressions(report, root, config, kinds, known, complete=complete)
    by_fingerprint = {finding.fingerprint: finding for finding in left.findings}
    findings = [by_fingerprint.pop(finding.fingerprint, finding) for finding in report.findings]
    return msgspec.structs.replace(report, findings=(*findings, *by_fingerprint.values()))


def with_exceptions_of(report: Report, root: Path, config: Config, *, complete: bool) -> Report:
    """A report with what the configuration of a folder and its baseline make of it: exceptions,
    severities, kinds that it turns off. `complete`: all contracts were looked at.

    Raises ConfigurationError for a baseline that cannot be read.
    """
    from contract_scan.config.effective import selected_kinds, with_kinds_off

    kinds = kinds_named(RULE_IDS)
    config = with_kinds_off(config, kinds - selected_kinds(config))
    known = load_baseline(config.baseline, root)
    return apply_suppressions(report, root, config, kinds, known, complete=complete)
