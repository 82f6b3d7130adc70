"""How the server is started: where its index and its root are."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from contract_scan import api
from contract_scan.config import Config, find_configuration, read_configuration
from contract_scan.errors import ContractScanError, UsageError
from contract_scan.mcp_sdk import server_class
from contract_scan.servers.codebase_intelligence.app import CodebaseIntelligence, build_server
from contract_scan.servers.sqlite_path import sqlite_path

DATABASE_PATH = "DATABASE_PATH"
"""Environment variable: the SQLite file of the index; empty counts as not set."""


def serve(root: Path, *, database_path: str = "") -> None:
    """Serve over standard input and output until the client leaves. The index is brought up to
    date beside that.

    Raises UsageError where the SDK is missing or an argument is wrong, IndexDatabaseError where the
    database cannot be used.
    """
    if not root.is_dir():
        raise UsageError("is not a folder", str(root))
    database = sqlite_path(root, database_path, "index is") if database_path else None
    try:
        server_type = server_class()
    except ImportError as error:
        raise UsageError("MCP servers need an extra: pip install 'contract-scan[mcp]'") from error
    file = find_configuration(root)
    config = Config() if file is None else read_configuration(file)
    with api.open_code_index(root, database=database, config=config) as index:
        engine = CodebaseIntelligence(index)
        engine.start()
        build_server(server_type, engine).run("stdio")


def main(environment: Mapping[str, str] = os.environ) -> int:
    """The server as a module of its own (`python -m`): settings come from the environment, the root
    is the working directory. Returns the exit status."""
    try:
        serve(Path.cwd(), database_path=environment.get(DATABASE_PATH, ""))
    except ContractScanError as error:
        print(f"contract-scan: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
