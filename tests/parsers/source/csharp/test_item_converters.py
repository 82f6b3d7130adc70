"""`ItemConverterType` of Newtonsoft.Json: a converter writes what stands in a list or map."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

NEWTONSOFT = CSPROJ.replace(
    "</Project>",
    '<ItemGroup><PackageReference Include="Microsoft.AspNetCore.Mvc.NewtonsoftJson" /></ItemGroup>'
    "</Project>",
)
HEAD = """
    using Newtonsoft.Json;
    using Newtonsoft.Json.Converters;
    namespace App;
    public enum Mode { Heat, Cool }
"""
TEXT = "ItemConverterType = typeof(StringEnumConverter)"


def shape(
    folder: Path, source: str, *, project: str = NEWTONSOFT, startup: str = "AddNewtonsoftJson"
) -> str:
    found = Project(
        folder,
        {
            "App.csproj": project,
            "Startup.cs": f"services.AddControllers().{startup}();",
            "Models.cs": HEAD + source,
            "C.cs": """
                using Microsoft.AspNetCore.Mvc;
                namespace App;
                [ApiController, Route("x")] public class XController : ControllerBase
                { [HttpGet] public ActionResult<Room> Get() => Ok(new Room()); }
            """,
        },
    )
    return found.responses("GET /x")[0].removeprefix("200 ")


@pytest.mark.parametrize(
    ("type", "shown"),
    [
        ("List<Mode>", "['Heat'|'Cool']"),
        ("Mode[]", "['Heat'|'Cool']"),
        ("IReadOnlyList<Mode?>", "['Heat'|'Cool'|null]"),
        ("Dictionary<string, Mode>", "{…: 'Heat'|'Cool'}"),
        ("Modes", "['Heat'|'Cool']"),
    ],
)
def test_items_and_values_are_texts(tmp_path: Path, type: str, shown: str) -> None:
    source = f"""
        public class Modes : List<Mode> {{ }}
        public class Room
        {{ [JsonProperty({TEXT})] public {type} Allowed {{ get; set; }} = null!; }}
    """
    assert shape(tmp_path, source) == f"{{allowed: {shown}}}"


def test_beside_a_name_and_beside_a_list_without_a_converter(tmp_path: Path) -> None:
    source = f"""
        public class Room
        {{
            [JsonProperty("byFloor", {TEXT})] public Mode[] Floors {{ get; set; }} = null!;
            public Mode[] Plain {{ get; set; }} = null!;
            public Mode One {{ get; set; }}
        }}
    """
    assert shape(tmp_path, source) == "{byFloor: ['Heat'|'Cool'], plain: [0|1], one: 0|1}"


def test_parameters_of_the_converter_count(tmp_path: Path) -> None:
    source = f"""
        public class Room
        {{
            [JsonProperty({TEXT}, ItemConverterParameters = new object[] {{ true }})]
            public Mode[] Allowed {{ get; set; }} = null!;
        }}
    """
    assert shape(tmp_path, source) == "{allowed: ['heat'|'cool']}"


def test_on_a_class_it_counts_for_its_members_or_its_items(tmp_path: Path) -> None:
    source = f"""
        [JsonArray({TEXT})] public class Modes : List<Mode> {{ }}
        [JsonObject({TEXT})] public class Inner {{ public Mode One {{ get; set; }} }}
        public class Room
        {{
            public Modes All {{ get; set; }} = null!;
            public Inner Inner {{ get; set; }} = null!;
            public Mode Plain {{ get; set; }}
        }}
    """
    shown = "{all: ['Heat'|'Cool'], inner: {one: 'Heat'|'Cool'}, plain: 0|1}"
    assert shape(tmp_path, source) == shown


def test_a_converter_that_is_not_read_makes_the_items_undetermined(tmp_path: Path) -> None:
    source = """
        public class Room
        {
            [JsonProperty(ItemConverterType = typeof(Acme.Odd))]
            public Mode[] Allowed { get; set; } = null!;
        }
    """
    assert shape(tmp_path, source) == "{allowed: [?`Odd` writes it?]}"


def test_system_text_json_does_not_know_it(tmp_path: Path) -> None:
    source = f"""
        public class Room
        {{ [JsonProperty({TEXT})] public Mode[] Allowed {{ get; set; }} = null!; }}
    """
    shown = shape(tmp_path, source, project=CSPROJ, startup="AddJsonOptions")
    assert shown == "{allowed: [0|1]}"
