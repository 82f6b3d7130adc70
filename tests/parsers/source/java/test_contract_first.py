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
ITEM = "{id!: integer(int64), state?!: 'open' 'done', before?!: ['open' 'done']}"
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
        for o in found.code.operations
    }


@pytest.mark.parametrize(
    ("build", "text", "suffix"),
    [("pom.xml", MAVEN, "Dto"), ("build.gradle", GRADLE, ""), ("build.gradle.kts", GRADLE, "")],
)
def test_classes_of_a_contract(tmp_path: Path, build: str, text: str, suffix: str) -> None:
    found = project(tmp_path, build, text, suffix)
    assert told(found) == {
        "addOrder": ["query dry: boolean", "takes " + ITEM, "201 " + ITEM],
        "ping": ["200 text/plain string"],
    }


def test_settings_of_quarkus(tmp_path: Path) -> None:
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
    settings = "quarkus.openapi.generator.server.spec=shop.yaml\n"
    settings += "quarkus.openapi.generator.server.base-package=com.shop.api\n"
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
    (operation,) = found.code.operations
    assert [response.status for response in operation.responses] == ["201", "404"]


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
    untold = "<type `OrderItem` comes from a library>"
    (add,) = [each for name, each in told(found).items() if name == "addOrder"]
    assert add[-1] == f"201 {untold}"
