"""What the tests of hooks and of the action share: a drifted repository, and the command."""

from __future__ import annotations

from pathlib import Path

from tests.cli.test_changed import CONTRACT, git, items, orders
from tests.forked import forked_python

ROOT = Path(__file__).parents[2]
APP = """\
from fastapi import FastAPI

import items
import orders

app = FastAPI()
app.include_router(items.router)
app.include_router(orders.router)
"""


def make_repository(folder: Path) -> Path:
    """A repository in which items have drifted from their contract, and are committed so."""
    folder.mkdir(exist_ok=True)
    for name, text in {
        "openapi.yaml": CONTRACT,
        "app.py": APP,
        "orders.py": orders(),
        "items.py": items("int"),
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=Begin")
    return folder


def make_command(folder: Path) -> Path:
    """The command as a program of this checkout, whether it is installed or not."""
    folder.mkdir(exist_ok=True)
    command = folder / "contract-scan"
    text = f'#!/bin/sh\nexec "{forked_python()}" -m contract_scan "$@"\n'
    command.write_text(text, encoding="utf-8")
    command.chmod(0o755)
    return command
