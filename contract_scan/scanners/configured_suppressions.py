"""Exceptions that stand in the configuration: files whose findings do not count, and findings that
somebody answers for until a day."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from datetime import date
from pathlib import Path

import msgspec

from contract_scan.config import line_of
from contract_scan.config.patterns import Patterns
from contract_scan.config.rules import rules_of
from contract_scan.config.values import Config, ConfiguredSuppression, FileIgnore
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding, Suppressed
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.pairing.paths import segments
from contract_scan.scanners.report import Report
from contract_scan.scanners.suppressions import place_key, suppression_finding

RULE = "CONTRACT-000"
"""The rule about exceptions themselves. There are none from it here."""


def without_suppressed(
    report: Report,
    config: Config,
    select: Collection[str],
    root: Path,
    *,
    today: date | None = None,
    complete: bool = True,
) -> Report:
    """The report without what the configuration excepts, and with what is wrong with exceptions.

    An exception is called unused only where it could have been used: its rules ran, everything it
    may be about was looked at (`complete`: all contracts were; the root holds the folder of the
    configuration), and all of it could be read.
    """
    today = today or date.today()
    tracked = [_TrackedSuppression(suppression, root) for suppression in config.exceptions]
    valid = [each for each in tracked if not each.has_expired(today)]
    ignores = [(Patterns([each.pattern], root), each) for each in config.per_file_ignores]
    reported: list[Finding] = []
    suppressed: list[Suppressed] = []
    for finding in report.findings:
        covering = [each for each in valid if each.covers(finding)]
        for each in covering:
            each.used = True
        if covering:
            suppressed.append(_suppression(finding, covering[0].justification))
        elif ignore := next((i for p, i in ignores if _ignores(p, i, finding)), None):
            suppressed.append(_suppression(finding, _option_in_words(ignore)))
        else:
            reported.append(finding)
    if RULE in select:
        wrong = _exception_findings(tracked, report, select, root, today, complete=complete)
        reported += with_fingerprints(wrong)
    return msgspec.structs.replace(
        report,
        findings=tuple(sorted(reported, key=place_key)),
        ignored=report.ignored + len(suppressed),
        excepted=report.excepted + len(suppressed),
        suppressed=(*report.suppressed, *suppressed),
    )


class _TrackedSuppression:
    """An exception, and whether it was needed."""

    def __init__(self, suppression: ConfiguredSuppression, root: Path) -> None:
        self.suppression = suppression
        self.used = False
        self._path = Patterns([suppression.path], root) if suppression.path is not None else None

    def has_expired(self, today: date) -> bool:
        """Whether its last day is over."""
        return self.suppression.expires is not None and self.suppression.expires < today

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is one of those that it is about."""
        suppression = self.suppression
        return (
            finding.name in suppression.rules
            and (self._path is None or any(map(self._path.match, _paths(finding))))
            and (not suppression.operation or _is_operation(suppression.operation, finding))
            and (not suppression.channel or _is_like(suppression.channel, finding.channel))
            and (not suppression.model or _is_like(suppression.model, finding.model))
            and (not suppression.field or is_like(suppression.field, finding.field))
        )

    def may_concern(self, path: str) -> bool:
        """Whether what could not be read there may be what it is about."""
        return self._path is None or not path or self._path.match(path)

    @property
    def justification(self) -> str:
        """Why, who says so, and until when."""
        until = (
            f", until {self.suppression.expires}" if self.suppression.expires is not None else ""
        )
        return f"{self.suppression.reason} ({self.suppression.owner}{until})"


def is_like(pattern: str, text: str) -> bool:
    """Whether a text is what a pattern says; `*` stands for anything. Takes time in proportion to
    the length of both."""
    first, *parts = pattern.split("*")
    if not parts:
        return text == first
    last = parts.pop()
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for part in parts:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _is_like(pattern: str, name: str | None) -> bool:
    return name is not None and is_like(pattern, name)


def _is_operation(pattern: str, finding: Finding) -> bool:
    if finding.operation is None:
        return False
    method, blank, path = pattern.rpartition(" ")
    if blank and method.strip().upper() not in ("*", finding.operation.method.upper()):
        return False
    return is_like(_without_parameter_names(path), _without_parameter_names(finding.operation.path))


def _without_parameter_names(path: str) -> str:
    """A path without the names of its parameters."""
    return "/" + "/".join(segments(path))


def _ignores(patterns: Patterns, ignore: FileIgnore, finding: Finding) -> bool:
    return finding.name in ignore.rules and any(map(patterns.match, _paths(finding)))


def _paths(finding: Finding) -> Iterator[str]:
    """Every file that a finding names."""
    for origin in (finding.origin, finding.contract, finding.reached_from):
        if origin is not None:
            yield origin.path


def _option_in_words(ignore: FileIgnore) -> str:
    return f"`per-file-ignores` for `{ignore.pattern.text}`"


def _suppression(finding: Finding, justification: str) -> Suppressed:
    return Suppressed(finding=finding, by="configuration", justification=justification)


def _exception_findings(
    tracked: Iterable[_TrackedSuppression],
    report: Report,
    select: Collection[str],
    root: Path,
    today: date,
    *,
    complete: bool,
) -> Iterator[Finding]:
    for each in tracked:
        suppression = each.suppression
        if suppression.file is None:
            continue  # whoever said it a moment ago has no line to mend
        if each.has_expired(today):
            message = (
                f"this exception expired on {suppression.expires};"
                f" {suppression.owner} answers for it"
            )
            help = "mend what it is about and remove it, or agree on a new date"
            yield suppression_finding(
                "expired-exception",
                _origin(suppression.file, suppression.index, root),
                message,
                help,
            )
        elif (
            complete
            and not each.used
            and rules_of(suppression.rules) <= set(select)
            and _is_whole_scope(root, suppression.file)
            and not any(each.may_concern(problem.path) for problem in report.not_analysed)
        ):
            message = (
                f"this exception of {suppression.owner} is not needed: nothing like it is found"
            )
            origin = _origin(suppression.file, suppression.index, root)
            yield suppression_finding("unused-exception", origin, message, "remove it")


def _is_whole_scope(root: Path, file: Path) -> bool:
    """Whether everything that a configuration may speak of was looked at."""
    return file.resolve().parent.is_relative_to(root)


def _origin(file: Path, index: int, root: Path) -> Origin:
    """Where an exception stands."""
    path = Path(os.path.relpath(os.path.realpath(file), root)).as_posix()
    line = line_of(file, ("exceptions", index)) or 1
    return Origin(path, Span(line, 1, line, 2), symbol=f"exceptions[{index}]")
