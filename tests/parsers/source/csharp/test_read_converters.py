"""What converters of the project are seen to read, whatever they write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.csharp.project import models

UNSEEN = "?`Own` writes it?"


def shapes(folder: Path, read: str, others: str = "") -> tuple[str, str]:
    """What is read and written of a number with a converter of System.Text.Json."""
    found = models(
        folder,
        f"""
        public class Holder {{ [JsonConverter(typeof(Own))] public int X {{ get; set; }} }}
        public class Own : JsonConverter<int>
        {{
            public override int Read(
                ref Utf8JsonReader reader, Type type, JsonSerializerOptions options)
            {{ {read} }}

            public override void Write(
                Utf8JsonWriter writer, int value, JsonSerializerOptions options)
            {{ writer.WriteStringValue(value.ToString()); }}
            {others}
        }}
        """,
    )
    read_as, written = (found.shape("Holder", variant) for variant in ("read:mvc@", "mvc@"))
    return read_as.removeprefix("{x?: ").removesuffix("}"), written


@pytest.mark.parametrize(
    ("read", "kinds"),
    [
        ("return int.Parse(reader.GetString()!);", "string"),
        ("return reader.GetInt32();", "integer"),
        (
            "if (reader.TokenType == JsonTokenType.String) return int.Parse(reader.GetString());"
            " return reader.GetInt32();",
            "integer or string",
        ),
        (
            "if (reader.TryGetInt32(out var number)) return number;"
            " return int.Parse(reader.GetString());",
            "integer or string",
        ),
        (
            "return reader.TokenType switch { JsonTokenType.True => 1, JsonTokenType.False => 0,"
            " JsonTokenType.Number => reader.GetInt32(), _ => throw new JsonException() };",
            "boolean or integer",
        ),
        (
            "if (reader.TokenType == JsonTokenType.Number) throw new JsonException();"
            " return int.Parse(reader.GetString());",
            "string",
        ),
        (
            "switch (reader.TokenType) { case JsonTokenType.String: return Parsed(ref reader);"
            " case JsonTokenType.Number: throw new JsonException();"
            " default: throw new JsonException(); }",
            "string",
        ),
        ("return int.Parse(JsonSerializer.Deserialize<string>(ref reader, options));", "string"),
        ("using var found = JsonDocument.ParseValue(ref reader); return 1;", UNSEEN),
        ("if (reader.TokenType == JsonTokenType.StartArray) reader.Read(); return 1;", UNSEEN),
        ("throw new NotSupportedException();", "string"),
    ],
)
def test_kinds_of_values_that_are_read(tmp_path: Path, read: str, kinds: str) -> None:
    others = "private static int Parsed(ref Utf8JsonReader r) => int.Parse(r.GetString());"
    assert shapes(tmp_path, read, others) == (kinds, "{x: string}")


@pytest.mark.parametrize(
    ("read", "kinds"),
    [
        ("return int.Parse((string)reader.Value);", "string"),
        (
            "if (reader.TokenType == JsonToken.Integer) return (int)(long)reader.Value;"
            " return int.Parse((string)reader.Value);",
            "integer or string",
        ),
        ("return Convert.ToInt32(reader.Value);", UNSEEN),
        ("return JToken.Load(reader).Value<int>();", UNSEEN),
    ],
)
def test_kinds_of_values_that_newtonsoft_reads(tmp_path: Path, read: str, kinds: str) -> None:
    found = models(
        tmp_path,
        f"""
        services.AddControllers().AddNewtonsoftJson();
        public class Holder {{ [JsonConverter(typeof(Own))] public int X {{ get; set; }} }}
        public class Own : JsonConverter<int>
        {{
            public override int ReadJson(JsonReader reader, Type type, int before, bool has,
                JsonSerializer serializer) {{ {read} }}
            public override void WriteJson(JsonWriter writer, int value, JsonSerializer s)
            {{ writer.WriteValue(value.ToString()); }}
        }}
        """,
    )
    assert found.shape("Holder", "read:mvc@") == f"{{x?: {kinds}}}"
    assert found.shape("Holder", "mvc@") == "{x: string}"
