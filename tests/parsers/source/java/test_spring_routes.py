"""Routes of Spring controllers: where they are declared, and what their paths are."""

from __future__ import annotations

from pathlib import Path

from tests.parsers.source.java.project import Project

WEB = "import org.springframework.web.bind.annotation.*;\n"
ROOT = "src/main/java/shop/"


def routes(folder: Path, *sources: str, **settings: str) -> list[str]:
    files = {f"{ROOT}A{i}.java": f"package shop;\n{WEB}{text}" for i, text in enumerate(sources)}
    files.update({f"src/main/resources/application.{k}": v for k, v in settings.items()})
    return Project(folder, files).routes()


def test_class_and_method_mappings_multiply(tmp_path: Path) -> None:
    assert routes(
        tmp_path,
        """
        @RestController
        @RequestMapping({"/a", "b/"})
        class C {
          @GetMapping void root() {}
          @PostMapping({"/x", "y"}) void two() {}
          @RequestMapping(path = "/z", method = {RequestMethod.PUT, RequestMethod.PATCH})
          void z() {}
          @RequestMapping("/any") void any() {}
          @DeleteMapping(value = "/{id:\\\\d+}/{*rest}") void rest() {}
        }
        """,
    ) == [
        "* /a/any",
        "* /b/any",
        "DELETE /a/{id}/{rest*}",
        "DELETE /b/{id}/{rest*}",
        "GET /a",
        "GET /b",
        "PATCH /a/z",
        "PATCH /b/z",
        "POST /a/x",
        "POST /a/y",
        "POST /b/x",
        "POST /b/y",
        "PUT /a/z",
        "PUT /b/z",
    ]


def test_constants_are_followed(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            f"{ROOT}Paths.java": """
                package shop;
                public final class Paths {
                  public static final String V1 = "/v1";
                  public static final String ORDERS = V1 + "/orders";
                  public interface Sub { String ITEMS = "/{id}" + "/items"; }
                }
                """,
            f"{ROOT}web/C.java": f"""
                package shop.web;
                {WEB}
                import shop.Paths;
                import static shop.Paths.ORDERS;
                import static org.springframework.web.bind.annotation.RequestMethod.POST;
                @RestController @RequestMapping(ORDERS)
                class C {{ @RequestMapping(path = Paths.Sub.ITEMS, method = POST) void f() {{}} }}
                """,
        },
    )
    assert project.routes() == ["POST /v1/orders/{id}/items"]


def test_placeholders_and_context_path_from_settings(tmp_path: Path) -> None:
    source = """
        @RestController @RequestMapping("${api.base}/orders")
        class C {
          @GetMapping("${api.list:/list}") void list() {}
          @GetMapping("/${nowhere}") void open() {}
        }
        """
    settings = """
        server.servlet.context-path: /shop
        spring.mvc.servlet.path: /rest
        api: {base: "/v${api.version}", version: 2}
        """
    assert routes(tmp_path, source, yml=settings) == [
        "GET /shop/rest/v2/orders/list",
        "GET /shop/rest/v2/orders/{computed} ?the property `nowhere` of the path is set in no "
        "application.yml or application.properties",
    ]


def test_settings_of_each_module_hold_for_its_own_controllers(tmp_path: Path) -> None:
    source = WEB + '@RestController class {0} {{ @GetMapping("/x") void f() {{}} }}'
    project = Project(
        tmp_path,
        {
            "one/src/main/java/One.java": source.format("One"),
            "one/src/main/resources/application.properties": "server.servlet.context-path=/one\n",
            "two/src/main/java/Two.java": source.format("Two"),
            "two/src/main/resources/application.yaml": "server: {servlet: {context-path: /two}}\n",
            "two/src/test/resources/application.yml": "server.servlet.context-path: /test\n",
        },
    )
    assert project.routes() == ["GET /one/x", "GET /two/x"]


def test_composed_annotations(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            f"{ROOT}web/ApiController.java": f"""
                package shop.web;
                {WEB}
                import org.springframework.core.annotation.AliasFor;
                @RestController @RequestMapping
                public @interface ApiController {{
                  @AliasFor(annotation = RequestMapping.class, attribute = "path")
                  String[] value() default {{"/api"}};
                }}
                """,
            f"{ROOT}web/GetJson.java": f"""
                package shop.web;
                {WEB}
                import org.springframework.core.annotation.AliasFor;
                @RequestMapping(method = RequestMethod.GET, produces = "application/json")
                public @interface GetJson {{
                  @AliasFor(annotation = RequestMapping.class) String[] path() default {{}};
                }}
                """,
            f"{ROOT}Orders.java": """
                package shop;
                import shop.web.*;
                @ApiController class Orders { @GetJson(path = "/orders") String f() { return ""; } }
                """,
            f"{ROOT}Items.java": """
                package shop;
                import shop.web.*;
                @ApiController("/v2") class Items { @GetJson(path = "/items") int f() { return 0; }}
                """,
        },
    )
    assert project.routes() == ["GET /api/orders", "GET /v2/items"]


