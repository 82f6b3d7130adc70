"""Names on the wire as start-up code, helpers and options set them."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.schema import Object
from contract_scan.parsers.source.csharp.serialization.naming import NamingPolicy, wire_name
from contract_scan.parsers.source.csharp.serialization.settings.record import READING
from contract_scan.parsers.source.facts.nodes import NamedType
from tests.parsers.source.csharp.project import CSPROJ, Project

MODEL = """
    namespace App;
    public enum Kind { FirstOne, Second }
    public class OrderLine
    {
        public int LineId { get; set; }
        public Kind Kind { get; set; }
        public string? Note { get; set; }
    }
"""


@pytest.mark.parametrize(
    ("name", "policy", "expected"),
    [
        ("OrderId", "camel", "orderId"),
        ("ID", "camel", "id"),
        ("URLValue", "camel", "urlValue"),
        ("IPAddress", "camel", "ipAddress"),
        ("already", "camel", "already"),
        ("X", "camel", "x"),
        ("OrderId", "snake", "order_id"),
        ("URLValue", "snake", "url_value"),
        ("Item1", "snake", "item1"),
        ("SHA256Hash", "snake", "sha256_hash"),
        ("Street_Name", "snake", "street_name"),
        ("OrderId", "upper-snake", "ORDER_ID"),
        ("OrderId", "kebab", "order-id"),
        ("OrderId", "upper-kebab", "ORDER-ID"),
        ("OrderId", "", "OrderId"),
    ],
)
def test_naming_policies(name: str, policy: NamingPolicy, expected: str) -> None:
    assert wire_name(name, policy) == expected


def shape(folder: Path, program: str, variant: str = "", **others: str) -> str:
    files = {"App.csproj": CSPROJ, "Models.cs": MODEL, "Program.cs": program}
    files |= {f"{name}.cs": text for name, text in others.items()}
    return Project(folder, files).shape("OrderLine", variant)


CAMEL = "{lineId: integer(int32), kind: 0|1, note: string|null}"
SNAKE = "{line_id: integer(int32), kind: 0|1, note: string|null}"
PASCAL = "{LineId: integer(int32), Kind: 0|1, Note: string|null}"


def test_controllers_and_minimal_apis_have_switches_of_their_own(tmp_path: Path) -> None:
    program = """
        var builder = WebApplication.CreateBuilder(args);
        builder.Services.AddControllers().AddJsonOptions(o =>
            o.JsonSerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower);
        builder.Services.ConfigureHttpJsonOptions(o =>
            o.SerializerOptions.PropertyNamingPolicy = null);
    """
    assert shape(tmp_path / "a", program, "mvc@") == SNAKE
    assert shape(tmp_path / "b", program, "http@") == PASCAL
    assert shape(tmp_path / "c", "var b = WebApplication.CreateBuilder(args);", "mvc@") == CAMEL


def test_everything_that_changes_what_is_written(tmp_path: Path) -> None:
    program = """
        builder.Services.AddControllers().AddJsonOptions(o =>
        {
            var json = o.JsonSerializerOptions;
            o.JsonSerializerOptions.DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull;
            o.JsonSerializerOptions.Converters.Add(
                new JsonStringEnumConverter(JsonNamingPolicy.SnakeCaseUpper));
        });
    """
    assert shape(tmp_path, program, "mvc@") == (
        "{lineId: integer(int32), kind: 'FIRST_ONE'|'SECOND', note?: string}"
    )


def test_helpers_that_are_handed_the_options(tmp_path: Path) -> None:
    helper = """
        namespace App;
        public static class Json
        {
            public static void Apply(JsonSerializerOptions options) => options.UseSnake();
            public static void UseSnake(this JsonSerializerOptions options)
            { options.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower; }
        }
    """
    program = """
        using App;
        services.AddMvc().AddJsonOptions(o => Json.Apply(o.JsonSerializerOptions));
    """
    assert shape(tmp_path, program, "mvc@", Json=helper) == SNAKE


def test_helpers_that_register_the_options(tmp_path: Path) -> None:
    helper = """
        namespace App;
        public static class Setup
        {
            public static IServiceCollection AddApi(this IServiceCollection services)
            {
                services.Configure<Microsoft.AspNetCore.Http.Json.JsonOptions>(Configure);
                return services;
            }
            static void Configure(JsonOptions o)
            { o.SerializerOptions.PropertyNamingPolicy = new SnakeCaseNamingPolicy(); }
        }
    """
    assert shape(tmp_path, "builder.Services.AddApi();", "http@", Setup=helper) == SNAKE


def test_a_policy_of_the_projects_own_is_undetermined(tmp_path: Path) -> None:
    program = """
        services.AddMvc().AddJsonOptions(o =>
            o.JsonSerializerOptions.PropertyNamingPolicy = new ShoutingPolicy());
    """
    expected = "?the naming policy of the serializer is undetermined?"
    assert shape(tmp_path, program, "mvc@") == expected


@pytest.mark.parametrize(
    "start",
    [
        "services.AddControllers().AddJsonSerializer().AddMessagePackSerializer();",
        "services.AddMvc().AddMvcOptions(o => {}).AddJsonSerializer();",
        "services.AddControllers().AddNewtonsoftJson().AddJsonSerializer();",
        "var mvc = services.AddControllersWithViews(); mvc.AddJsonSerializer();",
        "public class Setup { void Add(IMvcBuilder b) { b.AddJsonSerializer(); } }",
    ],
)
def test_extensions_of_libraries_that_configure_controllers(tmp_path: Path, start: str) -> None:
    expected = "?what `AddJsonSerializer` of a library sets is undetermined?"
    assert shape(tmp_path, start, "mvc@") == expected


@pytest.mark.parametrize(
    "start",
    [
        "services.AddControllers().AddMvcOptions(o => {}).AddXmlSerializerFormatters();",
        "services.AddControllers().AddFluentValidation().Services.AddJsonSerializer();",
        "services.AddSignalR().AddJsonSerializer();",
    ],
)
def test_extensions_that_leave_the_serializer_of_controllers_alone(
    tmp_path: Path, start: str
) -> None:
    assert shape(tmp_path, start, "mvc@") == CAMEL


def test_extensions_of_the_project_that_configure_controllers(tmp_path: Path) -> None:
    helper = """
        namespace App;
        public static class Setup
        {
            public static IMvcBuilder AddJsonSerializer(this IMvcBuilder builder)
            {
                return builder.AddJsonOptions(o =>
                    o.JsonSerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower);
            }
        }
    """
    program = "services.AddControllers().AddJsonSerializer();"
    assert shape(tmp_path / "own", program, "mvc@", Setup=helper) == SNAKE
    beyond = "services.AddControllers().AddJsonSerializer().AddNames();"
    assert shape(tmp_path / "beyond", beyond, "mvc@", Setup=helper) == (
        "?what `AddNames` of a library sets is undetermined?"
    )


@pytest.mark.parametrize(
    ("handed", "expected"),
    [
        ("Front.RegisterConverters(options);", "?what `RegisterConverters` of a library sets"),
        ("JsonSerializer.Serialize(1, options);", "{line_id: "),
    ],
)
def test_options_that_a_method_of_the_project_hands_to_a_library(
    tmp_path: Path, handed: str, expected: str
) -> None:
    helper = f"""
        public class Setup
        {{
            public void Apply(JsonSerializerOptions options)
            {{
                options.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower;
                {handed}
            }}
        }}
    """
    program = """
        services.AddControllers().AddJsonOptions(o => new Setup().Apply(o.JsonSerializerOptions));
    """
    assert shape(tmp_path, program, "mvc@", Setup=helper).startswith(expected)


def test_converters_that_a_method_of_a_library_registers(tmp_path: Path) -> None:
    program = """
        services.AddControllers().AddNewtonsoftJson(o =>
        {
            o.SerializerSettings.NullValueHandling = NullValueHandling.Ignore;
            NBitcoin.JsonConverters.Serializer.RegisterFrontConverters(o.SerializerSettings);
        });
        public class Transfer
        {
            public DateTimeOffset SeenAt { get; set; }
            public Money Amount { get; set; }
            public uint256 TransactionId { get; set; }
            public Guid Id { get; set; }
        }
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": program})
    assert found.shape("Transfer", "mvc@") == (
        "{seenAt: integer, amount: integer, transactionId: string, id: string(uuid)}"
    )


