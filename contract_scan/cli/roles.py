"""`contract-scan roles`: what roles of agents are handed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import option
from contract_scan.cli.outputs import write
from contract_scan.cli.small_files import LARGEST_TEXT, read_bytes
from contract_scan.reports.display import display

if TYPE_CHECKING:
    from contract_scan.roles.driver import Standing


_root = option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The repository.  [default: the working directory]",
)
_run = option("--run", "run_id", metavar="ID", help="The run.  [default: the latest]")
_format = option(
    "--format",
    "form",
    type=click.Choice(("text", "json")),
    default="text",
    help="text for people, json for programs.  [default: text]",
)


@click.group("roles")
def command() -> None:
    """Serve the roles of agents that build together.

    docs/roles.md describes them.
    """


@command.command("context-pack")
@click.argument("request", metavar="FILE_REQUEST", shell_complete=complete_files)
@_root
@option(
    "--output-file",
    metavar="FILE",
    help="Write to this file rather than to standard output.",
    shell_complete=complete_files,
)
def context_pack(request: str, root: Path, output_file: str | None) -> int:
    """Hand out the files that a request names, within its budget.

    Exit status: 0 everything is handed out, 1 something is left out, 2 the request cannot be read.
    """
    from contract_scan.roles.librarian import context_pack as packed
    from contract_scan.roles.librarian import read_file_request, write_context_pack

    pack = packed(read_file_request(read_bytes(request, LARGEST_TEXT), request), root)
    write(iter((write_context_pack(pack),)), Path(output_file) if output_file else None)
    left_out = pack.omitted or any(file.truncated for file in pack.files)
    return status.VIOLATIONS if left_out else status.CLEAN


@command.command("list")
def list_roles() -> int:
    """Print every role: what it is handed, what it may write and when, and what it must not do."""
    from contract_scan.roles.team import TEAM

    for role in TEAM:
        click.echo(f"{role.name} ({role.title})")
        for given in role.inputs:
            click.echo(f"  is handed  {given}")
        for output in role.outputs:
            click.echo(f"  may write  {output.path} ({', '.join(output.steps)})")
        for prohibition in role.prohibitions:
            click.echo(f"  must not   {prohibition.text} [{prohibition.id}]")
    return status.CLEAN


@command.command("start")
@click.argument("goal", metavar="GOAL")
@option(
    "--verify",
    "verify",
    metavar="COMMAND",
    required=True,
    help="The command that verifies a patch; it is run without a shell.",
)
@option("--id", "run_id", metavar="ID", default="", help="The id.  [default: made of the goal]")
@option("--max-iterations", type=click.IntRange(1, 1000), default=3, help="Patches.  [default: 3]")
@option(
    "--max-review-rounds",
    type=click.IntRange(1, 1000),
    default=3,
    help="Rounds of reviews.  [default: 3]",
)
@option(
    "--max-outbox-prompts",
    type=click.IntRange(0, 10_000),
    default=20,
    help="Prompts for roles.  [default: 20]",
)
@option(
    "--verify-seconds",
    type=click.FloatRange(0, 86_400, min_open=True),
    default=1800.0,
    help="How long the command may take.  [default: 1800]",
)
@option(
    "--allow-domain",
    "domains",
    metavar="DOMAIN",
    multiple=True,
    help="A domain that the web researcher may look at; without any there is none.",
)
@_root
def start_run(
    goal: str,
    verify: str,
    run_id: str,
    max_iterations: int,
    max_review_rounds: int,
    max_outbox_prompts: int,
    verify_seconds: float,
    domains: tuple[str, ...],
    root: Path,
) -> int:
    """Begin a run towards GOAL, at the commit that is checked out, and print its id.

    Exit status: 0 begun, 2 it cannot be.
    """
    import shlex

    from contract_scan.errors import UsageError
    from contract_scan.roles.driver import start
    from contract_scan.roles.state import Limits

    limits = Limits(
        max_iterations=max_iterations,
        max_review_rounds=max_review_rounds,
        max_outbox_prompts=max_outbox_prompts,
        verify_seconds=verify_seconds,
    )
    try:
        words = shlex.split(verify)
    except ValueError as error:
        raise UsageError(f"is no command: {error}", "--verify") from None
    click.echo(start(root, goal, words, run_id=run_id, limits=limits, domains=domains))
    return status.CLEAN


@command.command("status")
@_run
@_root
@_format
def show_status(run_id: str | None, root: Path, form: str) -> int:
    """Print where a run stands, without going on.

    Exit status: 0 printed, 2 there is no such run.
    """
    from contract_scan.roles.driver import latest_run, run_status

    found = run_status(root, run_id or latest_run(root))
    if form == "json":
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
        return status.CLEAN
    about = f" for {found.role}: {found.target}" if found.role else ""
    click.echo(f"{found.run_id}: {found.step}: {found.ending or found.status}{display(about)}")
    plan = f"signed {found.signature[:12]}" if found.signature else "not signed"
    patch = "one passed" if found.passed_patch else "none passed"
    rows = (
        ("goal", found.goal),
        ("base", found.base[:12]),
        ("reviews", f"round {found.review_round} of {found.max_review_rounds}"),
        ("plan", plan),
        ("patches", f"{found.iteration} of {found.max_iterations} verified, {patch}"),
        ("breaches", str(found.breaches)),
        ("reason", found.reason),
        ("not put back", ", ".join(found.open_breaches)),
        ("new", ", ".join(found.changed)),
    )
    for name, text in rows:
        if text:
            click.echo(f"  {name:<12}  {display(text)}")
    return status.CLEAN


@command.command("advance")
@option(
    "--own-changes",
    is_flag=True,
    help="What differs since the last look is your own, and counts against no role.",
)
@_run
@_root
@_format
def advance_run(own_changes: bool, run_id: str | None, root: Path, form: str) -> int:
    """Look at what was handed in, and go as far as it leads.

    Exit status: 0 the run is done, 1 it waits, is blocked or ended otherwise, 2 there is none.
    """
    from contract_scan.roles.driver import advance, latest_run

    return _show(advance(root, run_id or latest_run(root), own_changes=own_changes), form)


@command.command("act", context_settings={"ignore_unknown_options": True})
@click.argument("role", metavar="ROLE")
@click.argument("words", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@option(
    "--seconds",
    type=click.FloatRange(0, 86_400, min_open=True),
    default=1800.0,
    help="How long the command may take.  [default: 1800]",
)
@_run
@_root
@_format
def act_as(
    role: str, words: tuple[str, ...], seconds: float, run_id: str | None, root: Path, form: str
) -> int:
    """Run a program as ROLE and hold what it wrote against what this role may write.

    The program runs in the repository; CONTRACT_SCAN_RUN_FOLDER is the folder of the run.

    Exit status: as of `advance`; 2 also where the program fails.
    """
    from contract_scan.errors import UsageError
    from contract_scan.roles.driver import act, latest_run
    from contract_scan.roles.team import ROLES

    name = next((one for one in ROLES if one == role), None)
    if name is None:
        raise UsageError(f"{role!r:.80} is no role; there are {', '.join(ROLES)}")
    return _show(act(root, run_id or latest_run(root), name, words, seconds), form)


def _show(standing: Standing, form: str) -> int:
    """Print where a run stands; the exit status."""
    if form == "json":
        import msgspec

        raw = msgspec.json.format(msgspec.json.encode(standing), indent=2)
        click.echo(raw.decode())
    else:
        about = f" for {standing.role}: {standing.target}" if standing.role else ""
        word = standing.ending or standing.status
        click.echo(f"{standing.run_id}: {standing.step}: {word}{display(about)}")
        if standing.reason:
            click.echo(f"  {display(standing.reason)}")
        for breach in standing.breaches:
            detail = f": {breach.detail}" if breach.detail else ""
            click.echo(f"  blocked {breach.prohibition} {display(breach.path + detail)}")
        if standing.prompt:
            click.echo(f"  prompt {standing.prompt}")
    return status.CLEAN if standing.ending == "done" else status.VIOLATIONS
