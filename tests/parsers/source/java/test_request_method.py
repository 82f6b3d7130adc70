"""Handlers of several routes that ask for the method of the request: each route answers what runs
for its method."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

VERTX = """package shop;
import io.vertx.core.*;
import io.vertx.core.http.*;
import static io.vertx.core.http.HttpMethod.GET;
import io.vertx.ext.web.*;
import java.util.*;
class Main extends AbstractVerticle {
  static final String READ = "GET";
  boolean flag;
  public void start() {
    Router router = Router.router(vertx);
    router.route(HttpMethod.GET, "/x").handler(this::handle);
    router.route(HttpMethod.POST, "/x").handler(this::handle);
    router.route("/any").handler(this::handle);
  }
  private void handle(RoutingContext ctx) { %s }
  private void answer(RoutingContext ctx) {
    ctx.response().setStatusCode(ctx.request().method() == HttpMethod.GET ? 200 : 202).end();
  }
  private void byMethod(RoutingContext ctx, HttpMethod method) {
    if (method == HttpMethod.GET) { read(ctx); } else { made(ctx); }
  }
  private void byRequest(RoutingContext ctx, HttpServerRequest request) {
    if (request.method() == HttpMethod.GET) { read(ctx); } else { made(ctx); }
  }
  private void read(RoutingContext ctx) { ctx.response().setStatusCode(200).end(); }
  private void made(RoutingContext ctx) { ctx.response().setStatusCode(202).end(); }
}
"""
EITHER = "if (%s) { read(ctx); } else { made(ctx); }"


def vertx(folder: Path, body: str) -> Project:
    return Project(folder, {"src/main/java/shop/Main.java": VERTX % body})


@pytest.mark.parametrize(
    "body",
    [
        EITHER % "ctx.request().method().equals(HttpMethod.GET)",
        EITHER % "ctx.request().method() == HttpMethod.GET",
        EITHER % "ctx.request().method() == GET",
        EITHER % "HttpMethod.GET.equals(ctx.request().method())",
        EITHER % "Objects.equals(ctx.request().method(), HttpMethod.GET)",
        EITHER % "ctx.request().method().name().equals(READ)",
        EITHER % '"get".equalsIgnoreCase(ctx.request().method().name())',
        EITHER % '"get".equals(ctx.request().method().toString().toLowerCase())',
        EITHER % "HttpMethod.GET.name().equals(ctx.request().method().name())",
        EITHER % "ctx.request().method() != HttpMethod.POST && ctx.request().method() != null",
        "HttpServerRequest request = ctx.request(); HttpMethod method = request.method();"
        + EITHER % "method.name().equals(READ)",
        "if (ctx.request().method() != HttpMethod.GET) { made(ctx); return; } read(ctx);",
        "switch (ctx.request().method().name()) {"
        ' case "GET": read(ctx); break; case "POST": made(ctx); break; default: ctx.fail(405); }',
        "switch (ctx.request().method()) { case GET -> read(ctx); default -> made(ctx); }",
        "answer(ctx);",
        "byMethod(ctx, ctx.request().method());",
        "byRequest(ctx, ctx.request());",
    ],
)
def test_tests_of_the_method(tmp_path: Path, body: str) -> None:
    found = vertx(tmp_path, body)
    assert found.responses("GET /x") == ["200"]
    assert found.responses("POST /x") == ["202"]
    assert found.responses("* /any") in (["200", "202"], ["200", "202", "405"])


@pytest.mark.parametrize(
    "body",
    [
        EITHER % "flag",
        EITHER % "ctx.request().method() == Settings.METHOD",
        EITHER % "ctx.request().method().equals(ctx.get(READ))",
        EITHER % 'ctx.request().method().name().matches("GET|PUT")',
        "HttpMethod method = ctx.request().method(); if (flag) { method = HttpMethod.PUT; }"
        + EITHER % "method == HttpMethod.GET",
    ],
)
def test_tests_that_the_method_does_not_decide(tmp_path: Path, body: str) -> None:
    found = vertx(tmp_path, body)
    assert found.responses("GET /x") == found.responses("POST /x") == ["200", "202"]


SERVLET = "HttpServletRequest request, HttpServletResponse response"
FRAMEWORKS = {
    "Javalin": """
import io.javalin.*; import io.javalin.http.*;
class Main {
  static void main(String[] args) {
    Javalin app = Javalin.create();
    app.get("/x", Main::handle); app.post("/x", Main::handle);
  }
  static void handle(Context ctx) {
    if (ctx.method() == HandlerType.GET) { ctx.status(200); } else { ctx.status(202); } } }""",
    "Spark": """
import static spark.Spark.*; import spark.*;
class Main {
  static void main(String[] args) { get("/x", Main::handle); post("/x", Main::handle); }
  static Object handle(Request request, Response response) {
    if (request.requestMethod().equals("GET")) { response.status(200); }
    else { response.status(202); }
    return ""; } }""",
    "Jooby": """
import io.jooby.*;
class Main extends Jooby {
  { get("/x", this::handle); post("/x", this::handle); }
  Object handle(Context ctx) {
    ctx.setResponseCode("GET".equals(ctx.getMethod()) ? 200 : 202); return ""; } }""",
    "Helidon SE": """
