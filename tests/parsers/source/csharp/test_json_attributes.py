"""Attributes that both JSON libraries have, and polymorphism."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.facts.nodes import NamedType
from tests.parsers.source.csharp.project import CSPROJ, Project, models

NEWTONSOFT = '<PackageReference Include="Microsoft.AspNetCore.Mvc.NewtonsoftJson" Version="8" />'
STARTUP = "services.AddControllers().AddNewtonsoftJson();"


@pytest.mark.parametrize(
    ("project_file", "variant", "shown"),
    [
        ("", "mvc", "{b: integer(int32), f: integer(int32), k: 0, d: integer(int32)}"),
        (NEWTONSOFT, "mvc", "{a: integer(int32), e: integer(int32), k: 'Old', c: integer(int32)}"),
        # Which library writes is not known: an attribute of either may count.
        ("", "", "{k: 'Old'}"),
    ],
)
def test_attributes_of_the_other_library_say_nothing(
    tmp_path: Path, project_file: str, variant: str, shown: str
) -> None:
    """Both libraries have a `[JsonIgnore]` and a `[JsonConverter]`."""
    files = {
        "App.csproj": CSPROJ.replace("</Project>", f"{project_file}</Project>"),
        "Startup.cs": STARTUP if project_file else "",
        "Line.cs": """
            using System.Text.Json.Serialization;
            public partial class Line
            {
                [JsonIgnore] public int A { get; set; }
                [Newtonsoft.Json.JsonIgnore] public int B { get; set; }
            }
        """,
        "Line.More.cs": """
            using Newtonsoft.Json;
            using STJ = System.Text.Json.Serialization;
            public partial class Line
            {
                [STJ.JsonIgnore] public int C { get; set; }
                [JsonIgnore] public int D { get; set; }
            }
        """,
        "Line.Last.cs": """
            using Newtonsoft.Json;
            using System.Text.Json.Serialization;
            using JsonIgnoreAttribute = System.Text.Json.Serialization.JsonIgnoreAttribute;
            public partial class Line
            {
                [JsonIgnore] public int E { get; set; }
                [Newtonsoft.Json.JsonIgnoreAttribute] public int F { get; set; }
                public Kind K { get; set; }
            }
        """,
        "Kind.cs": """
            using Newtonsoft.Json;
            using Newtonsoft.Json.Converters;
            [JsonConverter(typeof(StringEnumConverter))] public enum Kind { Old }
        """,
    }
    project = Project(tmp_path, files)
    scope = project.program.module_scope(project.program.facts("Line.cs"))
    found = project.program.schema(NamedType(name="Line"), scope, variant)
    assert project.show(found) == shown


def test_derived_types_that_are_told_apart_themselves(tmp_path: Path) -> None:
    """Only what the declared type lists counts: not the list of a type in it."""
    project = models(
        tmp_path,
        """
        [JsonDerivedType(typeof(Base), "base")]
        [JsonDerivedType(typeof(Mid), "mid")]
        [JsonDerivedType(typeof(Low), 3)]
        [JsonDerivedType(typeof(Bare))]
        public class Base { public int A { get; set; } }
        [JsonDerivedType(typeof(Low), "low")]
        public class Mid : Base { public int B { get; set; } }
        public class Low : Mid { public int C { get; set; } }
        public class Bare : Base { public int D { get; set; } }
        """,
    )
    assert project.shape("Base") == (
        "{$type!: 'base', a: integer(int32)} or "
        "{$type!: 'mid', b: integer(int32), a: integer(int32)} or "
        "{$type!: 3, c: integer(int32), b: integer(int32), a: integer(int32)} or "
        "{d: integer(int32), a: integer(int32)}"
    )
    assert project.shape("Bare") == "{d: integer(int32), a: integer(int32)}"


def test_derived_types_that_are_listed_elsewhere(tmp_path: Path) -> None:
    source = "[JsonPolymorphic] public class Base { public int A { get; set; } }"
    project = models(tmp_path, source)
    assert project.shape("Base") == "?which types derive from `Base` is told elsewhere?"
