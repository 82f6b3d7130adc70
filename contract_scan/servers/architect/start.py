"""How the server is started: where its projects and its root are."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path

from contract_scan.servers.architect.app import Architect, build_server
from contract_scan.servers.architect.store import ProjectStore, StoreLockedError
from contract_scan.servers.sqlite_path import own_sqlite_path, sqlite_path
from contract_scan.servers.stdio import exit_status, require_folder, require_server_class

DATABASE_PATH = "DATABASE_PATH"
"""Environment variable: the SQLite file of projects; empty: not set."""
DEFAULT_PATH = ".contract-scan/architect.db"
"""That file where nothing is said, below the root."""


def serve(root: Path, *, database_path: str = "") -> None:
    """Serve over standard input and output until the client leaves.

    Raises UsageError where the SDK is missing or the root is no folder, StoreError where the file
    of projects cannot be used. A file that is only locked does not keep the server from starting.
    """
    require_folder(root)
    path = (
        sqlite_path(root, database_path, "projects are in")
        if database_path
        else own_sqlite_path(root, DEFAULT_PATH)
    )
    server_type = require_server_class()
    store = ProjectStore(path)
    try:
        store.check()
    except StoreLockedError as error:
        logging.getLogger(__name__).warning("%s", error)
    build_server(server_type, Architect(store, root)).run("stdio")


def main(environment: Mapping[str, str] = os.environ) -> int:
    """The server as a module of its own (`python -m`): settings come from the environment, the root
    is the working directory. Returns the exit status."""
    path = environment.get(DATABASE_PATH, "")
    return exit_status(lambda: serve(Path.cwd(), database_path=path))
