"""Java programs beside their contracts: guilty code next to innocent code of its sort."""

from __future__ import annotations

from pathlib import Path

from tests.engine.judged import judged

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>s</groupId><artifactId>s</artifactId>
<version>1</version><dependencies><dependency><groupId>org.springframework.boot</groupId>
<artifactId>spring-boot-starter-web</artifactId><version>3.2.0</version></dependency>
</dependencies></project>
"""
SOURCE = """
    package shop;
    import org.springframework.boot.autoconfigure.SpringBootApplication;
    import org.springframework.web.bind.annotation.*;
    @SpringBootApplication @RestController
    public class Shop {
      public interface Part {}
      public record Wheel(int size) implements Part {}
      public record Lamp(String size) implements Part {}
      public record Holder(Part part) {}
      @GetMapping("/parts") public Holder parts() { return null; }
      @GetMapping("/wheels") public Wheel wheels() { return null; }
    }
"""


def test_which_class_of_an_interface_is_sent_is_no_error(tmp_path: Path) -> None:
    size = "{type: object, properties: {size: {type: string}}}"
    holder = f"{{type: object, properties: {{part: {size}}}}}"
    paths = "".join(
        f"{path}: {{get: {{responses: {{'200': {{description: ok, "
        f"content: {{application/json: {{schema: {schema}}}}}}}}}}}}}\n"
        for path, schema in (("/parts", holder), ("/wheels", size))
    )
    found = judged(tmp_path, {"pom.xml": POM, "src/main/java/shop/Shop.java": SOURCE}, paths)
    assert found.findings == ["GET /parts type: part.size (warning)", "GET /wheels type: size"]


def test_an_arm_of_a_switch_expression_that_an_argument_picks(tmp_path: Path) -> None:
    source = """
        package shop;
        import org.springframework.web.bind.annotation.*;
        @RestController
        public class Views {
          enum View { SHORT, LONG, RAW }
          public record Wheel(int size) {}
          public record Lamp(String size) {}
          private Object shown(View view) {
            return switch (view) {
              case LONG, RAW -> new Wheel(1);
              case SHORT -> { yield new Lamp(""); }
            };
          }
          @GetMapping("/short") public Object brief() { return shown(View.SHORT); }
          @GetMapping("/long") public Object whole() { return shown(View.LONG); }
        }
        """
    size = "{type: object, required: [size], properties: {size: {type: string, nullable: true}}}"
    paths = "".join(
        f"{path}: {{get: {{responses: {{'200': {{description: ok, "
        f"content: {{application/json: {{schema: {size}}}}}}}}}}}}}\n"
        for path in ("/short", "/long")
    )
    found = judged(tmp_path, {"pom.xml": POM, "src/main/java/shop/Views.java": source}, paths)
    assert found.findings == ["GET /long type: size"]
    assert found.verified == 1


def test_a_response_that_a_chain_of_futures_resumes(tmp_path: Path) -> None:
    source = """
        package shop;
        import java.util.concurrent.CompletableFuture;
        import javax.ws.rs.*;
        import javax.ws.rs.container.*;
        import javax.ws.rs.core.Response;
        @Path("/orders") @Produces("application/json")
        public class Orders {
          public static class Tally { public int count; }
          public static class Words { public boolean count; }
          private CompletableFuture<Integer> find() { return null; }
          @GET @Path("/open") public void open(@Suspended AsyncResponse later) {
            find().thenApply(found -> Response.ok(new Tally()).build())
                .thenApply(answer -> { later.resume(answer); return answer; });
          }
          @GET @Path("/closed") public void closed(@Suspended AsyncResponse later) {
            find().thenApply(found -> Response.ok(new Words()).build())
                .thenApply(answer -> { later.resume(answer); return answer; });
          }
        }
        """
    body = "{type: object, required: [count], properties: {count: {type: integer}}}"
    paths = "".join(
        f"{path}: {{get: {{responses: {{'200': {{description: ok, "
        f"content: {{application/json: {{schema: {body}}}}}}}}}}}}}\n"
        for path in ("/orders/open", "/orders/closed")
    )
    found = judged(tmp_path, {"pom.xml": POM, "src/main/java/shop/Orders.java": source}, paths)
    assert found.findings == ["GET /orders/closed type: count"]
    assert found.verified == 1


def test_a_map_of_objects_takes_whatever_the_contract_leaves_free(tmp_path: Path) -> None:
    source = """
        package shop;
        import java.util.Map;
        import org.springframework.web.bind.annotation.*;
        @RestController
        public class Things {
          public static class Thing {
            private Map<String, Object> tags;
            public Map<String, Object> getTags() { return tags; }
            public void setTags(Map<String, Object> tags) { this.tags = tags; }
          }
          public record Size(int size) {}
          @PostMapping("/things") @ResponseStatus(HttpStatus.NO_CONTENT)
          public void thing(@RequestBody Thing thing) {}
          @PostMapping("/sizes") @ResponseStatus(HttpStatus.NO_CONTENT)
          public void size(@RequestBody Size size) {}
        }
        """
    free = "{tags: {type: object, additionalProperties: true}}"
    paths = "".join(
        f"{path}: {{post: {{requestBody: {{required: true, content: {{application/json: {{schema: "
        f"{{type: object, properties: {properties}}}}}}}}}, "
        "responses: {'204': {description: ok}}}}\n"
        for path, properties in (("/things", free), ("/sizes", "{size: {type: string}}"))
    )
    files = {"pom.xml": POM, "src/main/java/shop/Things.java": source}
    found = judged(tmp_path, files, paths)
    assert found.findings == ["POST /sizes type: size"]
    assert (found.verified, found.undetermined) == (1, [])


def test_handlers_of_one_path_that_take_other_content_types(tmp_path: Path) -> None:
    source = """
        package shop;
        import org.springframework.http.MediaType;
        import org.springframework.web.bind.annotation.*;
        @RestController
        public class Tokens {
          public static class Wanted { public int count; }
          public static class Wrong { public boolean count; }
          @PostMapping(path = "/{path}", consumes = MediaType.APPLICATION_JSON_VALUE)
          public void read(@RequestBody Wanted wanted) { }
          @PostMapping(path = "/{path}", consumes = "application/vnd.shop+json")
          public void other(@RequestBody Wrong wrong) { }
        }
        """
    files = {
        "pom.xml": POM,
        "src/main/java/shop/Both.java": source.replace("{path}", "both").replace("Tokens", "Both"),
        "src/main/java/shop/Other.java": source.replace("{path}", "other")
        .replace("Tokens", "Other")
        .replace("MediaType.APPLICATION_JSON_VALUE", '"application/vnd.stock+json"'),
    }
    body = "{type: object, properties: {count: {type: integer, format: int32}}}"
    sent = f"requestBody: {{content: {{application/json: {{schema: {body}}}}}}}"
    paths = "".join(
        f"{path}: {{post: {{{sent}, responses: {{'200': {{description: ok}}}}}}}}\n"
        for path in ("/both", "/other")
    )
    found = judged(tmp_path, files, paths)
    assert found.findings == ["POST /other type: count"]
    assert found.verified == 1


def test_what_a_member_holds_that_nothing_is_seen_to_set_is_no_error(tmp_path: Path) -> None:
    source = """
        package shop;
        import org.springframework.web.bind.annotation.*;
        @RestController
        public class Holders {
          interface Filler { void fill(Holder holder); }
          public static class Part { private int size; public int getSize() { return size; } }
          public static class Holder {
            private Part part;
            public Part getPart() { return part; }
            public void setPart(Part part) { this.part = part; }
          }
          private Filler filler;
          @GetMapping("/filled") public Holder filled() {
            Holder holder = new Holder();
            filler.fill(holder);
            return holder;
          }
          @GetMapping("/set") public Holder set() {
            Holder holder = new Holder();
            holder.setPart(new Part());
            return holder;
          }
        }
    """
    part = "{type: object, properties: {size: {type: string}}}"
    paths = "".join(
        f"{path}: {{get: {{responses: {{'200': {{description: ok, content: {{application/json: "
        f"{{schema: {{type: object, properties: {{part: {part}}}}}}}}}}}}}}}}}\n"
        for path in ("/filled", "/set")
    )
    found = judged(tmp_path, {"pom.xml": POM, "src/main/java/shop/Holders.java": source}, paths)
    assert found.findings == ["GET /filled type: part.size (warning)", "GET /set type: part.size"]
