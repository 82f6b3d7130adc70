"""Binders that decide what a parameter looks like, whatever its type is declared as."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import CSPROJ, Project

HEAD = """
    using Microsoft.AspNetCore.Mvc;
    using Microsoft.AspNetCore.Mvc.ModelBinding;
    namespace App;
    public class EpochBinder : IModelBinder
    { public Task BindModelAsync(ModelBindingContext context) => Task.CompletedTask; }
    public class EpochAttribute : ModelBinderAttribute
    { public EpochAttribute() : base(typeof(EpochBinder)) { } }
    [ModelBinder(typeof(EpochBinder))] public record Moment(long Seconds);
    [System.ComponentModel.TypeConverter(typeof(PointConverter))] public record Point(int X, int Y);
    public readonly record struct Key(int Number)
    { public static bool TryParse(string text, out Key key) { key = default; return true; } }
    public class Filter
    {
        [ModelBinder(typeof(EpochBinder))] public DateTimeOffset? Since { get; set; }
        public int? Days { get; set; }
    }
"""


def parameters(folder: Path, given: str, **others: str) -> list[str]:
    files = {
        "App.csproj": CSPROJ,
        "C.cs": f"""{HEAD}
            [ApiController, Route("x")] public class XController : ControllerBase
            {{ [HttpGet("{{id?}}")] public int Get({given}) => 1; }}
        """,
    }
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files).parameters("GET /x")


@pytest.mark.parametrize(
    ("given", "by"),
    [
        ("[FromQuery, ModelBinder(typeof(EpochBinder))] DateTimeOffset? at = null", "EpochBinder"),
        ("[ModelBinder(BinderType = typeof(EpochBinder))] int? at = null", "EpochBinder"),
        ("[ModelBinder<EpochBinder>] DateTimeOffset? at = null", "EpochBinder"),
        ("[Epoch] DateTimeOffset? at = null", "Epoch"),
        ("[FromQuery] Moment? at = null", "EpochBinder"),
        ("[FromQuery] Point? at = null", "PointConverter"),
        ("[FromQuery] Key? at = null", "Key.TryParse"),
    ],
)
def test_the_declared_type_says_nothing_of_the_request(tmp_path: Path, given: str, by: str) -> None:
    (shown,) = [one for one in parameters(tmp_path, given) if "at" in one]
    assert f"?`{by}` binds it?" in shown


@pytest.mark.parametrize(
    ("given", "shape"),
    [
        ("[FromQuery] DateTimeOffset? at = null", "string(date-time)|null"),
        ('[FromQuery, ModelBinder(Name = "at")] int? when = null', "integer(int32)|null"),
    ],
)
def test_without_a_binder_it_does(tmp_path: Path, given: str, shape: str) -> None:
    (shown,) = [one for one in parameters(tmp_path, given) if "at" in one]
    assert shape in shown


def test_one_member_of_a_filter_has_a_binder(tmp_path: Path) -> None:
    shown = parameters(tmp_path, "[FromQuery] Filter filter")
    assert [one for one in shown if "since" in one or "days" in one] == [
        "query since?: ?`EpochBinder` binds it?",
        "query days?: integer(int32)|null",
    ]


def test_a_provider_that_is_registered_binds_the_types_that_it_names(tmp_path: Path) -> None:
    provider = """
        namespace App;
        public class MoneyProvider : IModelBinderProvider
        {
            public IModelBinder? GetBinder(ModelBinderProviderContext context) =>
                context.Metadata.ModelType == typeof(decimal) ? new MoneyBinder() : null;
        }
    """
    start = "services.AddControllers(o => o.ModelBinderProviders.Insert(0, new MoneyProvider()));"
    given = "[FromQuery] decimal price = 0, [FromQuery] double weight = 0"
    registered = parameters(tmp_path / "with", given, P=provider, Start=start)
    assert "query price?=: ?`MoneyProvider` binds it?" in registered
    assert "query weight?=: number(double)" in registered
    assert "query price?=: number" in parameters(tmp_path / "without", given, P=provider)