@pytest.mark.parametrize(
    ("converter", "written"),
    [
        ("UnixDateTimeConverter", "integer"),
        ("IsoDateTimeConverter", "string(date-time)"),
        ("OddDateTimeConverter", "?`OddDateTimeConverter` writes it?"),
        ("TicksDateTimeConverter", "integer(int64)"),
    ],
)
def test_converters_of_times(tmp_path: Path, converter: str, written: str) -> None:
    program = f"""
        using Newtonsoft.Json;
        using Newtonsoft.Json.Converters;
        services.AddControllers().AddNewtonsoftJson(o =>
            o.SerializerSettings.Converters.Add(new {converter}()));
        public class TicksDateTimeConverter : DateTimeConverterBase
        {{
            public override void WriteJson(JsonWriter writer, object value, JsonSerializer s) =>
                writer.WriteValue(((DateTime)value).Ticks);
        }}
        public class Stamp
        {{ public DateTimeOffset At {{ get; set; }} public Guid Id {{ get; set; }} }}
    """
    found = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": program})
    assert found.shape("Stamp", "mvc@") == f"{{at: {written}, id: string(uuid)}}"


def test_classes_that_configure_options(tmp_path: Path) -> None:
    setup = """
        using Microsoft.AspNetCore.Mvc;
        namespace App;
        public class JsonSetup : IConfigureOptions<JsonOptions>
        {
            public void Configure(JsonOptions options)
            {
                options.JsonSerializerOptions.PropertyNamingPolicy = new SnakeCaseNamingPolicy();
            }
        }
    """
    program = """
        services.AddControllers();
        services.ConfigureOptions<JsonSetup>();
    """
    assert shape(tmp_path, program, "mvc@", Setup=setup) == SNAKE
    assert shape(tmp_path / "http", program, "http@", Setup=setup) == CAMEL


