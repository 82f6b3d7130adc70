"""The server in a real editor, set up as docs/editor.md says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NEOVIM = shutil.which("nvim")
DRIVER = Path(__file__).with_name("neovim.lua")

pytestmark = pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed")

CONTRACT = """\
openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /orders/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        "200":
          description: the order
          content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
components:
  schemas:
    Order:
      type: object
      required: [id, total]
      properties:
        id: { type: string }
        total: { type: number }
"""
CODE = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: str
    total: str


@app.get("/orders/{id}")
def order(id: str) -> Order: ...
"""


def setting() -> str:
    """What docs/editor.md says to write into `init.lua`, for the version that is installed."""
    said = subprocess.run([str(NEOVIM), "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"v(\d+)\.(\d+)", said.stdout)
    assert found is not None
    blocks = re.findall(r"```lua\n(.*?)```", (ROOT / "docs" / "editor.md").read_text(), re.DOTALL)
    new, old = (block for block in blocks if "contract-scan" in block)
    return new if (int(found[1]), int(found[2])) >= (0, 11) else old


def session(folder: Path) -> list[Any]:
    """What a person sees who opens, hovers, jumps, mends, saves and changes the contract."""
    project, home, bin_ = folder / "project", folder / "home", folder / "bin"
    for each in (project / ".git", home, bin_):
        each.mkdir(parents=True)
    (project / "openapi.yaml").write_text(CONTRACT)
    (project / "app.py").write_text(CODE)
    (folder / "init.lua").write_text(setting())
    command = bin_ / "contract-scan"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m contract_scan "$@"\n')
    command.chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("XDG_")},
        "HOME": str(home),
        "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [str(NEOVIM), "--headless", "-n", "-u", folder / "init.lua", "-S", DRIVER],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    seen = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert done.returncode == 0, (seen, done.stderr)
    return seen


def test_a_session(tmp_path: Path) -> None:
    seen = session(tmp_path)
    assert [what for what, _ in seen] == [
        "opened",
        "hover",
        "definition",
        "definition",
        "typed",
        "offered",
        "mended",
        "contract changed",
    ]
    opened, hover, contract, code, typed, offered, mended, changed = (each for _, each in seen)
    says = "`GET /orders/{id}` response 200: `total` is a string, expected a number"
    assert opened == [[9, 12, "CONTRACT-001/type", says]]
    assert "**`total`** — property of `GET /orders/{id}`" in hover[0]
    assert "number" in hover
    assert (contract, code) == (["openapi.yaml", 18, 9], ["app.py", 9, 5])
    assert typed == opened
    assert offered == [
        "Fix (unsafe): make its type `float`",
        "Ignore CONTRACT-001/type here, with a reason",
    ]
    assert mended == "    total: float"
    says = "`GET /orders/{id}` response 200: `total` is a number, expected a boolean"
    assert changed == [[9, 12, "CONTRACT-001/type", says]]
