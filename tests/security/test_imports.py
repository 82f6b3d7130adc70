"""Modules in the scanned folder that bear the names of those that a scan imports."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.cli.test_changed import CONTRACT, orders

ROOT = Path(__file__).parents[2]
# Not those that the scanned code itself imports, which would be taken for what it means.
INSTALLED = (
    "click",
    "libcst",
    "lsprotocol",
    "mcp",
    "msgspec",
    "openapi_spec_validator",
    "pathspec",
)
INSTALLED += ("pygls", "referencing", "tree_sitter", "yaml", "jsonschema")
CONSOLE_SCRIPT = str(Path(sys.executable).with_name("contract-scan"))


class Planted:
    """A folder that is scanned, and the marks that modules in it leave when they are run."""

    def __init__(self, folder: Path, outside: Path) -> None:
        self.folder = folder
        self._marks = outside
        for name in {*sys.stdlib_module_names, *INSTALLED}:
            mark = outside / name
            (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()\n")

    def run(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """A command, started in the folder, with what it reads from its standard input."""
        return subprocess.run(
            words,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def imported(self) -> list[str]:
        """The modules that were run."""
        return sorted(mark.name for mark in self._marks.iterdir())


@pytest.fixture
def planted(tmp_path: Path) -> Iterator[Planted]:
    folder, marks = tmp_path / "scanned", tmp_path / "marks"
    folder.mkdir()
    marks.mkdir()
    (folder / "openapi.yaml").write_text(CONTRACT, encoding="utf-8")
    served = orders("int").replace("APIRouter", "FastAPI")
    (folder / "orders.py").write_text(served, encoding="utf-8")
    yield Planted(folder, marks)


COMMANDS = {
    "module": (sys.executable, "-P", "-m", "contract_scan"),
    "console script": (CONSOLE_SCRIPT,),
}


@pytest.mark.parametrize("how", COMMANDS)
def test_none_of_them_is_imported(planted: Planted, how: str) -> None:
    done = planted.run(*COMMANDS[how], "check", "--no-cache", "--unsafe-fixes", "--diff")
    assert (done.returncode, planted.imported()) == (1, []), done.stderr


def test_none_by_the_processes_that_parse(planted: Planted) -> None:
    started = "import sys; from contract_scan.clients.workers import workers\n"
    started += "with workers(2) as pool: print(*pool.map(len, ['ab', 'c']))\n"
    program = planted.folder.parent / "program"
    program.write_text(
        f"if __name__ == '__main__':\n    {started.replace(chr(10), chr(10) + '    ')}"
    )
    done = planted.run(sys.executable, str(program))
    assert (done.stdout, planted.imported()) == ("2 1\n", []), done.stderr


@pytest.mark.parametrize("server", ["contract_engine", "codebase_intelligence", "architect"])
def test_none_by_servers(planted: Planted, server: str) -> None:
    module = f"contract_scan.servers.{server}"
    done = planted.run(sys.executable, "-P", "-m", module, text="")
    assert (done.returncode, planted.imported()) == (0, []), done.stderr


def test_none_by_the_server_of_editors(planted: Planted) -> None:
    done = planted.run(CONSOLE_SCRIPT, "server", text="")
    assert planted.imported() == [], done.stderr


@pytest.mark.parametrize("module", ["", ".servers.contract_engine", ".servers.architect"])
def test_python_itself_imports_hardly_any_before_they_are_left_out(
    planted: Planted, module: str
) -> None:
    """Without `-P`, `python -m` looks into the working directory before anything of ours is run."""
    words = ("check", "--no-cache", "--quiet") if not module else ()
    done = planted.run(sys.executable, "-m", f"contract_scan{module}", *words, text="")
    assert {*planted.imported()} <= {"importlib", "runpy", "pkgutil"}, done.stderr


def test_none_by_the_hook(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.run("git", "init", "--quiet")
    planted.run("git", "add", "orders.py")
    installed = planted.run(CONSOLE_SCRIPT, "hooks", "install", "--git")
    assert installed.returncode == 0, installed.stderr
    package = planted.folder / "contract_scan"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('the planted package was run')\n")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no `contract-scan` there
    done = planted.run(str(planted.folder / ".git" / "hooks" / "pre-commit"))
    assert (done.returncode, planted.imported()) == (1, []), done.stderr
    assert "planted" not in done.stderr


def test_none_by_the_action(
    planted: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its environment is made while the working directory is the checkout."""
    steps = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["runs"]["steps"]
    (install,) = (step["run"] for step in steps if "Install" in step.get("name", ""))
    before, _, _ = install.partition("cd ")
    monkeypatch.setenv("RUNNER_TEMP", str(tmp_path / "runner"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    done = planted.run("bash", "-e", "-c", before)
    assert (done.returncode, planted.imported()) == (0, []), done.stderr
    assert (tmp_path / "runner" / "contract-scan" / "bin" / "python").exists()


def test_they_would_be(planted: Planted) -> None:
    planted.run(sys.executable, "-c", "import json, click")
    assert {"click", "json"} <= {*planted.imported()}