def test_options_that_are_copied_from_others(tmp_path: Path) -> None:
    helper = """
        namespace App;
        public static class Defaults
        {
            private static readonly JsonSerializerOptions _base = new()
            { Converters = { new JsonStringEnumConverter() } };
            private static readonly JsonSerializerOptions _snake = new(_base)
            { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };
            public static JsonSerializerOptions Snake => _snake;
        }
    """
    program = """
        using App;
        services.AddMvc().AddJsonOptions(o =>
        {
            var other = Defaults.Snake;
            o.JsonSerializerOptions.PropertyNamingPolicy = other.PropertyNamingPolicy;
            foreach (var converter in other.Converters)
            { o.JsonSerializerOptions.Converters.Add(converter); }
        });
    """
    assert shape(tmp_path, program, "mvc@", Defaults=helper) == (
        "{line_id: integer(int32), kind: 'FirstOne'|'Second', note: string|null}"
    )


def test_newtonsoft(tmp_path: Path) -> None:
    model = """
        namespace App;
        public enum Kind { [EnumMember(Value = "first")] FirstOne, Second }
        public class OrderLine
        {
            [JsonProperty("id", Required = Required.Always)] public int LineId { get; set; }
            [JsonPropertyName("ignored")] public Kind Kind { get; set; }
            [JsonProperty(NullValueHandling = NullValueHandling.Ignore)]
            public string? Note { get; set; }
            public int Field;
            public bool Sometimes { get; set; }
            public bool ShouldSerializeSometimes() => true;
        }
    """
    program = """
        services.AddControllers().AddNewtonsoftJson(o =>
        {
            o.SerializerSettings.ContractResolver = new DefaultContractResolver
            { NamingStrategy = new SnakeCaseNamingStrategy() };
            o.SerializerSettings.Converters.Add(new StringEnumConverter());
        });
    """
    files = {"App.csproj": CSPROJ, "Models.cs": model, "Program.cs": program}
    assert Project(tmp_path / "on", files).shape("OrderLine", "mvc@") == (
        "{id!: integer(int32), kind: 'first'|'Second', note?: string, "
        "field: integer(int32), sometimes?: boolean}"
    )
    bare = files | {"Program.cs": "services.AddControllers().AddNewtonsoftJson();"}
    assert Project(tmp_path / "bare", bare).shape("OrderLine", "mvc@") == (
        "{id!: integer(int32), kind: 0|1, note?: string, field: integer(int32), "
        "sometimes?: boolean}"
    )


