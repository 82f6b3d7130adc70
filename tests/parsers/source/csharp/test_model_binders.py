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
    { public Task BindModelAsync(ModelBindingContext context) => Read(context.ModelName); }
    public class TenantBinder : IModelBinder
    {
        public Task BindModelAsync(ModelBindingContext context) =>
            Find(context.ValueProvider.GetValue("tenant"));
    }
    [ModelBinder<TenantBinder>] public record Tenant(string Name);
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


def test_a_binder_that_asks_for_no_name_reads_no_parameter_of_that_name(tmp_path: Path) -> None:
    given = "Tenant at, [ModelBinder(typeof(EpochBinder))] int since, int days = 0"
    assert parameters(tmp_path, given) == [
        "query since?: ?`EpochBinder` binds it?",
        "query days?=: integer(int32)",
        "…",
    ]


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


TEXTS = """
    namespace App;
    using System.ComponentModel;
    using System.Runtime.Serialization;
    public readonly record struct Hash(string Value)
    {
        public static bool TryParse(string text, out Hash hash)
        {
            hash = new Hash(text);
            return text.Length == 64;
        }
    }
    public readonly record struct Ticks(long Value)
    {
        public static bool TryParse(string text, out Ticks ticks)
        {
            var told = long.TryParse(text, out var number);
            ticks = new Ticks(number);
            return told;
        }
    }
    public readonly record struct Range(int From, int To)
    {
        public static bool TryParse(string text, out Range range)
        {
            var parts = text.Split('-');
            range = new Range(int.Parse(parts[0]), int.Parse(parts[1]));
            return true;
        }
    }
    public class SecondsBinder : IModelBinder
    {
        public Task BindModelAsync(ModelBindingContext context)
        {
            var text = context.ValueProvider.GetValue(context.ModelName).FirstValue;
            context.Result = ModelBindingResult.Success(Convert.ToInt64(text));
            return Task.CompletedTask;
        }
    }
    public class HashBinder : IModelBinder
    {
        public Task BindModelAsync(ModelBindingContext context)
        {
            var text = context.ValueProvider.GetValue(context.ModelName).FirstValue;
            if (Hash.TryParse(text, out var hash))
                context.Result = ModelBindingResult.Success(hash);
            return Task.CompletedTask;
        }
    }
    public class WholeBinder : IModelBinder
    {
        public async Task BindModelAsync(ModelBindingContext context)
        {
            var text = context.ValueProvider.GetValue(context.ModelName).FirstValue;
            context.Result = ModelBindingResult.Success(JsonSerializer.Deserialize<Range>(text));
        }
    }
    public class MemberConverter<T> : EnumConverter
    {
        public MemberConverter(Type type) : base(type) { }
        public override object ConvertFrom(ITypeDescriptorContext c, CultureInfo i, object value)
        {
            foreach (var field in typeof(T).GetFields())
                if (Attribute.GetCustomAttribute(field, typeof(EnumMemberAttribute))
                        is EnumMemberAttribute one && one.Value == (string)value)
                    return field.GetValue(null);
            return base.ConvertFrom(c, i, value);
        }
    }
    [TypeConverter(typeof(MemberConverter<Span>))]
    public enum Span { [EnumMember(Value = "1D")] Day, [EnumMember(Value = "1W")] Week }
"""


@pytest.mark.parametrize(
    ("given", "shape"),
    [
        ("[FromQuery] Hash at = default", "string"),
        ("[FromQuery] Ticks at = default", "integer(int64)"),
        ("[FromQuery, ModelBinder(typeof(SecondsBinder))] DateTime at = default", "integer(int64)"),
        ("[FromQuery, ModelBinder(typeof(HashBinder))] Hash at = default", "string"),
        ("[FromQuery] Span at = default", "'1D'|'Day'|'1W'|'Week'"),
        ("[FromQuery] Range at = default", "?`Range.TryParse` binds it?"),
        (
            "[FromQuery, ModelBinder(typeof(WholeBinder))] Range at = default",
            "?`WholeBinder` binds it?",
        ),
    ],
)
def test_the_parser_that_a_binder_hands_the_text_to_tells_what_it_reads(
    tmp_path: Path, given: str, shape: str
) -> None:
    (shown,) = [one for one in parameters(tmp_path, given, Texts=TEXTS) if "at" in one]
    assert shown == f"query at?=: {shape}"


def test_a_provider_binds_with_the_binder_that_it_makes(tmp_path: Path) -> None:
    provider = """
        namespace App;
        public class HashProvider : IModelBinderProvider
        {
            public IModelBinder? GetBinder(ModelBinderProviderContext context) =>
                context.Metadata.ModelType == typeof(Hash)
                    ? new BinderTypeModelBinder(typeof(HashBinder)) : null;
        }
    """
    start = "services.AddControllers(o => o.ModelBinderProviders.Insert(0, new HashProvider()));"
    shown = parameters(
        tmp_path, "[FromQuery] Hash at = default", Texts=TEXTS, P=provider, Start=start
    )
    assert "query at?=: string" in shown
