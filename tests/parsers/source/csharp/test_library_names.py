"""Whether a name that no source declares means the type of a library that is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import Project

BARE = '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>'
IMPLICIT = (
    '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup>'
    "<ImplicitUsings>enable</ImplicitUsings></PropertyGroup></Project>"
)
IMPORTING = (
    '<Project Sdk="Microsoft.NET.Sdk.Web"><Import Project="../shared/Build.targets" /></Project>'
)
LOG_LEVEL = "0|1|2|3|4|5|6"
UNKNOWN = "?type `{}` comes from a library?"


def level(folder: Path, usings: str, type: str, project: str = BARE, **others: str) -> str:
    files = {"App.csproj": project}
    files["Models.cs"] = f"""
        {usings}
        namespace App {{ public class View {{ public {type} Level {{ get; set; }} }} }}
    """
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files).shape("View").removeprefix("{level: ").removesuffix("}")


@pytest.mark.parametrize(
    ("usings", "type"),
    [
        ("using Microsoft.Extensions.Logging;", "LogLevel"),
        ("using Acme.Journal; using Microsoft.Extensions.Logging;", "LogLevel"),
        ("using Acme.Journal;", "Microsoft.Extensions.Logging.LogLevel"),
        ("using Acme.Journal;", "global::Microsoft.Extensions.Logging.LogLevel"),
        # Nothing that is imported can hold it: a project file that is not seen imports it.
        ("using System.Linq;", "LogLevel"),
    ],
)
def test_the_framework_s_type(tmp_path: Path, usings: str, type: str) -> None:
    assert level(tmp_path, usings, type) == LOG_LEVEL


@pytest.mark.parametrize(
    ("usings", "type"),
    [
        ("using Acme.Journal;", "LogLevel"),
        ("using Acme.Journal;", "Acme.Journal.LogLevel"),
        ("", "Acme.Journal.LogLevel"),
        ("using System; using Acme.Rules;", "Severity"),
        ("using Acme.Time;", "Instant"),
        ("using Acme.Health;", "HealthStatus"),
    ],
)
def test_a_package_s_type(tmp_path: Path, usings: str, type: str) -> None:
    assert level(tmp_path, usings, type) == UNKNOWN.format(type)


def test_what_implicit_usings_import_is_visible(tmp_path: Path) -> None:
    assert level(tmp_path, "using Acme.Journal;", "LogLevel", IMPLICIT) == LOG_LEVEL


def test_a_project_that_imports_further_files_may_have_implicit_usings(tmp_path: Path) -> None:
    assert level(tmp_path, "using Acme.Journal;", "LogLevel", IMPORTING) == LOG_LEVEL


def test_a_global_using_makes_a_namespace_visible(tmp_path: Path) -> None:
    usings = "global using Microsoft.Extensions.Logging;"
    assert level(tmp_path, "using Acme.Journal;", "LogLevel", Usings=usings) == LOG_LEVEL


def test_a_namespace_of_the_sources_holds_what_the_sources_declare(tmp_path: Path) -> None:
    own = "namespace App.Shared { public class Other { } }"
    assert level(tmp_path, "using App.Shared;", "LogLevel", Other=own) == LOG_LEVEL
