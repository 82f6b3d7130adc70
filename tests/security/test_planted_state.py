"""What a repository brings along of a build or of a run of roles, as if it had been begun here:
nothing of it leads out of the repository, chooses a program, or is waited for."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.errors import UsageError
from contract_scan.orchestrator.execution import BackendError
from contract_scan.orchestrator.execution.workplace import Workplace
from contract_scan.servers.architect.start import serve as serve_architect
from contract_scan.servers.contract_engine.database import DatabaseError, open_database
from contract_scan.servers.contract_engine.start import serve as serve_contracts
from contract_scan.sessions.store import Store, found_store
from tests.roles.runs import Shop, repository

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and pipes are POSIX")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with requirements, beside a folder of somebody else."""
    (tmp_path / "outside").mkdir()
    made = tmp_path / "project"
    made.mkdir()
    (made / "PRD.md").write_text("# Shop\n\nAn orders service.\n")
    monkeypatch.chdir(made)
    return made


def refused(capsys: Capture, *words: str) -> str:
    """The one line with which a command ends that does nothing."""
    capsys.readouterr()
    status = main(words)
    said = capsys.readouterr()
    assert (status, said.out) == (2, "")
    return said.err


def found_outside(project: Path) -> list[str]:
    """What lies in the folder of somebody else."""
    outside = project.parent / "outside"
    return sorted(path.relative_to(outside).as_posix() for path in outside.rglob("*"))


@pytest.mark.parametrize("link", [".agent-team", ".agent-team/STATE.json"])
def test_a_build_writes_nothing_through_a_link_out(
    link: str, project: Path, capsys: Capture
) -> None:
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(project.parent / "outside" / Path(link).suffix.strip("."))
    assert refused(capsys, "build", "--prd", "PRD.md") == (
        "contract-scan: .agent-team/STATE.json: lies outside of the project; nothing is written"
        " there\n"
    )
    assert found_outside(project) == []


@pytest.mark.parametrize("run_id", ["../../../outside", "/nowhere/x", "..", "a/b", "a\\b", "a\nb"])
@pytest.mark.parametrize("resume", [(), ("--resume",)], ids=["anew", "resumed"])
def test_the_state_of_a_build_names_no_other_folder(
    run_id: str, resume: tuple[str, ...], project: Path, capsys: Capture
) -> None:
    state = project / ".agent-team" / "STATE.json"
    state.parent.mkdir()
    state.write_text(json.dumps({"run_id": run_id}))
    if resume:
        reason = "has no name of a folder as `run_id`; move it away to start anew"
        told = refused(capsys, "build", "--prd", "PRD.md", *resume)
        assert told == f"contract-scan: .agent-team/STATE.json: {reason}\n"
    else:
        config = project.parent / "build.yaml"
        config.write_text("agent:\n  command: no-such-agent\n")
        main(["build", "--prd", "PRD.md", "--build-config", str(config)])
        kept = project / ".agent-team" / "runs" / "unknown" / "STATE.json"
        assert json.loads(kept.read_text()) == {"run_id": run_id}
    assert found_outside(project) == []


def test_files_of_tasks_are_written_through_no_link_out_and_into_no_pipe(project: Path) -> None:
    workplace = Workplace(project, "run")
    folder = workplace.run_dir
    (folder / "linked.md").symlink_to(project.parent / "outside" / "linked.md")
    (folder / "linked.lines").symlink_to(project.parent / "outside" / "linked.lines")
    with pytest.raises(BackendError, match="it lies outside of the project"):
        workplace.write_file("linked", ".md", b"prompt")
    with workplace.line_log("linked") as keep:
        keep(b"line")
    assert found_outside(project) == []
    os.mkfifo(folder / "piped.md")
    os.mkfifo(folder / "piped.lines")
    assert workplace.write_file("piped", ".md", b"prompt").read_bytes() == b"prompt"
    with workplace.line_log("piped") as keep:
        keep(b"line")


@pytest.fixture
def shop(project: Path) -> Shop:
    """A repository whose author has begun a run with a command of theirs."""
    shop = repository(project / "shop")
    mark = project.parent / "outside" / "ran"
    words = ["--verify", f"touch {mark}", "--id", "refunds", "--root", str(shop.root)]
    assert main(["roles", "start", "Pay refunds", *words]) == 0
    return shop


@pytest.mark.parametrize("verb", [("advance",), ("act", "verifier", "true")])
def test_no_run_that_git_tracks_goes_on(verb: tuple[str, ...], shop: Shop, capsys: Capture) -> None:
    shop.git("add", "--force", ".agent-team/runs/refunds/run.json")
    options = ("--root", str(shop.root), "--run", "refunds")
    told = refused(capsys, "roles", verb[0], *options, *verb[1:])
    assert told == (
        "contract-scan: .agent-team/runs/refunds/run.json: is tracked by git: only a run that was"
        " started here goes on\n"
    )
    assert found_outside(shop.root.parent) == []


