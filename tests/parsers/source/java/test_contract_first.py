"""Classes and interfaces that a build makes of a contract have the shapes of the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

CONTRACT = """
openapi: 3.0.3
info: {title: Shop, version: "1"}
paths:
  /orders:
    post:
      operationId: add_order
      parameters:
        - {name: dry, in: query, required: true, schema: {type: boolean}}
      requestBody:
        content: {application/json: {schema: {$ref: "#/components/schemas/order-item"}}}
      responses:
        "201":
          content: {application/json: {schema: {$ref: "#/components/schemas/order-item"}}}
  /ping:
    get:
      operationId: ping
      responses:
        "200": {content: {text/plain: {schema: {type: string}}}}
components:
  schemas:
    order-item:
      required: [id]
      properties:
        id: {type: integer, format: int64}
        state: {$ref: "#/components/schemas/State"}
        before: {type: array, items: {$ref: "#/components/schemas/State"}}
    State: {type: string, enum: [open, done]}
"""
CONTROLLER = """package com.shop.web;
import com.shop.api.OrdersApi;
import com.shop.api.model.OrderItem%(suffix)s;
import org.springframework.http.*;
import org.springframework.web.bind.annotation.*;
@RestController class OrdersController implements OrdersApi {
  @Override
  public ResponseEntity<OrderItem%(suffix)s> addOrder(OrderItem%(suffix)s o, Boolean dry) {
    return ResponseEntity.status(201).body(o);
  }
  @Override public ResponseEntity<String> ping() { return ResponseEntity.ok("pong"); }
}
"""
ITEM = "{id!: integer(int64)~, state~: 'open' 'done'~, before~: ['open' 'done']~}"
MAVEN = """<project>
  <properties><api.package>com.shop.api</api.package></properties>
  <build><plugins><plugin>
    <artifactId>openapi-generator-maven-plugin</artifactId>
    <executions><execution><configuration>
      <!-- <modelPackage>gone</modelPackage> -->
      <inputSpec>${project.basedir}/src/main/resources/shop.yaml</inputSpec>
      <modelPackage>${api.package}.model</modelPackage>
      <apiPackage>${api.package}</apiPackage>
      <modelNameSuffix>Dto</modelNameSuffix>
    </configuration></execution></executions>
  </plugin></plugins></build>
