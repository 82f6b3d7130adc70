"""Micronaut: controllers, URI templates, what handlers take and send."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.java.frameworks.micronaut.templates import template
from tests.parsers.source.java.project import Project

HEAD = """package shop;
import io.micronaut.core.annotation.*;
import io.micronaut.http.*;
import io.micronaut.http.annotation.*;
import io.micronaut.http.multipart.CompletedFileUpload;
import java.net.URI;
import java.util.*;
import reactor.core.publisher.*;
"""
ORDER = "class Order { public long id; }\n"


def project(folder: Path, source: str, **files: str) -> Project:
    return Project(folder, {"src/main/java/shop/C.java": HEAD + ORDER + source, **files})


@pytest.mark.parametrize(
    ("text", "paths", "query"),
    [
        ("/orders/{id}", ["/orders/{id}"], []),
        ("/orders{/id}{?max,offset*}", ["/orders", "/orders/{id}"], ["max", "offset"]),
        ("/{a}-{b:4}{&x}", ["/{a}-{b}"], ["x"]),
        ("/{id:[0-9]{1,3}}", ["/{id}"], []),
        ("/files/{+path}", ["/files/{path*}"], []),
        ("/files/{path:.*}", ["/files/{path*}"], []),
        ("/open/{id", ["/open/{id"], []),
    ],
)
def test_uri_templates(text: str, paths: list[str], query: list[str]) -> None:
    found = template(text)
    assert list(found.paths) == paths
    assert [variable.name for variable in found.query] == query


def test_controllers_and_verbs(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Controller("/orders") class Orders {
          static final String ITEMS = "/items";
          @Get List<Order> all() { return null; }
          @Get("/{id}") Order get(long id) { return null; }
          @Post(uris = {"/a", "/b"}) void two() {}
          @Put(uri = "/{id}" + ITEMS) void put(long id) {}
          @Delete("{/id}") void delete(@Nullable Long id) {}
          @CustomHttpMethod(method = "REPORT", value = "/report") void report() {}
          @Head("/h") @Options("/o") void several() {}
          void helper() {}
        }
        @Controller class Root { @Patch("x") void patch() {} }
        """,
    )
    assert found.routes() == [
        "DELETE /orders",
        "DELETE /orders/{id}",
        "GET /orders",
        "GET /orders/{id}",
        "HEAD /orders/h",
        "OPTIONS /orders/o",
        "PATCH /x",
        "POST /orders/a",
        "POST /orders/b",
        "PUT /orders/{id}/items",
        "REPORT /orders/report",
    ]


def test_interfaces_with_mappings_and_clients(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        interface Operations<T> {
          @Get("/{id}") @Status(HttpStatus.ACCEPTED) T get(@PathVariable("id") long key);
        }
        @Controller("/orders") class Orders implements Operations<Order> {
          @Override public Order get(long key) { return null; }
        }
        @io.micronaut.http.client.annotation.Client("/orders") interface Remote
          extends Operations<Order> {}
        """,
    )
    assert found.routes() == ["GET /orders/{id}"]
    assert found.parameters("GET /orders/{id}") == ["path id: integer(int64)"]
    assert found.responses("GET /orders/{id}") == ["202 {id: integer(int64)}"]


def test_settings_in_paths(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Controller("${api.version:v1}/orders") class Orders { @Get("${list}") void list() {} }
        @Controller("${missing}") class Open { @Get("/x") void x() {} }
        @Controller("/c") class Computed { @Get(Library.PATH) void x() {} }
        """,
        **{
            "src/main/resources/application.yml": (
                "micronaut: {server: {context-path: /shop}}\nlist: all\n"
            )
        },
    )
    assert found.routes() == [
        "GET /shop/c ?the URI of the route is not a constant that can be followed",
        "GET /shop/v1/orders/all",
        "GET /shop/{computed}/x ?the property `missing` of the URI is set in no application.yml or "
        "application.properties",
    ]