def test_newtonsoft_types_that_opt_in(tmp_path: Path) -> None:
    files = {
        "App.csproj": CSPROJ,
        "Program.cs": "services.AddControllers().AddNewtonsoftJson();",
        "A.cs": """
            [DataContract] public class OrderLine
            {
                [DataMember(Name = "line")] public int LineId { get; set; }
                public int Other { get; set; }
            }
            [JsonObject(NamingStrategyType = typeof(SnakeCaseNamingStrategy))]
            public class Own { public int LineId { get; set; } }
        """,
    }
    project = Project(tmp_path, files)
    assert project.shape("OrderLine", "mvc@") == "{line: integer(int32)}"
    assert project.shape("OrderLine", "") == "{line: integer(int32)}"
    # System.Text.Json has never heard of it.
    assert project.shape("OrderLine", "http@") == (
        "{lineId: integer(int32), other: integer(int32)}"
    )
    assert project.shape("Own", "mvc@") == "{line_id: integer(int32)}"


def test_converters_of_the_project(tmp_path: Path) -> None:
    program = """
        services.AddMvc().AddJsonOptions(o =>
        {
            o.JsonSerializerOptions.Converters.Add(new IdConverter());
            o.JsonSerializerOptions.Converters.Add(new MoneyConverter());
            o.JsonSerializerOptions.Converters.Add(new JsonStringEnumConverter<Kind>());
        });
        public record Id(int Value);
        public record Money(int Cents);
        public enum Kind { A }
        public enum Other { A }
        public class IdConverter : JsonConverter<Id>
        {
            public override void Write(Utf8JsonWriter w, Id value, JsonSerializerOptions options)
            { w.WriteStringValue(value.ToString()); }
        }
        public class MoneyConverter : JsonConverter<Money>
        {
            public override void Write(Utf8JsonWriter w, Money value, JsonSerializerOptions options)
            { w.WriteStartObject(); w.WriteEndObject(); }
        }
        public record Holder(Id Id, Money Money, Kind Kind, Other Other);
    """
    project = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": program})
    assert project.shape("Holder", "mvc@") == ("{id: string, money: {}, kind: 'A', other: 0}")


SERVICES = {
    "a/A.csproj": CSPROJ,
    "a/Program.cs": """
        var builder = WebApplication.CreateBuilder(args);
        builder.Services.ConfigureHttpJsonOptions(o =>
            o.SerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower);
    """,
    "b/B.csproj": CSPROJ,
    "b/Program.cs": "var builder = WebApplication.CreateBuilder(args);",
    "lib/Lib.csproj": CSPROJ,
    "lib/Models.cs": MODEL,
}


def test_every_application_has_settings_of_its_own(tmp_path: Path) -> None:
    project = Project(tmp_path, SERVICES)
    assert project.shape("OrderLine", "http@a") == SNAKE
    assert project.shape("OrderLine", "http@b") == CAMEL


def test_a_shared_helper_counts_for_the_applications_that_call_it(tmp_path: Path) -> None:
    shared = """
        public static class Shared
        {
            public static void AddShared(this IServiceCollection services) =>
                services.ConfigureHttpJsonOptions(o =>
                    o.SerializerOptions.PropertyNamingPolicy = null);
        }
    """
    program = "var builder = WebApplication.CreateBuilder(args);\nbuilder.Services.AddShared();"
    files = SERVICES | {"lib/Shared.cs": shared, "c/C.csproj": CSPROJ, "c/Program.cs": program}
    project = Project(tmp_path, files)
    assert project.shape("OrderLine", "http@c") == PASCAL
    assert project.shape("OrderLine", "http@b") == CAMEL


