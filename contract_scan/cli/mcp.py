"""`contract-scan mcp`: servers for agents, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path

import click

from contract_scan.cli import status
from contract_scan.clients.git_command import serve_many_runs


@click.group("mcp")
def command() -> None:
    """Serve agents over the Model Context Protocol.

    Servers speak over standard input and output; whoever uses them starts them. Needs the extra
    `mcp`: pip install 'contract-scan[mcp]'. docs/mcp.md says how to set up agents.
    """


@command.command("contract-engine")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Folder that paths of calls are in, and confined to.  [default: the working directory]",
)
@click.option(
    "--database",
    metavar="FILE",
    envvar="DATABASE_PATH",
    default="",
    help="SQLite file of the registry.  [default: .contract-scan/contracts.db below the root]",
)
@click.option(
    "--database-url",
    metavar="URL",
    envvar="DATABASE_URL",
    default="",
    help="PostgreSQL in its place: postgresql://user@host/name, the password in a pass file.",
)
@click.option(
    "--validation-timeout",
    metavar="SECONDS",
    envvar="VALIDATION_TIMEOUT",
    default="",
    help="How long the values of one call may take to be validated.  [default: 20]",
)
def contract_engine(root: Path, database: str, database_url: str, validation_timeout: str) -> int:
    """Keep contracts in versions, check specifications, responses and source code.

    Exit status: 0 the client has left, 2 the server could not start.
    """
    from contract_scan.parsers.source.retained_sources import many_runs
    from contract_scan.servers.contract_engine.start import serve

    serve_many_runs()
    with many_runs():
        serve(
            root.resolve(),
            database_path=database,
            database_url=database_url,
            validation_timeout=validation_timeout,
        )
    return status.CLEAN


@command.command("codebase-intelligence")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Folder whose code is indexed, and that paths of calls are confined to."
    "  [default: the working directory]",
)
@click.option(
    "--database",
    metavar="FILE",
    envvar="DATABASE_PATH",
    default="",
    help="SQLite file of the index.  [default: in the cache of the root]",
)
def codebase_intelligence(root: Path, database: str) -> int:
    """Find definitions, callers, dependencies, endpoints and dead code.

    Exit status: 0 the client has left, 2 the server could not start.
    """
    from contract_scan.parsers.source.retained_sources import many_runs
    from contract_scan.servers.codebase_intelligence.start import serve

    serve_many_runs()
    with many_runs():
        serve(root.resolve(), database_path=database)
    return status.CLEAN


@command.command("architect")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Folder in which contracts are looked for.  [default: the working directory]",
)
@click.option(
    "--database",
    metavar="FILE",
    envvar="DATABASE_PATH",
    default="",
    help="SQLite file of projects.  [default: .contract-scan/architect.db below the root]",
)
def architect(root: Path, database: str) -> int:
    """Derive services, a domain model and contract stubs from requirements.

    Exit status: 0 the client has left, 2 the server could not start.
    """
    from contract_scan.servers.architect.start import serve

    serve_many_runs()
    serve(root.resolve(), database_path=database)
    return status.CLEAN
