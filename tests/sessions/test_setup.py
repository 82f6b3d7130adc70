"""Hooks and instructions for Claude Code: written beside what is there, and taken away again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contract_scan.errors import ContractScanError
from contract_scan.orchestrator.agent_files.claude_settings import merge_settings
from contract_scan.sessions.setup import install, uninstall

SCHEMA = Path(__file__).parents[1] / "data" / "claude-code-settings.schema.json"
THEIRS: dict[str, Any] = {
    "model": "opus",
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine.sh"}]}]},
}


def settings_of(project: Path) -> dict[str, Any]:
    value = json.loads((project / ".claude" / "settings.local.json").read_text())
    assert isinstance(value, dict)
    return value


def test_every_hook_calls_the_command_with_its_word(tmp_path: Path) -> None:
    install(tmp_path, is_global=False)
    settings = settings_of(tmp_path)
    jsonschema.Draft7Validator(json.loads(SCHEMA.read_text())).validate(settings)
    words = {
        event: groups[0]["hooks"][0]["command"].rpartition(" ")[2]
        for event, groups in settings["hooks"].items()
    }
    assert words == {
        "SessionStart": "start",
        "PreToolUse": "activity",
        "UserPromptSubmit": "task",
        "Notification": "notification",
        "Stop": "stop",
        "SessionEnd": "end",
    }
    assert all("scope-hook" in g[0]["hooks"][0]["command"] for g in settings["hooks"].values())


def test_what_is_there_stays_and_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / ".claude"
    folder.mkdir()
    (folder / "settings.local.json").write_text(json.dumps(THEIRS, indent=2) + "\n")
    (folder / "CLAUDE.md").write_text("# Rules\n\nBe kind.\n")
    install(tmp_path, is_global=False)
    once = settings_of(tmp_path), (folder / "CLAUDE.md").read_text()
    install(tmp_path, is_global=False)
    assert (settings_of(tmp_path), (folder / "CLAUDE.md").read_text()) == once
    assert once[0]["hooks"]["Stop"][0] == THEIRS["hooks"]["Stop"][0]
    assert len(once[0]["hooks"]["Stop"]) == 2
    assert once[1].startswith("# Rules\n\nBe kind.\n\n<!-- SCOPE-SESSIONS-START -->\n## When to")

    uninstall(tmp_path, is_global=False)
    assert settings_of(tmp_path) == THEIRS
    assert (folder / "CLAUDE.md").read_text() == "# Rules\n\nBe kind.\n"


def test_hooks_of_a_build_and_of_sessions_leave_each_other_alone(tmp_path: Path) -> None:
    install(tmp_path, is_global=False)
    mine = settings_of(tmp_path)
    handler = {"type": "command", "command": "gate.sh", "statusMessage": "contract-scan: checking"}
    both = merge_settings(mine, {"Stop": [{"hooks": [handler]}]})
    assert len(both["hooks"]["Stop"]) == 2
    assert merge_settings(both, {}) == mine


def test_the_users_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    written = install(tmp_path / "project", is_global=True)
    assert written == [home / "settings.json", home / "CLAUDE.md"]
    assert not (tmp_path / "project").exists()


def test_settings_that_cannot_be_read_are_left_alone(tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.local.json"
    file.parent.mkdir()
    file.write_text('{"hooks": {}, // mine\n}')
    with pytest.raises(ContractScanError, match="is not JSON"):
        install(tmp_path, is_global=False)
    assert file.read_text() == '{"hooks": {}, // mine\n}'
    assert not (file.parent / "CLAUDE.md").exists()