def test_places_that_disagree_leave_the_naming_open(tmp_path: Path) -> None:
    program = """
        services.ConfigureHttpJsonOptions(o =>
            o.SerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower);
        services.ConfigureHttpJsonOptions(o => o.SerializerOptions.PropertyNamingPolicy = null);
    """
    assert shape(tmp_path, program, "http@") == "?Program.cs set different naming policies?"


def test_places_that_disagree_say_nothing_of_members_that_attributes_name(tmp_path: Path) -> None:
    program = """
        services.ConfigureHttpJsonOptions(o =>
            o.SerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower);
        services.ConfigureHttpJsonOptions(o => o.SerializerOptions.PropertyNamingPolicy = null);
        public class Named { [JsonPropertyName("lineId")] public int LineId { get; set; } }
        public class Other
        {
            [JsonPropertyName("lineId")] public int LineId { get; set; }
            public string Note { get; set; }
        }
    """
    project = Project(tmp_path, {"App.csproj": CSPROJ, "Program.cs": program})
    assert project.shape("Named", "http@") == "{lineId: integer(int32)}"
    assert project.shape("Other", "http@") == "?Program.cs set different naming policies?"


def test_types_that_nothing_sends_take_what_the_project_agrees_on(tmp_path: Path) -> None:
    options = """
        public static class Json
        {
            static JsonSerializerOptions Base() => new JsonSerializerOptions
            { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };
            public static JsonSerializerOptions Full()
            {
                var options = Base();
                options.Converters.Add(new JsonStringEnumConverter());
                return options;
            }
            static string Pretty(object o) =>
                JsonSerializer.Serialize(o, new JsonSerializerOptions { WriteIndented = true });
        }
    """
    assert shape(tmp_path / "one", "", Json=options) == (
        "{line_id: integer(int32), kind: 'FirstOne'|'Second', note: string|null}"
    )
    assert shape(tmp_path / "none", "") == CAMEL


def test_options_of_serializers_that_are_generated(tmp_path: Path) -> None:
    context = """
        [JsonSourceGenerationOptions(JsonSerializerDefaults.Web, UseStringEnumConverter = true,
            DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
        [JsonSerializable(typeof(App.OrderLine))]
        public partial class OrderContext : JsonSerializerContext { }
    """
    options = """
        public static class Json
        {
            public static JsonSerializerOptions Options { get; } = Create();
            static JsonSerializerOptions Create()
            {
                JsonSerializerOptions options = new(OrderContext.Default.Options);
                options.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower;
                return options;
            }
        }
    """
    texts = "kind: 'FirstOne'|'Second', note?: string}"
    assert shape(tmp_path / "alone", "", Context=context) == f"{{lineId: integer(int32), {texts}"
    copied = shape(tmp_path / "copied", "", Context=context, Json=options)
    assert copied == f"{{line_id: integer(int32), {texts}"


def test_options_that_are_made_lazily(tmp_path: Path) -> None:
    options = """
        public static class Json
        {
            static readonly Lazy<JsonSerializerOptions> made = new(() =>
            {
                var options = new JsonSerializerOptions();
                options.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower;
                return options;
            });
        }
    """
    assert shape(tmp_path, "", Json=options) == SNAKE


def test_how_a_library_without_a_serializer_writes_enums_is_undetermined(tmp_path: Path) -> None:
    library = CSPROJ.replace("Microsoft.NET.Sdk.Web", "Microsoft.NET.Sdk")
    files = {"Lib.csproj": library, "Models.cs": MODEL}
    assert Project(tmp_path / "alone", files).shape("OrderLine") == (
        "{lineId: integer(int32), kind: ?nothing is seen that writes the enum?, note: string|null}"
    )
    user = {"Writer.cs": "using System.Text.Json; class Writer { }"}
    assert Project(tmp_path / "written", files | user).shape("OrderLine") == CAMEL


