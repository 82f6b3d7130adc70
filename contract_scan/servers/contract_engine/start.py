"""How the server is started: where its database and its root are."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from contract_scan import api
from contract_scan.errors import UsageError
from contract_scan.servers.contract_engine.app import VALIDATION_SECONDS, ContractEngine
from contract_scan.servers.contract_engine.database import DatabaseLockedError, open_database
from contract_scan.servers.contract_engine.store import ContractStore
from contract_scan.servers.sqlite_path import own_sqlite_path
from contract_scan.servers.stdio import exit_status, require_folder, require_server_class
from contract_scan.servers.tools import add_tools

DATABASE_PATH = "DATABASE_PATH"
"""Environment variable: the SQLite file."""
DATABASE_URL = "DATABASE_URL"
"""Environment variable: a database of PostgreSQL in place of the file."""
VALIDATION_TIMEOUT = "VALIDATION_TIMEOUT"
"""Environment variable: seconds that the values of one call may take to be validated."""
DEFAULT_PATH = ".contract-scan/contracts.db"
"""The SQLite file where nothing is said, below the root."""
_URLS = ("postgresql:", "postgresql+", "postgres:")
"""How a URL begins. Clients have one setting for both, so one may stand where the file would."""
_INSTRUCTIONS = """\
A registry of the contracts between services (OpenAPI, AsyncAPI, JSON Schema), and a scanner that
says whether source code keeps them. Call `scan` after an edit: every finding names the place in the
code and the place in the contract. A result with the key `error` says what to do differently.
"""


def serve(
    root: Path, *, database_path: str = "", database_url: str = "", validation_timeout: str = ""
) -> None:
    """Serve over standard input and output until the client leaves.

    Raises UsageError where the SDK is missing or an argument is wrong, DatabaseError where the
    database cannot be used. A database that is only locked does not keep the server from starting.
    """
    require_folder(root)
    seconds = _seconds(validation_timeout)  # before the SDK, whose import takes a second
    server_type = require_server_class()
    if database_path.startswith(_URLS) and not database_url:
        database_path, database_url = "", database_path
    named = database_path or database_url
    path = root / database_path if named else own_sqlite_path(root, DEFAULT_PATH)

    def open_store() -> ContractStore:
        return ContractStore(open_database(path=path, url=database_url))

    try:
        open_store().close()
    except DatabaseLockedError as error:
        logging.getLogger(__name__).warning("%s", error)
    engine = ContractEngine(open_store, root, validation_seconds=seconds)
    _build_server(server_type, engine).run("stdio")


def _seconds(given: str) -> float:
    """A time limit; empty: the usual one. Raises UsageError."""
    if not given:
        return VALIDATION_SECONDS
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds < math.inf:
        raise UsageError(f"{VALIDATION_TIMEOUT} must be a number of seconds, not {given!r}")
    return seconds


def main(environment: Mapping[str, str] = os.environ) -> int:
    """The server as a module of its own (`python -m`): settings come from the environment, the root
    is the working directory. Returns the exit status."""
    return exit_status(
        lambda: serve(
            Path.cwd(),
            database_path=environment.get(DATABASE_PATH, ""),
            database_url=environment.get(DATABASE_URL, ""),
            validation_timeout=environment.get(VALIDATION_TIMEOUT, ""),
        )
    )


def _build_server(server_class: Callable[..., Any], engine: ContractEngine) -> Any:
    """The server of the MCP SDK (either major) with everything in it, ready to `run("stdio")`."""
    server = server_class("contract-engine", instructions=_INSTRUCTIONS)
    add_tools(
        server,
        (
            engine.create_contract,
            engine.list_contracts,
            engine.get_contract,
            engine.validate_spec,
            engine.mark_implemented,
            engine.get_unimplemented_contracts,
            engine.check_breaking_changes,
            engine.generate_tests,
            engine.check_compliance,
            engine.validate_endpoint,
            engine.get_history,
            engine.scan,
            engine.explain,
        ),
    )
    server.resource(
        "contract://{contract_id}",
        name="contract",
        description="A registered contract: its record with the specification.",
        mime_type="application/json",
    )(_contract_reader(engine))
    for rule_id in sorted(api.rule_pages()):
        server.resource(
            f"rule://{rule_id}",
            name=rule_id,
            description=f"What {rule_id} promises, why, and when it stays silent.",
            mime_type="text/markdown",
        )(_page(engine, rule_id))
    server.prompt(name="fix-finding", description="Ask for a finding of `scan` to be fixed.")(
        _prompt(engine)
    )
    return server


def _contract_reader(engine: ContractEngine) -> Callable[..., Any]:
    async def read(contract_id: str) -> str:
        from anyio import to_thread

        return await to_thread.run_sync(engine.contract_text, contract_id)

    return read


def _page(engine: ContractEngine, rule_id: str) -> Callable[[], str]:
    def read() -> str:
        return engine.rule_text(rule_id)

    return read


def _prompt(engine: ContractEngine) -> Callable[..., Any]:
    async def fix_finding(finding: str, path: str = ".") -> str:
        """Ask for a finding (its fingerprint or place) to be fixed."""
        from anyio import to_thread

        return await to_thread.run_sync(engine.fix_request, finding, path)

    return fix_finding
