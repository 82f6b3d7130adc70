"""`contract-scan hooks`: have a repository checked before each commit."""

from __future__ import annotations

from pathlib import Path

import click

from contract_scan.cli import status
from contract_scan.errors import UsageError
from contract_scan.reports.display import display


@click.group("hooks")
def command() -> None:
    """Install a hook that checks what a commit changes, or take it away."""


@command.command("install")
@click.option("--git", "for_git", is_flag=True, help="The pre-commit hook of this repository.")
def install(for_git: bool) -> int:
    """Write the hook. One that somebody else wrote is left alone."""
    _require_hook(for_git)
    from contract_scan.clients.git_hooks import install as write

    file, replaced = write(Path.cwd())
    click.echo(f"{_display_path(file)}: {'brought up to date' if replaced else 'installed'}")
    return status.CLEAN


@command.command("uninstall")
@click.option("--git", "for_git", is_flag=True, help="The pre-commit hook of this repository.")
def uninstall(for_git: bool) -> int:
    """Take the hook away, where it is ours."""
    _require_hook(for_git)
    from contract_scan.clients.git_hooks import uninstall as remove

    file = remove(Path.cwd())
    click.echo(
        "there is no hook of contract-scan" if file is None else f"{_display_path(file)}: removed"
    )
    return status.CLEAN


def _require_hook(for_git: bool) -> None:
    if not for_git:
        raise UsageError("say which hook is meant: --git")


def _display_path(file: Path) -> str:
    here = Path.cwd()
    inside = file.is_relative_to(here)
    return display((file.relative_to(here) if inside else file).as_posix())
