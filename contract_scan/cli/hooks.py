"""`contract-scan hooks`: have a repository checked before each commit, or an agent's edits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from contract_scan.cli import status
from contract_scan.errors import UsageError
from contract_scan.reports.display import display


@click.group("hooks")
def command() -> None:
    """Install hooks that check what a commit or an agent changes, or take them away."""


def _hook_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options that say which hooks are meant."""
    for decorate in (
        click.option(
            "--claude",
            "for_claude",
            is_flag=True,
            help="Hooks of Claude Code, in .claude/settings.local.json of this folder: the agent is"
            " told what its edits break, after each and before it stops.",
        ),
        click.option("--git", "for_git", is_flag=True, help="The pre-commit hook."),
    ):
        function = decorate(function)
    return function


@command.command("install")
@_hook_options
def install(for_git: bool, for_claude: bool) -> int:
    """Write the hooks. Those that somebody else wrote are left alone."""
    _require_one(for_git, for_claude)
    if for_claude:
        from contract_scan.cli.claude.installation import install as write
    else:
        from contract_scan.clients.git_hooks import install as write

    file, replaced = write(Path.cwd())
    click.echo(f"{_display_path(file)}: {'brought up to date' if replaced else 'installed'}")
    return status.CLEAN


@command.command("uninstall")
@_hook_options
def uninstall(for_git: bool, for_claude: bool) -> int:
    """Take the hooks away, where they are ours."""
    _require_one(for_git, for_claude)
    if for_claude:
        from contract_scan.cli.claude.installation import uninstall as remove
    else:
        from contract_scan.clients.git_hooks import uninstall as remove

    file = remove(Path.cwd())
    click.echo(
        "there is no hook of contract-scan" if file is None else f"{_display_path(file)}: removed"
    )
    return status.CLEAN


@command.command("claude", hidden=True)
def claude() -> int:
    """Answer an event of Claude Code that stands on standard input: 2 tells the model."""
    from contract_scan.cli.claude.answering import answer

    return answer(sys.stdin)


def _require_one(for_git: bool, for_claude: bool) -> None:
    if for_git == for_claude:
        raise UsageError("say which hook is meant: --git or --claude")


def _display_path(file: Path) -> str:
    here = Path.cwd()
    inside = file.is_relative_to(here)
    return display((file.relative_to(here) if inside else file).as_posix())
