"""Hooks in a project: settings and scripts."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from contract_scan.clients.mcp import ContractEngineConfig
from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.agent_files.hooks import (
    HookConfig,
    generate_hooks_config,
    write_hooks_to_project,
)
from contract_scan.orchestrator.config import AgentTeamConfig, AgentTeamsConfig

SETTINGS = ".claude/settings.local.json"


@pytest.fixture
def hooks(tmp_path: Path) -> HookConfig:
    return generate_hooks_config(AgentTeamConfig(), tmp_path)


def settings_of(project: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((project / SETTINGS).read_text(encoding="utf-8"))
    return read


def everything(project: Path) -> dict[str, bytes]:
    return {
        path.relative_to(project).as_posix(): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file()
    }


@pytest.mark.requirement("REQ-014", "TEST-010")
def test_settings_and_scripts_are_written(tmp_path: Path, hooks: HookConfig) -> None:
    assert write_hooks_to_project(hooks, tmp_path) == tmp_path / SETTINGS
    assert settings_of(tmp_path) == {"hooks": hooks.hooks}
    written = {path.name: path for path in (tmp_path / ".claude" / "hooks").iterdir()}
    assert {name: path.read_text() for name, path in written.items()} == hooks.scripts
    assert {stat.S_IMODE(path.stat().st_mode) for path in written.values()} == {0o755}


@pytest.mark.requirement("SEC-002")
def test_no_secret_of_environment_or_configuration_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hunter2-of-the-environment")
    config = AgentTeamConfig(
        mcp_servers={"docs": {"command": "docs", "env": {"TOKEN": "hunter2-of-a-server"}}},
        contract_engine=ContractEngineConfig(
            enabled=True, database_path="postgresql://ann:hunter2-of-a-url@host/name"
        ),
    )
    write_hooks_to_project(generate_hooks_config(config, tmp_path), tmp_path)
    written = everything(tmp_path)
    assert len(written) == 5
    assert [path for path, content in written.items() if b"hunter2" in content] == []


@pytest.mark.requirement("TECH-012", "TEST-011")
def test_what_the_user_has_set_stays(tmp_path: Path, hooks: HookConfig) -> None:
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "log.sh"}]}
    (tmp_path / ".claude").mkdir()
    (tmp_path / SETTINGS).write_text(
        json.dumps({"permissions": {"allow": ["Read"]}, "hooks": {"PostToolUse": [theirs]}})
    )
    write_hooks_to_project(hooks, tmp_path)
    settings = settings_of(tmp_path)
    assert settings["permissions"] == {"allow": ["Read"]}
    assert settings["hooks"]["PostToolUse"] == [theirs, *hooks.hooks["PostToolUse"]]
    assert settings["hooks"]["Stop"] == hooks.hooks["Stop"]


def test_writing_twice_is_writing_once(tmp_path: Path, hooks: HookConfig) -> None:
    write_hooks_to_project(hooks, tmp_path)
    before = everything(tmp_path)
    write_hooks_to_project(hooks, tmp_path)
    assert everything(tmp_path) == before


def test_another_configuration_replaces_the_hooks(tmp_path: Path, hooks: HookConfig) -> None:
    write_hooks_to_project(hooks, tmp_path)
    teams = AgentTeamsConfig(task_completed_hook=False)
    fewer = generate_hooks_config(AgentTeamConfig(agent_teams=teams), tmp_path)
    write_hooks_to_project(fewer, tmp_path)
    assert settings_of(tmp_path) == {"hooks": fewer.hooks}


def refusal(hooks: HookConfig, project: Path) -> str:
    """What is said when the hooks cannot be written; nothing may have changed then."""
    before = everything(project)
    with pytest.raises(ContractScanError) as error:
        write_hooks_to_project(hooks, project)
    assert everything(project) == before
    return str(error.value)


@pytest.mark.parametrize("text", ["{", '{"model": "opus" /* mine */}', "[]", '{"hooks": []}'])
def test_settings_that_cannot_be_merged_are_left_as_they_are(
    text: str, tmp_path: Path, hooks: HookConfig
) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / SETTINGS).write_text(text)
    assert refusal(hooks, tmp_path).startswith(f"{tmp_path / SETTINGS}:")


def test_a_script_of_somebody_else_is_left_as_it_is(tmp_path: Path, hooks: HookConfig) -> None:
    script = tmp_path / ".claude" / "hooks" / "quality-gate.sh"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\nmake lint\n")
    assert refusal(hooks, tmp_path) == f"{script}: is there already and not ours; move it away"


@pytest.mark.parametrize("link", [".claude", ".claude/hooks", SETTINGS])
def test_nothing_is_written_outside_of_the_project(link: str, tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    place = project / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside if place.suffix == "" else outside / "settings.json")
    hooks = generate_hooks_config(AgentTeamConfig(), project)
    assert refusal(hooks, project).endswith("lies outside of the project; nothing is written there")
    assert list(outside.iterdir()) == []


@pytest.mark.requirement("TEST-017", "INT-010")
def test_a_file_system_without_modes_is_no_reason_to_fail(
    tmp_path: Path, hooks: HookConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_mode = Path.chmod

    def refuse(path: Path, mode: int) -> None:
        if mode == 0o755:
            raise OSError("no modes here")
        change_mode(path, mode)

    monkeypatch.setattr(Path, "chmod", refuse)
    write_hooks_to_project(hooks, tmp_path)
    assert sorted(os.listdir(tmp_path / ".claude" / "hooks")) == sorted(hooks.scripts)
    assert settings_of(tmp_path) == {"hooks": hooks.hooks}
