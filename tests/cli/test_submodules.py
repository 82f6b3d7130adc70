"""Code in submodules is a part of the program around them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contract_scan.cli.main import main
from contract_scan.cli.output_replay import question, replay_output
from tests.cli.test_changed import CONTRACT, git, items, orders, told
from tests.cli.test_check import checked

ORDERS = ("type", "libs/shop/orders.py", "[].id")
ITEMS = ("type", "libs/shop/goods/items.py", "[].sku")
APP = """\
from fastapi import FastAPI

from libs.shop import orders
from libs.shop.goods import items

app = FastAPI()
app.include_router(items.router)
app.include_router(orders.router)
"""
ALLOWED = ("-c", "protocol.file.allow=always")


def repository(folder: Path, files: dict[str, str]) -> Path:
    git(folder.parent, "init", "--quiet", "--initial-branch=main", str(folder))
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    git(folder, "commit", "--quiet", "--all", "--message=Next")


def add(folder: Path, inner: Path, name: str) -> None:
    git(folder, *ALLOWED, "submodule", "--quiet", "add", f"file://{inner}", name)
    git(folder, *ALLOWED, "submodule", "--quiet", "update", "--init", "--recursive")
    commit(folder)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A contract that is kept by code in a submodule, and in a submodule of that."""
    goods = repository(tmp_path / "goods", {"items.py": items()})
    shop = repository(tmp_path / "shop", {"orders.py": orders()})
    add(shop, goods, "goods")
    around = repository(tmp_path / "around", {"openapi.yaml": CONTRACT, "app.py": APP})
    add(around, shop, "libs/shop")
    monkeypatch.chdir(around)
    return around


def drift(project: Path) -> None:
    (project / "libs/shop/orders.py").write_text(orders("int"), encoding="utf-8")
    (project / "libs/shop/goods/items.py").write_text(items("int"), encoding="utf-8")


def test_code_in_submodules_is_read(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, report = checked(capsys)
    assert (status, report["findings"], report["undetermined"], report["not_analysed"]) == (
        0, [], [], []
    )  # fmt: skip
    drift(project)
    assert told(capsys) == [ITEMS, ORDERS]


def test_files_that_no_repository_tracks_yet_are_read(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = project / "libs/shop"
    (shop / ".gitignore").write_text("old.py\n", encoding="utf-8")
    (shop / "old.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys) == []
    git(shop, "mv", "orders.py", "sales.py")
    (shop / "sales.py").write_text(orders("int"), encoding="utf-8")
    git(shop, "rm", "--quiet", "--cached", "-f", "sales.py")
    text = APP.replace("shop import orders", "shop import sales as orders")
    (project / "app.py").write_text(text, encoding="utf-8")
    assert told(capsys) == [("type", "libs/shop/sales.py", "[].id")]


def test_what_changes_in_submodules_is_a_change(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "libs/shop/goods/items.py").write_text(items("int"), encoding="utf-8")
    commit(project / "libs/shop/goods")
    commit(project / "libs/shop")
    commit(project)
    assert told(capsys, "--changed") == []
    assert told(capsys, "--changed=HEAD~1") == [ITEMS]
    (project / "libs/shop/orders.py").write_text(orders("int"), encoding="utf-8")
    assert told(capsys, "--changed") == [ORDERS]
    assert told(capsys, "--changed=HEAD~1") == [ITEMS, ORDERS]


def test_a_commit_changes_what_lies_between_two_commits_of_a_submodule(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "libs/shop/goods/items.py").write_text(items("int"), encoding="utf-8")
    (project / "libs/shop/orders.py").write_text(orders("int"), encoding="utf-8")
    git(project / "libs/shop", "commit", "--quiet", "--message=Next", "orders.py")
    assert told(capsys, "--staged") == []
    git(project, "add", "libs/shop")
    assert told(capsys, "--staged") == [ORDERS]


def test_where_it_is_not_known_what_a_submodule_was_all_of_it_is_changed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drift(project)
    assert told(capsys, "--changed=HEAD~1") == [ITEMS, ORDERS]


def test_a_hook_of_the_repository_around_them_sees_submodules_as_they_are(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drift(project)
    monkeypatch.setenv("GIT_INDEX_FILE", str(project / ".git/index"))
    monkeypatch.setenv("GIT_DIR", str(project / ".git"))
    assert told(capsys) == [ITEMS, ORDERS]
    assert told(capsys, "--changed") == [ITEMS, ORDERS]


def test_a_submodule_that_is_not_checked_out_is_named_and_nothing_fails_for_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "app.py").write_text(orders(), encoding="utf-8")
    (project / "libs/items.py").write_text(items(), encoding="utf-8")
    git(project, "submodule", "--quiet", "deinit", "--force", "--all")
    status, report = checked(capsys)
    assert (status, report["findings"]) == (0, [])
    assert report["not_analysed"] == [
        {
            "path": "libs/shop",
            "line": 0,
            "reason": "is a submodule that is not checked out (`git submodule update --init`)",
            "partly": False,
            "code": "submodule-not-checked-out",
        }
    ]
    (project / "contract-scan.toml").write_text('exclude = ["libs/shop"]\n', encoding="utf-8")
    assert checked(capsys)[1]["not_analysed"] == []


@pytest.mark.parametrize("marker", ["gitdir: nowhere\n", None], ids=["leads nowhere", "is gone"])
def test_a_submodule_that_git_cannot_list_is_read_all_the_same(
    project: Path, marker: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    drift(project)
    (project / "libs/shop/.git").unlink()
    if marker is not None:
        (project / "libs/shop/.git").write_text(marker, encoding="utf-8")
    assert told(capsys) == [ITEMS, ORDERS]
    assert said_again(capsys) is None


def test_a_repository_inside_that_is_no_submodule_is_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repository(project / "clone", {"more.py": orders("int")})
    assert main(["check"]) == 0
    capsys.readouterr()
    status, report = checked(capsys)
    assert (status, report["findings"]) == (0, [])
    (named,) = report["not_analysed"]
    assert (named["path"], named["code"]) == ("clone", "repository-of-its-own")
    (project / ".gitignore").write_text("clone\n", encoding="utf-8")
    assert checked(capsys)[1]["not_analysed"] == []


def said_again(capsys: pytest.CaptureFixture[str]) -> str | None:
    """What is said again; None where nothing is."""
    capsys.readouterr()
    asked = question(["check"])
    said = None if asked is None else replay_output(asked)
    return None if said is None else capsys.readouterr().out


def test_what_was_said_is_said_again_while_submodules_are_as_they_were(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in project.rglob("*.py"):
        os.utime(path, (1_700_000_000, 1_700_000_000))
    assert main(["check"]) == 0
    assert said_again(capsys)
    (project / "libs/shop/goods/more.py").touch()
    assert not said_again(capsys)
    assert main(["check"]) == 0
    assert said_again(capsys)
    drift(project)
    assert not said_again(capsys)
    assert main(["check"]) == 1
    assert said_again(capsys)


def test_a_submodule_that_comes_or_goes_is_noticed(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check"]) == 0
    git(project, "submodule", "--quiet", "deinit", "--force", "--all")
    assert not said_again(capsys)
    assert main(["check"]) == 2, "nothing is left that could be verified"
    assert "libs/shop: is a submodule that is not checked out" in (said_again(capsys) or "")
    git(project, *ALLOWED, "submodule", "--quiet", "update", "--init", "--recursive")
    assert not said_again(capsys)
    assert main(["check"]) == 0
    assert "submodule" not in (said_again(capsys) or "submodule")
