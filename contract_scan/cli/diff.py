"""`contract-scan diff`: what changed between two revisions of contracts, and whom it breaks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import option
from contract_scan.cli.outputs import write
from contract_scan.cli.terminal import ColorChoice, wants_color
from contract_scan.config.rules import words
from contract_scan.errors import UsageError
from contract_scan.ir.contract_changes import CHANGE_LEVELS, ChangeLevel
from contract_scan.reports.changes import CHANGES_FORMATS, ChangesFormat, changes_renderer

if TYPE_CHECKING:
    from typing import Unpack

    from contract_scan.ir.contract_changes import ContractChanges


class DiffOptions(TypedDict):
    """The values of all options of the verb."""

    base: str
    revision: str
    format: ChangesFormat
    output_file: str | None
    fail_on: ChangeLevel
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    accepted: str | None
    impact: tuple[str, ...]
    exit_zero: bool
    color: ColorChoice


@click.command("diff")
@click.argument("base", shell_complete=complete_files)
@click.argument("revision", shell_complete=complete_files)
@option(
    "--format",
    "format",
    type=click.Choice(CHANGES_FORMATS),
    default="text",
    help="What to print.  [default: text]",
)
@option("--output-file", "-o", metavar="FILE", help="Write it there.")
@option(
    "--fail-on",
    type=click.Choice(CHANGE_LEVELS),
    default="breaking",
    help="Exit with 1 for a change as bad as this.  [default: breaking]",
)
@option("--select", multiple=True, metavar="IDS", help="Look for these ids alone (`request-*`).")
@option("--ignore", multiple=True, metavar="IDS", help="Leave these ids out (`*-added`).")
@option(
    "--accepted",
    metavar="FILE",
    help="Leave out the changes that this file lists.",
    shell_complete=complete_files,
)
@option(
    "--impact",
    multiple=True,
    metavar="FOLDER",
    help="Say which code below it implements or uses what changed; may be repeated.",
    shell_complete=complete_files,
)
@option("--exit-zero", "-e", is_flag=True, help="Exit with 0 whatever changed.")
@option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    help="When to colour text.  [default: auto]",
)
def command(**options: Unpack[DiffOptions]) -> int:
    """Say what changed from BASE to REVISION, and whom that breaks.

    Both are a file, a folder or `git:REF:PATH`, of OpenAPI, AsyncAPI or JSON Schema.

    Exit status: 0 nothing as bad as --fail-on, 1 something is, 2 something could not be read.
    """
    from contract_scan.api import compare_contracts

    here = Path.cwd()
    file = Path(options["output_file"]) if options["output_file"] else None
    if file is not None and not file.parent.is_dir():
        raise UsageError("the folder to write to does not exist", str(file))
    found = compare_contracts(
        options["base"],
        options["revision"],
        here=here,
        select=words(options["select"]),
        ignore=words(options["ignore"]),
        accepted=here / options["accepted"] if options["accepted"] else None,
        code=[here / folder for folder in options["impact"]],
    )
    color = file is None and wants_color(options["color"], sys.stdout)
    write(changes_renderer(options["format"])(found, color), file)
    return status.CLEAN if options["exit_zero"] else _status(found, options["fail_on"])


def _status(found: ContractChanges, fail_on: ChangeLevel) -> int:
    """A change stands whatever could not be read next to it; only without one does an incomplete
    comparison leave the question open."""
    if found.at_least(fail_on):
        return status.VIOLATIONS
    return status.CLEAN if status.is_complete(found.problems) else status.COULD_NOT_JUDGE
