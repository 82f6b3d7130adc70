"""What project files say."""

from __future__ import annotations

from pathlib import Path

from contract_scan.parsers.source.csharp.projects import project_of
from contract_scan.parsers.source.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES, load
from contract_scan.parsers.source.link.program import Program
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import Store

ON = "<Project><PropertyGroup><Nullable>enable</Nullable></PropertyGroup></Project>"


def test_what_is_said_above_the_scanned_folder_counts(tmp_path: Path) -> None:
    (tmp_path / "src/Api").mkdir(parents=True)
    (tmp_path / "Directory.Build.props").write_text(ON, encoding="utf-8")
    (tmp_path / "src/Api/Api.csproj").write_text("<Project/>", encoding="utf-8")
    (tmp_path / "src/Api/A.cs").write_text("class A { }", encoding="utf-8")
    language = load("csharp")
    tree = SourceTree(
        tmp_path / "src/Api", SUFFIXES, beyond=["../../Directory.Build.props"], near=2
    )
    reader = SourceReader(tree, {"csharp": language}, Store(None), filter=True)
    program = Program(language, reader)
    found = project_of(program, "A.cs")
    assert (found.folder, found.name, found.nullable) == ("", "Api", True)
