"""`contract-scan roles`: what roles of agents are handed."""

from __future__ import annotations

from pathlib import Path

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import option
from contract_scan.cli.outputs import write
from contract_scan.cli.small_files import LARGEST_TEXT, read_bytes


@click.group("roles")
def command() -> None:
    """Serve the roles of agents that build together.

    docs/roles.md describes them.
    """


@command.command("context-pack")
@click.argument("request", metavar="FILE_REQUEST", shell_complete=complete_files)
@option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The repository.  [default: the working directory]",
)
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
