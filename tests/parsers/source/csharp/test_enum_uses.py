"""Enums that are shared models, and that converters of their uses write as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import models

HEAD = """
    using System.Runtime.Serialization;
    using Newtonsoft.Json;
    using Newtonsoft.Json.Converters;
    namespace Diaries;
    public enum Mood { [EnumMember(Value = "glad")] Glad = 0, [EnumMember(Value = "so-so")] SoSo }
"""
CONVERTED = "[JsonConverter(typeof(StringEnumConverter))]"
ITEMS = "[JsonProperty(ItemConverterType = typeof(StringEnumConverter))]"
TEXTS = "'glad'|'so-so'"


@pytest.mark.parametrize(
    ("members", "shown"),
    [
        (f"{CONVERTED} public Mood One {{ get; set; }}", TEXTS),
        (f"{CONVERTED} public Mood? One {{ get; set; }}", TEXTS),
        (f"{ITEMS} public Mood[] All {{ get; set; }}", TEXTS),
        (f"{ITEMS} public Dictionary<string, Mood> All {{ get; set; }}", TEXTS),
        (
            f"{CONVERTED} public Mood One {{ get; set; }} {ITEMS} public List<Mood> All {{ get; }}",
            TEXTS,
        ),
        (f"{CONVERTED} public Mood One {{ get; set; }} public Mood Two {{ get; set; }}", "0|1"),
        (f"{CONVERTED} public Mood One {{ get; set; }} public Mood[] All {{ get; set; }}", "0|1"),
        ("public Mood One { get; set; }", "0|1"),
        ("public int Pages { get; set; }", "0|1"),
    ],
)
def test_an_enum_is_written_as_its_uses_are(tmp_path: Path, members: str, shown: str) -> None:
    source = f"{HEAD} public class Entry {{ {members} }}"
    (found,) = (project := models(tmp_path, source)).code.models(frozenset({"Mood"}))
    assert project.show(found.schema) == shown


def test_uses_in_other_files_count(tmp_path: Path) -> None:
    entry = f"{HEAD} public class Entry {{ {CONVERTED} public Mood One {{ get; set; }} }}"
    other = "namespace Diaries; public class Other { public Mood Plain { get; set; } }"
    (found,) = (project := models(tmp_path, entry, Other=other)).code.models(frozenset({"Mood"}))
    assert project.show(found.schema) == "0|1"
