"""What serializers of the project write, statement by statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.schema import Object
from tests.parsers.source.java.project import Project

SOURCE = """package com.shop;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.*;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.dataformat.xml.ser.ToXmlGenerator;
import java.util.*;
class Line { public long n; }
class Holder { public Order order; }
@JsonSerialize(using = Custom.class)
class Order { private long hidden; Line line; List<Line> lines; String name; boolean paid; }
class Texts {
  static final String NAME = "name";
  static void pair(JsonGenerator gen, String key, Line line) throws Exception {
    gen.writeObjectField(key, line);
    if (line == null) { return; }
    gen.writeNumberField("count", 1.5);
  }
  static void again(JsonGenerator gen) { again(gen); }
}
class Custom extends StdSerializer<Order> {
  private final boolean asXml = false;
  @Override
  public void serialize(Order order, JsonGenerator gen, SerializerProvider provider) {
    BODY
  }
  private void fields(Order o, JsonGenerator g) { g.writeStringField(Texts.NAME, o.name); }
  private void xml(ToXmlGenerator gen) { gen.writeStringField("xml", ""); }
}
"""
LINE = "{n: integer(int64)}"


def order(folder: Path, body: str) -> Project:
    return Project(folder, {"com/shop/Order.java": SOURCE.replace("BODY", body)})


@pytest.mark.parametrize(
    ("body", "shape"),
    [
        ("gen.writeStartObject(); fields(order, gen); gen.writeEndObject();", "{name: string}"),
        (
            'gen.writeStartObject(); Texts.pair(gen, "line", order.line); gen.writeEndObject();',
            f"{{line: {LINE}, count~: number}}",
        ),
        (
            "gen.writeStartObject(); if (order.name != null && !order.name.isEmpty()) {"
            ' gen.writeStringField("name", order.name); } gen.writeEndObject();',
            "{name~: string}",
        ),
        (
            'gen.writeStartObject(); gen.writeArrayFieldStart("lines");'
            " for (Line line : order.lines) { gen.writeObject(line); }"
            " gen.writeEndArray(); gen.writeEndObject();",
            f"{{lines: [{LINE}]}}",
        ),
        (
            'gen.writeStartObject(); gen.writeObjectFieldStart("inner");'
            ' gen.writeBooleanField("paid", true); gen.writeEndObject(); gen.writeNullField("x");'
            ' provider.defaultSerializeField("line", order.line, gen); gen.writeEndObject();',
            f"{{inner: {{paid: boolean}}, x: nothing|null, line: {LINE}}}",
        ),
        ('gen.writeStartObject().writeName("a").writeString("b").writeEndObject();', "{a: string}"),
        (
            "if (gen instanceof ToXmlGenerator) { ToXmlGenerator x = (ToXmlGenerator) gen;"
            ' x.writeStringField("xml", ""); } else { gen.writeString("a"); }',
            "string",
        ),
        (
            "if (asXml) { ToXmlGenerator x = (ToXmlGenerator) gen; xml(x); }"
            " else { gen.writeNumber(order.hidden); }",
            "integer(int64)",
        ),
        ("try { gen.writeObject(order.line); } catch (Exception e) { }", LINE),
        (
            "if (order == null) { gen.writeNull(); return; } gen.writeString(order.name);",
            "string|null",
        ),
        # What stands for something else is decided at run time.
        (
            'if (order.paid) { gen.writeString("a"); } else { gen.writeNumber(1); }',
            "<which of several shapes is written is decided at run time>",
        ),
        ("Texts.again(gen);", "<`Order` is written by the serializer `Custom`>"),
        (
            "gen.writeRawValue(order.name);",
            "<`Order` is written by the serializer `Custom`>",
        ),
        ("Library.write(gen, order);", "<`Order` is written by the serializer `Custom`>"),
        ("gen.writeStartObject();", "<`Order` is written by the serializer `Custom`>"),
    ],
)
def test_statements(tmp_path: Path, body: str, shape: str) -> None:
    assert order(tmp_path, body).model("Holder") == f"{{order: {shape}~}}"


def test_what_is_written_for_some_reason_may_never_be_sent(tmp_path: Path) -> None:
    found = order(
        tmp_path,
        'gen.writeStartObject(); if (order.paid) { gen.writeStringField("a", ""); }'
        ' if (order.name != null) { gen.writeStringField("b", ""); } gen.writeEndObject();',
    )
    (model,) = found.code.models(frozenset({"Order"}))
    shape = found.program.types.flat(model.schema)
    assert isinstance(shape, Object)
    assert [(field.name, field.undetermined_reason) for field in shape.fields] == [
        ("a", "it is written under a condition"),
        ("b", ""),
    ]


def test_serializers_of_jackson_itself(tmp_path: Path) -> None:
    source = """package com.shop;
    import com.fasterxml.jackson.annotation.JsonFormat;
    import com.fasterxml.jackson.databind.annotation.JsonSerialize;
    import com.fasterxml.jackson.datatype.jsr310.ser.LocalDateTimeSerializer;
    import java.time.LocalDateTime;
    class Order {
      @JsonSerialize(using = LocalDateTimeSerializer.class) @JsonFormat(pattern = "yyyy")
      public LocalDateTime at;
    }
    """
    assert (
        Project(tmp_path, {"com/shop/Order.java": source}).model("Order")
        == "{at: string(pattern yyyy)~}"
    )
