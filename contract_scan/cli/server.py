"""`contract-scan server`: a language server over standard input and output."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contract_scan.cli import status
from contract_scan.cli.options import scanning
from contract_scan.cli.settings import ScanOptions, cache_place, configuration
from contract_scan.clients.git_command import serve_many_runs
from contract_scan.config.effective import selected_kinds
from contract_scan.errors import UsageError

if TYPE_CHECKING:
    from typing import Unpack

    from contract_scan.server.scan_worker import Settings


GONE = 1
"""Exit status that the protocol demands where the client leaves without a word."""


@click.command("server")
@scanning
def command(**options: Unpack[ScanOptions]) -> int:
    """Serve an editor: diagnostics, go to definition, hovers and quick fixes.

    Speaks the Language Server Protocol over standard input and output; editors start it, and name
    the folders. Needs the extra `lsp`: pip install 'contract-scan[lsp]'. docs/editor.md says how to
    set up editors.

    Exit status: 0 the editor has said goodbye, 1 it went without.
    """
    if options["paths"]:
        raise UsageError("the editor names the folders; leave out", options["paths"][0])
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise UsageError("the language server needs pygls: pip install 'contract-scan[lsp]'")
    from contract_scan.parsers.source.retained_sources import many_runs
    from contract_scan.server.app import App
    from contract_scan.server.scan_worker import Settings

    serve_many_runs()
    context = click.get_current_context()

    def settings_of(folder: Path) -> Settings:
        with context.scope(cleanup=False):  # scans run in another thread
            config = configuration(options, folder)
            select = selected_kinds(config)
        return Settings(config=config, select=select, cache=cache_place(options, folder))

    with many_runs():
        return status.CLEAN if App(settings_of).serve_stdio() else GONE