def test_options_that_another_project_copies_count_for_the_one_that_has_them(
    tmp_path: Path,
) -> None:
    made = """
        public static class Json
        {
            public static JsonSerializerOptions Options = new JsonSerializerOptions
            { PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower };
        }
    """
    copy = """
        public static class Other
        {
            static JsonSerializerOptions Own = new JsonSerializerOptions(Json.Options)
            { PropertyNamingPolicy = JsonNamingPolicy.KebabCaseLower };
        }
    """
    files = {
        "lib/Lib.csproj": CSPROJ,
        "lib/Model.cs": MODEL,
        "lib/Json.cs": made,
        "tool/Tool.csproj": CSPROJ,
        "tool/Other.cs": copy,
    }
    assert Project(tmp_path, files).shape("OrderLine") == SNAKE


@pytest.mark.parametrize(
    ("program", "variant", "any_case"),
    [
        ("", "read:mvc@", True),
        ("", "mvc@", False),
        ("", "read:worker@", True),
        ("", "read:masstransit", True),
        ("", "read:newtonsoft@", True),
        ("", "read:bare", False),
        ("", "read:bare@web", True),
        (
            "s.AddControllers().AddJsonOptions(o => o.JsonSerializerOptions"
            ".PropertyNameCaseInsensitive = false);",
            "read:mvc@",
            False,
        ),
        ("s.AddControllers().AddNewtonsoftJson();", "read:mvc@", True),
    ],
)
def test_what_is_read_in_any_case(
    tmp_path: Path, program: str, variant: str, any_case: bool
) -> None:
    files = {"App.csproj": CSPROJ, "Models.cs": MODEL, "Program.cs": program}
    project = Project(tmp_path, files)
    scope = project.program.module_scope(project.program.facts("Models.cs"))
    named = project.program.schema(NamedType(name="OrderLine"), scope, variant)
    found = project.program.types.flat(named)
    assert isinstance(found, Object)
    assert found.case_insensitive is any_case


def test_options_that_mass_transit_is_given(tmp_path: Path) -> None:
    program = """
        services.AddMassTransit(x => x.UsingInMemory((context, cfg) =>
            cfg.ConfigureJsonSerializerOptions(options =>
            {
                options.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower;
                return options;
            })));
    """
    expected = "{line_id: integer(int32), kind: 0|1, note: string|null}"
    assert shape(tmp_path, program, "masstransit") == expected


@pytest.mark.parametrize(
    ("version", "program", "written", "read"),
    [
        ("8.2.0", "", "{net: string, count: integer(int32)}", "{net?: string or number, count?: "),
        (
            "7.3.1",
            "",
            "{net?: string, count?: integer(int32)}",
            "{net?: string or number, count?: ",
        ),
        (
            "8.2.0",
            "cfg.UseNewtonsoftJsonSerializer();",
            "{net?: string, count?: integer(int32)}",
            "{net?: string or number, count?: ",
        ),
        (
            "8.2.0",
            "cfg.UseXmlSerializer();",
            "?messages are not written as JSON?",
            "?messages are not written as JSON?",
        ),
    ],
)
def test_mass_transit_writes_decimals_as_text(
    tmp_path: Path, version: str, program: str, written: str, read: str
) -> None:
    reference = f'<PackageReference Include="MassTransit.RabbitMQ" Version="{version}" />'
    files = {
        "App.csproj": CSPROJ.replace("</Project>", f"{reference}</Project>"),
        "Program.cs": program,
        "Price.cs": "public record Price(decimal Net, int Count);",
    }
    found = Project(tmp_path, files)
    assert found.shape("Price", "masstransit") == written
    assert found.shape("Price", "read:masstransit").startswith(read)


