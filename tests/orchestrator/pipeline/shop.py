"""A small shop that agents build: its requirements, and what the stand-in for Claude Code does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from contract_scan.orchestrator.config import AgentTeamConfig, ContractScanConfig, with_values
from contract_scan.orchestrator.pipeline import BuildProgress, build
from contract_scan.orchestrator.state import RunState
from tests.agents.install import FakeClaude, Scenario

PRD = """\
# Shop

| SVC-ID | Service | Endpoint | Method | Request | Response |
|---|---|---|---|---|---|
| SVC-001 | Orders.read | /orders/{id} | GET | - | { id: number, total: string } |
| SVC-002 | Orders.list | /orders | GET | - | { count: number } |

## Milestone 1: Orders

- ID: milestone-1
- Dependencies: none
- Description: Orders can be read.

- [ ] REQ-001: An order can be read (review_cycles: 0)

## Milestone 2: Lists

- ID: milestone-2
- Dependencies: milestone-1
- Description: Orders can be listed.

- [ ] REQ-002: Orders can be listed (review_cycles: 0)
"""

APP = """\
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: int
    {field}: str


class Orders(BaseModel):
    count: int


@app.get("/orders/{{id}}")
def read_order(id: int) -> Order: ...
"""
LIST = """

@app.get("/orders")
def list_orders() -> Orders: ...
"""
WRONG = APP.format(field="amount")
RIGHT = APP.format(field="total")
"""With the field that the contract names."""


def boxes(milestone: str, requirement: str) -> dict[str, str]:
    return {f".agent-team/milestones/{milestone}/REQUIREMENTS.md": f"- [x] {requirement}\n"}


READ = "REQ-001: An order can be read (review_cycles: 1)"
LISTED = "REQ-002: Orders can be listed (review_cycles: 1)"

RULES: list[dict[str, Any]] = [
    {
        "when": "code writer.*the milestone `milestone-1`",
        "writes": {"app.py": WRONG, **boxes("milestone-1", READ)},
        "text": "The order can be read.",
        "cost": 0.5,
    },
    {
        "when": "code writer.*the milestone `milestone-2`",
        "writes": boxes("milestone-2", LISTED),
        "text": "The list is there.",
        "cost": 0.25,
    },
    {"when": "code reviewer.*the milestone", "text": "All is well.", "cost": 0.25},
    {
        "when": "CONTRACT-001.*lacks `total`",
        "writes": {"app.py": RIGHT},
        "text": "The field is there.",
        "cost": 0.125,
    },
    {
        "when": "CONTRACT-002.*`GET /orders` has no route",
        "writes": {"app.py": RIGHT + LIST},
        "text": "The route is there.",
        "cost": 0.125,
    },
]
"""Agents that forget a field and a route, and mend both when they are told."""

CLEAN: list[dict[str, Any]] = [
    {**RULES[0], "writes": {"app.py": RIGHT, **boxes("milestone-1", READ)}},
    {**RULES[1], "writes": {"app.py": RIGHT + LIST, **boxes("milestone-2", LISTED)}},
    RULES[2],
]
"""Agents that forget nothing, so that nothing is left to mend."""

QUIET = {
    # One role for each milestone, where a test is not about roles.
    "depth": "quick",
    # The loop of the service tables would mend everything before the contract scans look.
    "quality_scans.api_contract": False,
    "architect.enabled": False,
}

NO_CONTRACT_SCANS = {f"contract_scans.{name}": False for name in vars(ContractScanConfig())}
BARE = {**NO_CONTRACT_SCANS, "codebase_map.enabled": False}
"""Where a test is about neither scans nor the map of the code."""


def configured(settings: Mapping[str, object]) -> AgentTeamConfig:
    return with_values(AgentTeamConfig(), {**QUIET, **settings})


class Shop:
    """The folder of the shop, with the stand-in on the PATH."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, *rules: dict[str, Any], **more: Any
    ) -> None:
        self.folder = folder / "shop"
        self.folder.mkdir(parents=True)
        self.prd = folder / "PRD.md"
        self.prd.write_text(PRD)
        self.claude: FakeClaude = Scenario([*(rules or CLEAN)], **more).install(
            folder / "claude", monkeypatch
        )
        self.seen: list[BuildProgress] = []

    def build(self, *, resume: bool = False, **settings: object) -> RunState:
        config = configured(settings)
        return build(
            self.prd, config, project_dir=self.folder, resume=resume, observe=self.seen.append
        )

    def kept(self, name: str) -> str:
        return (self.folder / ".agent-team" / name).read_text(encoding="utf-8")
