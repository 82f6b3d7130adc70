"""Whether what stands in lists, arrays and maps may be null."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

OBLIVIOUS = "<Project><PropertyGroup></PropertyGroup></Project>"


def shape(folder: Path, type: str, variant: str, project: str = CSPROJ) -> str:
    source = f"""namespace App; public record Line(int Size);
        public class Labels {{ public {type} Texts {{ get; set; }} }}"""
    found = Project(folder, {"App.csproj": project, "Models.cs": source})
    return found.shape("Labels", variant)


@pytest.mark.parametrize("project", [CSPROJ, OBLIVIOUS])
@pytest.mark.parametrize(
    ("type", "shown"),
    [
        ("Dictionary<string, string>", "{…: string|null}"),
        ("List<string>", "[string|null]"),
        ("string[]", "[string|null]"),
        ("List<Line>", "[{size?: integer(int32)}|null]"),
        ("List<int>", "[integer(int32)]"),
        ("Dictionary<string, int?>", "{…: integer(int32)|null}"),
        ("List<DateTime>", "[string(date-time)]"),
    ],
)
def test_what_is_read_takes_null_for_references(
    tmp_path: Path, project: str, type: str, shown: str
) -> None:
    found = shape(tmp_path, type, "read:mvc", project)
    # What allows no null and begins as nothing is asked for by model validation.
    mark = "!" if project == CSPROJ else "?"
    assert found.removesuffix("}").removesuffix("|null") == f"{{texts{mark}: {shown}"


@pytest.mark.parametrize(
    ("project", "type", "shown"),
    [
        (CSPROJ, "Dictionary<string, string>", "{…: string}"),
        (CSPROJ, "List<string?>", "[string|null]"),
        (OBLIVIOUS, "Dictionary<string, string>", "{…: string~}~"),
        (OBLIVIOUS, "string[]", "[string~]~"),
        (OBLIVIOUS, "List<int>", "[integer(int32)]~"),
    ],
)
def test_what_is_sent_is_as_the_compiler_checks(
    tmp_path: Path, project: str, type: str, shown: str
) -> None:
    assert shape(tmp_path, type, "mvc", project) == f"{{texts: {shown}}}"