def test_the_pointer_to_the_latest_run_is_no_link_and_no_pipe(shop: Shop, capsys: Capture) -> None:
    pointer = shop.root / ".agent-team" / "runs" / "LATEST"
    pointer.unlink()
    pointer.symlink_to(shop.root.parent.parent / "outside" / "pointer")
    reason = "contract-scan: shop/.agent-team/runs/LATEST: is a link; the pointer is a file\n"
    words = ["Pay again", "--verify", "true", "--id", "again", "--root", str(shop.root)]
    assert refused(capsys, "roles", "start", *words) == reason
    assert refused(capsys, "roles", "advance", "--root", str(shop.root)) == reason
    pointer.unlink()
    os.mkfifo(pointer)
    reason = "contract-scan: shop/.agent-team/runs/LATEST: no run was started here\n"
    assert refused(capsys, "roles", "advance", "--root", str(shop.root)) == reason
    assert found_outside(shop.root.parent) == []


@pytest.mark.parametrize("link", [".scope", ".scope/sessions"])
def test_sessions_behind_a_link_are_none(link: str, project: Path) -> None:
    target = project.parent / "outside"
    for name, text in {"state": "running", "cwd": str(project), "task": "x"}.items():
        planted = target / "sessions" / "0" / name
        planted.parent.mkdir(parents=True, exist_ok=True)
        planted.write_text(f"{text}\n")
    assert [one.id for one in Store(target).load_all()] == ["0"]
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(target / Path(link).relative_to(".scope"))
    (project / ".git").mkdir()
    assert found_store(project) is None


def journal_that_names(file: Path, pages: int) -> bytes:
    """A journal that SQLite plays back when it opens the database beside it, and then removes the
    file that its end names: as one of a transaction over several files."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(file)
    head = magic + struct.pack(">5I", 0, 0, pages, 512, 4096)
    lock_page = 0x4000_0000 // 4096 + 1
    end = struct.pack(">I", lock_page) + name + struct.pack(">2I", len(name), sum(name)) + magic
    return head.ljust(512, b"\0") + end


def test_no_database_of_a_server_removes_a_file_that_its_journal_names(project: Path) -> None:
    victim = project.parent / "outside" / "victim"
    victim.write_text("precious")
    database = project / ".contract-scan" / "contracts.db"
    open_database(path=database).close()
    with closing(sqlite3.connect(database)) as opened:
        opened.execute("PRAGMA journal_mode = DELETE")
        (pages,) = opened.execute("PRAGMA page_count").fetchone()
    journal = database.with_name("contracts.db-journal")
    journal.write_bytes(journal_that_names(victim, pages))
    with pytest.raises(DatabaseError, match="names a file elsewhere; remove it"):
        open_database(path=database)
    assert found_outside(project) == ["victim"]
    with closing(sqlite3.connect(database)) as opened:
        opened.execute("SELECT count(*) FROM contracts").fetchone()
    assert found_outside(project) == [], "SQLite would not have removed it: this shows nothing"


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


@pytest.mark.parametrize(
    "statement",
    [
        f"CREATE TRIGGER endless AFTER INSERT ON contracts BEGIN {ENDLESS}; END",
        f"CREATE VIEW endless AS {ENDLESS}",
    ],
    ids=["trigger", "view"],
)
def test_no_database_of_a_server_brings_a_program_along(statement: str, project: Path) -> None:
    database = project / "contracts.db"
    open_database(path=database).close()
    with closing(sqlite3.connect(database)) as opened:
        opened.execute(statement)
    with pytest.raises(DatabaseError, match=r"holds the (trigger|view) `endless`, which"):
        open_database(path=database)


@pytest.mark.parametrize("suffix", ["", "-journal", "-wal", "-shm"])
def test_no_database_of_a_server_is_a_link_or_a_pipe(suffix: str, project: Path) -> None:
    place = project / f"contracts.db{suffix}"
    place.symlink_to(project.parent / "outside" / "new")
    with pytest.raises(DatabaseError, match="is a link; name the file itself"):
        open_database(path=project / "contracts.db")
    place.unlink()
    os.mkfifo(place)
    with pytest.raises(DatabaseError, match="is no regular file"):
        open_database(path=project / "contracts.db")
    assert found_outside(project) == []


@pytest.mark.parametrize("serve", [serve_architect, serve_contracts], ids=["architect", "engine"])
def test_no_server_keeps_its_database_elsewhere_on_its_own(
    serve: Callable[[Path], None], project: Path
) -> None:
    (project / ".contract-scan").symlink_to(project.parent / "outside")
    with pytest.raises(UsageError, match="leads outside of the folder the server was started in"):
        serve(project)
    assert found_outside(project) == []


@pytest.mark.parametrize("number", ["1" + ":1" * 400_000, "1" + ":1" * 400_000 + ".5"])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        (".agent-team/config.yaml", ("build", "--prd", "PRD.md", "--dry-run")),
        ("scopes.yaml", ("scopes", "show", "scopes.yaml")),
        ("scopes.yaml", ("scopes", "generate", "scopes.yaml", "--yes")),
    ],
    ids=["build", "show", "generate"],
)
def test_no_number_of_yaml_takes_long(
    name: str, words: tuple[str, ...], number: str, project: Path
) -> None:
    """One to the base of 60 took half a minute: PyYAML adds up powers of 60."""
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text(f"depth: {number}\n")
    limited = (
        "import resource, sys\nresource.setrlimit(resource.RLIMIT_CPU, (10, 10))\n"
        "from contract_scan.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, *words], cwd=project, capture_output=True, check=False
    )
    reason = "is not valid YAML: a number has more than 300 letters"
    assert (done.returncode, done.stderr.decode()) == (2, f"contract-scan: {name}:1: {reason}\n")
