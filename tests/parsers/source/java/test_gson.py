"""What Gson writes: adapters, and the writer that a project hands to JAX-RS."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import javax.ws.rs.*;
import javax.ws.rs.ext.*;
import com.google.gson.*;
import com.google.gson.stream.JsonWriter;
import com.google.gson.annotations.JsonAdapter;
import java.util.*;
import java.time.Instant;
"""
PROVIDER = """
class Provider implements MessageBodyWriter<Object> {
  public void writeTo(Object it, OutputStream out) { Json.gson().toJson(it, new Writer(out)); }
}
"""
RESOURCE = """
@Path("/x") public class R { @GET public Order get() { return orders.one(); } }
class Order { private String userName; private Instant at; private Money price; private Kind kind; }
class Money { private long cents; }
@JsonAdapter(KindAdapter.class) enum Kind { A, B }
class KindAdapter extends TypeAdapter<Kind> {
  public void write(JsonWriter out, Kind kind) {
    out.beginObject().name("code").value(1).endObject();
  }
}
class InstantAdapter implements JsonSerializer<Instant> {
  public JsonElement serialize(Instant at, Type type, JsonSerializationContext context) {
    return new JsonPrimitive(at.toEpochMilli());
  }
}
class MoneyAdapter implements JsonSerializer<Money> {
  public JsonElement serialize(Money it, Type type, JsonSerializationContext context) {
    return context.serialize(it.cents);
  }
}
"""


def sent(folder: Path, *parts: str) -> list[str]:
    source = "".join((HEAD, RESOURCE, *parts))
    return Project(folder, {"src/main/java/shop/R.java": source}).responses("GET /x")


def test_the_writer_that_the_provider_uses_counts(tmp_path: Path) -> None:
    json = """
        class Json {
          static Gson gson() { return builder().serializeNulls().create(); }
          static GsonBuilder builder() { return new GsonBuilder()
            .registerTypeAdapter(Instant.class, new InstantAdapter())
            .registerTypeAdapter(Money.class, new MoneyAdapter()); }
          static Gson other() { return new GsonBuilder()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
            .registerTypeAdapter(Instant.class, new MoneyAdapter()).create(); }
        }
        """
    assert sent(tmp_path, PROVIDER, json) == [
        "(200) {userName: string~, at: integer~, "
        "price: <`Money` is written by the type adapter `MoneyAdapter`>~, "
        "kind: {code: 1}~}"
    ]


def test_a_writer_that_is_not_seen_leaves_nulls_open(tmp_path: Path) -> None:
    json = """
        class Json {
          static Gson gson() { return library.make(); }
          static Gson some() { return new GsonBuilder().serializeNulls().create(); }
          static Gson other() { return new Gson(); }
        }
        """
    (found,) = sent(tmp_path, PROVIDER, json)
    assert found.startswith("(200) {userName~: string~, ")


def test_without_a_provider_adapters_do_not_count(tmp_path: Path) -> None:
    jackson = """
        class J { ObjectMapper mapper; Gson own() { return new GsonBuilder()
          .registerTypeAdapter(Money.class, new InstantAdapter()).create(); } }
        """
    source = (HEAD + RESOURCE + jackson).replace("private", "public")
    source = source.replace("java.util.*;", "java.util.*; import com.fasterxml.jackson.databind.*;")
    found = Project(tmp_path, {"src/main/java/shop/R.java": source}).responses("GET /x")
    assert found == [
        "(200) {userName: string~, at: <whether `Instant` is written as text or as a number "
        "depends on how the mapper is configured, which was not found "
        "(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)>~, price: {cents: integer(int64)}~, "
        "kind: 'A' 'B'~}"
    ]
