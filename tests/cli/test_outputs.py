from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from contract_scan.cli.outputs import Output, parse_outputs, write
from contract_scan.errors import UsageError
from contract_scan.reports.formats import FORMATS


def test_full_on_standard_output_where_nothing_is_said() -> None:
    assert parse_outputs([], None) == (Output("full"),)


def test_one_scan_feeds_several_reports(tmp_path: Path) -> None:
    file = tmp_path / "out.sarif"
    assert parse_outputs([f"sarif={file}", "concise"], None) == (
        Output("sarif", file),
        Output("concise"),
    )


def test_the_output_file_is_for_the_report_without_one() -> None:
    assert parse_outputs(["json"], "out.json") == (Output("json", Path("out.json")),)
    assert parse_outputs([], "out.txt") == (Output("full", Path("out.txt")),)
    assert parse_outputs(["json", "sarif=b"], "a") == (
        Output("json", Path("a")),
        Output("sarif", Path("b")),
    )


@pytest.mark.parametrize(
    ("formats", "file", "complaint"),
    [
        (["jsn"], None, "unknown output format `jsn`; did you mean `json`?"),
        (
            ["zz"],
            None,
            f"unknown output format `zz`; known are {', '.join(FORMATS)}",
        ),
        (["json="], None, "`json=` names no file"),
        (
            ["full", "json"],
            None,
            "`full` and `json` cannot both go to standard output; write `json=FILE`",
        ),
        (
            ["json=a", "sarif=b"],
            "c",
            "--output-file needs exactly one --output-format without a file",
        ),
        (["json=a", "sarif=a"], None, "a: two reports cannot go to one file"),
        (["json=no/a"], None, "no/a: the folder to write to does not exist"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    formats: list[str], file: str | None, complaint: str
) -> None:
    with pytest.raises(UsageError) as raised:
        parse_outputs(formats, file)
    assert str(raised.value) == complaint


def test_a_file_is_replaced_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text("old")
    file.chmod(0o640)
    write(["new ", "tëxt \udcff"], file)
    assert file.read_bytes() == b"new t\xc3\xabxt \\udcff"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["report.json"]


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write(["x"], tmp_path / "report")
    modes = {(tmp_path / name).stat().st_mode for name in ("usual", "report")}
    assert len(modes) == 1


def test_a_report_that_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[str]:
        yield "half"
        raise RuntimeError

    file = tmp_path / "report.json"
    file.write_text("old")
    with pytest.raises(RuntimeError):
        write(pieces(), file)
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.json"]


@pytest.mark.parametrize("to", ["../outside/new", ".git/config", ".git/new"])
@pytest.mark.parametrize("is_repository", [True, False], ids=["repository", "folder"])
def test_no_link_leads_an_output_out_of_the_repository(
    to: str, is_repository: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").mkdir()
    project = tmp_path / "project"
    (project / "reports").mkdir(parents=True)
    if is_repository:
        (project / ".git").mkdir()
        to = to.replace("../", "../../")
    elif to.startswith(".git"):
        to = f"../outside/{to}"
    monkeypatch.chdir(project / "reports" if is_repository else project)
    (project / "report.json").symlink_to(tmp_path / "outside")
    link = Path.cwd() / "report.txt"
    link.symlink_to(to)
    (Path.cwd() / "inside.txt").symlink_to("written.txt")
    for named in (Path("report.txt"), link, project / "report.json" / "new"):
        with pytest.raises(UsageError, match="is led out of the repository by a link"):
            write(["text"], named)
    assert [*(tmp_path / "outside").iterdir()] == []
    write(["text"], Path("inside.txt"))
    assert Path("written.txt").read_text() == "text"
    write(["text"], tmp_path / "outside" / "named.txt")


def test_what_is_no_regular_file_is_written_to_as_it_is() -> None:
    write(["gone"], Path(os.devnull))
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write(["x"], tmp_path)
