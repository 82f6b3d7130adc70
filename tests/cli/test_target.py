from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.cli.target import Target, prefix, repository, target
from contract_scan.errors import UsageError


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for folder in ("work/orders", "work/catalog", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("work/orders/app.py", "work/catalog/app.py", "elsewhere/x.py"):
        (tmp_path / file).touch()
    return tmp_path / "work"


def test_no_path_is_the_working_directory(here: Path) -> None:
    assert target((), here) == Target(here)
    assert target((".",), here) == Target(here)


def test_one_folder_is_scanned_whole(here: Path) -> None:
    assert target(("orders",), here) == Target(here / "orders")
    assert target((str(here / "orders"),), here) == Target(here / "orders")
    assert target(("../elsewhere",), here) == Target(here.parent / "elsewhere")


def test_several_paths_or_a_file_limit_the_report(here: Path) -> None:
    assert target(("orders/app.py",), here) == Target(here, (here / "orders/app.py",))
    assert target(("orders", "catalog/app.py"), here) == Target(
        here, (here / "orders", here / "catalog/app.py")
    )


def test_paths_outside_the_working_directory_share_their_folder(here: Path) -> None:
    assert target(("orders/app.py", "../elsewhere/x.py"), here) == Target(
        here.parent, (here / "orders/app.py", here.parent / "elsewhere/x.py")
    )
    assert target(("../elsewhere/x.py",), here) == Target(
        here.parent / "elsewhere", (here.parent / "elsewhere/x.py",)
    )


def test_the_whole_folder_among_other_paths_is_no_limit(here: Path) -> None:
    assert target((".", "orders"), here) == Target(here)


def test_a_path_that_does_not_exist_is_an_error(here: Path) -> None:
    with pytest.raises(UsageError, match=r"^orderz: no such file or folder$"):
        target(("orders", "orderz"), here)


def test_shown_paths_lead_there_from_the_working_directory(here: Path) -> None:
    assert prefix(here, here) == ""
    assert prefix(here / "orders", here) == "orders/"
    assert prefix(here.parent, here) == f"{here.parent}/"


def test_the_repository_is_the_nearest_folder_with_git(here: Path) -> None:
    (here / ".git").mkdir()
    assert repository(here / "orders") == here
    (here / "orders" / ".git").write_text("gitdir: elsewhere")
    assert repository(here / "orders") == here / "orders"
