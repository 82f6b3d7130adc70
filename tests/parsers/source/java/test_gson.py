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


def test_text_that_a_writer_made_is_the_object_that_it_was_given(tmp_path: Path) -> None:
    controller = """
        import com.google.gson.*;
        import org.springframework.http.*;
        import org.springframework.web.bind.annotation.*;
        @RestController class C {
          private static final Gson plain = new GsonBuilder().disableHtmlEscaping().create();
          private static final Gson snake = new GsonBuilder()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();
          private static final Gson unseen = Library.gson();
          @GetMapping(path = "/plain", produces = "application/json")
          ResponseEntity<Object> plain() { return ResponseEntity.ok(plain.toJson(new Order())); }
          @GetMapping(path = "/snake", produces = "application/json")
          ResponseEntity<Object> snake() { return ResponseEntity.ok(snake.toJson(new Order())); }
          @GetMapping(path = "/unseen", produces = "application/json")
          ResponseEntity<Object> unseen() { return ResponseEntity.ok(unseen.toJson(new Order())); }
        }
        class Order { private int userId = 1; }
        """
    found = Project(tmp_path, {"src/main/java/C.java": controller})
    assert found.responses("GET /plain") == ["200 {userId: integer(int32)}"]
    assert found.responses("GET /snake") == ["200 {user_id: integer(int32)}"]
    assert found.responses("GET /unseen") == ["200 <the text that is returned is sent as it is>"]


def test_text_of_a_helper_is_the_object_that_the_call_gives_it(tmp_path: Path) -> None:
    source = """
        import com.google.gson.*;
        import java.util.List;
        import jakarta.ws.rs.*;
        import jakarta.ws.rs.core.Response;
        abstract class Resource {
          protected String json(Object it) { return Json.gson().toJson(it); }
          protected String safe(Object it) {
            try { return mapper.writeValueAsString(it); }
            catch (JsonProcessingException e) { throw new IllegalStateException(e); } }
          protected String either(Object it) { return it == null ? "" : Json.gson().toJson(it); }
        }
        class Json { static Gson gson() { return new GsonBuilder().create(); } }
        @Path("/x") @Produces("application/json") public class Orders extends Resource {
          @GET @Path("/one") public Response one() {
            return Response.ok().entity(json(new Order())).build(); }
          @GET @Path("/all") public Response all() {
            List<Order> all = orders.all(); return Response.ok(json(all)).build(); }
          @GET @Path("/safe") public Response safe() {
            return Response.ok(safe(new Order())).build(); }
          @GET @Path("/either") public Response either() {
            return Response.ok(either(new Order())).build(); }
        }
        class Order { private int id = 1; public int getId() { return id; } }
        """
    found = Project(tmp_path, {"src/main/java/Orders.java": source})
    assert found.responses("GET /x/one") == ["200 {id: integer(int32)}"]
    assert found.responses("GET /x/all") == ["200 [{id: integer(int32)}]"]
    assert found.responses("GET /x/safe") == ["200 {id: integer(int32)}"]
    assert found.responses("GET /x/either") == ["200 <the text that is returned is sent as it is>"]