def test_newtonsoft_replaces_what_controllers_are_told_otherwise(tmp_path: Path) -> None:
    program = """
        services.AddControllers().AddJsonOptions(x =>
            x.JsonSerializerOptions.PropertyNamingPolicy = JsonNamingPolicy.SnakeCaseLower);
        services.AddControllers().AddNewtonsoftJson(o =>
            o.SerializerSettings.NullValueHandling = NullValueHandling.Ignore);
    """
    expected = "{lineId: integer(int32), kind: 0|1, note?: string}"
    assert shape(tmp_path, program, "mvc") == expected


@pytest.mark.parametrize(
    ("project_file", "variant", "name"),
    [
        ("", "mvc", "sku"),
        ("", "http", "sku"),
        ("", "", "s"),
        ("<TargetFramework>netcoreapp2.2</TargetFramework>", "mvc", "s"),
        ("<TargetFramework>netcoreapp2.2</TargetFramework>", "http", "sku"),
        (
            '<PackageReference Include="Microsoft.AspNetCore.Mvc.NewtonsoftJson" Version="8" />',
            "mvc",
            "s",
        ),
    ],
)
def test_names_by_newtonsoft_count_where_it_may_write(
    tmp_path: Path, project_file: str, variant: str, name: str
) -> None:
    files = {
        "App.csproj": CSPROJ.replace("</Project>", f"{project_file}</Project>"),
        "Line.cs": """
            public class Line { [JsonProperty("s")] public string Sku { get; set; } = ""; }
        """,
    }
    assert Project(tmp_path, files).shape("Line", variant) == f"{{{name}: string}}"


@pytest.mark.parametrize(
    ("options", "mvc", "http"),
    [("JsonSerializerOptions", PASCAL, CAMEL), ("SerializerOptions", CAMEL, PASCAL)],
)
def test_options_are_known_by_what_they_call_their_options(
    tmp_path: Path, options: str, mvc: str, http: str
) -> None:
    program = f"""
        builder.Services.Configure<JsonOptions>(o =>
            o.{options}.PropertyNamingPolicy = null);
    """
    assert shape(tmp_path / "mvc", program, "mvc@") == mvc
    assert shape(tmp_path / "http", program, "http@") == http


@pytest.mark.parametrize(
    ("variant", "program", "note"),
    [
        ("mvc@", "", "string"),
        (
            "mvc@",
            "options.SuppressModelStateInvalidFilter = true;",
            "string~",
        ),
        ("http@", "", "string~"),
        ("http@", "options.RespectNullableAnnotations = true;", "string"),
    ],
)
def test_who_refuses_null_in_what_is_read(
    tmp_path: Path, variant: str, program: str, note: str
) -> None:
    """Model validation does, and so does the serializer where it is told to."""
    source = 'namespace App; public class Sent { public string Note { get; set; } = ""; }'
    files = {"App.csproj": CSPROJ, "Sent.cs": source, "Program.cs": program}
    assert Project(tmp_path, files).shape("Sent", READING + variant) == f"{{note?: {note}}}"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("return name.ToLowerInvariant();", "lineid"),
        ("return name;", "LineId"),
        ("=> JsonNamingPolicy.KebabCaseLower.ConvertName(name);", "line-id"),
        ("=> new SnakeCaseNamingStrategy().GetPropertyName(name, false);", "line_id"),
        ("=> name.Underscore();", "line_id"),
        ("=> name.ToWords();", "line_id"),
        ("=> Texts.Parted(name);", "line-id"),
        (
            'return string.Concat(name.Select((c, i) => i > 0 && char.IsUpper(c) ? "_" + c'
            " : c.ToString())).ToLower();",
            "line_id",
        ),
        (
            "var made = new StringBuilder(); foreach (var c in name)"
            " { if (char.IsUpper(c)) { made.Append('_'); } made.Append(char.ToLower(c)); }"
            " return made.ToString();",
            "line_id",
        ),
        ("=> Library.Changed(name);", ""),
        ('=> name.Length > 3 ? name : name + "_";', ""),
    ],
)
def test_policies_that_the_project_writes_itself(tmp_path: Path, body: str, name: str) -> None:
    body = body if body.startswith("=>") else "{ " + body + " }"
    program = f"""
        services.AddMvc().AddJsonOptions(o =>
            o.JsonSerializerOptions.PropertyNamingPolicy = new OwnPolicy());
        public class OwnPolicy : JsonNamingPolicy
        {{ public override string ConvertName(string name) {body} }}
        public static class Texts
        {{
            public static string ToWords(this string text)
                => Regex.Replace(text, "([a-z0-9])([A-Z])", "$1_$2").ToLower();
            public static string Parted(string text)
                => Regex.Replace(text, "(?<!^)([A-Z])", "-$1").ToLower();
        }}
    """
    expected = "?the naming policy of the serializer is undetermined?"
    if name:
        shown = shape(tmp_path, program, "mvc@")
        assert shown.startswith("{" + name + ": integer(int32)"), shown
    else:
        assert shape(tmp_path, program, "mvc@") == expected


