"""`contract-scan baseline`: write down old findings, so that `check` tells new ones."""

from __future__ import annotations

import os
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
    layers,
    processes,
)
from contract_scan.cli.target import prefix, target
from contract_scan.cli.terminal import Progress, name_problems
from contract_scan.config.effective import confined_baseline, own_baseline, selected_kinds
from contract_scan.config.rules import rules_of
from contract_scan.errors import UsageError

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
    """Write down old findings, so that `check` tells new ones only.

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
            help="The baseline.  [default: the configured one, else contract-scan-baseline.json"
            " beside the configuration file or in the scanned folder]",
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
    return _run_action("create", options)


@command.command("update")
@_options
def update(**options: Unpack[BaselineOptions]) -> int:
    """Add what is new, and drop what is not found any more."""
    return _run_action("update", options)


@command.command("prune")
@_options
def prune(**options: Unpack[BaselineOptions]) -> int:
    """Drop what is not found any more, and add nothing."""
    return _run_action("prune", options)


def _run_action(action: Action, options: BaselineOptions) -> int:
    from contract_scan.scanners.baseline import Baseline, read_baseline, render

    here = Path.cwd()
    what = target(options["paths"], here)
    if what.only:
        raise UsageError("a baseline is of a whole folder; name one folder", options["paths"][0])
    config = configuration(options, what.root)
    own = own_baseline(layers(options, what.root), what.root)
    file = config.baseline or confined_baseline(own)
    if action == "create":
        if file.exists():
            raise UsageError(
                "exists already; bring it up to date with `contract-scan baseline update`",
                str(file),
            )
        old = Baseline()
    else:
        old = read_baseline(file).baseline
    kinds = selected_kinds(config)
    report = _scan(options, what.root, config, kinds, here)
    new = _updated_baseline(action, old, report, rules_of(kinds), what.root)
    write([render(new)], file)
    if not options["quiet"]:
        click.echo(_summary_of_change(file, old, new, here))
        if action == "create":
            click.echo(_next_step(is_found=options["baseline"] is None or file == own))
        name_problems(report.not_analysed, prefix(what.root, here))
    complete = status.is_complete(report.not_analysed) or options["exit_zero"]
    return status.CLEAN if complete else status.COULD_NOT_JUDGE


def _scan(
    options: BaselineOptions, root: Path, config: Config, kinds: frozenset[str], here: Path
) -> Report:
    from contract_scan.api import scan

    progress = Progress(enabled=not options["quiet"])
    try:
        return scan(
            root,
            contracts=contract_files(options["contracts"], here),
            select=kinds,
            config=config,
            cache=cache_place(options, root),
            jobs=processes(config),
            allow_empty=options["allow_empty"],
            progress=progress,
        )
    finally:
        progress.clear()


def _updated_baseline(
    action: Action, old: Baseline, report: Report, rules: frozenset[str], root: Path
) -> Baseline:
    from contract_scan import __version__
    from contract_scan.scanners.baseline import baseline_of, pruned_baseline, updated_baseline

    match action:
        case "create":
            return baseline_of(report.findings, __version__)
        case "update":
            return updated_baseline(old, report, rules, __version__)
        case "prune":
            return pruned_baseline(
                old, report, rules, __version__, is_file=lambda path: os.path.lexists(root / path)
            )
        case _:
            assert_never(action)


def _next_step(*, is_found: bool) -> str:
    """What to do with a baseline that was just made."""
    how = "`contract-scan check`" if is_found else "`contract-scan check --baseline FILE`"
    return (
        f"{how} leaves these out from now on. Commit the file; `contract-scan baseline prune` "
        "drops what was mended."
    )


def _summary_of_change(file: Path, old: Baseline, new: Baseline, here: Path) -> str:
    from contract_scan.reports.display import display

    before = {entry.fingerprint: entry for entry in old.findings}
    after = {entry.fingerprint: entry for entry in new.findings}
    both = before.keys() & after.keys()
    changed = sum(before[name].members != after[name].members for name in both)
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    total = "1 entry" if len(after) == 1 else f"{len(after)} entries"
    added, dropped = len(after) - len(both), len(before) - len(both)
    more = f", {changed} changed" if changed else ""
    return f"{display(str(shown))}: {total} ({added} added, {dropped} dropped{more})"
