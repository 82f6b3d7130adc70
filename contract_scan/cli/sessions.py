"""`scope`: sessions of agents. A program of its own, since agents call it by that name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.main import run_guarded, with_streams
from contract_scan.errors import UsageError
from contract_scan.reports.display import display
from contract_scan.sessions.session import DEFAULT_TASK_TYPE, TASK_TYPES, TaskType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contract_scan.scopes.contract import ScopeContract
    from contract_scan.sessions.session import Session
    from contract_scan.sessions.store import Store

_NAME = "scope"
_FAILED = 1
"""The exit status of every error, as whoever calls `scope` expects it."""


def program() -> NoReturn:
    """The command: run it, and leave with its exit status."""
    sys.exit(main())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)

    def invoke() -> object:
        _require_extra()
        with scope.make_context(_NAME, words) as context:
            return scope.invoke(context)

    return with_streams(lambda: run_guarded(invoke, _NAME, _FAILED), _NAME)


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--inside-tmux",
    is_flag=True,
    help="Show the interface in this terminal; without it, tmux is started first where it is there"
    " and this is none of its panes.",
)
@click.pass_context
def scope(context: click.Context, inside_tmux: bool) -> int:
    """Start, watch and end sessions of agents. Without a command: show all of them.

    docs/sessions.md describes the folder `.scope` that keeps them.

    Exit status: 0 success, 1 an error.
    """
    if context.invoked_subcommand is not None:
        return status.CLEAN
    from contract_scan.sessions.interface.launch import show_sessions

    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise UsageError("the interface needs a terminal; `scope list` prints the sessions")
    show_sessions(Path.cwd(), inside_tmux=inside_tmux)
    return status.CLEAN


@scope.command("spawn")
@click.argument("task", default="")
@click.option(
    "--type",
    "task_type",
    type=click.Choice(TASK_TYPES),
    default=DEFAULT_TASK_TYPE,
    help=f"What kind of task it is; says what the agent has to return.  [default:"
    f" {DEFAULT_TASK_TYPE}]",
)
@click.option("--agent", metavar="NAME", default="", help="Who does it.  [default: by the type]")
@click.option("--model", metavar="NAME", default="", help="With which model.")
@click.option(
    "--input",
    "inputs",
    metavar="PATH",
    multiple=True,
    help="A file or folder to look at first; may be repeated.",
    shell_complete=complete_files,
)
@click.option("--id", "session_id", metavar="ID", default="", help="Its id.  [default: a number]")
@click.option(
    "--after",
    metavar="ID,ID",
    multiple=True,
    help="Start when these sessions are done; may be repeated, and name sessions to come.",
)
@click.option(
    "--interactive",
    is_flag=True,
    help="Let a person talk to the agent; it needs tmux, and a task may be left out.",
)
@click.option(
    "--cwd",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Where the agent works.  [default: the working directory]",
)
@click.option(
    "--worktrees",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Give the session a working tree FOLDER/ID at a new branch scope/ID, outside of the"
    " repository.",
)
@click.option(
    "--contract",
    "contracts",
    metavar="FILE",
    help="The file with its scope contract, which it is held against when it is done.",
    shell_complete=complete_files,
)
@click.option("--scope", "scope_id", metavar="ID", help="Which contract of that file is meant.")
@click.option(
    "--since",
    metavar="REF",
    default="",
    help="The revision that the scope, or the working tree, begins at.  [default: HEAD]",
)
@click.option("--no-tmux", is_flag=True, help="Run it without a terminal.")
def spawn_session(
    task: str,
    task_type: TaskType,
    agent: str,
    model: str,
    inputs: tuple[str, ...],
    session_id: str,
    after: tuple[str, ...],
    interactive: bool,
    cwd: Path,
    worktrees: Path | None,
    contracts: str | None,
    scope_id: str | None,
    since: str,
    no_tmux: bool,
) -> int:
    """Start an agent with TASK in a session of its own, and print the id of the session.

    A session that is started from within another one is its child.

    Exit status: 0 started, 1 not.
    """
    from contract_scan.sessions.lifecycle import SpawnRequest, spawn
    from contract_scan.sessions.store import store_to_make

    if not task.strip() and not interactive:
        raise UsageError("say what is to be done, in one argument")
    session = spawn(
        store_to_make(Path.cwd()),
        SpawnRequest(
            task=task,
            task_type=task_type,
            agent=agent,
            model=model,
            mode="interactive" if interactive else "task",
            session_id=session_id,
            after=tuple(one.strip() for each in after for one in each.split(",")),
            inputs=inputs,
            cwd=cwd,
            contract=_contract(contracts, scope_id),
            since=since,
            worktrees=worktrees,
            uses_tmux=not no_tmux,
        ),
    )
    click.echo(session.id)
    return status.CLEAN


@scope.command("poll")
@click.argument("session_id", metavar="ID")
def poll_session(session_id: str) -> int:
    """Print how a session is, as JSON.

    Exit status: 0 there is such a session, 1 there is none.
    """
    from contract_scan.sessions.lifecycle import outcome_of
    from contract_scan.sessions.reconciliation import reconciled_session

    store = _store()
    _print_json(outcome_of(reconciled_session(store, store.load(session_id))))
    return status.CLEAN


@scope.command("wait")
@click.argument("session_ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Give up after so long."
)
def wait_for_sessions(session_ids: tuple[str, ...], timeout: float | None) -> int:
    """Wait until sessions have ended, and print how, as JSON.

    Exit status: 0 all are done, 1 one was aborted or takes longer than the timeout.
    """
    from contract_scan.sessions.lifecycle import outcome_of, wait

    found = wait(_store(), session_ids, timeout)
    late = [session.id for session in found if session.is_open]
    _print_json({"results": [outcome_of(session) for session in found], "timed_out": late})
    return status.CLEAN if all(one.state == "done" for one in found) else _FAILED


@scope.command("abort")
@click.argument("session_id", metavar="ID")
def abort_session(session_id: str) -> int:
    """End a session and all that were started from it, with all their processes. Prints the ids of
    those that were open.

    Exit status: 0 they have ended, 1 there is no such session.
    """
    from contract_scan.sessions.lifecycle import abort

    for ended in abort(_store(), session_id):
        click.echo(ended)
    return status.CLEAN


@scope.command("resume")
@click.argument("session_id", metavar="ID")
@click.argument("message", default="")
def resume_session(session_id: str, message: str) -> int:
    """Take up a session that has ended. Where its agent can go on with its conversation, MESSAGE is
    what it is told; else it begins its task anew, and is told MESSAGE beside it.

    Exit status: 0 started, 1 not.
    """
    from contract_scan.sessions.lifecycle import resume

    session, goes_on = resume(_store(), session_id, message)
    if not goes_on:
        click.echo("its conversation is not known, so it begins anew", err=True)
    click.echo(session.id)
    return status.CLEAN


@scope.command("finish")
@click.argument("session_ids", metavar="[ID...]", nargs=-1)
@click.option(
    "--delete-merged",
    is_flag=True,
    help="Also delete their branches, where another branch has all their commits.",
)
def finish_sessions(session_ids: tuple[str, ...], delete_merged: bool) -> int:
    """Remove the working trees that were made for sessions which have ended (all, or those named),
    and in which everything is committed. Their branches stay, and so do the sessions.

    Exit status: 0 all are removed, 1 some stay, or git refuses.
    """
    from contract_scan.sessions.reconciliation import reconciled_sessions
    from contract_scan.sessions.workplaces import clear_sessions

    store = _store()
    reconciled_sessions(store)
    stay = 0
    for one in clear_sessions(store, session_ids, delete_merged=delete_merged):
        if one.clearance.retained:
            stay += 1
            click.echo(f"{one.session.id} stays: {display(one.clearance.retained)}")
        elif one.clearance.branch != "gone":
            branch_state = "is deleted" if one.clearance.branch == "deleted" else "stays"
            click.echo(f"{one.session.id}: branch {display(one.session.branch)} {branch_state}")
    return _FAILED if stay else status.CLEAN


@scope.command("setup")
@click.option(
    "--global",
    "is_global",
    is_flag=True,
    help="In the user's own settings of Claude Code, for all projects.",
)
@click.option("--remove", is_flag=True, help="Take away what was written.")
def set_up(is_global: bool, remove: bool) -> int:
    """Write the hooks by which Claude Code tells what it does, and a section of CLAUDE.md that says
    when to start a session; look whether tmux is there.

    Exit status: 0 written, 1 a file cannot be changed.
    """
    from contract_scan.clients.tmux import installed_version
    from contract_scan.sessions.setup import install, uninstall
    from contract_scan.sessions.store import store_to_make

    project = store_to_make(Path.cwd()).folder.parent
    for file in (uninstall if remove else install)(project, is_global=is_global):
        inside = file.is_relative_to(project)
        shown = (file.relative_to(project) if inside else file).as_posix()
        click.echo(f"{display(shown)}: {'taken away' if remove else 'written'}")
    if not remove:
        version = installed_version()
        click.echo(
            f"tmux {version}"
            if version
            else "tmux 3.2 or later is not there: sessions run without terminals, and nobody can"
            " talk to their agents. Install it with the package manager of the system"
        )
    return status.CLEAN


@scope.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
@click.option("--hide-done", is_flag=True, help="Leave out what is done.")
def list_sessions(as_json: bool, hide_done: bool) -> int:
    """Print all sessions, as a tree."""
    from contract_scan.sessions.lifecycle import outcome_of
    from contract_scan.sessions.listing import lines, rows_of
    from contract_scan.sessions.reconciliation import reconciled_sessions
    from contract_scan.sessions.store import found_store

    store = found_store(Path.cwd())
    found = reconciled_sessions(store) if store is not None else []
    if hide_done:
        found = [session for session in found if session.state != "done"]
    if as_json:
        _print_json(
            {"sessions": [_session_record(session, outcome_of(session)) for session in found]}
        )
    else:
        for line in lines(rows_of(found)):
            click.echo(line)
    return status.CLEAN


# Private helpers


def _require_extra() -> None:
    from importlib.util import find_spec

    if sys.platform == "win32":
        raise UsageError("sessions run on Linux and macOS only; use WSL")
    if find_spec("psutil") is None:
        raise UsageError("needs the extra `sessions`: pip install 'contract-scan[sessions]'")


def _store() -> Store:
    from contract_scan.sessions.store import found_store

    store = found_store(Path.cwd())
    if store is None:
        raise UsageError("there are no sessions here yet; `scope spawn` starts one")
    return store


def _contract(file: str | None, scope_id: str | None) -> ScopeContract | None:
    """The scope contract that is meant. Raises UsageError where that is not clear."""
    from contract_scan.cli.scopes import read_contracts

    if file is None:
        if scope_id is not None:
            raise UsageError("--scope names a contract of a file: add --contract FILE")
        return None
    found = {one.scope_id: one for one in read_contracts(file)}
    if scope_id is None and len(found) == 1:
        return next(iter(found.values()))
    if scope_id not in found:
        raise UsageError(f"say --scope ID, of {', '.join(found)}", file)
    return found[scope_id]


def _session_record(session: Session, outcome: object) -> dict[str, object]:
    import msgspec

    record = msgspec.to_builtins(outcome)
    return {
        **record,
        "task": session.task,
        "type": session.task_type,
        "agent": session.agent,
        "parent": session.parent or None,
        "after": list(session.after),
        "cwd": str(session.cwd),
        "created_at": session.created_at,
        "tmux_session": session.tmux_session or None,
    }


def _print_json(value: object) -> None:
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


if __name__ == "__main__":
    program()
