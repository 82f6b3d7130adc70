"""The page on building says what is so."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin

import pytest

from contract_scan.orchestrator.agent_files.claude_md import with_role
from contract_scan.orchestrator.agent_files.hooks import generate_hooks_config
from contract_scan.orchestrator.config import AgentTeamConfig, Key, all_keys
from contract_scan.orchestrator.pipeline import LOOPS, STAGES
from contract_scan.orchestrator.plan import parse_master_plan

PAGE = Path(__file__).parents[2] / "docs" / "builder.md"
BEGIN, END = "<!-- keys -->\n", "<!-- end of keys -->"


def kind_of(key: Key) -> str:
    kind = key.type
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    names = {bool: "", int: "number", float: "number", str: "text"}
    return names.get(kind, "list" if get_origin(kind) is list else "mapping")


def default_of(key: Key) -> str:
    match key.default:
        case bool():
            return "on" if key.default else "off"
        case list():
            return f"`{' '.join(key.default)}`"
        case dict() | "":
            return "empty"
        case _:
            return f"`{key.default}`"


def table_of_keys() -> str:
    rows = [f"| `{key.name}` | {default_of(key)} | {kind_of(key)} |" for key in all_keys()]
    return "\n".join(["| key | default | values |", "|---|---|---|", *rows]) + "\n"


def test_all_keys_are_listed() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    if os.environ.get("UPDATE_DOCS"):
        text = f"{before}{BEGIN}{table_of_keys()}{END}{rest.partition(END)[2]}"
        PAGE.write_text(text, encoding="utf-8")
    assert text.partition(BEGIN)[2].partition(END)[0] == table_of_keys()


@pytest.mark.requirement("INT-011")
def test_all_stages_are_listed_in_their_order() -> None:
    part = PAGE.read_text(encoding="utf-8").partition("## Stages")[2].partition("\nLoops")[0]
    rows = [line.split("`")[1] for line in part.splitlines() if line.startswith("| `")]
    assert rows == [stage.name for stage in STAGES]


@pytest.mark.requirement("INT-012")
def test_all_loops_are_listed_in_their_order() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("Loops of fixes, in their order:")[2]
    listed = text.partition("in their stages.")[0].split("`")[1::2]
    assert listed == [loop.name for loop in LOOPS if not loop.name.startswith("contract_")]


def test_the_requirements_of_the_page_are_a_plan() -> None:
    text = PAGE.read_text(encoding="utf-8")
    plan = parse_master_plan(text.partition("```markdown\n")[2].partition("```")[0])
    assert plan is not None
    assert [milestone.id for milestone in plan.milestones] == ["milestone-1"]


def example(mark: str) -> str:
    """The code block after a mark."""
    text = PAGE.read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n```")[2]
    return text.partition("\n")[2].partition("\n```\n")[0]


def test_the_hook_of_the_page_is_the_one_that_is_written() -> None:
    hooks = generate_hooks_config(AgentTeamConfig(), Path.cwd()).hooks
    assert json.loads(example("hook")) == hooks["Stop"][1]


def test_the_scripts_of_the_page_are_those_that_there_are() -> None:
    part = PAGE.read_text(encoding="utf-8").partition("## Hooks")[2].partition("An entry")[0]
    rows = [line.split(" | ")[:2] for line in part.splitlines() if line.startswith("| `")]
    listed = {(event.strip("| `"), script.strip("`")) for event, script in rows}
    hooks = generate_hooks_config(AgentTeamConfig(), Path.cwd()).hooks
    assert listed == {
        (event, Path(handler["command"]).name if "command" in handler else "an agent")
        for event, groups in hooks.items()
        for group in groups
        for handler in group["hooks"]
    }


def test_the_instructions_of_the_page_are_written_so() -> None:
    document = with_role("Use tabs.\n", "architect", "Design first.\n")
    document = with_role(document, "code-writer", "Then write.\n")
    assert document == example("claude-md") + "\n"
