"""How the server is started: where its index and its root are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from contract_scan import api
from contract_scan.config import Config, find_configuration, read_configuration
from contract_scan.servers.codebase_intelligence.app import CodebaseIntelligence, build_server
from contract_scan.servers.sqlite_path import sqlite_path
from contract_scan.servers.stdio import exit_status, require_folder, require_server_class

DATABASE_PATH = "DATABASE_PATH"
"""Environment variable: the SQLite file of the index; empty counts as not set."""


def serve(root: Path, *, database_path: str = "") -> None:
    """Serve over standard input and output until the client leaves. The index is brought up to
    date beside that.

    Raises UsageError where the SDK is missing or an argument is wrong, IndexDatabaseError where the
    database cannot be used.
    """
    require_folder(root)
    database = sqlite_path(root, database_path, "index is") if database_path else None
    server_type = require_server_class()
    file = find_configuration(root)
    config = Config() if file is None else read_configuration(file)
    with api.open_code_index(root, database=database, config=config) as index:
        engine = CodebaseIntelligence(index)
        engine.start()
        build_server(server_type, engine).run("stdio")


def main(environment: Mapping[str, str] = os.environ) -> int:
    """The server as a module of its own (`python -m`): settings come from the environment, the root
    is the working directory. Returns the exit status."""
    path = environment.get(DATABASE_PATH, "")
    return exit_status(lambda: serve(Path.cwd(), database_path=path))
