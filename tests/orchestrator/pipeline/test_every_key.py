"""Every key of the configuration changes something that can be seen.

For each key that the configuration has, two builds (or two sessions with a server) differ in this
key only. A new key is tried with a value that its type allows; one that no build shows needs a row
in `TRIALS` that brings its effect about, or it has none.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin

import pytest

from contract_scan.clients.mcp import (
    MCPConnectionError,
    create_architect_session,
    create_codebase_intelligence_session,
    create_contract_engine_session,
)
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.config import AGENT_TEAMS_VARIABLE, Key, all_keys
from contract_scan.orchestrator.execution import TaskEnded
from tests.clients.mcp.support import Script
from tests.orchestrator.pipeline.shop import (
    BARE,
    NO_CONTRACT_SCANS,
    RIGHT,
    WRONG,
    Shop,
    boxes,
    configured,
)

PRD = """\
# Shop

| SVC-ID | Service | Endpoint | Method | Request | Response |
|---|---|---|---|---|---|
| SVC-001 | Orders.read | /orders/{id} | GET | - | { id: number, total: string } |

## Milestone 1: Orders

- ID: milestone-1
- Dependencies: none

- [ ] REQ-001: An order can be read (review_cycles: 0)
- [ ] REQ-002: It has a total (review_cycles: 0)
"""
HALF_DONE = boxes("milestone-1", "REQ-001: An order can be read\n- [ ] REQ-002: It has a total")
WRITER: dict[str, Any] = {
    "when": "code writer",
    "writes": {"new.py": "class New: ...\n", **HALF_DONE},
    "cost": 0.5,
}
NO_FINDINGS = {"when": "Review the whole project", "text": "None.\n```json\n[]\n```"}
COUNTED = json.dumps({"passed": 1, "total": 1, "findings": []})
TESTS_PASS = {"when": "end-to-end tests", "text": f"All.\n```json\n{COUNTED}\n```"}
PLANNER = {"when": "MASTER_PLAN.md", "writes": {".agent-team/MASTER_PLAN.md": PRD}}
TWO_WRITERS = PRD + "\n## Milestone 2: Bills\n\n- ID: milestone-2\n- Dependencies: none\n"

SCANNED: Final[Mapping[str, object]] = {"depth": "quick", "convergence.max_recovery_rounds": 0}
SCANNED_KEYS: Final = ("contract_scans.", "codebase_map.", "tracking_documents.")
ONE_BY_ONE: Final[Mapping[str, object]] = {**SCANNED, **BARE}
NO_FIX: Final = {**SCANNED, "convergence.max_fix_rounds": 0}
ONE_FIX: Final = {**SCANNED, "convergence.max_fix_rounds": 1}
BROKEN: Final = {"app.py": WRONG}
TEAM: Final[Mapping[str, object]] = {**ONE_BY_ONE, "agent_teams.enabled": True}
TEAM_THAT_HANGS: Final = {**TEAM, "agent_teams.task_timeout_seconds": 3}
ENGINE: Final = {**ONE_BY_ONE, "contract_engine.enabled": True}
INDEX: Final = {**SCANNED, **NO_CONTRACT_SCANS, "codebase_intelligence.enabled": True}

CONTRACT = {
    "id": "c-1",
    "type": "openapi",
    "version": "1.0.0",
    "service_name": "orders",
    "spec": {"openapi": "3.0.3", "info": {"title": "o", "version": "1"}, "paths": {}},
    "status": "active",
}
TOOLS: Final[dict[str, Any]] = {
    "list_contracts": {"value": {"items": [CONTRACT, {**CONTRACT, "id": "c-2"}], "total": 2}},
    "get_contract": {"value": CONTRACT},
    "get_unimplemented_contracts": {"elements": []},
    "generate_tests": {"text": "def test_it(): ...\n"},
    "search_semantic": {"elements": []},
    "get_service_interface": {"value": {"endpoints": []}},
    "find_dependencies": {"value": {"imports": []}},
    "register_artifact": {"value": {"indexed": True}},
    "decompose": {"value": {"service_map": {"services": []}}},
    "where": {"surroundings": True},
    "slow": {"hang": 0.3, "value": "at last"},
}
SESSIONS: Final = {
    "contract_engine": create_contract_engine_session,
    "codebase_intelligence": create_codebase_intelligence_session,
    "architect": create_architect_session,
}

KEYS: Final = {key.name: key for key in all_keys()}

Settings = Mapping[str, object]


@dataclass(frozen=True)
class World:
    """The folder in which one of two builds takes place, and what stands ready there."""

    shop: Shop
    script: Script


@dataclass(frozen=True)
class Trial:
    """How the effect of a key is brought about."""

    base: Settings = field(default_factory=lambda: ONE_BY_ONE)
    """What both builds have in common."""
    value: object = None
    """What the key is set to in one of them; None: another value of its type."""
    prd: str = PRD
    rules: tuple[dict[str, Any], ...] = (NO_FINDINGS, TESTS_PASS, WRITER)
    scenario: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=lambda: {"app.py": RIGHT})
    """Of the project, before the build."""
    observe: Callable[[World, Settings], object] | None = None
    """What is looked at instead of a build."""


def observe_session(server: str) -> Callable[[World, Settings], object]:
    """What a server sees of the one who starts it, and how long it may take."""

    async def ask(config: Any) -> object:
        async with SESSIONS[server](config) as session:
            return [
                answer.content[0].text
                for tool in ("where", "slow")
                for answer in [await session.call_tool(tool)]
            ]

    def observe(world: World, settings: Settings) -> object:
        config = getattr(configured(with_servers(world, settings)), server)
        try:
            return asyncio.run(ask(config))
        except (MCPConnectionError, ContractScanError) as error:
            return str(error)

    return observe


def with_servers(world: World, settings: Settings) -> dict[str, object]:
    """The settings with the scripted server in the place of all three."""
    return {
        **{
            f"{server}.{key}": value
            for server in SESSIONS
            for key, value in (
                ("mcp_command", sys.executable),
                ("mcp_args", world.script.arguments),
            )
        },
        **settings,
    }


def observe_build(world: World, settings: Settings) -> object:
    """All that a build leaves and lets be seen, without times and names that are random."""
    shop = world.shop
    try:
        state = shop.build(**with_servers(world, settings))
        left: dict[str, Any] = {**vars(state), "run_id": "", "started_at": "", "updated_at": ""}
        run_id = state.run_id
    except ContractScanError as error:
        left, run_id = {"error": str(error)}, "no run"
    seen = [
        f"{each.result.task_id} {each.result.status}: {each.result.error}"
        if isinstance(each, TaskEnded)
        else repr(each)
        for each in shop.seen
    ]
    files = {
        path.relative_to(shop.folder).as_posix(): path.read_text()
        for path in sorted(shop.folder.rglob("*"))
        if path.is_file() and path.name != "STATE.json" and "runs" not in path.parts
    }
    text = repr((left, seen, files, shop.claude.calls, world.script.calls))
    return text.replace(str(shop.prd.parent), "").replace(run_id, "")


def server_trials(server: str) -> dict[str, Trial]:
    """Those of the keys that all servers have."""
    values: dict[str, object] = {
        "mcp_command": "no-such-server",
        "mcp_args": ["-c", "raise SystemExit('none')"],
        "database_path": "contracts.db",
        "chroma_path": "vectors",
        "graph_path": "graph",
        "server_root": "/",
        "startup_timeout_ms": 1,
        "tool_timeout_ms": 50,
    }
    observe = observe_session(server)
    return {
        f"{server}.{name}": Trial(value=value, observe=observe)
        for name, value in values.items()
        if f"{server}.{name}" in KEYS
    }


HANGING: Final = ({"when": "", "fault": "hangs"},)
WITH_CONTRACTS: Final = {**TEAM, "contract_engine.enabled": True}

TRIALS: Final[Mapping[str, Trial]] = {
    "depth": Trial(value="standard"),
    "scan_scope_mode": Trial(base=NO_FIX, value="changed", files=BROKEN),
    "agent.parallel_tasks": Trial(prd=TWO_WRITERS),
    "agent.task_timeout_seconds": Trial(
        value=1, rules=({"when": "code writer", "seconds": 1.5, "cost": 0.5},)
    ),
    "agent.max_cost_usd": Trial(value=0.1, prd=TWO_WRITERS),
    "agent_teams.enabled": Trial(base=ONE_BY_ONE),
    "agent_teams.fallback_to_cli": Trial(base=TEAM, scenario={"version": "2.1.150"}),
    "agent_teams.teammate_idle_timeout": Trial(base=TEAM_THAT_HANGS, value=1, rules=HANGING),
    "agent_teams.wave_timeout_seconds": Trial(base=TEAM_THAT_HANGS, value=1, rules=HANGING),
    "agent_teams.task_timeout_seconds": Trial(base=TEAM_THAT_HANGS, value=1, rules=HANGING),
    "agent_teams.contract_limit": Trial(base=WITH_CONTRACTS, value=1),
    **{key: trial for server in SESSIONS for key, trial in server_trials(server).items()},
    "contract_engine.validation_on_build": Trial(base=ENGINE),
    "contract_engine.test_generation": Trial(base=ENGINE),
    "codebase_intelligence.replace_static_map": Trial(base=INDEX),
    "codebase_intelligence.register_artifacts": Trial(base=INDEX),
    "architect.enabled": Trial(prd="# Shop\n\nAn order can be read.\n", rules=(PLANNER, WRITER)),
    "convergence.min_convergence_ratio": Trial(value=0.5),
    "convergence.max_fix_rounds": Trial(base=ONE_FIX, value=0, files=BROKEN),
    "convergence.max_recovery_rounds": Trial(value=1),
    "quality_scans.api_contract": Trial(base={**ONE_BY_ONE, "quality_scans.api_contract": True}),
    "tracking_documents.fix_cycle_log": Trial(base=ONE_FIX, files=BROKEN),
}
"""Keys whose effect does not show in the first build that comes to mind."""


def trial_of(key: str) -> Trial:
    base = ONE_BY_ONE
    if key.startswith("agent_teams."):
        base = TEAM
    elif key.startswith(SCANNED_KEYS):
        base = SCANNED
    return TRIALS.get(key, Trial(base=base))


def another_value(key: Key) -> object:
    """A value that a key may have, and has not by default."""
    hint = get_args(key.type)[0] if get_origin(key.type) is Annotated else key.type
    if get_origin(hint) is Literal:
        return next(value for value in get_args(hint) if value != key.default)
    match key.default:
        case bool():
            return not key.default
        case int() | float():
            return key.default + 1
        case str():
            return f"{key.default}other"
        case dict():
            return {"docs": {"command": "docs-server"}}
    raise TypeError(f"{key.name} has values of a new type; say here which one to try")


class Worlds:
    """Makes the same world as often as one is asked for; keeps what was seen of equal builds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._seen: dict[str, object] = {}

    def observe(self, trial: Trial, settings: Settings, *, again: bool = False) -> object:
        known = repr((trial.prd, trial.rules, trial.scenario, trial.files, trial.observe))
        known += repr(sorted(settings.items()))
        if again or known not in self._seen:
            self._seen[known] = self._observe(trial, settings)
        return self._seen[known]

    def _observe(self, trial: Trial, settings: Settings) -> object:
        self._count += 1
        folder = self._folder / f"{self._count:03}"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(AGENT_TEAMS_VARIABLE, "1")
            for name in ("CONTRACT_ENGINE_DB", "DATABASE_PATH", "CHROMA_PATH", "GRAPH_PATH"):
                patch.delenv(name, raising=False)
            shop = Shop(folder, patch, *trial.rules, **trial.scenario)
            shop.prd.write_text(trial.prd)
            for name, text in trial.files.items():
                (shop.folder / name).write_text(text)
            world = World(shop, Script(folder, TOOLS))
            return (trial.observe or observe_build)(world, settings)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    return Worlds(tmp_path_factory.mktemp("worlds"))


@pytest.mark.requirement("INT-015")
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_key_changes_what_is_observed(key: Key, worlds: Worlds) -> None:
    trial = trial_of(key.name)
    value = another_value(key) if trial.value is None else trial.value
    assert value != {key.name: key.default, **trial.base}[key.name]
    with_default = worlds.observe(trial, trial.base)
    assert worlds.observe(trial, {**trial.base, key.name: value}) != with_default


@pytest.mark.parametrize(
    "key", ["mcp_servers", "agent_teams.delegate_mode", "agent_teams.contract_limit"]
)
def test_builds_with_equal_settings_are_observed_alike(key: str, worlds: Worlds) -> None:
    trial = trial_of(key)
    first = worlds.observe(trial, trial.base)
    assert worlds.observe(trial, trial.base, again=True) == first


def test_every_trial_is_of_a_key() -> None:
    assert {*TRIALS} <= {*KEYS}
