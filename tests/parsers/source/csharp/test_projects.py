"""What project files say."""

from __future__ import annotations

from pathlib import Path

from contract_scan.parsers.source.analysis.session import Session
from contract_scan.parsers.source.csharp.resolution.projects import Project, project_of
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES, load
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import Store

ON = "<Project><PropertyGroup><Nullable>enable</Nullable></PropertyGroup></Project>"


def test_what_is_said_above_the_scanned_folder_counts(tmp_path: Path) -> None:
    (tmp_path / "src/Api").mkdir(parents=True)
    (tmp_path / "Directory.Build.props").write_text(ON, encoding="utf-8")
    (tmp_path / "src/Api/Api.csproj").write_text("<Project/>", encoding="utf-8")
    (tmp_path / "src/Api/A.cs").write_text("class A { }", encoding="utf-8")
    found = _project(tmp_path / "src/Api", ["../../Directory.Build.props"], "A.cs")
    assert (found.folder, found.name, found.nullable) == ("", "Api", True)


def test_a_folder_of_a_project_is_compiled_with_it(tmp_path: Path) -> None:
    (tmp_path / "Api/Models/Old").mkdir(parents=True)
    (tmp_path / "Api/Api.csproj").write_text(ON, encoding="utf-8")
    (tmp_path / "Api/Models/Old/A.cs").write_text("class A { }", encoding="utf-8")
    for folder, path, above in (
        ("Api/Models", "Old/A.cs", ".."),
        ("Api/Models/Old", "A.cs", "../.."),
    ):
        found = _project(tmp_path / folder, [f"{above}/Api.csproj"], path)
        assert (found.folder, found.name, found.nullable) == (above, "Api", True)


def _project(scanned: Path, beyond: list[str], path: str) -> Project:
    language = load("csharp")
    tree = SourceTree(scanned, SUFFIXES, beyond=beyond, near=2)
    reader = SourceReader(tree, {"csharp": language}, Store(None), filter=True)
    return project_of(Session(language, reader), path)