def test_parameters(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        class Filter { public String name; public int age; }
        enum Kind { SMALL, BIG }
        @Introspected class Bean {
          @PathVariable private long id;
          @QueryValue @Nullable private String q;
        }
        @Controller("/p") class Parameters {
          @Get("/all{?max,offset}") void all(int max, @Nullable Integer offset,
            @QueryValue("k") Kind kind, @QueryValue(defaultValue = "1") int page,
            @Header String requestId, @Header("X-Tenant") Optional<String> tenant,
            @CookieValue String session, java.security.Principal user) {}
          @Get("/exploded{?filter*}") void exploded(Filter filter) {}
          @Get("/bare") void bare(String text, Filter filter) {}
          @Get("/bean/{id}") void bean(@RequestBean Bean bean) {}
          @Get("/request") void request(HttpRequest<?> request) {}
          @Get("/paged") void paged(Pageable pageable) {}
          @Delete("/gone") void gone(String reason) {}
          @Get("/other") void other(@Tenant String tenant) {}
        }
        """,
    )
    assert found.parameters("GET /p/all") == [
        "query max: integer(int32)",
        "query offset?: integer(int32)",
        "query k: 'SMALL' 'BIG'",
        "query page?=: integer(int32)",
        "header request-id: string",
        "header X-Tenant?: string",
        "cookie session: string",
    ]
    assert found.parameters("GET /p/exploded") == [
        "query name?=: string",
        "query age?=: integer(int32)",
    ]
    assert found.parameters("GET /p/bare") == ["query text: string", "…"]
    assert found.parameters("GET /p/bean/{id}") == [
        "path id: integer(int64)",
        "query q?: string",
    ]
    assert found.parameters("GET /p/request") == ["…"]
    assert found.parameters("GET /p/paged") == [
        "query page?=: integer(int32)",
        "query size?=: integer(int32)",
        "query sort?=: [string]",
    ]
    assert found.parameters("DELETE /p/gone") == ["…"]
    assert found.parameters("GET /p/other") == ["…"]


def test_bodies(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Controller("/b") class Bodies {
          @Post("/whole") void whole(@Body Order order) {}
          @Post("/optional") void optional(@Body @Nullable Order order) {}
          @Post("/fields") void fields(String name, @Nullable Integer age) {}
          @Post("/named") void named(@Body("order") Order order) {}
          @Post("/text") void text(@Body String text) {}
          @Post("/request") void request(HttpRequest<Order> request) {}
          @Post("/bare") void bare(Order order) {}
          @Consumes(MediaType.APPLICATION_FORM_URLENCODED) @Post("/form")
          void form(String name) {}
          @Post(value = "/file", consumes = MediaType.MULTIPART_FORM_DATA)
          void file(CompletedFileUpload file, @Part("note") @Nullable String text) {}
        }
        """,
    )
    assert found.request("POST /b/whole") == ["{id: integer(int64)}!"]
    assert found.request("POST /b/optional") == ["{id: integer(int64)}?"]
    assert found.request("POST /b/fields") == ["{name!: string, age?: integer(int32)}!"]
    assert found.request("POST /b/named") == ["{order!: {id: integer(int64)}}!"]
    assert found.request("POST /b/text") == ["<the body is read as text or bytes>!"]
    assert found.request("POST /b/request") == ["{id: integer(int64)}"]
    assert found.request("POST /b/bare") == [
        "<`order` has no `@Body`: it may be the body or a property of it>"
    ]
    assert found.request("POST /b/form") == ["application/x-www-form-urlencoded {name!: string}!"]
    assert found.request("POST /b/file") == [
        "multipart/form-data {file!: string(binary), note?: string}!"
    ]


