"""The pre-commit hook, in a real repository, by real commits."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
from pathlib import Path

import jsonschema
import pytest

from contract_scan.cli.main import main
from contract_scan.errors import ContractScanError
from contract_scan.sessions.setup import install as set_up_sessions
from tests.ci.support import make_command, make_repository
from tests.cli.test_changed import git, orders

HOOK = ".git/hooks/pre-commit"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    make_repository(tmp_path)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["hooks", *words])
    out, err = capsys.readouterr()
    return status, out, err


def commit(repository: Path) -> subprocess.CompletedProcess[str]:
    """A commit of everything, as a user makes it, with the command on the path."""
    command = make_command(repository / ".git" / "bin")
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    own = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=0"]
    return subprocess.run(
        ["git", *own, "commit", "--quiet", "--all", "--message=Next"],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_commit_that_breaks_a_promise_is_stopped_and_one_that_keeps_it_goes_through(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "install", "--git") == (0, f"{HOOK}: installed\n", "")
    assert (repository / HOOK).stat().st_mode & stat.S_IXUSR
    (repository / "orders.py").write_text(orders("int"), encoding="utf-8")
    stopped = commit(repository)
    assert stopped.returncode == 1
    told = stopped.stdout + stopped.stderr
    assert "orders.py:8" in told
    assert "items.py" not in told
    (repository / "orders.py").write_text(orders() + "\n# fine\n", encoding="utf-8")
    assert commit(repository).returncode == 0


def test_installing_again_brings_the_hook_up_to_date_and_it_can_be_taken_away(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "install", "--git")
    before = (repository / HOOK).read_text(encoding="utf-8")
    assert said(capsys, "install", "--git") == (0, f"{HOOK}: brought up to date\n", "")
    assert (repository / HOOK).read_text(encoding="utf-8") == before
    assert said(capsys, "uninstall", "--git") == (0, f"{HOOK}: removed\n", "")
    assert not (repository / HOOK).exists()
    assert said(capsys, "uninstall", "--git") == (0, "there is no hook of contract-scan\n", "")


def test_the_hook_of_somebody_else_is_left_alone(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (repository / HOOK).write_text("#!/bin/sh\nmake lint\n", encoding="utf-8")
    assert said(capsys, "install", "--git") == (
        2,
        "",
        f"contract-scan: {HOOK}: another hook is there already; add this line to it: "
        "contract-scan check --staged || exit 1\n",
    )
    assert (repository / HOOK).read_text(encoding="utf-8") == "#!/bin/sh\nmake lint\n"
    assert said(capsys, "uninstall", "--git")[1] == "there is no hook of contract-scan\n"


def test_settings_may_move_the_folder_of_hooks(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(repository, "config", "core.hooksPath", ".githooks")
    assert said(capsys, "install", "--git") == (0, ".githooks/pre-commit: installed\n", "")
    (repository / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert commit(repository).returncode == 1


def test_what_is_missing_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said(capsys, "install") == (
        2,
        "",
        "contract-scan: say which hook is meant: --git or --claude\n",
    )
    assert said(capsys, "install", "--git") == (
        2,
        "",
        f"contract-scan: {tmp_path}: is in no git repository\n",
    )


SCHEMA = "claude-code-settings.schema.json"
SETTINGS = Path(".claude", "settings.local.json")


def claude_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], **event: object
) -> tuple[int, str]:
    """The exit status of the hook for an event, and what the model is told."""
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(event)))
    status, out, err = said(capsys, "claude")
    assert out == ""
    return status, err


def test_claude_is_told_what_its_edits_break(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repository))
    assert claude_says(monkeypatch, capsys, hook_event_name="Stop") == (0, "")
    (repository / "orders.py").write_text(orders("int"), encoding="utf-8")
    edit = {"file_path": str(repository / "orders.py")}
    status, told = claude_says(monkeypatch, capsys, hook_event_name="PostToolUse", tool_input=edit)
    assert status == 2
    assert "CONTRACT-001/type [error]" in told.splitlines()[0]
    # An agent comes to its end, and what no scan reads is no reason for one.
    assert claude_says(monkeypatch, capsys, stop_hook_active=True) == (0, "")
    picture = {"file_path": str(repository / "a.png")}
    assert claude_says(monkeypatch, capsys, tool_input=picture) == (0, "")


def test_trouble_of_the_tool_does_not_hold_up_claude(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "contract-scan.toml").write_text("fail = 1\n", encoding="utf-8")
    status, told = claude_says(monkeypatch, capsys, hook_event_name="Stop")
    assert (status, told.startswith("contract-scan: contract-scan.toml:1: ")) == (1, True)


def test_hooks_of_claude_go_into_its_settings_and_out_again(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}, "model": "x"}
    SETTINGS.parent.mkdir()
    SETTINGS.write_text(json.dumps(own), encoding="utf-8")
    assert said(capsys, "install", "--claude") == (0, f"{SETTINGS}: installed\n", "")
    settings = json.loads(SETTINGS.read_text("utf-8"))
    schema = json.loads((Path(__file__).parents[1] / "data" / SCHEMA).read_text("utf-8"))
    jsonschema.Draft7Validator(schema).validate(settings)
    assert [*settings["hooks"]] == ["Stop", "PostToolUse"]
    assert settings["hooks"]["Stop"][0] == own["hooks"]["Stop"][0]

    assert said(capsys, "install", "--claude") == (0, f"{SETTINGS}: brought up to date\n", "")
    assert json.loads(SETTINGS.read_text("utf-8")) == settings
    assert said(capsys, "uninstall", "--claude") == (0, f"{SETTINGS}: removed\n", "")
    assert json.loads(SETTINGS.read_text("utf-8")) == own
    assert said(capsys, "uninstall", "--claude")[1] == "there is no hook of contract-scan\n"

    SETTINGS.unlink()
    said(capsys, "install", "--claude")
    assert said(capsys, "uninstall", "--claude") == (0, f"{SETTINGS}: removed\n", "")
    assert not SETTINGS.parent.exists()


@pytest.mark.parametrize("link", [".claude", ".claude/settings.local.json"])
@pytest.mark.parametrize("to", ["outside", ".git"])
def test_no_hook_of_claude_is_written_through_a_link(
    repository: Path,
    link: str,
    to: str,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = tmp_path_factory.mktemp("outside") if to == "outside" else repository / ".git"
    before = sorted(place.iterdir())
    (repository / link).parent.mkdir(exist_ok=True)
    (repository / link).symlink_to(place if link == ".claude" else place / "new.json")
    error = f"{SETTINGS}: lies outside of the project; nothing is written there\n"
    for words in (["hooks", "install", "--claude"], ["hooks", "uninstall", "--claude"]):
        assert main(words) == (2 if "install" in words else 0)
    assert error in capsys.readouterr().err
    with pytest.raises(ContractScanError, match="lies outside of the project"):
        set_up_sessions(repository, is_global=False)
    assert sorted(place.iterdir()) == before


def test_the_command_in_the_settings_of_claude_ends_as_claude_reads_it(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "install", "--claude")
    (repository / "orders.py").write_text(orders("int"), encoding="utf-8")
    (group,) = json.loads(SETTINGS.read_text("utf-8"))["hooks"]["Stop"]
    command = make_command(repository / ".git" / "bin")
    ended = subprocess.run(
        ["/bin/sh", "-c", group["hooks"][0]["command"]],
        cwd=repository,
        env={**os.environ, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"},
        input='{"hook_event_name": "Stop"}',
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "CONTRACT-001/type [error]" in ended.stderr
