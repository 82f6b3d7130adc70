"""`contract-scan scopes`: contracts of the scopes that a feature is divided into."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import option
from contract_scan.cli.outputs import Output, parse_outputs, write, write_report
from contract_scan.cli.small_files import read_text
from contract_scan.cli.target import prefix, repository
from contract_scan.cli.terminal import PLAIN_COLUMNS, columns_of, wants_color
from contract_scan.errors import UsageError
from contract_scan.reports.display import display

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contract_scan.reports.report import Report
    from contract_scan.scopes.contract import ScopeContract

Form: TypeAlias = Literal["markdown", "yaml"]

_form = option(
    "--format",
    "form",
    type=click.Choice(("markdown", "yaml")),
    default="markdown",
    help="markdown for prompts, yaml for programs.  [default: markdown]",
)
_output_file = option(
    "--output-file",
    metavar="FILE",
    help="Write to this file rather than to standard output.",
    shell_complete=complete_files,
)
_output_format = option(
    "--output-format",
    "output_formats",
    metavar="FORMAT[=FILE]",
    multiple=True,
    help="Write a report as `check` does, in any of its formats; may be repeated.  [default: one"
    " line for each deviation]",
)


@click.group("scopes")
def command() -> None:
    """Divide a feature into scopes that promise each other what they deliver.

    docs/scope-contracts.md describes the files.
    """


@command.command("generate")
@click.argument("preparation", metavar="PREPARE", shell_complete=complete_files)
@_form
@_output_file
@option(
    "--yes",
    is_flag=True,
    help="Take the boundaries as they are; otherwise you are asked to confirm them.",
)
def generate(preparation: str, form: Form, output_file: str | None, yes: bool) -> int:
    """Make a contract for each scope of the PREPARE output.

    What could not be decided is said on standard error.

    Exit status: 0 written, 1 the boundaries were not confirmed, 2 the file cannot be used.
    """
    from contract_scan.scopes.contract import LISTS
    from contract_scan.scopes.generation import divide
    from contract_scan.scopes.preparation import read_preparation

    division = divide(read_preparation(read_text(preparation), preparation), preparation)
    click.echo(f"{display(division.feature)}: {len(division.contracts)} scopes", err=True)
    for contract in division.contracts:
        counts = (f"{key.replace('_', ' ')} {len(getattr(contract, key))}" for key in LISTS)
        click.echo(f"  {contract.scope_id}: {', '.join(counts)}", err=True)
    for note in division.notes:
        click.echo(f"note: {display(preparation)}:{note.line}: {display(note.message)}", err=True)
    if not yes and not _ask_for_confirmation():
        return status.VIOLATIONS
    _write(division.contracts, form, output_file)
    return status.CLEAN


@command.command("show")
@click.argument("contracts", metavar="CONTRACTS", shell_complete=complete_files)
@_form
@_output_file
def show(contracts: str, form: Form, output_file: str | None) -> int:
    """Check the scope contracts of a file, in either form, and print them in one.

    Exit status: 0 written, 2 a contract cannot be read, or they do not hold together.
    """
    _write(read_contracts(contracts), form, output_file)
    return status.CLEAN


@command.command("check")
@click.argument("contracts", metavar="CONTRACTS", shell_complete=complete_files)
@option("--scope", metavar="ID", required=True, help="The scope that is done.")
@option(
    "--since",
    metavar="REF",
    required=True,
    help="The revision that it began at: a commit, or the branch that it was split off.",
)
@option(
    "--handoff",
    metavar="FILE",
    help="What the scope handed back; its claims are checked, too.",
    shell_complete=complete_files,
)
@option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Its working tree.  [default: the working directory]",
)
@_output_format
@_output_file
def check(
    contracts: str,
    scope: str,
    since: str,
    handoff: str | None,
    root: Path,
    output_formats: tuple[str, ...],
    output_file: str | None,
) -> int:
    """Hold what a scope did against its contract in CONTRACTS.

    Exit status: 0 kept, 1 broken, 2 could not be checked.
    """
    from contract_scan.scopes.handoff import read_handoff
    from contract_scan.scopes.report import report_of_scopes
    from contract_scan.scopes.verification import is_breach, verify
    from contract_scan.scopes.working_tree import delivery_of

    outputs = _outputs(output_formats, output_file)
    found = {contract.scope_id: contract for contract in read_contracts(contracts)}
    if scope not in found:
        raise UsageError(f"has no scope {scope!r:.80}; it has {', '.join(found)}", contracts)
    fulfillment = read_handoff(read_text(handoff), handoff).fulfillment if handoff else None
    delivery = delivery_of(root, since)
    deviations = verify(found[scope], delivery, fulfillment)
    breaches = sum(map(is_breach, deviations))
    result = status.VIOLATIONS if breaches else status.CLEAN
    if outputs:
        report = report_of_scopes(
            deviations,
            contracts=_relative(contracts, root),
            handoffs={scope: _relative(handoff, root)} if handoff else {},
            files=delivery.code_files,
        )
        _write_reports(outputs, report, root)
        return result
    for one in deviations:
        place = handoff if one.in_handoff else contracts
        click.echo(f"{display(str(place))}:{one.line}: {one.kind}: {display(one.message)}")
    open_ = len(deviations) - breaches
    click.echo(f"{scope}: {breaches} breaches of its contract, {open_} undetermined")
    return result


@command.command("start")
@click.argument("contracts", metavar="CONTRACTS", shell_complete=complete_files)
@option(
    "--base",
    metavar="REF",
    required=True,
    help="The branch that the scopes are split off.",
)
@option(
    "--worktrees",
    metavar="FOLDER",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where their working trees are made, outside of the repository.",
)
@option("--feature", metavar="TEXT", required=True, help="What the scopes are parts of.")
@option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The repository.  [default: that around the working directory]",
)
@_output_file
def start(
    contracts: str, base: str, worktrees: Path, feature: str, root: Path, output_file: str | None
) -> int:
    """Make a branch BASE--ID and a working tree for every scope in CONTRACTS, and write the tasks
    of their executors as JSON.

    Exit status: 0 made, 2 nothing was made.
    """
    from contract_scan.scopes.tasks import task_of, write_tasks
    from contract_scan.scopes.workplaces import make_workplaces

    found = read_contracts(contracts)
    branches = {one.scope_id: f"{base}--{one.scope_id}" for one in found}
    tasks = [
        task_of(
            one,
            feature=feature,
            worktree=worktrees.resolve() / one.scope_id,
            branch=branches[one.scope_id],
        )
        for one in found
    ]
    make_workplaces(root, found, base, branches, worktrees)
    write(iter((write_tasks(tasks),)), Path(output_file) if output_file else None)
    return status.CLEAN


@command.command("finish")
@click.argument("contracts", metavar="CONTRACTS", shell_complete=complete_files)
@option(
    "--worktrees",
    metavar="FOLDER",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where their working trees are.",
)
@option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The repository.  [default: that around the working directory]",
)
@option(
    "--base",
    metavar="REF",
    help="The branch that the scopes were split off; needed for --delete-merged.",
)
@option(
    "--delete-merged",
    is_flag=True,
    help="Also delete the branches BASE--ID whose commits another branch has.",
)
def finish(
    contracts: str, worktrees: Path, root: Path, base: str | None, delete_merged: bool
) -> int:
    """Remove the working trees of the scopes in CONTRACTS in which everything is committed and
    no session works. Their branches stay.

    Exit status: 0 all are removed, 1 some stay, 2 git refuses.
    """
    from contract_scan.scopes.workplaces import remove_workplaces
    from contract_scan.sessions.workplaces import open_session_in

    if delete_merged and base is None:
        raise UsageError("--delete-merged needs --base: branches are called BASE--ID")
    found = read_contracts(contracts)
    cleared = remove_workplaces(
        root,
        found,
        worktrees,
        {one.scope_id: f"{base}--{one.scope_id}" for one in found},
        delete_merged=delete_merged,
        in_use=lambda place: open_session_in(root, place),
    )
    for scope_id, one in cleared.items():
        if one.retained:
            click.echo(f"{scope_id} stays: {display(one.retained)}")
        elif one.branch == "deleted":
            click.echo(f"branch {display(f'{base}--{scope_id}')} is deleted")
    return status.VIOLATIONS if any(one.retained for one in cleared.values()) else status.CLEAN


@command.command("consolidate")
@click.argument("contracts", metavar="CONTRACTS", shell_complete=complete_files)
@option(
    "--base",
    metavar="REF",
    required=True,
    help="The branch that the scopes were split off and are merged into.",
)
@option(
    "--branch",
    "branches",
    metavar="ID=BRANCH",
    multiple=True,
    help="The branch of a scope; may be repeated.  [default: BASE--ID]",
)
@option(
    "--handoff",
    "handoffs",
    metavar="ID=FILE",
    multiple=True,
    help="What a scope handed back; its claims are checked, too. May be repeated.",
)
@option(
    "--tasks",
    metavar="FILE",
    help="What became of the tasks of scopes, as JSON; one that is stalled or blocked is told so.",
    shell_complete=complete_files,
)
@option(
    "--into",
    metavar="BRANCH",
    help="Let this branch be at the merged scopes, where none is broken.",
)
@option(
    "--triage",
    "triage_file",
    metavar="FILE",
    help="Write who deals with which breach as JSON, with a prompt for each scope that can mend.",
    shell_complete=complete_files,
)
@option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The repository.  [default: that around the working directory]",
)
@_output_format
@_output_file
def consolidate_scopes(
    contracts: str,
    base: str,
    branches: tuple[str, ...],
    handoffs: tuple[str, ...],
    tasks: str | None,
    into: str | None,
    triage_file: str | None,
    root: Path,
    output_formats: tuple[str, ...],
    output_file: str | None,
) -> int:
    """Merge the branches of all scopes in CONTRACTS, and hold them against their contracts and
    against each other. No working tree and, without --into, no branch is touched.

    Exit status: 0 kept, 1 broken, 2 could not be checked.
    """
    from contract_scan import unsaved
    from contract_scan.scopes.branches import keep_as_branch, merge_scopes, text_at, whole_of
    from contract_scan.scopes.consolidation import consolidate
    from contract_scan.scopes.handoff import read_handoff
    from contract_scan.scopes.report import report_of_scopes, sorted_once
    from contract_scan.scopes.tasks import read_outcomes
    from contract_scan.scopes.triage import triage, write_assignments
    from contract_scan.scopes.verification import is_breach

    outputs = _outputs(output_formats, output_file)
    found = read_contracts(contracts)
    ids = [contract.scope_id for contract in found]
    names = {one: f"{base}--{one}" for one in ids} | _by_scope(branches, ids, "--branch")
    files = _by_scope(handoffs, ids, "--handoff")
    fulfillments = {
        one: read_handoff(read_text(file), file).fulfillment for one, file in files.items()
    }
    outcomes = read_outcomes(read_text(tasks), tasks) if tasks else ()
    by_scope = {one.scope_id: one for one in outcomes}
    merged = merge_scopes(root, found, base, names, fulfillments, by_scope)
    whole = whole_of(merged, found)
    deviations = consolidate(found, merged.branches, whole)
    breaches = sum(map(is_breach, deviations))
    open_ = len(deviations) - breaches
    unread = sorted_once(whole.not_analysed)
    result = status.CLEAN
    if breaches or unread:
        result = status.VIOLATIONS if breaches else status.COULD_NOT_JUDGE
    if triage_file is not None:
        assignments = write_assignments(triage(deviations, names, by_scope))
        write(iter((assignments,)), Path(triage_file))
    backup = ""
    if into is not None and result == status.CLEAN:
        backup = keep_as_branch(merged, into)
    if outputs:
        report = report_of_scopes(
            deviations,
            contracts=_relative(contracts, merged.top),
            handoffs={one: _relative(file, merged.top) for one, file in files.items()},
            not_analysed=unread,
            files=whole.delivery.code_files,
        )
        paths = {one.origin.path for one in report.findings}
        texts = {merged.top / path: text_at(merged, path) for path in sorted(paths)}
        with unsaved.overlay({path: text for path, text in texts.items() if text is not None}):
            _write_reports(outputs, report, merged.top)
        return result
    for one in deviations:
        place = files[one.scope_id] if one.in_handoff else contracts
        message = display(f"{one.scope_id}: {one.message}")
        click.echo(f"{display(place)}:{one.line}: {one.kind}: {message}")
    for problem in unread:
        click.echo(display(f"{problem.path}:{problem.line}: not-analysed: {problem.reason}"))
    click.echo(f"{len(found)} scopes: {breaches} breaches of contracts, {open_} undetermined")
    if into is not None and result == status.CLEAN:
        click.echo(f"{display(into)} is at {merged.commit}{f'; it was at {backup}' * bool(backup)}")
    return result


# Private helpers


def _outputs(written: Sequence[str], output_file: str | None) -> tuple[Output, ...]:
    """The reports asked for; none: lines of text."""
    if not written and output_file is None:
        return ()
    return parse_outputs(written, output_file)


def _relative(file: str, root: Path) -> str:
    """A file as reports about a folder name it."""
    return Path(os.path.relpath(Path(file).resolve(), root.resolve())).as_posix()


def _write_reports(outputs: Sequence[Output], report: Report, root: Path) -> None:
    """Write a report about a folder in the formats asked for."""
    from contract_scan import __version__
    from contract_scan.reports.report import Setting
    from contract_scan.scanners.kinds.page import kind_infos

    folder = root.resolve()
    for output in outputs:
        setting = Setting(
            root=folder,
            prefix=prefix(folder, Path.cwd()),
            repository=repository(folder),
            version=__version__,
            rules=kind_infos() if output.format == "sarif" else (),
            color=output.file is None and wants_color("auto", sys.stdout),
            columns=columns_of(sys.stdout) if output.file is None else PLAIN_COLUMNS,
        )
        write_report(output, report, setting)


def _by_scope(pairs: Sequence[str], ids: Sequence[str], name: str) -> dict[str, str]:
    """`ID=VALUE` by scope id. Raises UsageError for an id that no contract has."""
    found: dict[str, str] = {}
    for pair in pairs:
        scope_id, _, value = pair.partition("=")
        if scope_id not in ids or not value:
            raise UsageError(f"{name} {pair!r:.80}: say ID=VALUE, of {', '.join(ids)}")
        found[scope_id] = value
    return found


def read_contracts(name: str) -> tuple[ScopeContract, ...]:
    """The contracts of a file in either form, which hold together."""
    from contract_scan.scopes.items import check_consistency
    from contract_scan.scopes.markdown_form import read_markdown
    from contract_scan.scopes.yaml_form import read_yaml

    text = read_text(name)
    found = (read_yaml if Path(name).suffix in (".yaml", ".yml") else read_markdown)(text, name)
    if not found:
        raise UsageError("holds no scope contract (`Scope Contract: NAME`)", name)
    check_consistency(found, name)
    return found


def _ask_for_confirmation() -> bool:
    if not sys.stdin.isatty():
        raise UsageError("the boundaries must be confirmed; say --yes where nobody can be asked")
    return click.confirm("Divide the feature like this?", err=True)


def _write(contracts: Sequence[ScopeContract], form: Form, output_file: str | None) -> None:
    from contract_scan.scopes.markdown_form import write_markdown
    from contract_scan.scopes.yaml_form import write_yaml

    match form:
        case "markdown":
            text = write_markdown(contracts)
        case "yaml":
            text = write_yaml(contracts)
        case _:
            assert_never(form)
    if output_file is not None:
        write(iter((text,)), Path(output_file))
    else:
        write((f"{display(line)}\n" for line in text.splitlines()), None)
