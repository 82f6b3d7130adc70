"""Errors that handlers send by throwing, in each library that makes responses of exceptions."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project


def errors(folder: Path, source: str, **more: str) -> dict[str, list[str]]:
    """Path -> the errors that its handler sends."""
    found = Project(folder, {"src/main/java/shop/S.java": f"package shop;\n{source}", **more})
    return {
        operation.path: [r.status for r in operation.responses if r.status[0] in "45"]
        for operation in found.code.operations_with_answers
    }


SPRING = """
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.server.ResponseStatusException;
@ResponseStatus(HttpStatus.CONFLICT) class Taken extends RuntimeException {}
class Plain extends RuntimeException {}
@RestController class C {
  @GetMapping("/a") int a(int id) {
    if (id < 0) { throw new ResponseStatusException(HttpStatus.NOT_FOUND, "none"); } return id; }
  @GetMapping("/b") int b() { throw new Taken(); }
  @GetMapping("/c") int c() { throw new Plain(); }
  @GetMapping("/d") int d() {
    try { throw new Taken(); } catch (Taken taken) { return 1; } }
}
"""


def test_spring(tmp_path: Path) -> None:
    assert errors(tmp_path, SPRING) == {"/a": ["404"], "/b": ["409"], "/c": [], "/d": []}


def test_what_a_project_says_of_exceptions_counts(tmp_path: Path) -> None:
    advice = """package shop;
        @ControllerAdvice class Advice {
          @ExceptionHandler(Taken.class) ResponseEntity<?> taken() { return null; } }"""
    found = errors(tmp_path, SPRING, **{"src/main/java/shop/Advice.java": advice})
    assert found == {"/a": [], "/b": [], "/c": [], "/d": []}


def test_jaxrs(tmp_path: Path) -> None:
    source = """
        import jakarta.ws.rs.*;
        import jakarta.ws.rs.core.Response;
        @Path("/x") class X {
          @GET @Path("a") public int a() { throw new NotFoundException(); }
          @GET @Path("b") public int b() { throw new WebApplicationException("no", 418); }
          @GET @Path("c") public int c() {
            throw new WebApplicationException(Response.status(410).entity("gone").build()); }
          @GET @Path("d") public int d() {
            throw new WebApplicationException("no", Response.Status.FORBIDDEN); }
          @GET @Path("e") public int e() {
            throw new ServerErrorException(Response.Status.BAD_GATEWAY); }
        }
        """
    assert errors(tmp_path, source) == {
        "/x/a": ["404"],
        "/x/b": ["418"],
        "/x/c": ["410"],
        "/x/d": ["403"],
        "/x/e": ["502"],
    }


def test_micronaut(tmp_path: Path) -> None:
    source = """
        import io.micronaut.http.HttpStatus;
        import io.micronaut.http.annotation.*;
        import io.micronaut.http.exceptions.HttpStatusException;
        @Controller("/x") class X { @Get public int a() {
          throw new HttpStatusException(HttpStatus.CONFLICT, "no"); } }
        """
    assert errors(tmp_path, source) == {"/x": ["409"]}


JAVALIN = """
import io.javalin.Javalin;
import io.javalin.http.*;
class Main { static void main(String[] args) {
  Javalin app = Javalin.create();
  app.get("/a", ctx -> { if (ctx.body() == null) throw new NotFoundResponse(); ctx.json(1); });
  app.get("/b", ctx -> { throw new HttpResponseException(422, "no"); });
  %s } }
"""


def test_javalin(tmp_path: Path) -> None:
    assert errors(tmp_path / "own", JAVALIN % "") == {"/a": ["404"], "/b": ["422"]}
    handled = JAVALIN % "app.exception(HttpResponseException.class, (e, ctx) -> ctx.status(400));"
    assert errors(tmp_path / "handled", handled) == {"/a": [], "/b": []}


def test_helidon_and_armeria(tmp_path: Path) -> None:
    helidon = """
        import io.helidon.http.*;
        import io.helidon.webserver.http.*;
        class Main { static void routing(HttpRouting.Builder r) {
          r.get("/a", (req, res) -> { throw new NotFoundException("none"); })
           .get("/b", (req, res) -> { throw new HttpException("no", Status.CONFLICT_409); }); } }
        """
    assert errors(tmp_path / "helidon", helidon) == {"/a": ["404"], "/b": ["409"]}
    armeria = """
        import com.linecorp.armeria.server.*;
        import com.linecorp.armeria.server.annotation.*;
        class S { @Get("/a") public String a() { throw HttpStatusException.of(403); } }
        class Main { void main() { Server.builder().annotatedService(new S()).build(); } }
        """
    assert errors(tmp_path / "armeria", armeria) == {"/a": ["403"]}


def test_spark(tmp_path: Path) -> None:
    source = """
        import static spark.Spark.*;
        class Main { static void main(String[] args) {
          get("/a", (req, res) -> { if (req.body() == null) { halt(401); } return "x"; }); } }
        """
    assert errors(tmp_path, source) == {"/a": ["401"]}


SERVICE = """
import java.util.*;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.*;
import org.springframework.web.server.ResponseStatusException;
@ResponseStatus(HttpStatus.CONFLICT) class Taken extends RuntimeException {}
@ResponseStatus(HttpStatus.GONE) class Gone extends RuntimeException {}
class Seats {
  private final Map<String, String> held = new HashMap<>();
  String take(String id) { check(id); return id; }
  void check(String id) { if (held.containsKey(id)) { throw new Taken(); } }
  Optional<String> find(String id) { return Optional.ofNullable(held.get(id)); }
  String load(String id, boolean strict) { if (strict) { throw new Gone(); } return id; }
}
@RestController class C {
  private final Seats seats = new Seats();
  @GetMapping("/a") String a(String id) { return seats.take(id); }
  @GetMapping("/b") String b(String id) {
    return seats.find(id).orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND)); }
  @GetMapping("/c") String c(String id) {
    try { return seats.take(id); } catch (Taken taken) { return "none"; } }
  @GetMapping("/d") String d(String id) { return seats.load(id, false); }
  @GetMapping("/e") String e(String id) { return seats.load(id, true); }
  @GetMapping("/f") String f(String id) {
    return seats.find(id).map(each -> { try { return seats.take(each); }
      catch (Taken taken) { return "none"; } }).orElseThrow(); }
}
"""


def test_what_a_handler_calls_throws(tmp_path: Path) -> None:
    """What leaves a service counts, unless it is caught or the arguments rule it out."""
    found = errors(tmp_path, SERVICE)
    assert found == {"/a": ["409"], "/b": ["404"], "/c": [], "/d": [], "/e": ["410"], "/f": []}
