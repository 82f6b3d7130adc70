"""What converters of the project are seen to write."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.csharp.project import Project, models


def converted(folder: Path, write: str, types: str, handled: str = "Money") -> Project:
    """A class `Holder` with a member of a type that a converter writes."""
    return models(
        folder,
        f"""
        {types}
        public class Holder {{ [JsonConverter(typeof(Own))] public {handled} X {{ get; set; }} }}
        public class Own : JsonConverter<{handled}>
        {{
            public override void Write(
                Utf8JsonWriter writer, {handled} value, JsonSerializerOptions options)
            {{ {write} }}
        }}
        """,
    )


MONEY = """
    public class Money
    {
        public int Cents { get; set; }
        public string Currency { get; set; } = "";
        public string? Note { get; set; }
        public List<Tax> Taxes { get; set; } = [];
        public Dictionary<string, Tax> Named { get; set; } = [];
    }
    public class Tax { public Guid Id { get; set; } }
"""


def test_an_object_written_step_by_step(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        """
        if (value == null) { writer.WriteNullValue(); return; }
        writer.WriteStartObject();
        writer.WriteNumber("cents", value.Cents);
        writer.WriteString(Names.Currency, value.Currency);
        if (value.Note != null)
        {
            writer.WritePropertyName("note");
            JsonSerializer.Serialize(writer, value.Note, options);
        }
        else writer.WriteBoolean("bare", true);
        writer.WriteStartArray("taxes");
        foreach (var tax in value.Taxes) writer.WriteStringValue(tax.Id);
        writer.WriteEndArray();
        writer.WriteStartObject("named");
        foreach (var tax in value.Named)
        {
            writer.WritePropertyName(tax.Key);
            JsonSerializer.Serialize(writer, tax.Value, options);
        }
        writer.WriteEndObject();
        writer.WriteEndObject();
        """,
        MONEY + 'public static class Names { public const string Currency = "cur"; }',
    )
    assert found.shape("Holder") == (
        "{x: {cents: integer(int32), cur: string, note?: string, bare?: True, "
        "taxes: [string(uuid)], named: {…: {id: string(uuid)}}}}"
    )
    assert found.shape("Holder", "read:") == "{x?: ?`Own` writes it?}"


def test_one_of_several_shapes(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        """
        if (value.Note == null) JsonSerializer.Serialize(writer, value.Taxes, options);
        else JsonSerializer.Serialize(writer, value.Note, options);
        """,
        MONEY,
    )
    assert found.shape("Holder") == "{x: [{id: string(uuid)}] or string}"


def test_helpers_that_are_handed_the_writer(tmp_path: Path) -> None:
    found = converted(
        tmp_path,
        """
        Throw.IfNull(writer);
        writer.WriteStartObject();
        Helper.Named(writer, "cents", value);
        writer.WriteStartArray("parts");
        foreach (var part in value.Parts) Write(writer, part, options);
        writer.WriteEndArray();
        writer.WriteEndObject();
        """,
        """
        public class Money
        {
            public int Cents { get; set; }
            public List<Money> Parts { get; } = [];
        }
        public static class Helper
        {
            public static void Named(Utf8JsonWriter target, string name, Money money)
            {
                if (money.Cents == 0) { return; }
                target.WriteNumber(name, money.Cents);
            }
        }
        """,
    )
    assert found.shape("Holder") == (
        "{x: {cents?: integer(int32), parts: [?a converter writes it inside of itself?]}}"
    )


def test_a_converter_of_a_class_that_holds_others_of_its_kind(tmp_path: Path) -> None:
    found = models(
        tmp_path,
        """
        [JsonConverter(typeof(Own))]
        public class Block { public string Text { get; set; } = ""; public List<Block> In { get; } }
        public class Own : JsonConverter<Block>
        {
            public override void Write(
                Utf8JsonWriter writer, Block value, JsonSerializerOptions options)
            {
                writer.WriteStartObject();
                writer.WriteString("words", value.Text);
                writer.WriteStartArray("inside");
                foreach (var one in value.In) Write(writer, one, options);
                writer.WriteEndArray();
                writer.WriteEndObject();
            }
        }
        """,
    )
    assert found.shape("Block").startswith("{words: string, inside: [{words: string, inside: [{")


def test_what_cannot_be_followed(tmp_path: Path) -> None:
    steps = {
        "helper": "Library.Write(writer, value);",
        "own type": "JsonSerializer.Serialize(writer, value, value.GetType(), options);",
        "itself": "JsonSerializer.Serialize(writer, value, options);",
        "raw": "writer.WriteRawValue(value.Note);",
        "open": "writer.WriteStartObject();",
        "try": "try { writer.WriteStartObject(); } finally { writer.WriteEndObject(); }",
    }
    for name, step in steps.items():
        found = converted(tmp_path / name, step, MONEY)
        assert found.shape("Holder") == "{x: ?`Own` writes it?}", name


def test_texts_of_enums(tmp_path: Path) -> None:
    kind = "public enum Kind { Null, NewOrder, Old_One }"
    texts = {
        'value.ToString().ToLowerInvariant().Replace("_", "-")': "'neworder'|'old-one'",
        "JsonNamingPolicy.SnakeCaseLower.ConvertName(value.ToString())": "'new_order'|'old_one'",
        'value switch { Kind.NewOrder => "n", Kind.Old_One => "o", _ => throw new X() }': "'n'|'o'",
        '$"is {value}"': "'is NewOrder'|'is Old_One'",
        "value.Humanize()": "string",
    }
    for position, (text, shown) in enumerate(texts.items()):
        step = f"writer.WriteStringValue({text});"
        found = converted(tmp_path / str(position), step, kind, "Kind")
        assert found.shape("Holder") == f"{{x: {shown}}}", text
    switch = 'switch (value) { case Kind.Old_One: writer.WriteStringValue("o"); break; '
    switch += 'default: writer.WriteStringValue("n"); break; }'
    assert converted(tmp_path / "switch", switch, kind, "Kind").shape("Holder") == "{x: 'o'|'n'}"


def test_the_class_that_an_object_is_of(tmp_path: Path) -> None:
    types = """
        public abstract class Shape { public int Id { get; set; } }
        public class Circle : Shape { public double R { get; set; } }
        public abstract class Sharp : Shape { public int Corners { get; set; } }
        public class Square : Sharp { public double A { get; set; } }
    """
    shown = (
        "{x: {r: number(double), id: integer(int32)} or "
        "{a: number(double), corners: integer(int32), id: integer(int32)}}"
    )
    steps = {
        "type": "JsonSerializer.Serialize(writer, value, value.GetType(), options);",
        "object": "JsonSerializer.Serialize(writer, (object)value, options);",
        "argument": "JsonSerializer.Serialize<object>(writer, value, options);",
        "cases": """
            switch (value)
            {
                case Circle circle: JsonSerializer.Serialize(writer, circle, options); break;
                case Square square: JsonSerializer.Serialize(writer, square, options); break;
                default: throw new JsonException();
            }
        """,
    }
    for name, step in steps.items():
        found = converted(tmp_path / name, step, types, "Shape")
        assert found.shape("Holder") == shown, name
    other = "JsonSerializer.Serialize(writer, value, Kinds.First.GetType(), options);"
    found = converted(tmp_path / "other", other, types, "Shape")
    assert found.shape("Holder") == "{x: ?`Own` writes it?}"


def test_converters_of_library_types_count_for_their_arguments(tmp_path: Path) -> None:
    """A converter of one dictionary is none of another."""
    source = """
        services.AddMvc().AddJsonOptions(o =>
            o.JsonSerializerOptions.Converters.Add(new Words()));
        public class Words : JsonConverter<Dictionary<string, string>>
        {
            public override void Write(
                Utf8JsonWriter writer, Dictionary<string, string> value, JsonSerializerOptions o)
            {
                writer.WriteStartArray();
                foreach (var pair in value) writer.WriteStringValue(pair.Key);
                writer.WriteEndArray();
            }
        }
        public record Holder(
            Dictionary<string, string> Texts,
            Dictionary<string, string>? Maybe,
            Dictionary<string, int> Numbers);
    """
    assert models(tmp_path, source).shape("Holder", "mvc@") == (
        "{texts: [string], maybe: [string]|null, numbers: {…: integer(int32)}}"
    )


def test_factories_name_the_types_whose_converters_they_make(tmp_path: Path) -> None:
    found = models(
        tmp_path,
        """
        services.AddMvc().AddJsonOptions(o =>
        {
            o.JsonSerializerOptions.Converters.Add(new OptionalFactory());
            o.JsonSerializerOptions.Converters.Add(new ShapeFactory());
        });
        public struct Optional<T> { public T Value { get; } }
        public interface IShape { int Sides { get; } }
        public class Square : IShape { public int Sides { get; set; } }
        public class Plain { public int Sides { get; set; } }
        public class OptionalFactory : JsonConverterFactory
        {
            public override bool CanConvert(Type type) =>
                type.IsGenericType && type.GetGenericTypeDefinition() == typeof(Optional<>);
            public override JsonConverter CreateConverter(Type t, JsonSerializerOptions o) => null!;
        }
        public class ShapeFactory : JsonConverterFactory
        {
            public override bool CanConvert(Type type)
            {
                return typeof(IShape).IsAssignableFrom(type);
            }
            public override JsonConverter CreateConverter(Type t, JsonSerializerOptions o) => null!;
        }
        public class Holder
        {
            public Optional<string> A { get; set; }
            public required Square B { get; set; }
            public required Plain C { get; set; }
        }
        """,
    )
    assert found.shape("Holder", "mvc@") == (
        "{a: ?`OptionalFactory` writes it?, b!: ?`ShapeFactory` writes it?, "
        "c!: {sides: integer(int32)}}"
    )


def test_a_converter_that_changes_only_what_is_written(tmp_path: Path) -> None:
    source = """
        [JsonConverter(typeof(WriteOnly<Shape>))]
        public abstract class Shape { public int Id { get; set; } }
        public class Circle : Shape { public double R { get; set; } }
        public class WriteOnly<T> : JsonConverter<T>
        {
            public override T Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions o)
            {
                return JsonSerializer.Deserialize<T>(ref reader, o);
            }
            public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions o)
            {
                JsonSerializer.Serialize(writer, value, value.GetType(), o);
            }
        }
        [ApiController, Route("x")]
        public class XController : ControllerBase
        {
            [HttpPost] public Shape Post(Shape shape) => shape;
        }
    """
    found = models(tmp_path, source)
    assert found.request("POST /x") == ["{id?: integer(int32)}!"]
    assert found.responses("POST /x") == ["(200) {r: number(double), id: integer(int32)}"]
    other = models(tmp_path / "other", source.replace("Deserialize<T>", "Deserialize<Circle>"))
    assert other.request("POST /x") == ["?`WriteOnly` writes it?!"]


def test_converters_of_the_types_of_the_language(tmp_path: Path) -> None:
    found = models(
        tmp_path,
        """
        services.AddControllers().AddNewtonsoftJson(o =>
        {
            o.SerializerSettings.Converters.Add(new MoneyConverter());
            o.SerializerSettings.Converters.Add(new HashConverter());
        });
        public readonly struct Hash { public string Text { get; } }
        public class MoneyConverter : JsonConverter
        {
            public override bool CanConvert(Type type) => type == typeof(decimal);
            public override bool CanRead { get { return false; } }
            public override void WriteJson(JsonWriter writer, object value, JsonSerializer s)
            {
                writer.WriteValue(((decimal)value).ToString("0.00"));
            }
        }
        public class HashConverter : JsonConverter<Hash>
        {
            public override void WriteJson(JsonWriter writer, Hash value, JsonSerializer s)
            {
                writer.WriteValue(value.ToString());
            }
        }
        public class Holder
        {
            public decimal Price { get; set; }
            public double Weight { get; set; }
            public Hash Id { get; set; }
        }
        """,
    )
    assert found.shape("Holder", "mvc@") == "{price: string, weight: number(double), id: string}"
    assert found.shape("Holder", "read:mvc@") == (
        "{price?: number, weight?: number(double), id?: string}"
    )


def test_converters_of_libraries_that_are_known(tmp_path: Path) -> None:
    found = models(
        tmp_path,
        """
        using NBitcoin.JsonConverters;
        public class Payout
        {
            [JsonConverter(typeof(NBitcoin.JsonConverters.DateTimeToUnixTimeConverter))]
            public DateTimeOffset? Date { get; set; }
            [JsonConverter(typeof(UInt256JsonConverter))] public uint256 Id { get; set; }
            [JsonConverter(typeof(Vendor.SecretConverter))] public string Secret { get; set; } = "";
        }
        """,
    )
    assert found.shape("Payout") == (
        "{date: integer|null, id: string, secret: ?`SecretConverter` writes it?}"
    )


def test_converters_of_the_project_that_are_called_like_those_of_a_library(tmp_path: Path) -> None:
    own = """
        public class Price
        { [JsonConverter(typeof(MoneyJsonConverter))] public long X { get; set; } }
        public class MoneyJsonConverter : JsonConverter<long>
        {
            public override void Write(
                Utf8JsonWriter writer, long value, JsonSerializerOptions options)
            { writer.WriteStringValue("1"); }
        }
    """
    assert models(tmp_path, own).shape("Price") == "{x: '1'}"
