"""A baseline through the whole command: old findings are known, new ones are told."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract_scan.api import scan
from contract_scan.cli.main import main
from tests.cli.test_check import DRIFT, SOURCE, checked, write_project

FILE = "contract-scan-baseline.json"
ITEMS = """

class Item(BaseModel):
    sku: str


@app.get("/items")
def items() -> list[Item]:
    return []
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_project(tmp_path, DRIFT)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["baseline", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_old_findings_are_known_and_new_ones_told(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "create", "-n") == (
        0,
        f"{FILE}: 1 entry (1 added, 0 dropped)\n"
        "`contract-scan check` leaves these out from now on. Commit the file; `contract-scan "
        "baseline prune` drops what was mended.\n",
        "",
    )
    assert checked(capsys)[1]["summary"]["known"] == 1
    assert checked(capsys, "--isolated")[1]["summary"]["known"] == 0
    status, report = checked(capsys, "--baseline", FILE)
    assert (status, report["findings"], report["summary"]["known"]) == (0, [], 1)
    (project / "src" / "app.py").write_text(
        DRIFT.replace("id: str\n    total", "id: int\n    total")
    )
    status, report = checked(capsys, "--baseline", FILE)
    assert (status, [each["field"] for each in report["findings"]]) == (1, ["id"])
    assert said(capsys, "update", "-n") == (
        0,
        f"{FILE}: 1 entry (0 added, 0 dropped, 1 changed)\n",
        "",
    )
    assert checked(capsys, "--baseline", FILE)[0] == 0


def test_stale_entries_are_told_and_pruned(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "create", "-n")
    (project / "src" / "app.py").write_text(SOURCE + ITEMS)
    status, report = checked(capsys, "--baseline", FILE)
    assert status == 0
    assert [(each["kind"], each["path"], each["line"]) for each in report["findings"]] == [
        ("stale-baseline", FILE, 5),
        ("undocumented-endpoint", "src/app.py", 21),
    ]
    assert checked(capsys, "--baseline", FILE, "--fail-on", "warning")[0] == 1
    assert said(capsys, "prune", "-n") == (0, f"{FILE}: 0 entries (0 added, 1 dropped)\n", "")
    assert [e["kind"] for e in checked(capsys, "--baseline", FILE)[1]["findings"]] == [
        "undocumented-endpoint"
    ]


def test_paths_limit_what_is_said_of_the_baseline_as_well(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "create", "-n")
    (project / "src" / "app.py").write_text(SOURCE)
    assert checked(capsys, "--baseline", FILE, "src/app.py")[1]["findings"] == []
    (stale,) = checked(capsys, "--baseline", FILE, "src/app.py", FILE)[1]["findings"]
    assert stale["kind"] == "stale-baseline"


def test_the_file_can_stand_anywhere(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "debt").mkdir()
    status, out, err = said(capsys, "create", "-n", "--baseline", "debt/old.json")
    assert (status, out.splitlines()[0], err) == (
        0,
        "debt/old.json: 1 entry (1 added, 0 dropped)",
        "",
    )
    assert "`contract-scan check --baseline FILE` leaves these out" in out
    assert checked(capsys, "--baseline", "debt/old.json")[0] == 0
    assert not (project / FILE).exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["update"], f"{FILE}: there is no such baseline; make it with `contract-scan baseline"),
        (["prune"], f"{FILE}: there is no such baseline; make it with `contract-scan baseline"),
        (["create", "src/app.py"], "src/app.py: a baseline is of a whole folder; name one folder"),
        (["created"], "No such command 'created'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    status, out, err = said(capsys, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"contract-scan: {complaint}")


def test_a_baseline_is_not_overwritten_by_create(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / FILE).write_text("mine")
    assert said(capsys, "create", "-n")[0] == 2
    assert (project / FILE).read_text() == "mine"


def test_a_baseline_of_a_later_version_stops_the_scan(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / FILE).write_text('{"version": 7}')
    for words in (["check", "-n", "--baseline", FILE], ["baseline", "prune"]):
        assert main(words) == 2
        out, err = capsys.readouterr()
        assert (out, err) == (
            "",
            f"contract-scan: {FILE}: is a baseline of version 7, written by a later contract-scan; "
            "this one reads version 2: upgrade it, or write the baseline anew\n",
        )


def test_an_incomplete_scan_is_not_passed_off_as_whole(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "create", "-n")
    before = (project / FILE).read_text()
    (project / "src" / "app.py").write_text("x = 1\n")
    status, out, err = said(capsys, "prune", "-n")
    assert (status, out) == (2, f"{FILE}: 1 entry (0 added, 0 dropped)\n")
    assert "not one route was recognised" in err
    assert (project / FILE).read_text() == before


# What may happen to a file without any finding becoming a new one.


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def committed(project: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A repository with a baseline that knows the drift of a type and a missing endpoint."""
    contract = json.loads((project / "openapi.json").read_text())
    contract["paths"]["/more"] = {"get": {"responses": {"200": {"description": "ok"}}}}
    (project / "openapi.json").write_text(json.dumps(contract))
    assert said(capsys, "create", "-q")[0] == 0
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "all")
    assert checked(capsys)[1]["summary"]["known"] == 2
    return project


def test_a_file_that_was_moved_keeps_its_entries(
    committed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (committed / "src" / "web").mkdir()
    git(committed, "mv", "src/app.py", "src/web/shop.py")
    status, report = checked(capsys)
    assert (status, report["findings"], report["summary"]["known"]) == (0, [], 2)
    file = committed / "src" / "web" / "shop.py"
    file.write_text(file.read_text().replace("id: str\n    total", "id: int\n    total"))
    status, report = checked(capsys)
    assert (status, [each["field"] for each in report["findings"]]) == (1, ["id"])
    file.write_text(DRIFT)
    assert said(capsys, "prune") == (0, f"{FILE}: 2 entries (1 added, 1 dropped)\n", "")
    paths = [each["path"] for each in json.loads((committed / FILE).read_text())["findings"]]
    assert paths == ["openapi.json", "src/web/shop.py"]
    assert checked(capsys)[1]["summary"]["known"] == 2


def test_a_contract_that_was_moved_keeps_its_entries(
    committed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (committed / "contracts").mkdir()
    git(committed, "mv", "openapi.json", "contracts/openapi.json")
    status, report = checked(capsys)
    assert (status, report["findings"], report["summary"]["known"]) == (0, [], 2)


def blank_lines(source: str, number: int) -> str:
    return "\n" * number + source.replace("\n\n\nclass", "\n" * (3 + number) + "class")


def indented(source: str, number: int) -> str:
    return re.sub(r"(?m)^    ", " " * (number % 7 + 1), source)


def carriage_returns(source: str, number: int) -> str:
    return source.replace("\n", "\r\n" if number % 2 else "\r")


def neighbour_renamed(source: str, number: int) -> str:
    return source.replace("Item", f"Article{number}").replace("sku", f"code{number}")


def neighbour_added(source: str, number: int) -> str:
    head, mark, rest = source.partition("class Order")
    return f"{head}class Note{number}(BaseModel):\n    text: str\n\n\n{mark}{rest}"


def reworded(source: str, number: int) -> str:
    return re.sub(r"(?m)^( +)total", rf"\1# remark {number}\n\1total", source)


CHANGES = (blank_lines, indented, neighbour_renamed, neighbour_added, reworded, carriage_returns)


@pytest.fixture(scope="module")
def unmoved(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The fingerprints of code that nobody has touched."""
    return fingerprints(write_project(tmp_path_factory.mktemp("unmoved"), DRIFT + ITEMS))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 100)), max_size=4))
def test_findings_stay_known_while_code_moves(
    tmp_path_factory: pytest.TempPathFactory,
    unmoved: set[str],
    changes: list[tuple[Callable[[str, int], str], int]],
) -> None:
    source = DRIFT + ITEMS
    folder = write_project(tmp_path_factory.mktemp("moved"), source)
    for change, number in sorted(changes, key=lambda each: each[0] is carriage_returns):
        source = change(source, number)
    (folder / "src" / "app.py").write_bytes(source.encode())
    assert fingerprints(folder) == unmoved
    assert len(unmoved) == 2


def fingerprints(folder: Path) -> set[str]:
    return {each.fingerprint for each in scan(folder, cache=False).findings}
