"""The librarian, by the example of its page and by requests that ask for more than they may."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.cli.main import main
from contract_scan.roles.librarian import Budget, FileRequest, Need, context_pack

PAGE = Path(__file__).parents[2] / "docs" / "roles.md"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    (folder / "services").mkdir(parents=True)
    (folder / "services" / "orders.py").write_text("orders = {}\n")
    lines = "".join(f"# line {number}\n" for number in range(1, 9))
    (folder / "services" / "money.py").write_text(lines)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret\n")
    monkeypatch.chdir(folder)
    return folder


def test_the_example_of_the_page(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    request, answer = re.findall(r"^```json\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    (shop.parent / "file_request.json").write_text(request)
    assert main(["roles", "context-pack", "../file_request.json"]) == 1
    assert capsys.readouterr().out == answer


def pack(shop: Path, *needs: Need, files: int = 9, size: int = 1000) -> dict[str, Any]:
    request = FileRequest("goal", needs, Budget(files, size), "why")
    found = context_pack(request, shop)
    return {
        "files": [(file.path, file.content, file.truncated) for file in found.files],
        "omitted": [(file.path, file.reason) for file in found.omitted],
    }


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../outside.py", "invalid_request"),
        ("services/../../outside.py", "invalid_request"),
        ("/etc/passwd", "invalid_request"),
        ("C:/windows/win.ini", "invalid_request"),
        (r"services\orders.py", "invalid_request"),
        ("", "invalid_request"),
        ("a\0b", "invalid_request"),
        (".git/config", "denied"),
        (".GIT/config", "denied"),
        ("services/node_modules/a.js", "denied"),
        ("services", "denied"),
        ("services/link.py", "denied"),
        ("linked/orders.py", "denied"),
        ("services/pipe", "denied"),
        ("services/image.png", "denied"),
        ("services/large.py", "too_large"),
        ("services/none.py", "not_found"),
        ("services/orders.py/more", "not_found"),
        ("x" * 5000, "not_found"),
    ],
)
def test_what_is_never_handed_out(path: str, reason: str, shop: Path) -> None:
    (shop.parent / "outside.py").write_text("secret\n")
    (shop / "services" / "link.py").symlink_to(shop.parent / "outside.py")
    (shop / "linked").symlink_to(shop / "services")
    os.mkfifo(shop / "services" / "pipe")
    (shop / "services" / "image.png").write_bytes(b"\x89PNG\xff")
    with (shop / "services" / "large.py").open("wb") as file:
        file.truncate(16_000_001)
    assert pack(shop, Need(path)) == {"files": [], "omitted": [(path, reason)]}


def test_the_budget_ends_at_a_whole_line(shop: Path) -> None:
    money, orders = "services/money.py", "services/orders.py"
    assert pack(shop, Need(money), Need(orders), size=20) == {
        "files": [(money, "# line 1\n# line 2\n", True)],
        "omitted": [(orders, "budget_exceeded")],
    }


def test_no_more_files_than_allowed(shop: Path) -> None:
    money, orders = "services/money.py", "services/orders.py"
    assert pack(shop, Need(orders), Need(orders), Need(money), files=1) == {
        "files": [(orders, "orders = {}\n", False)],
        "omitted": [(money, "budget_exceeded")],
    }


@pytest.mark.parametrize(
    ("ranges", "content"),
    [
        (((1, 2),), "# line 1\n# line 2\n"),
        (((7, 99),), "…\n# line 7\n# line 8\n"),
        (((3, 4), (4, 5)), "…\n# line 3\n# line 4\n# line 5\n"),
        (((50, 60),), ""),
    ],
)
def test_snippets(ranges: tuple[tuple[int, int], ...], content: str, shop: Path) -> None:
    need = Need("services/money.py", "snippets", ranges)
    assert pack(shop, need) == {"files": [("services/money.py", content, False)], "omitted": []}


@pytest.mark.parametrize("ranges", [(), ((0, 2),), ((3, 2),)])
def test_snippets_without_lines(ranges: tuple[tuple[int, int], ...], shop: Path) -> None:
    need = Need("services/money.py", "snippets", ranges)
    assert pack(shop, need)["omitted"] == [("services/money.py", "invalid_request")]


@given(
    lines=st.lists(st.text(st.characters(exclude_characters="\r", codec="utf-8"), max_size=8)),
    size=st.integers(0, 60),
)
def test_a_pack_never_exceeds_its_budget(
    lines: list[str], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("shop")
    text = "\n".join(lines)
    (folder / "a.txt").write_bytes(text.encode())
    (folder / "b.txt").write_bytes(text.encode())
    request = FileRequest("", (Need("a.txt"), Need("b.txt")), Budget(2, size))
    found = context_pack(request, folder)
    assert sum(len(file.content.encode()) for file in found.files) <= size
    assert all(text.startswith(file.content) for file in found.files)
    assert {file.path for file in found.files} | {one.path for one in found.omitted} == {
        "a.txt",
        "b.txt",
    }


def asking_for(files: int, size: int) -> str:
    budget = {"max_files": files, "max_total_bytes": size}
    return json.dumps({"goal": "", "needs": [], "budget": budget})


@pytest.mark.parametrize(
    ("request_text", "message"),
    [
        ("[]", "is no request for files: Expected `object`, got `array`"),
        (
            '{"goal": "", "needs": []}',
            "is no request for files: Object missing required field `budget`",
        ),
        (
            json.dumps(
                {"goal": "", "needs": [], "budget": {"max_files": -1, "max_total_bytes": 0}}
            ),
            "`budget.max_files` must be 0 to 10000",
        ),
        (
            json.dumps(
                {"goal": "", "needs": [], "budget": {"max_files": 1, "max_total_bytes": 10**9}}
            ),
            "`budget.max_total_bytes` must be 0 to 100000000",
        ),
    ],
)
def test_a_request_that_cannot_be_read_is_one_line(
    request_text: str, message: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "request.json").write_text(request_text)
    assert main(["roles", "context-pack", "request.json", "--output-file", "pack.json"]) == 2
    assert capsys.readouterr() == ("", f"contract-scan: request.json: {message}\n")
    assert not (shop / "pack.json").exists()