def test_mappings_of_interfaces_and_generic_base_classes(tmp_path: Path) -> None:
    assert routes(
        tmp_path,
        """
        interface OrdersApi {
          @GetMapping("/orders/{id}") Order get(@PathVariable("id") long id);
          @PostMapping("/orders") default Order create(@RequestBody Order order) { return order; }
          void unmapped();
        }
        abstract class Base<T, K> {
          @GetMapping("/{key}") public T find(@PathVariable K key) { return null; }
          @DeleteMapping("/{key}") public void remove(@PathVariable K key) {}
        }
        class Order { public long id; }
        """,
        """
        @RestController class Orders implements OrdersApi {
          public Order get(long id) { return null; }
          public void unmapped() {}
        }
        @RestController @RequestMapping("/things") class Things extends Base<Order, String> {
          @Override public void remove(String key) {}
        }
        """,
    ) == [
        "DELETE /things/{key}",
        "GET /orders/{id}",
        "GET /things/{key}",
        "POST /orders",
    ]


def test_clients_abstract_classes_and_look_alikes_are_no_routes(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            f"{ROOT}Client.java": f"""
                package shop;
                {WEB}
                import org.springframework.cloud.openfeign.FeignClient;
                import org.springframework.web.service.annotation.*;
                @FeignClient(name = "orders", path = "/orders")
                interface Client {{ @GetMapping("/{{id}}") String get(@PathVariable String id); }}
                @HttpExchange("/stock") interface Stock {{ @GetExchange("/{{id}}") String get(); }}
                @RestController abstract class Half {{ @GetMapping("/half") void f() {{}} }}
                class NoController {{ @GetMapping("/none") void f() {{}} }}
                """,
            f"{ROOT}Micronaut.java": """
                package shop;
                import io.micronaut.http.annotation.*;
                import org.springframework.stereotype.Service;
                @Controller("/m") class Micronaut { @Get("/x") void f() {} }
                """,
        },
    )
    assert [o.path for o in project.code.operations if o.framework == "Spring MVC"] == []


def test_controller_that_implements_a_client_interface(tmp_path: Path) -> None:
    assert routes(
        tmp_path,
        """
        @org.springframework.cloud.openfeign.FeignClient("orders")
        interface Api { @GetMapping("/orders") String list(); }
        @RestController class Orders implements Api { public String list() { return ""; } }
        """,
    ) == ["GET /orders"]


def test_prefix_that_code_adds(tmp_path: Path) -> None:
    config = """
        import org.springframework.web.servlet.config.annotation.*;
        class Config implements WebMvcConfigurer {
          public void configurePathMatch(PathMatchConfigurer configurer) {
            configurer.addPathPrefix(
                "/api", HandlerTypePredicate.forAnnotation(RestController.class));
          }
        }
        """
    controllers = """
        @RestController class A { @GetMapping("/a") void f() {} }
        @org.springframework.stereotype.Controller class B { @GetMapping("/b") void f() {} }
        """
    assert routes(tmp_path, config, controllers) == ["GET /api/a", "GET /b"]


def test_prefix_under_a_condition_is_not_guessed(tmp_path: Path) -> None:
    config = """
        import org.springframework.web.servlet.config.annotation.*;
        class Config implements WebMvcConfigurer {
          public void configurePathMatch(PathMatchConfigurer configurer) {
            configurer.addPathPrefix("/api", this::own);
          }
        }
        """
    controller = '@RestController class A { @GetMapping("/a") void f() {} }'
    assert routes(tmp_path, config, controller) == [
        "GET /a ?a path prefix is added under a condition that is undetermined"
    ]


def test_hidden_handlers(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            f"{ROOT}C.java": f"""
                package shop;
                {WEB}
                import io.swagger.v3.oas.annotations.*;
                @RestController class C {{
                  @Hidden @GetMapping("/a") void a() {{}}
                  @Operation(hidden = true) @GetMapping("/b") void b() {{}}
                  @GetMapping("/c") void c() {{}}
                }}
                """
        },
    )
    assert [(o.path, o.excluded_from_docs) for o in project.code.operations] == [
        ("/a", True),
        ("/b", True),
        ("/c", False),
    ]


def test_the_filter_loses_nothing(tmp_path: Path) -> None:
    files = {
        f"{ROOT}C.java": f"package shop;\n{WEB}@RestController class C implements Api {{}}",
        f"{ROOT}Api.java": f"package shop;\n{WEB}interface Api {{\n"
        '@GetMapping("/x") default int f() { return 1; } }',
        f"{ROOT}Other.java": "package shop;\nclass Other {}",
    }
    filtered = Project(tmp_path / "a", files)
    whole = Project(tmp_path / "b", files, filter=False)
    assert filtered.code.operations_with_answers == whole.code.operations_with_answers
    assert filtered.routes() == ["GET /x"]


def test_documents_that_a_library_brings(tmp_path: Path) -> None:
    source = """package shop;
    import org.springframework.web.bind.annotation.*;
    import io.swagger.v3.oas.annotations.Operation;
    @RestController class C { @GetMapping("/x") @Operation int f() { return 1; } }
    """
    files = {"src/main/java/shop/C.java": source, "pom.xml": "<project><parent/></project>"}
    why = "where a library serves documents of the application is not among the sources"
    assert Project(tmp_path / "brought", files).routes() == [
        f"* /api-docs ?{why}",
        f"* /swagger-ui ?{why}",
        "GET /x",
    ]
    files["pom.xml"] = "<project><artifactId>springdoc-openapi-ui</artifactId></project>"
    assert Project(tmp_path / "own", files).routes() == ["GET /x"]
