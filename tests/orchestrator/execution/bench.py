"""A project, the stand-in for Claude Code, and what a backend tells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.execution import (
    Progress,
    ProgressWarning,
    TaskResult,
    WaveResult,
    Workplace,
)
from tests.agents.install import FakeClaude, Scenario


class Bench:
    """A project with a place to work in."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, *rules: dict[str, Any], **more: Any
    ) -> None:
        self.project = folder / "shop"
        self.project.mkdir()
        scenario = Scenario(rules=list(rules), **more)
        self.claude: FakeClaude = scenario.install(folder / "claude", monkeypatch)
        self.seen: list[Progress] = []
        self.workplace = Workplace(self.project, observe=self.seen.append)

    @property
    def seen_warnings(self) -> list[str]:
        return [seen.message for seen in self.seen if isinstance(seen, ProgressWarning)]


def untimed(result: TaskResult) -> TaskResult:
    assert result.duration_seconds >= 0
    return replace(result, duration_seconds=0.0)


def untimed_wave(result: WaveResult) -> WaveResult:
    assert result.duration_seconds > 0
    results = [untimed(each) for each in result.task_results]
    return replace(result, task_results=results, duration_seconds=0.0)
