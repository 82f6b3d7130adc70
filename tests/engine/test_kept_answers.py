"""A report is given again while all that it rests on is as it was, and only then."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from contract_scan.api import scan
from contract_scan.config import Config, Service
from contract_scan.scanners.report import Report
from tests.caches import entries, rest

PROJECTS = Path(__file__).parents[2] / "fixtures" / "projects"
CODE = (".cs", ".java", ".py", ".ts")


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two services of the bookshop after a first scan."""
    project = tmp_path_factory.mktemp("kept") / "project"
    others = shutil.ignore_patterns("admin", "catalog", "gateway")
    shutil.copytree(PROJECTS / "bookshop", project, ignore=others)
    _make_old(project)
    scan(project)
    return project


@pytest.fixture
def project(scanned: Path, tmp_path: Path) -> Path:
    """A copy of it, which has no cache yet."""
    copy = Path(shutil.copytree(scanned, tmp_path / "project"))
    rest()
    return copy


class Looking:
    """A progress that only counts whether code was looked into."""

    def __init__(self) -> None:
        self.looked = False

    def __call__(self, what: str, done: int, total: int) -> None:
        self.looked = True


def scanned_again(project: Path) -> tuple[bytes, bool]:
    """The report, and whether code was looked into for it."""
    looking = Looking()
    return encoded(scan(project, progress=looking)), looking.looked


def encoded(report: Report) -> bytes:
    return msgspec.json.encode(report)


def test_the_answer_of_another_folder_is_not_given(project: Path) -> None:
    assert scanned_again(project)[1]
    assert not scanned_again(project)[1]


@pytest.fixture
def kept(project: Path) -> Path:
    """A project of which the report is kept."""
    scan(project)
    return project


def _append(text: str) -> Callable[[Path], None]:
    def edit(file: Path) -> None:
        with file.open("a", encoding="utf-8") as opened:
            opened.write(text)

    return edit


ORDERS = "services/orders/orders/api/orders.py"


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        (ORDERS, _append("\n\n# the end\n")),
        (ORDERS, Path.touch),
        ("README.md", _append("\nMore words.\n")),
    ],
    ids=["a comment at the end", "touched", "a text that is no contract"],
)
def test_what_changes_nothing_needs_no_second_look(
    kept: Path, name: str, edit: Callable[[Path], None]
) -> None:
    before = encoded(scan(kept))
    edit(kept / name)
    report, looked = scanned_again(kept)
    assert (report, looked) == (before, False)


def _move_down(file: Path) -> None:
    file.write_text("\n" + file.read_text(encoding="utf-8"), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        (ORDERS, _move_down),
        (ORDERS, _append("# contract-scan: ignore[CONTRACT-001] not yet\n")),
        (ORDERS, _append('\n\n@router.get("/late")\ndef late() -> None: ...\n')),
        ("services/orders/orders/api/late.py", _append("import orders\n")),
        (ORDERS, Path.unlink),
        ("services/orders/openapi.yaml", _append("# a comment\n")),
        ("contracts/models/late.schema.json", _append('{"title": "Late", "type": "object"}')),
    ],
    ids=[
        "moved lines",
        "an exception",
        "a route",
        "a new file",
        "a file that is gone",
        "a contract",
        "a new contract",
    ],
)
def test_what_may_change_something_is_looked_at(
    kept: Path, name: str, edit: Callable[[Path], None]
) -> None:
    (kept / name).parent.mkdir(exist_ok=True)
    edit(kept / name)
    report, looked = scanned_again(kept)
    assert looked
    assert report == encoded(scan(kept, cache=False))


def test_what_is_asked_is_part_of_the_question(kept: Path) -> None:
    for options in (
        {"select": {"CONTRACT-002"}},
        {"exclude": ["services/orders/**"]},
        {"config": Config(services=(Service(name="all", sources=(kept,)),))},
        {"contracts": [kept / "services/orders/openapi.yaml"]},
    ):
        assert encoded(scan(kept, **options)) == encoded(scan(kept, cache=False, **options))


def test_no_edit_of_any_file_is_missed(tmp_path: Path) -> None:
    """Renames one word after the other in a file of every service, and compares with a scan that
    keeps nothing."""
    bookshop = Path(shutil.copytree(PROJECTS / "bookshop", tmp_path / "bookshop"))
    _make_old(bookshop)
    rest()
    scan(bookshop)
    files = sorted(path for path in bookshop.rglob("*") if path.suffix in CODE)
    services = {file.relative_to(bookshop).parts[1]: file for file in files[::31]}
    assert services.keys() == {"admin", "catalog", "gateway", "orders", "payments"}
    for file in services.values():
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("id", "ident"), encoding="utf-8")
        assert scanned_again(bookshop)[0] == encoded(scan(bookshop, cache=False)), file
        file.write_text(text, encoding="utf-8")


def _make_old(project: Path) -> None:
    """Files changed in the last seconds are read again in any case."""
    for path in project.rglob("*"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


def test_a_file_that_was_written_again_is_known_by_its_new_time_from_then_on(kept: Path) -> None:
    file = kept / ORDERS
    content, before = file.read_bytes(), encoded(scan(kept))
    file.write_bytes(content)
    rest()
    packs = entries(kept, "pack")
    assert scanned_again(kept) == (before, False)
    renewed = entries(kept, "pack")
    assert renewed != packs
    assert scanned_again(kept) == (before, False)
    assert entries(kept, "pack") == renewed  # no file was looked at: there is nothing to note


@pytest.mark.parametrize("settled", [True, False], ids=["later", "at once"])
def test_another_text_of_the_same_size_and_time_is_seen(kept: Path, settled: bool) -> None:
    file = kept / ORDERS
    before, state = encoded(scan(kept)), file.stat()
    if settled:
        rest()
    file.write_bytes(file.read_bytes().replace(b'/cancel"', b'/cancer"'))
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)
    assert scanned_again(kept)[0] == encoded(scan(kept, cache=False)) != before


@pytest.mark.parametrize("text", ["\n", "\n\n \t\n", "\r\n"], ids=repr)
def test_blank_lines_at_the_end_of_files_change_no_report(project: Path, text: str) -> None:
    """What lets the command say again what it said, where nothing else has changed."""
    before = encoded(scan(project, cache=False))
    for file in (path for path in project.rglob("*") if path.suffix in CODE):
        if file.stat().st_size:  # an empty file ends with no line
            _append(text)(file)
    assert encoded(scan(project, cache=False)) == before


def test_an_edit_of_a_file_in_a_language_that_is_not_read_is_seen(kept: Path) -> None:
    """Where something is missing, such files are searched for its path."""
    contract = kept / "services/orders/openapi.yaml"
    text = contract.read_text(encoding="utf-8")
    late = "paths:\n  /late/news:\n    get: {responses: {'204': {description: none}}}\n"
    contract.write_text(text.replace("paths:\n", late, 1), encoding="utf-8")
    service = kept / "services/late/main.rs"
    service.parent.mkdir()
    service.write_text('route("/late/olds", get(news))\n', encoding="utf-8")
    _make_old(kept)
    rest()
    before = encoded(scan(kept))
    assert b"in Rust" not in before
    assert scanned_again(kept) == (before, False)
    service.write_text('route("/late/news", get(news))\n', encoding="utf-8")
    after, looked = scanned_again(kept)
    assert looked
    assert b"services/late/main.rs:1, in Rust" in after
    assert after == encoded(scan(kept, cache=False))
