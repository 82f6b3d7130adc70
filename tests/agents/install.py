"""Put the stand-in for Claude Code on the PATH of a test."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PROGRAM = Path(__file__).with_name("fake_claude.py")
RECORDINGS = Path(__file__).parents[1] / "data" / "claude"


_START = f'import sys; sys.path.insert(0, "{PROGRAM.parent}"); import {PROGRAM.stem}'
"""Has the program compiled once, not each time that it starts."""


@dataclass
class FakeClaude:
    """The stand-in, and what it was asked."""

    folder: Path

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What it was started with and told, in order."""
        return [
            {name: value for name, value in note.items() if name != "pid"} for note in self._notes()
        ]

    @property
    def processes(self) -> set[int]:
        """The ids of its processes."""
        return {note["pid"] for note in self._notes()}

    def _notes(self) -> list[dict[str, Any]]:
        try:
            text = (self.folder / "calls.jsonl").read_text()
        except FileNotFoundError:
            return []
        # It may be at its next line just now.
        return [json.loads(line) for line in text.splitlines(True) if line.endswith("\n")]

    @property
    def prompts(self) -> list[str]:
        """The prompts of runs for one prompt."""
        return [call["prompt"] for call in self.calls if "prompt" in call]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What leads were told."""
        return [call["message"] for call in self.calls if "message" in call]

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What leads were asked about themselves, less the first question."""
        asked = [told["request"] for told in self.messages if told["type"] == "control_request"]
        return [request for request in asked if request["subtype"] != "initialize"]


@dataclass
class Scenario:
    """How the stand-in behaves.

    A rule: `when` (a pattern that the prompt has to hold), `times` (how often it is used at most),
    `text`, `cost`, `writes` (path -> content), `writes_by_command`, `seconds` (how long it
    takes), `fault`; of a worker besides
    `report` (its status), `error`, `refused` (what a hook says against its completion).
    """

    rules: list[dict[str, Any]] = field(default_factory=list)
    version: str = "2.1.329"
    version_status: int = 0
    team: bool = False
    teammates: list[str] = field(default_factory=list)
    lead_fault: str = ""
    no_tools: list[str] = field(default_factory=list)

    def install(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> FakeClaude:
        """Make it the `claude` of the PATH; its own files lie in the folder."""
        programs = folder / "bin"
        programs.mkdir(parents=True)
        program = programs / "claude"
        program.write_text(
            f"""#!/bin/sh
if [ "$1" = --version ]; then
    echo "{self.version} (Claude Code)"
    exit {self.version_status}
fi
exec "{sys.executable}" -S -c '{_START}' "$@"
"""
        )
        program.chmod(0o755)
        scenario = {**vars(self), "recordings": str(RECORDINGS)}
        (folder / "scenario.json").write_text(json.dumps(scenario))
        monkeypatch.setenv("FAKE_CLAUDE", str(folder))
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder / "home"))
        monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
        return FakeClaude(folder)
