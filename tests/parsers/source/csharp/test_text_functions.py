"""What extension methods of the project make of a constant text: `name.ToKebabCase()`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

SOURCE = """
using System.Text.RegularExpressions;
namespace App;
public static class Texts {
  public static string Written(this string value) {
    BODY
  }
}
public static class Start {
  public static void Map(WebApplication app) => app.MapGet("/" + "BigOrders".Written(), () => 1);
}
"""
DYNAMIC = "GET /{computed} ?its path is not constant"


@pytest.mark.parametrize(
    ("body", "route"),
    [
        ('return Regex.Replace(value, "([a-z])([A-Z])", "$1-$2").ToLower();', "GET /big-orders"),
        (
            "if (string.IsNullOrEmpty(value)) return value;"
            ' return Regex.Replace(value, "(?<!^)(?=[A-Z])", "-", RegexOptions.Compiled).Trim();',
            "GET /Big-Orders",
        ),
        ('return value + "s";', "GET /BigOrderss"),
        ('return Regex.Replace(value, "big", "", RegexOptions.IgnoreCase);', DYNAMIC),
        ('return Regex.Replace(value, "([A-Z]+)+", "");', DYNAMIC),
        ('return Regex.Replace(value, "(?<first>B)", "${first}");', DYNAMIC),
        ("value = value.ToLower(); return value;", "GET /bigorders"),
        ('var made = ""; foreach (var c in value) made += c; return made;', DYNAMIC),
        ('var made = value; if (Settings.Short) made = "x"; return made;', DYNAMIC),
        ("try { return Settings.Find(value); } catch { return value; }", DYNAMIC),
        ('return Settings.Short ? "orders" : value;', DYNAMIC),
        ('if (Settings.Short) return "orders"; return value;', DYNAMIC),
    ],
)
def test_a_constant_text_that_a_function_changes(tmp_path: Path, body: str, route: str) -> None:
    files = {"App.csproj": CSPROJ, "Start.cs": SOURCE.replace("BODY", body)}
    assert Project(tmp_path, files).routes() == [route]