</project>"""
GRADLE = """
openApiGenerate {
  generatorName.set("spring")
  inputSpec.set("$rootDir/src/main/resources/shop.yaml")
  apiPackage = "com.shop.api"
  modelPackage = "com.shop.api.model"
}
"""
MICRONAUT = """
plugins { id("io.micronaut.openapi") }
micronaut { openapi { server(file("src/main/resources/shop.yaml")) {
  apiPackageName = "com.shop.api"
  modelPackageName = "com.shop.api.model"
  modelNameSuffix = "Dto"
} } }
"""


def project(folder: Path, build: str, text: str, suffix: str = "") -> Project:
    return Project(
        folder,
        {
            build: text,
            "src/main/resources/shop.yaml": CONTRACT,
            "src/main/java/com/shop/web/C.java": CONTROLLER % {"suffix": suffix},
        },
    )


def told(found: Project) -> dict[str, list[str]]:
    """What is told of each operation that is known by its name."""
    return {
        o.operation_id: [
            *map(found.parameter, o.parameters),
            *("takes " + found.show(body.schema) for body in o.request),
            *(f"{r.status} {found.body(b)}" for r in o.responses for b in r.bodies),
        ]
        for o in found.code.operations_with_answers
    }


@pytest.mark.parametrize(
    ("build", "text", "suffix"),
    [
        ("pom.xml", MAVEN, "Dto"),
        ("build.gradle", GRADLE, ""),
        ("build.gradle.kts", GRADLE, ""),
        ("build.gradle.kts", MICRONAUT, "Dto"),
    ],
)
def test_classes_of_a_contract(tmp_path: Path, build: str, text: str, suffix: str) -> None:
    found = project(tmp_path, build, text, suffix)
    assert told(found) == {
        "addOrder": ["query dry: boolean", "takes " + ITEM, "201 " + ITEM],
        "ping": ["200 text/plain string"],
    }


def test_of_files_of_one_name_the_one_of_the_folder_that_is_named(tmp_path: Path) -> None:
    build = """
    def specs = project.layout.projectDirectory.dir("src/main/resources/")
    tasks.register('stubs', GenerateTask) {
      generatorName = "spring"
      inputSpec = specs.file("shop.yaml").asFile.absolutePath
      apiPackage = "com.shop.api"
      modelPackage = "com.shop.api.model"
    }
    """
    found = Project(
        tmp_path,
        {
            "build.gradle": build,
            "src/main/resources/shop.yaml": CONTRACT,
            "docs/shop.yaml": CONTRACT.replace("int64", "int32"),
            "src/main/java/com/shop/web/C.java": CONTROLLER % {"suffix": ""},
        },
    )
    assert told(found)["addOrder"][-1] == f"201 {ITEM}"


def test_operations_without_ids_are_named_after_their_paths(tmp_path: Path) -> None:
    contract = CONTRACT.replace("      operationId: add_order\n", "").replace(
        "/orders:", "/o/{id}:"
    )
    code = CONTROLLER.replace("addOrder", "oIdPost") % {"suffix": ""}
    found = Project(
        tmp_path,
        {
            "build.gradle": GRADLE,
            "src/main/resources/shop.yaml": contract,
            "src/main/java/com/shop/web/C.java": code,
        },
    )
    assert told(found) == {
        "oIdPost": ["query dry: boolean", "takes " + ITEM, "201 " + ITEM],
        "ping": ["200 text/plain string"],
    }


def test_packages_of_a_build_need_not_be_the_projects_own(tmp_path: Path) -> None:
    build = GRADLE.replace("com.shop.api", "org.generated.rest")
    code = (CONTROLLER % {"suffix": ""}).replace("com.shop.api", "org.generated.rest")
    found = Project(
        tmp_path,
        {
            "build.gradle": "apply from: 'gradle/generate.gradle'",
            "gradle/generate.gradle": build,
            "src/main/resources/shop.yaml": CONTRACT,
            "src/main/java/com/shop/web/C.java": code,
        },
    )
    assert told(found) == {
        "addOrder": ["query dry: boolean", "takes " + ITEM, "201 " + ITEM],
        "ping": ["200 text/plain string"],
    }


def test_generated_classes_hide_those_of_libraries(tmp_path: Path) -> None:
    contract = CONTRACT.replace("order-item", "page")
    controller = CONTROLLER.replace("OrderItem", "Page").replace(
        "import com.shop.api.model.Page%(suffix)s;", "import com.shop.api.model.*;"
    )
    files = {"build.gradle": GRADLE, "src/main/resources/shop.yaml": contract}
    source = {"src/main/java/com/shop/web/C.java": controller % {"suffix": ""}}
    found = Project(tmp_path, {**files, **source})
    assert told(found)["addOrder"][-1] == f"201 {ITEM}"


def test_methods_that_give_no_response_entity_have_the_status_of_the_contract(
    tmp_path: Path,
) -> None:
    code = (CONTROLLER % {"suffix": ""}).replace(
        "ResponseEntity<OrderItem> addOrder", "OrderItem addOrder"
    )
    code = code.replace("return ResponseEntity.status(201).body(o);", "return o;")
    found = Project(
        tmp_path,
        {
            "build.gradle": GRADLE,
            "src/main/resources/shop.yaml": CONTRACT,
            "src/main/java/com/shop/web/C.java": code,
        },
    )
    assert told(found)["addOrder"][-1] == f"201 {ITEM}"


def test_settings_of_a_generator_in_a_file_of_their_own(tmp_path: Path) -> None:
    build = """
    def spec = "$rootDir/src/main/resources/shop.yaml"
    swaggerSources { shop {
      inputFile = file(spec)
      def settings = "${rootDir}/src/main/resources/config.json"
      code { language = 'spring'; configFile = file(settings) }
    } }
    """
    settings = '{"modelPackage": "com.my-shop.api.model", "apiPackage": "com.my-shop.api"}'
    code = (CONTROLLER % {"suffix": ""}).replace("com.shop.api", "com.my_shop.api")
    found = Project(
        tmp_path,
        {
            "build.gradle": build,
            "src/main/resources/config.json": settings,
            "src/main/resources/shop.yaml": CONTRACT,
            "src/main/java/com/shop/web/C.java": code,
        },
    )
    assert told(found) == {
        "addOrder": ["query dry: boolean", "takes " + ITEM, "201 " + ITEM],
        "ping": ["200 text/plain string"],
    }


def test_methods_of_generated_interfaces_need_no_override(tmp_path: Path) -> None:
    code = (CONTROLLER % {"suffix": ""}).replace("@Override", "")
    helper = 'public void help() {} @GetMapping("/ping") public String ping() { return "pong"; }'
    code = code.replace("public ResponseEntity<String> ping()", helper + " private String other()")
    found = Project(
        tmp_path,
        {
            "build.gradle": GRADLE,
            "src/main/resources/shop.yaml": CONTRACT,
            "src/main/java/com/shop/web/C.java": code,
        },
    )
    assert [(o.operation_id, o.method, o.path) for o in found.code.operations] == [
        ("addOrder", "POST", "/orders"),
        ("", "GET", "/ping"),
    ]


def test_contract_that_an_earlier_step_bundles(tmp_path: Path) -> None:
    bundle = """<executions><execution><configuration>
      <inputSpec>${project.basedir}/src/main/resources/shop.yaml</inputSpec>
      <generatorName>openapi-yaml</generatorName>
    </configuration></execution>"""
    build = MAVEN.replace("${project.basedir}/src/main/resources", "${project.build.directory}")
    found = project(tmp_path, "pom.xml", build.replace("<executions>", bundle), "Dto")
    assert told(found)["addOrder"][-1] == f"201 {ITEM}"


def test_script_of_gradle_with_packages_by_variable(tmp_path: Path) -> None:
    script = """
    generateSwaggerCode {
      inputFile = file('../common/shop.yaml')
      additionalProperties = [
        modelPackage : "${group}.api.model",
        apiPackage   : "${group}.api",
      ]
    }
    """
    found = Project(
        tmp_path,
        {
            "service/generators.gradle": script,
            "common/shop.yaml": CONTRACT,
            "service/src/main/java/com/shop/web/C.java": CONTROLLER % {"suffix": ""},
        },
    )
    assert told(found)["addOrder"][-1] == f"201 {ITEM}"


def test_where_generated_interfaces_are_served(tmp_path: Path) -> None:
    plain = project(tmp_path / "plain", "build.gradle", GRADLE)
    assert plain.routes() == ["GET /ping", "POST /orders"]
    files = {
        "build.gradle": GRADLE,
        "src/main/resources/shop.yaml": CONTRACT + "servers: [{url: https://shop.example/v1}]\n",
        "src/main/resources/application.properties": "server.servlet.context-path=/shop\n",
    }
    controller = CONTROLLER % {"suffix": ""}
    based = controller.replace("@RestController", '@RestController @RequestMapping("/v1")')
    below = Project(tmp_path / "below", {**files, "src/main/java/com/shop/web/C.java": based})
    assert below.routes() == ["GET /shop/v1/ping", "POST /shop/v1/orders"]
    # Whether the generated interface adds the base path itself is a setting of the generator: what
    # stands behind it is known.
    unsure = Project(
        tmp_path / "unsure", {**files, "src/main/java/com/shop/web/C.java": controller}
    )
    assert {route.partition(" ?")[0] for route in unsure.routes()} == {
        "GET /{computed}/ping",
        "POST /{computed}/orders",
    }


@pytest.mark.parametrize(
    ("parameters", "route"),
    [("OrderItem o, Boolean dry", "POST /orders"), ("OrderItem o, Boolean other", "* ")],
)
def test_of_operations_of_one_name_the_one_with_the_parameters_is_meant(
    tmp_path: Path, parameters: str, route: str
) -> None:
    contract = CONTRACT.replace("operationId: ping", "operationId: addOrder")
    controller = (CONTROLLER % {"suffix": ""}).replace("OrderItem o, Boolean dry", parameters)
    controller = controller.replace("OrdersApi", "ShopApi")
    found = Project(
        tmp_path,
        {
            "build.gradle": GRADLE,
            "src/main/resources/shop.yaml": contract,
            "src/main/java/com/shop/web/C.java": controller,
        },
    )
    (method,) = [o for o in found.code.operations_with_answers if o.operation_id == "addOrder"]
    assert f"{method.method} {method.path}" == route
    assert bool(method.parameters) == (route != "* ")


def test_of_operations_of_one_name_the_one_of_the_interface_is_meant(tmp_path: Path) -> None:
    other = """
    openapi: 3.0.3
    info: {title: Items, version: "1"}
    paths:
      /items:
        get: {operationId: ping, tags: [%s], responses: {"200": {description: ok}}}
    """
    controller = (CONTROLLER % {"suffix": ""}).replace(
        "@Override public ResponseEntity<String> ping",
        "@Override public java.util.Optional<NativeWebRequest> getRequest() { return null; }\n"
        "  @Override public ResponseEntity<String> ping",
    )
    more = GRADLE.replace("openApiGenerate {", 'task("items", GenerateTask) {')
    files = {
        "build.gradle": f"{GRADLE}\n{more.replace('shop.yaml', 'items.yaml')}",
        "src/main/resources/shop.yaml": CONTRACT,
        "src/main/java/com/shop/web/C.java": controller,
    }
    for tags, path in (("item-list", ""), ("Orders", "/items")):
        found = Project(tmp_path / tags, {**files, "src/main/resources/items.yaml": other % tags})
        assert {o.operation_id: o.path for o in found.code.operations} == {
            "addOrder": "/orders",
            "ping": path,
        }


def test_generated_classes_that_code_puts_together(tmp_path: Path) -> None:
    contract = CONTRACT.replace(
        "components:",
        """  /all:
    get:
      operationId: all
      responses:
        "200":
          content: {application/json: {schema: {$ref: "#/components/schemas/all-orders"}}}
