"""`contract-scan check`: compare code with its contracts and report where they disagree."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

import click

from contract_scan.cli import status
from contract_scan.cli.add_ignore import refuse_with_others, with_ignores
from contract_scan.cli.check_options import CheckCommand, CheckOptions, check_options
from contract_scan.cli.fix import only_fixable, report_after_fixes, show_diff, with_planned_fixes
from contract_scan.cli.output_replay import ReplayRequest
from contract_scan.cli.outputs import (
    Output,
    parse_outputs,
    require_counting,
    shown_sorts,
    shows_fixes,
    shows_lines,
    write,
    write_report,
)
from contract_scan.cli.settings import (
    cache_place,
    configuration,
    contract_files,
    kinds_and_exceptions,
    layers,
    processes,
)
from contract_scan.cli.stdin import (
    DASH,
    fixes_of,
    listed_paths,
    piped_file,
    read_piped,
    write_piped,
)
from contract_scan.cli.target import Target, prefix, repository, target
from contract_scan.cli.terminal import (
    PLAIN_COLUMNS,
    Progress,
    columns_of,
    name_problems,
    shows_links,
    wants_color,
)
from contract_scan.config import Config, FailOn
from contract_scan.errors import ContractScanError, UsageError
from contract_scan.memory_limit import MemoryLimitError

if TYPE_CHECKING:
    from typing import Unpack

    from contract_scan.cache import Place
    from contract_scan.cli.replay_writer import ReplayWriter
    from contract_scan.fixes.contract_fixes import Additions
    from contract_scan.reports.report import RuleInfo
    from contract_scan.scanners.report import Report
    from contract_scan.scanners.scope import ScanScope


@click.command("check", cls=CheckCommand)
@check_options
def command(**options: Unpack[CheckOptions]) -> int:
    """Compare the code below PATHS with its contracts.

    One folder is scanned whole; the working directory is the default. Several paths, or files,
    limit the report: everything is still read, and what concerns them is shown. `-` stands for
    standard input, in the place of the file that --stdin-filename names.

    Exit status: 0 clean, 1 violations, 2 could not judge (or an incomplete scan), 130 interrupted.
    """
    if options.get("no_baseline") and options["baseline"] is not None:
        raise UsageError("--baseline and --no-baseline exclude each other")
    return _watch(options) if options["watch"] else _check(options)


def _watch(options: CheckOptions) -> NoReturn:
    """Check after every change of what the check reads."""
    from contract_scan.cli.watch import folders_to_watch, watch

    if options["stdin_filename"] is not None or options["files_from"] == DASH:
        raise UsageError("--watch reads nothing from standard input")
    here = Path.cwd()
    what = _target(options, here)
    contracts = contract_files(options["contracts"], here)
    config = configuration(options, what.root)
    outputs = parse_outputs(config.output_format, options["output_file"])
    own = [(here / output.file).resolve() for output in outputs if output.file is not None]

    def folders() -> list[Path]:
        nonlocal config
        with suppress(ContractScanError):  # the check says it; what was watched still is
            config = configuration(options, what.root)
        return folders_to_watch(what.root, contracts, config)

    watch(lambda: _check(options), folders, own, quiet=options["quiet"])


def _target(options: CheckOptions, here: Path) -> Target:
    """The folder to scan and the part to report on, by the paths and lists of paths given."""
    file = piped_file(options["paths"], options["stdin_filename"], here)
    if file is not None:
        if options["files_from"] is not None or options["changed"] is not None or options["staged"]:
            raise UsageError("standard input is checked alone, without a choice of files")
        return target([str(file)], here, new=True)
    listed = listed_paths(options["files_from"], here)
    if listed is None:
        return target(options["paths"], here)
    what = target((*options["paths"], *listed), here)
    # Where nothing is listed, nothing is to be told; no file at all would mean no limit.
    nothing = not (options["paths"] or listed)
    return Target(what.root, (what.root / ".git",)) if nothing else what


def _check(options: CheckOptions) -> int:
    since = time.time_ns()
    here = Path.cwd()
    what = _target(options, here)
    config = configuration(options, what.root)
    if options["stdin_filename"] is None:
        return _check_target(
            options, config, what, here, _replay_writer(options, config, what, since)
        )
    (file,) = what.only
    piped = read_piped(file, config)
    from contract_scan import unsaved

    with unsaved.overlay({piped.file: piped.text}):
        if not options["fix"] or options["diff"]:
            return _check_target(options, config, what, here)
        with redirect_stdout(sys.stderr):
            result = _check_target(options, config, what, here)
        write_piped(piped.file)
        return result


_NEVER_KEPT = (
    "add_ignore",
    "diff",
    "files_from",
    "fix",
    "no_cache",
    "show_files",
    "show_fixes",
    "show_settings",
    "unsafe_fixes",
    "validate",
    "watch",
)
"""Options with which no output is kept: it rests on more, or does more than say something."""


def _replay_writer(
    options: CheckOptions, config: Config, what: Target, since: int
) -> ReplayWriter | None:
    """What keeps the output of this run to be said again; None where it must not be."""
    asked = click.get_current_context().find_object(ReplayRequest)
    if asked is None or any(options[name] for name in _NEVER_KEPT):  # type: ignore[literal-required]
        return None
    from contract_scan.cli.replay_writer import ReplayWriter

    found = layers(options, what.root)
    return ReplayWriter(asked, options["contracts"], config, found, since)


def _check_target(
    options: CheckOptions,
    config: Config,
    what: Target,
    here: Path,
    keeping: ReplayWriter | None = None,
) -> int:
    if options["show_settings"] or options["show_files"]:
        return _show(options, config, what, here)
    if options["add_ignore"] is not None:
        refuse_with_others(options)
    outputs = parse_outputs(config.output_format, options["output_file"])
    if options["statistics"]:
        require_counting(outputs)
    shown_sorts(options["show"], config.fail_on)  # a wrong word is told before the work
    cache = cache_place(options, what.root)

    def contract_additions() -> Additions:
        from contract_scan.undocumented import additions

        contracts = contract_files(options["contracts"], here)
        return additions(what.root, contracts=contracts, config=config, cache=cache)

    def scan_once() -> Report:
        since = time.time_ns()
        report = _scan(options, what, config, here, keeping, cache)
        if not (options["fix"] or options["diff"] or any(map(shows_fixes, outputs))):
            return report
        report = with_planned_fixes(
            report, what.root, since, options, contract_additions, cache=cache
        )
        report = only_fixable(report, config)
        if options["stdin_filename"] is None or not (options["fix"] or options["diff"]):
            return report
        return fixes_of(report, what.only[0].relative_to(what.root).as_posix())

    try:
        report = scan_once()
    except (ContractScanError, MemoryLimitError) as error:
        if not options["diff"]:
            _write_failure(error, outputs, what, here, options)
        raise
    silent = True
    if what.only and not options["quiet"]:
        silent = not _name_unread(what, config, prefix(what.root, here))
    if options["diff"]:
        result = show_diff(report, what.root, prefix(what.root, here), options)
        return status.CLEAN if options["exit_zero"] else result
    if options["fix"]:
        report = report_after_fixes(report, what.root, prefix(what.root, here), scan_once, options)
    if options["add_ignore"] is not None:
        listed = shown_sorts(options["show"], config.fail_on)
        wanted = [each for each in report.findings if each.severity != "note" or "notes" in listed]
        report = with_ignores(report, wanted, what.root, scan_once, options["add_ignore"])
    said = [_write(output, report, what, here, options, config.fail_on) for output in outputs]
    result = status.CLEAN
    if not options["exit_zero"]:
        result = status.of_report(report, config.fail_on, config.min_verified, config.max_warnings)
    if result == status.VIOLATIONS and status.of_report(report, config.fail_on) != result:
        number = status.number_of_warnings(report)
        warnings = "1 problem is a warning" if number == 1 else f"{number} problems are warnings"
        print(
            f"contract-scan: {warnings}; `max-warnings` allows {config.max_warnings}",
            file=sys.stderr,
        )
        silent = False
    if result == status.COULD_NOT_JUDGE and status.is_complete(report.not_analysed):
        share = status.percent_verified(report.summary)
        print(
            f"contract-scan: {share:.0f} % of what is promised could be verified;"
            f" `min-verified` asks for {config.min_verified} %",
            file=sys.stderr,
        )
        silent = False
    if result == status.COULD_NOT_JUDGE and options["quiet"]:
        name_problems(report.not_analysed, prefix(what.root, here))  # never fail without a reason
        silent = False
    if keeping is not None and silent and len(said) == 1 and said[0] is not None:
        keeping.keep(result, said[0], report, shows_lines=shows_lines(outputs[0]))
    return result


def _write_failure(
    error: ContractScanError | MemoryLimitError,
    outputs: Sequence[Output],
    what: Target,
    here: Path,
    options: CheckOptions,
) -> None:
    """Write the reports of a scan that could not be made. Whoever uploads a file finds one that
    says so, rather than none or that of an earlier run. Of what people read on a terminal nothing
    is written: the error that is printed says the same."""
    from contract_scan.ir.document import NotAnalysed
    from contract_scan.reports.formats import FOR_PEOPLE
    from contract_scan.scanners.report import Report

    if isinstance(error, MemoryLimitError):
        error = ContractScanError(str(error))
    path = error.path
    if path and (isinstance(error, UsageError) or Path(path).is_absolute()):
        path = Path(os.path.relpath(here / path, what.root)).as_posix()
    path = "" if path == "." else path
    problem = NotAnalysed(path=path, line=error.line, reason=error.message)
    for output in outputs:
        if output.file is not None or output.format not in FOR_PEOPLE:
            _write(output, Report(not_analysed=(problem,)), what, here, options)


def _name_unread(what: Target, config: Config, before: str) -> bool:
    """Say which of the files that were named are no part of a scan; whether there are any."""
    from contract_scan.cli.skipped_inputs import skipped_inputs
    from contract_scan.reports.display import display

    found = [*skipped_inputs(what.root, what.only, config)]
    for path, why in found:
        print(display(f"{before}{path}: not read: {why}"), file=sys.stderr)
    return bool(found)


def _show(options: CheckOptions, config: Config, what: Target, here: Path) -> int:
    """What a scan would go by, without one."""
    from contract_scan.cli.settings_dump import files, settings

    contracts = contract_files(options["contracts"], here)
    if options["show_settings"]:
        shown = settings(layers(options, what.root), options["contracts"], what.root, here)
        write((f"{line}\n" for line in shown), None)
    if options["show_files"]:
        from contract_scan.listing import listing

        cache = cache_place(options, what.root)
        found = listing(what.root, contracts=contracts, config=config, cache=cache)
        write((f"{line}\n" for line in files(found, prefix(what.root, here))), None)
    return status.CLEAN


def _scan(
    options: CheckOptions,
    what: Target,
    config: Config,
    here: Path,
    keeping: ReplayWriter | None,
    cache: Place,
) -> Report:
    contracts = contract_files(options["contracts"], here)
    kinds, config = kinds_and_exceptions(options, config)

    scope = _scope(options, what)
    if keeping is not None and (options["staged"] or options["changed"] is not None):
        assert scope is not None
        keeping.limited(map(Path, scope.changed_files), scope.removed or "")

    from contract_scan.api import scan

    progress = Progress(enabled=not options["quiet"])
    try:
        return scan(
            what.root,
            contracts=contracts,
            select=kinds,
            scope=scope,
            config=config,
            cache=cache,
            jobs=processes(config),
            allow_empty=options["allow_empty"],
            validate=options["validate"],
            baseline=config.baseline,
            progress=progress,
            resting=None if keeping is None else keeping.set_dependencies,
        )
    finally:
        progress.clear()


def _scope(options: CheckOptions, what: Target) -> ScanScope | None:
    """What the report is limited to: paths, or what changed, or what changed below the paths."""
    from contract_scan.scanners.scope import ScanScope

    reference = options["changed"]
    if reference is None and not options["staged"]:
        return ScanScope("changed", what.only) if what.only else None
    if reference is not None and options["staged"]:
        raise UsageError("--changed and --staged exclude each other")
    from contract_scan.clients import git
    from contract_scan.parsers.source.languages import SUFFIXES

    if reference is None:
        changes = git.staged_changes(what.root, tuple(SUFFIXES))
    else:
        changes = git.changed_since(what.root, reference or "HEAD", tuple(SUFFIXES))
    files = [
        file
        for file in changes.files
        if not what.only or any(file.is_relative_to(part) for part in what.only)
    ]
    # Where nothing changed, nothing is to be told; no file at all would mean no limit.
    return ScanScope("changed", files or [what.root / ".git"], changes.removed)


def _described_rules() -> tuple[RuleInfo, ...]:
    """What the reports that describe rules say of them."""
    from contract_scan.scanners.kinds.page import kind_infos

    return kind_infos()


def _lists_suppressed(choice: Literal["auto", "always", "never"]) -> bool:
    if choice == "auto":
        return os.environ.get("GITHUB_ACTIONS") != "true"
    return choice == "always"


def _write(
    output: Output,
    report: Report,
    what: Target,
    here: Path,
    options: CheckOptions,
    fail_on: FailOn = "error",
) -> str | None:
    """Write a report; its text, where nothing but standard output has it now."""
    from contract_scan import __version__
    from contract_scan.reports.report import Setting

    setting = Setting(
        root=what.root,
        prefix=prefix(what.root, here),
        repository=repository(what.root),
        version=__version__,
        rules=_described_rules() if output.format == "sarif" else (),
        color=output.file is None and wants_color(options["color"], sys.stdout),
        links=output.file is None and shows_links(options["color"], sys.stdout),
        columns=columns_of(sys.stdout) if output.file is None else PLAIN_COLUMNS,
        fail_on=fail_on,
        quiet=options["quiet"],
        verbose=options["verbose"],
        show=shown_sorts(options["show"], fail_on),
        statistics=options["statistics"],
        suppressed=_lists_suppressed(options["suppressed"]),
        unsafe_fixes=options["unsafe_fixes"],
    )
    return write_report(output, report, setting)
