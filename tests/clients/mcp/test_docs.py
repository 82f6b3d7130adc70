"""The page about MCP: its example runs as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from contract_scan.orchestrator.service_contracts import ServiceContractRegistry
from tests.clients.mcp.support import PROGRAMS, Script

PAGE = Path(__file__).parents[3] / "docs" / "mcp.md"


def example() -> str:
    return PAGE.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]


def run_example(folder: Path, *server: str) -> str:
    """What the example prints when it is run in a folder with a server."""
    done = subprocess.run(
        [sys.executable, "-c", example(), sys.executable, *server],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_the_example_loads_and_saves_contracts(tmp_path: Path) -> None:
    printed = run_example(tmp_path, str(PROGRAMS / "sdk_server.py"), "typed")
    assert printed.splitlines() == [
        "orders-1 orders 1.0.0",
        "ContractValidation(valid=False, violations=[{'field': 'id', 'expected': 'string', "
        "'actual': '1'}], error='')",
    ]
    saved = ServiceContractRegistry()
    assert saved.load_from_local(tmp_path / "CONTRACTS.json")
    assert set(saved.contracts) == {"orders-1", "events-1"}


def test_the_example_goes_on_with_what_was_saved(tmp_path: Path) -> None:
    run_example(tmp_path, str(PROGRAMS / "sdk_server.py"), "typed")
    before = (tmp_path / "CONTRACTS.json").read_bytes()
    locked = {"error": "database is locked"}
    script = Script(tmp_path, {"list_contracts": locked, "validate_endpoint": locked})
    assert run_example(tmp_path, *script.arguments).splitlines() == [
        "orders-1 orders 1.0.0",
        "ContractValidation(valid=False, violations=[], "
        "error='validate_endpoint: database is locked')",
    ]
    assert (tmp_path / "CONTRACTS.json").read_bytes() == before