@pytest.mark.parametrize(
    ("resolver", "name"),
    [
        ("public Own() { NamingStrategy = new SnakeCaseNamingStrategy(); }", "line_id"),
        ("public Own() => NamingStrategy = new Shouting();", "LINEID"),
        ("public Own() => NamingStrategy = new Choosing();", ""),
        ("public Own() => NamingStrategy = Library.Make();", ""),
        ("protected override string ResolvePropertyName(string n) => n.ToUpper();", "LINEID"),
        ("", "LineId"),
        ("protected override JsonProperty CreateProperty(MemberInfo m, X s) => null;", ""),
    ],
)
def test_contract_resolvers_of_the_project(tmp_path: Path, resolver: str, name: str) -> None:
    program = f"""
        services.AddControllers().AddNewtonsoftJson(o =>
            o.SerializerSettings.ContractResolver = new Own());
        public class Own : DefaultContractResolver {{ {resolver} }}
        public class Shouting : CamelCaseNamingStrategy
        {{ protected override string ResolvePropertyName(string name) => name.ToUpper(); }}
        public class Choosing : CamelCaseNamingStrategy
        {{
            protected override string ResolvePropertyName(string name) =>
                name.StartsWith("X") ? name : base.ResolvePropertyName(name);
        }}
    """
    shown = shape(tmp_path, program, "mvc@")
    assert shown.startswith("{" + name + ": " if name else "?the naming policy"), shown


OTHER_OPTIONS = """
    namespace App;
    public static class Json
    {
        public static JsonSerializerSettings Settings => new JsonSerializerSettings
        {
            NullValueHandling = NullValueHandling.Ignore,
            ContractResolver = new Resolver { NamingStrategy = new SnakeCaseNamingStrategy() },
            Converters = new List<JsonConverter> { new StringEnumConverter() }
        };
    }
    public class Resolver : DefaultContractResolver
    {
        protected override JsonProperty CreateProperty(MemberInfo member, MemberSerialization how)
        {
            var property = base.CreateProperty(member, how);
            %s
            return property;
        }
    }
"""
COPYING = """
    namespace App;
    public class Startup
    {
        public void ConfigureServices(IServiceCollection services)
        {
            var settings = Json.Settings;
            services.AddControllers().AddNewtonsoftJson(options =>
            {
                options.SerializerSettings.ContractResolver = settings.ContractResolver;
                options.SerializerSettings.Converters = settings.Converters;
            });
        }
    }
"""
WRITTEN = "{line_id: integer(int32), kind: 'FirstOne'|'Second', note: string|null}"
UNKNOWN = "?the naming policy of the serializer is undetermined?"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("property.DefaultValueHandling = DefaultValueHandling.Ignore;", WRITTEN),
        ("property.Order = 1;", WRITTEN),
        ("property.PropertyName = member.Name.ToUpper();", UNKNOWN),
        ("property.Converter = new Masking();", UNKNOWN),
    ],
)
def test_settings_that_start_up_code_takes_from_settings_in_a_variable(
    tmp_path: Path, change: str, expected: str
) -> None:
    assert shape(tmp_path, COPYING, "mvc@", Json=OTHER_OPTIONS % change) == expected
