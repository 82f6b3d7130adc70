"""`--changed` and `--staged`: everything is read, what concerns the change is told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from tests.cli.test_check import checked

CONTRACT = """\
openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /orders:
    get:
      responses:
        "200":
          description: all
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Order" } }
  /items:
    get:
      responses:
        "200":
          description: all
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/Item" } }
components:
  schemas:
    Order: { type: object, required: [id], properties: { id: { type: string } } }
    Item: { type: object, required: [sku], properties: { sku: { type: string } } }
"""

SERVICE = """\
from fastapi import APIRouter, FastAPI
from pydantic import BaseModel

router = APIRouter()


class {model}(BaseModel):
    {field}: {type}


@router.get("/{path}")
def all() -> list[{model}]:
    return []
"""

APP = """\
from fastapi import FastAPI

import items
import orders

app = FastAPI()
app.include_router(items.router)
app.include_router(orders.router)
"""


def orders(type: str = "str") -> str:
    return SERVICE.format(model="Order", field="id", type=type, path="orders")


def items(type: str = "str") -> str:
    return SERVICE.format(model="Item", field="sku", type=type, path="items")


def git(folder: Path, *words: str) -> None:
    own = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=0"]
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True, timeout=300)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which items have drifted from their contract."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "openapi.yaml": CONTRACT,
        "app.py": APP,
        "orders.py": orders(),
        "items.py": items("int"),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=Begin")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> list[tuple[str, str, str]]:
    """(kind, path, field) of the findings."""
    _, report = checked(capsys, *words)
    return [(each["kind"], each["path"], each["field"]) for each in report["findings"]]


OLD = ("type", "items.py", "[].sku")
NEW = ("type", "orders.py", "[].id")


def test_old_drift_is_undetermined_while_nothing_changes(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys) == [OLD]
    assert told(capsys, "--changed") == []
    assert told(capsys, "--staged") == []


def test_what_is_left_out_is_counted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, report = checked(capsys, "--changed")
    assert report["summary"]["elsewhere"] == 1
    assert main(["check", "--changed"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "1 more finding outside of what was asked for.",
        "No other violation in 3 files; 1 of 2 operations verified.",
    ]


def test_drift_in_a_changed_file_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed") == [NEW]
    assert told(capsys, "--staged") == []
    git(project, "add", "orders.py")
    assert told(capsys, "--staged") == [NEW]


def test_files_that_git_does_not_know_yet_are_changed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "rm", "--quiet", "--cached", "orders.py")
    git(project, "commit", "--quiet", "--message=Forget")
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed") == [NEW]
    assert told(capsys, "--staged") == []


def test_what_a_change_of_the_contract_alone_breaks_is_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stricter = CONTRACT.replace("id: { type: string }", "id: { type: integer }")
    (project / "openapi.yaml").write_text(stricter, encoding="utf-8")
    assert sorted(told(capsys, "--changed")) == [OLD, NEW]


def test_a_branch_is_compared_with_where_it_parted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "checkout", "--quiet", "-b", "feature")
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    git(project, "commit", "--quiet", "--all", "--message=Change orders")
    git(project, "checkout", "--quiet", "main")
    (project / "items.py").write_text(items("float"), encoding="utf-8")
    git(project, "commit", "--quiet", "--all", "--message=Change items")
    git(project, "checkout", "--quiet", "feature")
    assert told(capsys, "--changed=main") == [NEW]
    assert told(capsys, "--changed") == []
    git(project, "checkout", "--quiet", "--detach")
    assert told(capsys, "--changed=main") == [NEW]


def test_a_route_that_is_taken_away_is_told_though_it_is_found_in_the_contract(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "orders.py").write_text(
        orders().replace('"/orders"', '"/bestellungen"'), encoding="utf-8"
    )
    assert told(capsys, "--changed") == [
        ("missing-endpoint", "openapi.yaml", ""),
        ("undocumented-endpoint", "orders.py", ""),
    ]


NAMES = ("orders", "users", "carts", "prices", "stocks", "badges", "houses", "lamps", "tables")
NAMES += ("chairs", "windows", "doors")

HEALTH = """\
from fastapi import FastAPI

