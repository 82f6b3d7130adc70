"""Hooks in the settings of Claude Code, beside what the user has there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.orchestrator.agent_files.claude_settings import (
    SettingsError,
    merge_settings,
    read_settings,
    write_settings,
)

THEIRS = {"type": "command", "command": "notify-send done"}
OURS = {"type": "command", "command": "gate.sh", "statusMessage": "contract-scan: checking"}
NEWER = {**OURS, "timeout": 30}


def group(*handlers: dict[str, Any], matcher: str = "") -> dict[str, Any]:
    return {**({"matcher": matcher} if matcher else {}), "hooks": list(handlers)}


def test_hooks_of_the_user_stay_before_ours() -> None:
    settings = {"model": "opus", "hooks": {"Stop": [group(THEIRS)]}, "env": {"A": "1"}}
    merged = merge_settings(settings, {"Stop": [group(OURS)], "TeammateIdle": [group(OURS)]})
    assert merged == {
        "model": "opus",
        "hooks": {"Stop": [group(THEIRS), group(OURS)], "TeammateIdle": [group(OURS)]},
        "env": {"A": "1"},
    }
    assert list(merged) == ["model", "hooks", "env"]


def test_hooks_of_an_earlier_build_are_replaced() -> None:
    settings = {"hooks": {"Stop": [group(OURS), group(THEIRS)], "TaskCompleted": [group(OURS)]}}
    merged = merge_settings(settings, {"Stop": [group(NEWER)]})
    assert merged == {"hooks": {"Stop": [group(THEIRS), group(NEWER)]}}


def test_ours_are_taken_out_of_a_group_that_the_user_has_added_to() -> None:
    settings = {"hooks": {"PostToolUse": [group(OURS, THEIRS, matcher="Write")]}}
    assert merge_settings(settings, {}) == {
        "hooks": {"PostToolUse": [group(THEIRS, matcher="Write")]}
    }


HANDLERS = st.sampled_from([THEIRS, OURS, NEWER, {"type": "prompt", "prompt": "Done?"}])
GROUPS = st.lists(st.builds(lambda handlers: {"hooks": handlers}, st.lists(HANDLERS)))
EVENTS = st.dictionaries(st.sampled_from(["Stop", "TaskCompleted", "PostToolUse"]), GROUPS)


def only_theirs(settings: dict[str, Any]) -> dict[str, list[Any]]:
    """Handlers of the user by event, in their order."""
    found = {
        event: [one for each in groups for one in each["hooks"] if one not in (OURS, NEWER)]
        for event, groups in settings.get("hooks", {}).items()
    }
    return {event: handlers for event, handlers in found.items() if handlers}


@given(
    before=st.fixed_dictionaries({"model": st.text()}, optional={"hooks": EVENTS}),
    ours=st.dictionaries(st.sampled_from(["Stop", "TeammateIdle"]), st.just([group(NEWER)])),
)
def test_merging_twice_is_merging_once_and_loses_nothing_of_the_user(
    before: dict[str, Any], ours: dict[str, Any]
) -> None:
    once = merge_settings(before, ours)
    assert merge_settings(once, ours) == once
    assert only_theirs(once) == only_theirs(before)
    assert once["model"] == before["model"]
    without = merge_settings(once, {})
    assert only_theirs(without) == only_theirs(before)
    assert "contract-scan: " not in json.dumps(without)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{\n  "model": "opus", // mine\n}',
            ":2: is not JSON: Expecting property name enclosed in double quotes; settings with"
            " comments or trailing commas cannot be changed, so take them out",
        ),
        (
            "not json",
            ":1: is not JSON: Expecting value; settings with comments or trailing commas cannot"
            " be changed, so take them out",
        ),
        ("[]", ": is no JSON object"),
        ('{"a": NaN}', ": is not JSON: NaN is no number of JSON"),
        ('{"a": 1, "a": 2}', ": is not JSON: the key 'a' is there twice; take one of them out"),
        ('{"a": ' + "[" * 200_000, ": is nested too deeply"),
        (b"\xff{}", ": is not UTF-8"),
    ],
    ids=["comment", "text", "list", "number", "twice", "deep", "bytes"],
)
def test_what_could_not_be_written_again_as_it_is_is_refused(
    text: str | bytes, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SettingsError) as error:
        read_settings(file)
    assert str(error.value) == f"{file}{said}"


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ([], "`hooks` is no object; mend it first"),
        ({"Stop": {}}, "`hooks.Stop` is no list; mend it first"),
        (
            {"Stop": [{"command": "x"}]},
            "`hooks.Stop` has an entry without a list `hooks` of objects; mend it first",
        ),
        (
            {"Stop": [{"hooks": ["x"]}]},
            "`hooks.Stop` has an entry without a list `hooks` of objects; mend it first",
        ),
    ],
)
def test_hooks_in_another_shape_are_refused(hooks: Any, said: str) -> None:
    with pytest.raises(SettingsError) as error:
        merge_settings({"hooks": hooks}, {"Stop": [group(OURS)]}, path="settings.json")
    assert str(error.value) == f"settings.json: {said}"


@pytest.mark.parametrize("text", ["", " \n", "\ufeff"])
def test_an_empty_file_has_no_settings(text: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text, encoding="utf-8")
    assert read_settings(file) == {}
    assert read_settings(tmp_path / "missing.json") == {}


def test_settings_are_written_as_they_are_read(tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    settings = {"language": "größer \ud800", "hooks": {}, "n": 1.5}
    write_settings(file, settings)
    assert json.loads(file.read_bytes().decode("utf-8", "surrogatepass")) == settings
    write_settings(file, {"a": 1})
    assert read_settings(file) == {"a": 1}


def test_settings_that_cannot_be_written_are_left_as_they_are(tmp_path: Path) -> None:
    (tmp_path / ".claude").write_text("a file\n")
    file = tmp_path / ".claude" / "settings.json"
    with pytest.raises(SettingsError) as error:
        write_settings(file, {})
    assert str(error.value).startswith(f"{file}: cannot be written: ")
    assert (tmp_path / ".claude").read_text() == "a file\n"
