"""The page about MCP: its example runs as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from contract_scan.orchestrator.service_contracts import ServiceContractRegistry
from tests.clients.mcp.support import PROGRAMS, Script
from tests.forked import forked_python

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
APP = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: str


@app.get("/orders/{id}")
def order(id: str) -> Order:
    return Order(id=id)
"""
PAGE = Path(__file__).parents[3] / "docs" / "mcp.md"


def blocks(language: str) -> list[str]:
    """The code blocks of the page in a language, in its order."""
    page = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)


def run_example(folder: Path, *server: str) -> str:
    """What the example prints when it is run in a folder with a server."""
    done = subprocess.run(
        [forked_python(), "-c", blocks("python")[0], forked_python(), *server],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
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


def test_the_session_of_the_page_goes_as_it_shows(tmp_path: Path) -> None:
    for name, text in zip(("contracts.py", "register.py"), blocks("python"), strict=True):
        (tmp_path / name).write_text(text)
    (tmp_path / "app.py").write_text(APP)
    (session,) = blocks("console")
    commands = [line[2:].split() for line in session.splitlines() if line.startswith("$ ")]
    programs = {
        "python": [forked_python()],
        "contract-scan": [forked_python(), "-m", "contract_scan"],
    }
    printed = []
    for program, *words in commands:
        done = subprocess.run(
            [*programs[program], *words],
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        printed.append(UUID.sub("ID", done.stdout))
    registered, loaded, checked = printed
    shown = [line for line in session.splitlines() if not line.startswith("$ ")]
    assert registered == ""
    assert loaded.splitlines() == [UUID.sub("ID", line) for line in shown]
    assert "No violation in" in checked