app = FastAPI()


@app.get("/health")
def health() -> dict[str, bool]:
    return {"ok": True}
"""


def test_a_change_that_takes_away_every_route_of_a_contract_cannot_be_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That none of twelve operations has a route may mean that it is another service's contract,
    but not where the change took their names away."""
    monkeypatch.chdir(tmp_path)
    routes = [f'\n\n@app.get("/{name}")\ndef {name}() -> int:\n    return 1\n' for name in NAMES]
    service = tmp_path / "app.py"
    service.write_text(HEALTH + "".join(routes), encoding="utf-8")
    answer = "{ description: ok, content: { application/json: { schema: { type: integer } } } }"
    paths = [f'  /{name}: {{ get: {{ responses: {{ "200": {answer} }} }} }}\n' for name in NAMES]
    head = 'openapi: 3.1.0\ninfo: { title: Shop, version: "1" }\npaths:\n'
    (tmp_path / "openapi.yaml").write_text(head + "".join(paths), encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=Begin")

    service.write_text(HEALTH, encoding="utf-8")
    asked, kept = checked(capsys, "--changed"), checked(capsys, "--changed")
    status, report = asked
    assert status == 2
    assert [each["code"] for each in report["not_analysed"]] == ["nothing-verified"]
    assert {each["operation"]["path"] for each in report["undetermined"]} == {
        f"/{name}" for name in NAMES
    }
    assert kept == asked

    git(tmp_path, "commit", "--quiet", "--all", "--message=Take all away")
    (tmp_path / "other.py").write_text("late = 1\n", encoding="utf-8")
    status, report = checked(capsys, "--changed")
    assert (status, report["not_analysed"], report["undetermined"]) == (0, [], [])


def test_paths_limit_what_changed_further(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed", "items.py", "app.py") == []
    assert told(capsys, "--changed", "orders.py", "app.py") == [NEW]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["check", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_what_git_cannot_tell_is_one_clear_line(
    project: Path, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert refused(capsys, "--changed", "--staged") == (
        "contract-scan: --changed and --staged exclude each other\n"
    )
    assert refused(capsys, "--changed=nowhere") == (
        "contract-scan: --changed: git knows no commit `nowhere`\n"
    )
    assert refused(capsys, "--changed=--output=x") == (
        "contract-scan: --changed: git knows no commit `--output=x`\n"
    )
    git(project, "checkout", "--quiet", "--orphan", "other")
    git(project, "commit", "--quiet", "--allow-empty", "--message=Other")
    assert refused(capsys, "--changed=main") == (
        "contract-scan: --changed: `main` and HEAD have no common ancestor\n"
    )


def test_outside_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    assert refused(capsys, "--staged") == (
        f"contract-scan: {tmp_path}: --staged needs a git repository, and this is none\n"
    )


def test_a_shallow_clone_says_what_to_do(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    git(project, "commit", "--quiet", "--allow-empty", "--message=Go on")
    clone = tmp_path_factory.mktemp("shallow") / "clone"
    git(project, "clone", "--quiet", "--depth=1", f"file://{project}", str(clone))
    monkeypatch.chdir(clone)
    assert refused(capsys, "--changed=main~1") == (
        "contract-scan: --changed: git knows no commit `main~1`; the clone is shallow: "
        "fetch its whole history (`git fetch --unshallow`)\n"
    )


def test_before_the_first_commit_everything_is_new(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(project, "update-ref", "-d", "HEAD")
    assert told(capsys, "--changed") == [OLD]
    assert told(capsys, "--staged") == [OLD]
    assert refused(capsys, "--changed=main") == (
        "contract-scan: --changed: there is no commit yet to compare with `main`\n"
    )
