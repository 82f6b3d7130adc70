"""What Claude Code runs after edits and before it stops: `contract-scan hooks claude`.

Claude Code takes exit status 2 for "stop, and tell the model what stands on the error stream", and
anything else but 0 for trouble that the model never sees. So what is found ends with 2, and what
could not be judged with 1: trouble of the tool must not hold up an agent.
"""

from __future__ import annotations

import io
import json
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, TextIO

from contract_scan.cli import status
from contract_scan.errors import ContractScanError

BLOCK = 2
"""Has Claude Code tell the model."""
TROUBLE = 1
"""Is told to the user alone."""
_CHECK = ("--changed", "--output-format", "concise", "--color", "never", "--allow-empty")
_LARGEST = 10_000_000
"""Letters of an event that are read: an edit holds the text of a file."""
_OF_CONTRACTS = (".json", ".md", ".toml", ".yaml", ".yml")
"""Suffixes of contracts and configuration."""


def answer(stream: TextIO) -> int:
    """Answer the event that Claude Code writes to a stream, by an exit status."""
    event = _event(stream)
    if event.get("stop_hook_active") is True:
        return status.CLEAN  # it was told once, and an agent must be able to come to an end
    if not _concerns_a_scan(event):
        return status.CLEAN
    folder = os.environ.get("CLAUDE_PROJECT_DIR", "")
    if folder and Path(folder).is_dir():
        os.chdir(folder)
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            result = _check()
    except ContractScanError as error:
        from contract_scan.cli.main import said_of

        print(said_of(error), file=sys.stderr)
        return TROUBLE
    except Exception as error:
        print(f"contract-scan: internal error: {type(error).__name__}", file=sys.stderr)
        return TROUBLE
    if result == status.CLEAN:
        return status.CLEAN
    print(said.getvalue(), end="", file=sys.stderr)
    return BLOCK if result == status.VIOLATIONS else TROUBLE


def _check() -> int:
    from contract_scan.cli.check import command

    with command.make_context("check", list(_CHECK)) as context:
        result = command.invoke(context)
    return result if isinstance(result, int) else status.CLEAN


def _event(stream: TextIO) -> dict[str, Any]:
    """What happened; nothing where it is no JSON object: then everything is checked."""
    try:
        event = json.loads(stream.read(_LARGEST))
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def _concerns_a_scan(event: dict[str, Any]) -> bool:
    """Whether an edit is of a file that a scan may read; of what is no edit, yes."""
    given = event.get("tool_input")
    path = given.get("file_path") if isinstance(given, dict) else None
    if not isinstance(path, str):
        return True
    from contract_scan.parsers.source.languages import SUFFIXES

    return Path(path).suffix.lower() in (*SUFFIXES, *_OF_CONTRACTS)
