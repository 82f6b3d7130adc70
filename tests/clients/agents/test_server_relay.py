"""A relay between an agent and an MCP server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contract_scan.clients.agents.server_relay import watched_servers

SERVER = """\
import json, sys
pages = [{"tools": [], "nextCursor": "2"}, {"tools": []}]
for line in sys.stdin:
    request = json.loads(line)
    result = pages.pop(0) if request["method"] == "tools/list" else {"of": request["method"]}
    print("not JSON", flush=True)
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
sys.exit(3)
"""


class Conversation:
    """With a server behind a relay."""

    def __init__(self, folder: Path, *command: str) -> None:
        self.file = folder / "told.jsonl"
        entry = {"command": command[0], "args": [*command[1:]], "env": {"A": "b"}}
        (watched,) = watched_servers({"docs": entry}, self.file).values()
        assert watched["env"] == {"A": "b"}
        self.process = subprocess.Popen(
            [watched["command"], *watched["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        )
        self._count = 0

    def ask(self, method: str) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self._count += 1
        request = {"jsonrpc": "2.0", "id": self._count, "method": method}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == b"not JSON\n"
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer["result"]

    @property
    def servers_noted(self) -> list[str]:
        text = self.file.read_text() if self.file.exists() else ""
        return [json.loads(line) for line in text.splitlines()]


def test_what_is_asked_and_answered_is_passed_on_and_the_last_page_of_tools_is_noted(
    tmp_path: Path,
) -> None:
    talk = Conversation(tmp_path, sys.executable, "-c", SERVER)
    assert talk.ask("initialize") == {"of": "initialize"}
    assert talk.ask("tools/list") == {"tools": [], "nextCursor": "2"}
    assert talk.ask("ping") == {"of": "ping"}
    assert talk.servers_noted == []
    assert talk.ask("tools/list") == {"tools": []}
    assert talk.ask("ping") == {"of": "ping"}  # by now the relay has written it down
    assert talk.servers_noted == ["docs"]
    _, said = talk.process.communicate(timeout=300)
    assert (talk.process.returncode, said, talk.servers_noted) == (3, b"", ["docs"])


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ([sys.executable, "-c", "raise SystemExit(7)"], 7, b""),
        (["no-such-server"], 127, b"no-such-server cannot be started: No such file or directory\n"),
    ],
)
def test_nobody_waits_for_a_server_that_is_gone(
    command: list[str], status: int, said: bytes, tmp_path: Path
) -> None:
    talk = Conversation(tmp_path, *command)
    _, error = talk.process.communicate(timeout=300)
    assert (talk.process.returncode, error, talk.servers_noted) == (status, said, ["docs"])


def test_nothing_of_the_folder_is_imported(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    talk = Conversation(tmp_path, sys.executable, "-I", "-c", SERVER)
    assert talk.ask("ping") == {"of": "ping"}
    talk.process.communicate(timeout=300)


def test_a_server_with_an_address_stays_as_it_is() -> None:
    entry = {"type": "http", "url": "https://example.org/mcp"}
    assert watched_servers({"docs": entry}, Path("told.jsonl")) == {"docs": entry}
