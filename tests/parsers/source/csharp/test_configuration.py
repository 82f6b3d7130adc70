"""Settings files of .NET applications."""

from __future__ import annotations

from pathlib import Path

from contract_scan.parsers.source.csharp.resolution.configuration import (
    configuration,
    read_settings,
)
from tests.parsers.source.csharp.project import CSPROJ, Project


def test_keys_are_paths_in_lower_case() -> None:
    assert read_settings(b'{"A": {"B": "x", "C": ["y", 1]}, "D": true}') == {
        "a:b": "x",
        "a:c:0": "y",
    }


def test_comments_and_last_commas_are_passed_over() -> None:
    text = b'\xef\xbb\xbf{ // one\n "a": "x//y", /* two */ "b": "q\\"",\n}\n'
    assert read_settings(text) == {"a": "x//y", "b": 'q"'}


def test_settings_of_functions_stand_below_values() -> None:
    assert read_settings(b'{"Values": {"Queues__Orders": "orders"}}') == {"queues:orders": "orders"}


def test_broken_files_say_nothing() -> None:
    assert read_settings(b'{"a": ') == {}
    assert read_settings(b"[" * 100_000) == {}
    assert read_settings(b'{"a": "never closed') == {}


def test_each_project_has_settings_of_its_own(tmp_path: Path) -> None:
    files = {
        "One/One.csproj": CSPROJ,
        "One/appsettings.json": '{"a": "one"}',
        "One/appsettings.Development.json": '{"a": "development"}',
        "One/A.cs": "class A { }",
        "Two/Two.csproj": CSPROJ,
        "Two/appsettings.json": '{"a": "two"}',
        "Lib/Lib.csproj": CSPROJ,
        "Lib/B.cs": "class B { }",
    }
    program = Project(tmp_path, files).program
    assert dict(configuration(program, "One/A.cs")) == {"a": "one"}
    assert dict(configuration(program, "Lib/B.cs")) == {}


def test_a_library_takes_the_only_settings(tmp_path: Path) -> None:
    files = {
        "One/One.csproj": CSPROJ,
        "One/appsettings.json": '{"a": "one"}',
        "Lib/Lib.csproj": CSPROJ,
        "Lib/B.cs": "class B { }",
    }
    assert dict(configuration(Project(tmp_path, files).program, "Lib/B.cs")) == {"a": "one"}