import io.helidon.http.*; import io.helidon.webserver.http.*;
class Main implements HttpService {
  static void main(String[] args) { HttpRouting.builder().register("/", new Main()); }
  public void routing(HttpRules rules) { rules.get("/x", this::handle).post("/x", this::handle); }
  void handle(ServerRequest req, ServerResponse res) {
    if (req.prologue().method() == Method.GET) { res.status(200).send(); }
    else { res.status(202).send(); } } }""",
    "JDK HttpServer": """
import com.sun.net.httpserver.*;
class Main {
  static void main(String[] args) throws Exception {
    HttpServer server = HttpServer.create(null, 0);
    server.createContext("/x", exchange -> {
      if (exchange.getRequestMethod().equals("GET")) { answer(exchange); }
      else if (exchange.getRequestMethod().equals("POST")) { answer(exchange); } });
  }
  static void answer(HttpExchange exchange) throws Exception {
    switch (exchange.getRequestMethod()) {
      case "GET" -> exchange.sendResponseHeaders(200, -1);
      default -> exchange.sendResponseHeaders(202, -1); } } }""",
    "Servlets": f"""
import jakarta.servlet.annotation.*; import jakarta.servlet.http.*;
@WebServlet("/x") class Main extends HttpServlet {{
  protected void doGet({SERVLET}) {{ handle(request, response); }}
  protected void doPost({SERVLET}) {{ handle(request, response); }}
  private void handle({SERVLET}) {{
    if ("GET".equals(request.getMethod())) {{ response.setStatus(200); }}
    else {{ response.setStatus(202); }} }} }}""",
    "Spring's functional routes": """
import static org.springframework.web.reactive.function.server.RouterFunctions.*;
import org.springframework.context.annotation.*; import org.springframework.http.*;
import org.springframework.web.reactive.function.server.*; import reactor.core.publisher.*;
@Configuration class Main {
  @Bean RouterFunction<ServerResponse> routes() {
    return route().GET("/x", this::handle).POST("/x", this::handle).build(); }
  Mono<ServerResponse> handle(ServerRequest request) {
    if (HttpMethod.GET.matches(request.methodName())) { return ServerResponse.ok().build(); }
    return ServerResponse.accepted().build(); } }""",
    "Spring MVC": """
import jakarta.servlet.http.*; import org.springframework.http.*;
import org.springframework.web.bind.annotation.*;
@RestController class Main {
  @RequestMapping(value = "/x", method = {RequestMethod.GET, RequestMethod.POST})
  public ResponseEntity<Void> handle(HttpServletRequest request) {
    if (RequestMethod.GET.name().equals(request.getMethod())) {
      return ResponseEntity.ok().build(); }
    return ResponseEntity.accepted().build(); } }""",
    "Spring MVC, by the method alone": """
import org.springframework.http.*; import org.springframework.web.bind.annotation.*;
@RestController class Main {
  @RequestMapping(value = "/x", method = {RequestMethod.GET, RequestMethod.POST})
  public ResponseEntity<Void> handle(HttpMethod method) {
    return method.matches("GET") ? ResponseEntity.ok().build()
      : ResponseEntity.accepted().build(); } }""",
    "Micronaut": """
import io.micronaut.http.*; import io.micronaut.http.annotation.*;
@Controller("/x") class Main {
  @Get @Post HttpResponse<?> handle(HttpRequest<?> request) {
    if (request.getMethod() == HttpMethod.GET) { return HttpResponse.ok(); }
    return HttpResponse.accepted(); } }""",
    "Armeria": """
import com.linecorp.armeria.common.*; import com.linecorp.armeria.server.*;
import com.linecorp.armeria.server.annotation.*;
class Main {
  static void main(String[] args) { Server.builder().annotatedService(new Main()).build(); }
  @Get("/x") @Post("/x") public HttpResponse handle(HttpRequest request) {
    if (request.method() == HttpMethod.GET) { return HttpResponse.of(HttpStatus.OK); }
    return HttpResponse.of(HttpStatus.ACCEPTED); } }""",
    "JAX-RS": """
import jakarta.ws.rs.*; import jakarta.ws.rs.core.*;
@Path("/x") public class Main {
  @GET public Response read(@Context Request request) { return handle(request); }
  @POST public Response make(@Context Request request) { return handle(request); }
  private Response handle(Request request) {
    if (request.getMethod().equals(HttpMethod.GET)) { return Response.ok().build(); }
    return Response.accepted().build(); } }""",
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_frameworks_whose_requests_have_a_method(tmp_path: Path, framework: str) -> None:
    source = f"package shop;\n{FRAMEWORKS[framework]}"
    found = Project(tmp_path, {"src/main/java/shop/Main.java": source})
    by_verb = {
        o.method: [response.status for response in o.responses]
        for o in found.code.operations_with_answers
        if o.path == "/x" and o.method != "*"
    }
    assert by_verb == {"GET": ["200"], "POST": ["202"]}


def test_actions_of_play(tmp_path: Path) -> None:
    routes = "".join(f"{v} /x controllers.C.handle(request: Request)\n" for v in ("GET", "POST"))
    source = """package controllers;
    import play.mvc.*;
    public class C extends Controller {
      public Result handle(Http.Request request) {
        if (request.method().equals("GET")) { return ok(); }
        return status(202); } }"""
    found = Project(tmp_path, {"conf/routes": routes, "app/controllers/C.java": source})
    assert found.responses("GET /x") == ["200"]
    assert found.responses("POST /x") == ["202"]