def test_responses(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Controller("/r") class Responses {
          @Get("/void") void nothing() {}
          @Get("/status") @Status(HttpStatus.NO_CONTENT) void status() {}
          @Get("/list") List<Order> list() { return null; }
          @Get("/mono") Mono<Order> mono() { return null; }
          @Get("/flux") Flux<Order> flux() { return null; }
          @Get("/single") @SingleResult Publisher<Order> single() { return null; }
          @Post("/created") HttpResponse<Order> created() { return HttpResponse.created(make()); }
          @Get("/made") HttpResponse<?> made() {
            return HttpResponse.status(HttpStatus.ACCEPTED).body(Map.of("id", 1L)); }
          @Post("/location") HttpResponse<?> location(URI uri) {
            return HttpResponse.created(uri); }
          @Get("/some") HttpResponse<Order> some(boolean b) {
            if (b) { return HttpResponse.notFound(); } return HttpResponse.ok(make()); }
          @Get("/later") Mono<HttpResponse<Order>> later() { return Library.load(); }
          @Get("/code") HttpStatus code(boolean b) {
            return b ? HttpStatus.OK : HttpStatus.CONFLICT; }
          @Get("/text") @Produces(MediaType.TEXT_PLAIN) String text() { return "hello"; }
          @Get("/object") Object object() { return make(); }
          @Get("/unknown") HttpResponse<?> unknown() { return Library.answer(); }
          private Order make() { return new Order(); }
        }
        """,
    )
    order = "{id: integer(int64)}"
    assert found.responses("GET /r/void") == ["(200)"]
    assert found.responses("GET /r/status") == ["204"]
    assert found.responses("GET /r/list") == [f"(200) [{order}]"]
    assert found.responses("GET /r/mono") == [f"(200) {order}"]
    assert found.responses("GET /r/flux") == [f"(200) [{order}]"]
    assert found.responses("GET /r/single") == [f"(200) {order}"]
    assert found.responses("POST /r/created") == [f"201 {order}"]
    assert found.responses("GET /r/made") == ["202 {id!: 1}"]
    assert found.responses("POST /r/location") == ["201"]
    assert found.responses("GET /r/some") == [f"200 {order}", "404"]
    assert found.responses("GET /r/later") == [f"(200) {order}", "…"]
    assert found.responses("GET /r/code") == ["200", "409"]
    assert found.responses("GET /r/text") == ["(200) text/plain string"]
    assert found.responses("GET /r/object") == [f"(200) {order}"]
    assert found.responses("GET /r/unknown") == [
        "(200) <the result of `Library.answer` comes from a library>",
        "…",
    ]


def test_empty_values_are_left_out_unless_settings_say_otherwise(tmp_path: Path) -> None:
    source = """
        class Item { public String name; public int count; public @Nullable String note; }
        @Controller("/i") class Items { @Get Item get() { return null; } }
        """
    assert project(tmp_path / "default", source).responses("GET /i") == [
        "(200) {name~: string, count: integer(int32), note?: string}"
    ]
    always = {"src/main/resources/application.yml": "jackson: {serialization-inclusion: ALWAYS}"}
    assert project(tmp_path / "always", source, **always).responses("GET /i") == [
        "(200) {name: string~, count: integer(int32), note: string|null}"
    ]


def test_pages_and_hidden_handlers(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        """
        @Controller("/h") class Hidden {
          @View("home") @Get("/page") Map<String, Object> page() { return null; }
          @io.swagger.v3.oas.annotations.Hidden @Get("/inner") void inner() {}
          @Get("/open") void open() {}
        }
        """.replace("@View", "@io.micronaut.views.View"),
    )
    assert [o.path for o in found.code.operations if not o.excluded_from_docs] == ["/h/open"]


def test_interface_that_is_generated(tmp_path: Path) -> None:
    source = """package com.shop.web;
        import com.shop.api.OrdersApi;
        import io.micronaut.http.annotation.Controller;
        @Controller class Orders implements OrdersApi {
          @Override public String getOrder(long id) { return ""; }
        }
        """
    found = Project(tmp_path, {"src/main/java/com/shop/web/Orders.java": source})
    assert found.routes() == [
        "*  ?`OrdersApi`, which `Orders` implements, is not among the sources: it is generated, "
        "or comes from a library"
    ]
