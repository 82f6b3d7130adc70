"""`.claude/CLAUDE.md`, beside what the user has written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.orchestrator.agent_files.claude_md import (
    ClaudeMdError,
    with_role,
    write_teammate_claude_md,
)
from contract_scan.orchestrator.config import (
    AgentTeamConfig,
    AgentTeamsConfig,
    ConvergenceConfig,
)

START, END = "<!-- AGENT-TEAMS-START -->", "<!-- AGENT-TEAMS-END -->"
CONFIG = AgentTeamConfig(
    agent_teams=AgentTeamsConfig(contract_limit=1),
    convergence=ConvergenceConfig(min_convergence_ratio=0.7),
)
CONTRACTS = [
    {"id": "orders-api", "type": "openapi", "version": "1.0.0", "service_name": "orders"},
    {"id": "items-api", "type": "openapi", "version": "1.0.0", "service_name": "items"},
]


def write(project: Path, role: str = "code-writer") -> Path:
    servers = {"contract-engine": {}}
    return write_teammate_claude_md(project, role, "orders", CONFIG, CONTRACTS, servers)


@pytest.mark.requirement("REQ-053", "TEST-045")
def test_the_instructions_are_written(tmp_path: Path) -> None:
    file = write(tmp_path)
    assert file == tmp_path / ".claude" / "CLAUDE.md"
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"{START}\n<!-- AGENT-TEAMS-ROLE-START code-writer -->\n## Instructions")
    assert text.endswith(f"<!-- AGENT-TEAMS-ROLE-END code-writer -->\n{END}\n")
    for expected in (
        "at least 0.7 of them",
        "- `orders-api`: type `openapi`",
        "... and 1 more. Use Contract Engine",
        "- Services that it depends on: `items`",
        "### Contract Engine",
        "## Contract compliance",
    ):
        assert expected in text


@pytest.mark.requirement("REQ-053")
def test_only_the_own_part_of_a_file_changes(tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "CLAUDE.md"
    file.parent.mkdir()
    file.write_bytes("# Größe\n\nUse tabs.".encode() + b"\xff")
    write(tmp_path)
    first = file.read_bytes()
    assert first.startswith("# Größe\n\nUse tabs.".encode() + b"\xff\n\n" + START.encode())
    file.write_bytes(first + b"\nAnd be brief.\n")
    write(tmp_path)
    assert file.read_bytes() == first + b"\nAnd be brief.\n"
    write(tmp_path, "architect")
    both = file.read_bytes()
    assert both.endswith(f"AGENT-TEAMS-ROLE-END architect -->\n{END}\n\nAnd be brief.\n".encode())
    assert both.startswith(first.removesuffix(f"{END}\n".encode()))
    write(tmp_path)
    assert file.read_bytes() == both


LINES = st.lists(st.sampled_from(["", "a", "# b", "<!-- c -->", START[:-1]]), max_size=5)


@given(
    before=LINES,
    after=LINES,
    end=st.sampled_from(["\n", "\r\n"]),
    roles=st.lists(st.sampled_from(["architect", "code-writer", "tester"]), min_size=1, max_size=6),
)
def test_parts_of_roles_never_overwrite_each_other_or_the_user(
    before: list[str], after: list[str], end: str, roles: list[str]
) -> None:
    head = "".join(line + end for line in before)
    tail = "".join(line + end for line in after)
    document = with_role(head, "first", "text of first")
    assert document.startswith(head)
    document += tail
    for number, role in enumerate(roles):
        document = with_role(document, role, f"text {number}\nof {role}\n")
        assert with_role(document, role, f"text {number}\nof {role}\n") == document
    assert document.startswith(head)
    assert document.endswith(f"{END}{end if before else chr(10)}{tail}")
    assert document.count("text of first") == 1
    for role in set(roles):
        last = len(roles) - 1 - roles[::-1].index(role)
        lines = document.replace("\r\n", "\n")
        assert lines.count(f"\nof {role}\n") == 1
        assert f"START {role} -->\ntext {last}\nof {role}\n<!-- AGENT-TEAMS-ROLE-END" in lines


@pytest.mark.parametrize(
    "text",
    [
        f"{START}\nno end\n",
        f"{END}\n",
        f"{END}\n{START}\n",
        f"{START}\n{END}\n{START}\n{END}\n",
        f"{START}\n<!-- AGENT-TEAMS-ROLE-START code-writer -->\n{END}\n",
        "<!-- AGENT-TEAMS-ROLE-START code-writer -->\n<!-- AGENT-TEAMS-ROLE-END code-writer -->\n"
        f"{START}\n{END}\n",
    ],
)
def test_delimiters_that_are_not_in_order_leave_the_file_as_it_is(
    text: str, tmp_path: Path
) -> None:
    file = tmp_path / ".claude" / "CLAUDE.md"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(ClaudeMdError) as error:
        write(tmp_path)
    assert str(error.value).startswith(f"{file}: `<!-- AGENT-TEAMS-")
    assert file.read_text() == text


def test_nothing_is_written_outside_of_the_project(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    (tmp_path / "mine.md").write_text("mine\n")
    (project / ".claude" / "CLAUDE.md").symlink_to(tmp_path / "mine.md")
    with pytest.raises(ClaudeMdError, match="lies outside of the project"):
        write(project)
    assert (tmp_path / "mine.md").read_text() == "mine\n"


@pytest.mark.parametrize("role", ["", "a -->", "../x", "Größe"])
def test_what_cannot_be_the_name_of_a_role(role: str, tmp_path: Path) -> None:
    with pytest.raises(ClaudeMdError, match="cannot be the name of a role"):
        write(tmp_path, role)
    assert not (tmp_path / ".claude").exists()
