"""`contract-scan explain`: why a finding fired, why something is undetermined, step by step."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import available_cores, option, scanning
from contract_scan.cli.outputs import write
from contract_scan.cli.settings import (
    ScanOptions,
    cache_place,
    configuration,
    contract_files,
)
from contract_scan.cli.target import prefix, repository, target
from contract_scan.cli.terminal import ColorChoice, Progress, wants_color
from contract_scan.config.effective import selected_kinds
from contract_scan.errors import UsageError
from contract_scan.ir.violation import KINDS_OF_RULE, KINDS_OF_SCOPE_RULE

if TYPE_CHECKING:
    from typing import Unpack

METHODS = frozenset({"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY"})


class ExplainOptions(ScanOptions):
    """The values of all options of the verb."""

    what: str
    contracts: tuple[str, ...]
    color: ColorChoice


@click.command("explain")
@click.argument("what", metavar="WHAT")
@scanning
@option(
    "--contract",
    "contracts",
    multiple=True,
    metavar="FILE",
    help="Contract to compare with, instead of the ones configured or found.",
    shell_complete=complete_files,
)
@option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    default="auto",
    help="When to use colours.  [default: auto]",
)
def command(**options: Unpack[ExplainOptions]) -> int:
    """Say how contract-scan came to what it says of WHAT, in the folder PATHS.

    \b
    WHAT is one of
      a fingerprint, or its beginning      v1:0f3a
      a place in code or contract          src/app.py:12
      an operation                         "GET /orders/{id}"
      a channel or a model, by its name    order.placed

    Every step names its place: in the contract from the operation to the property, in the code from
    the route to the field. What is undetermined is named with what can be done about it.

    Exit status: 0 explained, 2 there is nothing of that name.
    """
    here = Path.cwd()
    what, paths = _words(options["what"], options["paths"])
    if what.upper().partition("/")[0] in {*KINDS_OF_RULE, *KINDS_OF_SCOPE_RULE}:
        message = (
            f"`{what}` is a rule, not something found; `contract-scan rule {what}` explains it"
        )
        raise UsageError(message)
    folder = target(paths, here)
    if folder.only:
        raise UsageError("name one folder to look into", paths[0])
    config = configuration(options, folder.root)
    select = selected_kinds(config)

    from contract_scan import __version__
    from contract_scan.explanation import explanation_of, render
    from contract_scan.reports.report import Setting

    contracts = contract_files(options["contracts"], here)
    setting = Setting(
        root=folder.root,
        prefix=prefix(folder.root, here),
        repository=repository(folder.root),
        version=__version__,
        rules=(),
        color=wants_color(options["color"], sys.stdout),
    )
    progress = Progress()
    asked = _as_seen_from_root(what, folder.root, here)
    try:
        found = explanation_of(
            asked,
            folder.root,
            contracts=contracts,
            select=select,
            config=config,
            cache=cache_place(options, folder.root),
            jobs=options["jobs"] or available_cores(),
            progress=progress,
        )
    finally:
        progress.clear()
    write(render(found, setting), None)
    return status.CLEAN


def _words(what: str, paths: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """`GET /orders` may stand in quotes or not."""
    if what.upper() in METHODS and paths and paths[0].startswith("/"):
        return f"{what.upper()} {paths[0]}", paths[1:]
    return what, paths


def _as_seen_from_root(what: str, root: Path, here: Path) -> str:
    """A place as reports write it: relative to the scanned folder."""
    path, colon, line = what.partition(":")
    if not colon or not line[:1].isdigit() or re.fullmatch(r"v\d+:[0-9a-f:]+", what):
        return what
    file = (here / path).resolve()
    if not file.exists() and (root / path).exists():
        file = (root / path).resolve()
    if not file.exists():
        raise UsageError("no such file", path)
    return f"{Path(os.path.relpath(file, root)).as_posix()}:{line}"