components:""",
    )
    contract += """
    all-orders:
      type: array
      items: {properties: {note: {properties: {text: {type: string}}}}}
"""
    source = """package com.shop.web;
    import com.shop.api.model.*;
    import org.springframework.http.*;
    import org.springframework.web.bind.annotation.*;
    @RestController class C {
      @GetMapping("/fluent") ResponseEntity<?> fluent() {
        return ResponseEntity.ok(new OrderItem().id(1L).state(null)); }
      @GetMapping("/built") ResponseEntity<?> built() {
        return ResponseEntity.ok(OrderItem.builder().id(1L).build()); }
      @GetMapping("/inner") AllOrdersInner inner() { return null; }
      @GetMapping("/note") AllOrdersInnerNote note() { return null; }
      @GetMapping("/other") ResponseEntity<?> other() {
        return ResponseEntity.ok(new OrderItem().getId()); }
    }
    """
    found = Project(
        tmp_path,
        {
            "build.gradle": GRADLE,
            "src/main/resources/shop.yaml": contract,
            "src/main/java/com/shop/web/C.java": source,
        },
    )
    given = ITEM.replace("integer(int64)~", "1(int64)")
    assert {o.path: found.responses(f"{o.method} {o.path}") for o in found.code.operations} == {
        "/fluent": ["200 " + given.replace("'done'~,", "'done'|null,")],
        "/built": [f"200 {given}"],
        "/inner": ["(200) {note~: {text~: string~}~}"],
        "/note": ["(200) {text~: string~}"],
        "/other": ["200 <the result of `OrderItem().getId` comes from a library>"],
    }


def test_what_the_parent_of_a_maven_project_tells_its_generator(tmp_path: Path) -> None:
    suffix = "      <modelNameSuffix>Dto</modelNameSuffix>\n"
    parent = """<project><groupId>shop</groupId><artifactId>all</artifactId><version>1</version>
    <build><pluginManagement><plugins><plugin>
      <artifactId>openapi-generator-maven-plugin</artifactId>
      <configuration><skip>true</skip><modelNameSuffix>Dto</modelNameSuffix></configuration>
    </plugin></plugins></pluginManagement></build></project>"""
    own = MAVEN.replace(suffix, "").replace(
        "<project>",
        "<project><parent><groupId>shop</groupId><artifactId>all</artifactId><version>1</version>"
        "</parent><artifactId>orders</artifactId>",
    )
    source = """package com.shop.web;
    import com.shop.api.model.OrderItemDto;
    import java.util.List;
    import java.util.stream.Stream;
    import org.springframework.web.bind.annotation.*;
    @RestController class C {
      Store store;
      @GetMapping("/mapped") public List<OrderItemDto> mapped() {
        return store.all().map(this::made).toList(); }
      @GetMapping("/unseen") public List<OrderItemDto> unseen() {
        return org.other.Streams.of(1).map(this::made).toList(); }
      OrderItemDto made(Object one) { return null; }
    }
    interface Store { Stream<String> all(); }
    """
    found = Project(
        tmp_path,
        {
            "pom.xml": parent,
            "orders/pom.xml": own,
            "orders/src/main/resources/shop.yaml": CONTRACT,
            "orders/src/main/java/com/shop/web/C.java": source,
        },
    )
    assert found.responses("GET /mapped") == [f"(200) [{ITEM}]"]
    assert found.responses("GET /unseen") == [f"(200) [{ITEM}]"]


def test_clients_and_servers_that_quarkus_generates(tmp_path: Path) -> None:
    source = """package com.shop.api;
    import com.shop.model.OrderItem;
    public class OrdersApiImpl implements OrdersApi {
      @Override public OrderItem addOrder(Boolean dry, OrderItem item) { return item; }
    }
    """
    found = Project(
        tmp_path,
        {
            "src/main/resources/application.properties": (
                "quarkus.openapi-generator.codegen.spec.web_shop_yaml.base-package=com.shop\n"
            ),
            "src/main/openapi/web-shop.yaml": CONTRACT,
            "src/main/java/com/shop/api/OrdersApiImpl.java": source,
        },
    )
    assert found.routes() == ["POST /orders"]
    assert told(found) == {
        "addOrder": ["query dry: boolean", f"takes {ITEM}", f"200 {ITEM}"],
    }


def test_text_that_a_generated_interface_of_jaxrs_declares_as_json(tmp_path: Path) -> None:
    source = """package com.shop.api;
    public class OrdersApiImpl implements OrdersApi {
      @Override public String ping() { return load(); }
      private native String load();
    }
    """
    found = Project(
        tmp_path,
        {
            "src/main/resources/application.properties": (
                "quarkus.openapi-generator.codegen.spec.shop_yaml.base-package=com.shop\n"
            ),
            "src/main/openapi/shop.yaml": CONTRACT.replace("text/plain", "application/json"),
            "src/main/java/com/shop/api/OrdersApiImpl.java": source,
        },
    )
    assert found.responses("GET /ping") == ["(200) <the text that is returned is sent as it is>"]


@pytest.mark.parametrize("start", ["quarkus.openapi.generator", "quarkus.openapi.generator.server"])
def test_settings_of_quarkus(tmp_path: Path, start: str) -> None:
    source = """package com.shop.rest;
    import com.shop.api.OrdersResource;
    import com.shop.api.beans.OrderItem;
    import io.smallrye.mutiny.Uni;
    import jakarta.ws.rs.core.Response;
    public class Orders implements OrdersResource {
      Store store;
      @Override public Uni<Response> addOrder(OrderItem item, Boolean dry) {
        return store.add(item).invoke(i -> System.out.println(i))
          .onItem().ifNotNull().transform(i -> Response.status(201).entity(make(i)).build())
          .replaceIfNullWith(() -> Response.status(404).build())
          .onFailure(IllegalStateException.class).transform(e -> new RuntimeException(e));
      }
      private OrderItem make(OrderItem item) { return item; }
    }
    interface Store { Uni<OrderItem> add(OrderItem item); }
    """
    settings = f"{start}.spec=shop.yaml\n{start}.base-package=com.shop.api\n"
    found = Project(
        tmp_path,
        {
            "src/main/resources/application.properties": settings,
            "src/main/resources/openapi/shop.yaml": CONTRACT,
            "src/main/java/com/shop/rest/Orders.java": source,
        },
    )
    assert told(found) == {
        "addOrder": ["query dry: boolean", "takes " + ITEM, "201 " + ITEM],
    }
    (operation,) = found.code.operations_with_answers
    assert [response.status for response in operation.responses] == ["201", "404"]


def test_methods_that_are_called_after_summaries(tmp_path: Path) -> None:
    contract = """
    openapi: 3.0.3
    info: {title: shop, version: "1"}
    paths:
      /orders:
        get: {summary: "List the customer's orders", responses: {"200": {description: ok}}}
        post: {summary: Place an order, operationId: add, responses: {"200": {description: ok}}}
    """
    source = """package com.shop.api;
    public class OrdersResourceImpl implements OrdersResource {
      @Override public void listTheCustomersOrders() {}
      @Override public void add() {}
    }
    """
    found = Project(
        tmp_path,
        {
            "src/main/resources/application.properties": (
                "quarkus.openapi.generator.spec=shop.yaml\n"
                "quarkus.openapi.generator.base-package=com.shop.api\n"
            ),
            "src/main/resources/openapi/shop.yaml": contract,
            "src/main/java/com/shop/api/OrdersResourceImpl.java": source,
        },
    )
    assert found.routes() == ["GET /orders", "POST /orders"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        GRADLE.replace("shop.yaml", "gone.yaml"),
        GRADLE.replace("com.shop.api.model", "com.other.model"),
        GRADLE.replace("$rootDir/src", "https://example.org"),
    ],
)
def test_without_the_contract_nothing_is_told(tmp_path: Path, text: str) -> None:
    found = project(tmp_path, "build.gradle", text)
    undetermined = "<type `OrderItem` comes from a library>"
    (add,) = [each for name, each in told(found).items() if name == "addOrder"]
    assert add[-1] == f"201 {undetermined}"


def test_of_overloads_the_one_that_overrides_is_the_operation(tmp_path: Path) -> None:
    overload = (
        "public ResponseEntity<String> ping(int times) { return ping(); }\n  @Override public"
    )
    code = (CONTROLLER % {"suffix": ""}).replace("@Override public", overload)
    found = Project(
        tmp_path,
        {
            "build.gradle": GRADLE,
            "src/main/resources/shop.yaml": CONTRACT,
            "src/main/java/com/shop/web/C.java": code,
        },
    )
    assert [o.operation_id for o in found.code.operations] == ["addOrder", "ping"]
