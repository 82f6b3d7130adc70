"""The example of docs/sessions.md, run as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.forked import forked_python
from tests.sessions.project import Project

PAGE = Path(__file__).parents[2] / "docs" / "sessions.md"


def block(language: str, text: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def test_the_example_prints_what_the_page_says(project: Project, tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    configuration = tmp_path / "home" / "contract-scan" / "sessions.toml"
    configuration.parent.mkdir(parents=True)
    configuration.write_text(block("toml", page), encoding="utf-8")
    example = block("console", page)
    commands = [line[2:] for line in example.splitlines() if line.startswith("$ ")]
    script = [f'scope() {{ "{forked_python()}" -m contract_scan.cli.sessions "$@"; }}']
    for command in commands:
        script += [f"echo '$ {command}'", command]
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "home"), "SCOPE_NO_TMUX": "1"}
    del environment["SCOPE_CONFIG"]
    done = subprocess.run(
        ["sh", "-c", "\n".join(script)],
        cwd=project.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.stderr, done.stdout) == ("", example)
