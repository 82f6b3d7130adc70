"""`contract-scan baseline`: write down old findings, so that `check --baseline` tells new ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, assert_never

import click

from contract_scan.cli import status
from contract_scan.cli.options import option, scanning
from contract_scan.cli.outputs import write
from contract_scan.cli.settings import (
    ScanOptions,
    cache_place,
    configuration,
    contract_files,
    processes,
    rules_to_run,
)
from contract_scan.cli.target import prefix, target
from contract_scan.cli.terminal import Progress, name_problems
from contract_scan.config.confinement import boundary_of, is_confined
from contract_scan.errors import ConfigurationError, UsageError

if TYPE_CHECKING:
    from typing import Unpack

    from contract_scan.config import Config
    from contract_scan.scanners.baseline import Baseline
    from contract_scan.scanners.report import Report

Action: TypeAlias = Literal["create", "update", "prune"]


class BaselineOptions(ScanOptions):
    """The values of all options of the verbs."""

    contracts: tuple[str, ...]
    baseline: str | None
    exit_zero: bool
    allow_empty: bool
    quiet: bool


@click.group("baseline")
def command() -> None:
    """Write down old findings, so that `check --baseline FILE` tells new ones only.

    A finding is known by what it is about, not by its line: it stays known while code moves.

    Exit status: 0 written, 2 could not judge (or an incomplete scan).
    """


def _options(function: Callable[..., int]) -> Callable[..., int]:
    decorators: tuple[Callable[[Any], Any], ...] = (
        scanning,
        option(
            "--contract",
            "contracts",
            multiple=True,
            metavar="FILE",
            help="Contract to compare with, instead of the ones configured or found.",
        ),
        option(
            "--baseline",
            metavar="FILE",
            help="The baseline.  [default: the configured one, else contract-scan-baseline.json in"
            " the scanned folder]",
        ),
        option("--exit-zero", "-e", is_flag=True, help="Exit with 0 even if something was missed."),
        option("--allow-empty", is_flag=True, help="Nothing to compare is no reason to fail."),
        option("--quiet", "-q", is_flag=True, help="Print nothing."),
    )
    for decorate in reversed(decorators):
        function = decorate(function)
    return function


@command.command("create")
@_options
def create(**options: Unpack[BaselineOptions]) -> int:
    """Write down everything that is found below PATHS."""
    return _run("create", options)


@command.command("update")
@_options
def update(**options: Unpack[BaselineOptions]) -> int:
    """Add what is new, and drop what is not found any more."""
    return _run("update", options)


@command.command("prune")
@_options
def prune(**options: Unpack[BaselineOptions]) -> int:
    """Drop what is not found any more, and add nothing."""
    return _run("prune", options)


def _run(action: Action, options: BaselineOptions) -> int:
    from contract_scan.scanners.baseline import NAME, Baseline, read_baseline, render
    from contract_scan.scanners.rules import RULES

    here = Path.cwd()
    what = target(options["paths"], here)
    if what.only:
        raise UsageError("a baseline is of a whole folder; name one folder", options["paths"][0])
    config = configuration(options, what.root)
    file = config.baseline or _default(what.root / NAME)
    if action == "create":
        if file.exists():
            raise UsageError(
                "exists already; bring it up to date with `contract-scan baseline update`",
                str(file),
            )
        old = Baseline()
    else:
        old = read_baseline(file).baseline
    select = rules_to_run(config, [rule.id for rule in RULES])
    report = _scan(options, what.root, config, select, here)
    new = _changed(action, old, report, select)
    write([render(new)], file)
    if not options["quiet"]:
        click.echo(_said(file, old, new, here))
        name_problems(report.problems, prefix(what.root, here))
    complete = status.is_complete(report.problems) or options["exit_zero"]
    return status.CLEAN if complete else status.COULD_NOT_JUDGE


def _default(file: Path) -> Path:
    """The baseline that nobody named. Raises ConfigurationError where it is a link out of the
    repository: it would be written there, which only the user may ask for."""
    if not is_confined(file, boundary_of(file.parent)):
        message = "is a link out of the repository; name it with --baseline to use it"
        raise ConfigurationError(message, str(file))
    return file


def _scan(
    options: BaselineOptions, root: Path, config: Config, select: frozenset[str], here: Path
) -> Report:
    from contract_scan.api import scan

    progress = Progress(enabled=not options["quiet"])
    try:
        return scan(
            root,
            contracts=contract_files(options["contracts"], here),
            select=select,
            config=config,
            cache=cache_place(options, root),
            jobs=processes(config),
            allow_empty=options["allow_empty"],
            progress=progress,
        )
    finally:
        progress.clear()


def _changed(action: Action, old: Baseline, report: Report, select: frozenset[str]) -> Baseline:
    from contract_scan import __version__
    from contract_scan.scanners.baseline import baseline_of, pruned, updated

    match action:
        case "create":
            return baseline_of(report.findings, __version__)
        case "update":
            return updated(old, report, select, __version__)
        case "prune":
            return pruned(old, report, select, __version__)
        case _:
            assert_never(action)


def _said(file: Path, old: Baseline, new: Baseline, here: Path) -> str:
    from contract_scan.reports.display import display

    before = {entry.fingerprint: entry.count for entry in old.findings}
    after = {entry.fingerprint: entry.count for entry in new.findings}
    added = sum(max(0, count - before.get(name, 0)) for name, count in after.items())
    dropped = sum(max(0, count - after.get(name, 0)) for name, count in before.items())
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    total = sum(after.values())
    findings = "1 finding" if total == 1 else f"{total} findings"
    return f"{display(str(shown))}: {findings} ({added} added, {dropped} dropped)"
