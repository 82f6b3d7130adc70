"""Operations of OpenAPI 2.0 and 3.x documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Body, Operation
from contract_scan.ir.origin import Span
from tests.parsers.contracts.rendering import load, problems, render


def lines(document: ContractDocument) -> list[str]:
    """One line for each operation: method, path, what goes in, what comes out."""
    return [describe(operation) for operation in document.operations]


def describe(operation: Operation) -> str:
    parameters = ", ".join(
        f"{one.location} {one.name}{'' if one.required else '?'}"
        f"{'=' if one.has_default else ''}: {render(one.schema)}"
        for one in operation.parameters
    )
    responses = "; ".join(
        f"{response.status}: {bodies(response.bodies)}" for response in operation.responses
    )
    request = bodies(operation.request)
    return f"{operation.method} {operation.path} ({parameters}) [{request}] -> {responses}"


def bodies(given: tuple[Body, ...]) -> str:
    marks = {True: "!", False: "?", None: ""}
    return " or ".join(
        f"{body.content_type}{marks[body.required]} {render(body.schema)}" for body in given
    )


def test_an_operation_of_version_3(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        openapi: 3.0.3
        info: {title: Orders, version: '1'}
        paths:
          /orders/{id}:
            parameters:
              - {name: id, in: path, required: true, schema: {type: integer}}
              - {name: trace, in: header, schema: {type: string}}
              - {name: Accept, in: header, schema: {type: string}}
            put:
              operationId: replaceOrder
              parameters:
                - {name: trace, in: header, required: true, schema: {type: string}}
                - {name: page, in: query, schema: {type: integer, default: 1}}
                - name: filter
                  in: query
                  content: {application/json: {schema: {type: object}}}
                - {name: session, in: cookie}
              requestBody:
                required: true
                content:
                  Application/JSON; charset=utf-8: {schema: {type: string}}
                  text/plain: {}
              responses:
                200: {content: {application/json: {schema: {type: integer}}}}
                4xx: {description: mistaken}
                default: {description: failed}
                x-own: {description: not a status}
        """,
    )
    assert (document.kind, document.version, document.title) == ("openapi", "3.0.3", "Orders")
    assert lines(document) == [
        "PUT /orders/{id} (path id: integer, header trace: string, query page?=: integer, "
        "query filter?: {*: any|null}, "
        "cookie session?: unknown <the contract gives no schema for this parameter>) "
        "[application/json! string or "
        "text/plain! unknown <the contract gives no schema for this body>] -> "
        "200: application/json integer; 4XX: ; default: "
    ]
    (operation,) = document.operations
    assert operation.operation_id == "replaceOrder"
    assert operation.document == "contract.yaml"


def test_every_part_of_an_operation_knows_its_place(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """\
        openapi: 3.0.3
        paths:
          /a:
            post:
              parameters:
                - {name: q, in: query, schema: {type: string}}
              requestBody:
                content:
                  application/json: {schema: {type: string}}
              responses:
                '201':
                  content:
                    application/json: {schema: {type: string}}
        """,
    )
    (operation,) = document.operations
    places = {
        "operation": operation.origin,
        "parameter": operation.parameters[0].origin,
        "request": operation.request[0].origin,
        "response": operation.responses[0].origin,
        "body": operation.responses[0].bodies[0].origin,
    }
    assert {name: (one.span, one.pointer) for name, one in places.items()} == {
        "operation": (Span(4, 5, 4, 9), "/paths/~1a/post"),
        "parameter": (Span(6, 11, 6, 55), "/paths/~1a/post/parameters/0"),
        "request": (
            Span(9, 11, 9, 27),
            "/paths/~1a/post/requestBody/content/application~1json",
        ),
        "response": (Span(11, 9, 11, 14), "/paths/~1a/post/responses/201"),
        "body": (
            Span(13, 13, 13, 29),
            "/paths/~1a/post/responses/201/content/application~1json",
        ),
    }
    assert {one.path for one in places.values()} == {"contract.yaml"}


def test_bodies_name_the_schemas_that_they_refer_to(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        swagger: '2.0'
        paths:
          /orders:
            post:
              parameters:
                - {name: user, in: body, schema: {$ref: '#/definitions/Gone'}}
                - {name: order, in: body, required: true, schema: {type: object}}
              responses: {}
        """,
    )
    (operation,) = document.operations
    assert [(b.type_name, b.required) for b in operation.request] == [("Gone", None), ("", True)]


def test_an_operation_of_version_2(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        swagger: '2.0'
        basePath: /v1/
        consumes: [application/json]
        produces: [application/json, application/xml]
        paths:
          /orders/{id}:
            put:
              parameters:
                - {name: id, in: path, required: true, type: string, format: uuid}
                - {name: tags, in: query, type: array, items: {type: string}}
                - {name: size, in: query, type: string, enum: [s, m], default: s}
                - {name: order, in: body, required: true, schema: {type: object}}
              responses:
                200: {schema: {type: string}}
                204: {description: gone}
            post:
              consumes: [multipart/form-data]
              parameters:
                - {name: picture, in: formData, required: true, type: file}
                - {name: note, in: formData, type: string, default: none}
              responses:
                200: {schema: {type: file}}
        """,
    )
    assert document.base_paths == ("/v1",)
    assert lines(document) == [
        "PUT /orders/{id} (path id: string(uuid), query tags?: [string?|null], "
        "query size?=: string of 's'/'m') [application/json! {*: any|null}?|null] -> "
        "200: application/json string?|null or application/xml string?|null; 204: ",
        "POST /orders/{id} () [multipart/form-data! {picture: string(binary), "
        "note?=: string}] -> "
        "200: application/json string(binary) or application/xml string(binary)",
    ]


def test_base_paths_come_from_every_server_and_its_variables(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        openapi: 3.0.3
        servers:
          - url: https://{host}/api/{version}/
            variables: {host: {default: example.org}, version: {default: v1, enum: [v1, v2]}}
          - url: /gateway
          - url: http://localhost:8080
        paths:
          /upload:
            post:
              servers: [{url: https://example.org/store}]
              responses: {}
        """,
    )
    assert document.base_paths == ("/api/v1", "/api/v2", "/gateway", "/store")
    assert lines(document) == ["POST /upload () [] -> "]


def test_addresses_that_are_filled_in_elsewhere(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        openapi: 3.0.3
        servers:
          - url: "{{base_url}}"
          - url: "{{base_url}}/v1/"
          - url: "{server}/v2"
          - url: "${HOST}/v3"
          - url: "<host>/v4"
          - url: "/{tenant}/v5"
        paths: {}
        """,
    )
    assert document.base_paths == ("/v1", "/v2", "/v3", "/v4", "/{tenant}/v5")
    assert document.base_path_undetermined


@pytest.mark.parametrize(
    ("url", "variable", "undetermined"),
    [
        ("/{callback}", "{default: none}", True),
        ("https://{callback}.example.org/v1", "{default: none}", False),
        ("/{callback}", "{default: v1, enum: [v1, v2]}", False),
        ("/callbacks", "{default: none}", False),
    ],
)
def test_a_variable_of_any_value_leaves_the_base_path_open(
    tmp_path: Path, url: str, variable: str, undetermined: bool
) -> None:
    document = load(
        tmp_path,
        f"""
        openapi: 3.0.3
        servers: [{{url: "{url}", variables: {{callback: {variable}}}}}]
        paths: {{}}
        """,
    )
    assert document.base_path_undetermined == undetermined


def test_references_of_every_kind_are_followed(tmp_path: Path) -> None:
    (tmp_path / "paths").mkdir()
    (tmp_path / "paths/orders.yaml").write_text(
        "get:\n"
        "  parameters: [{$ref: '../contract.yaml#/components/parameters/Page'}]\n"
        "  requestBody: {$ref: '../contract.yaml#/components/requestBodies/Order'}\n"
        "  responses:\n"
        "    200: {$ref: '../contract.yaml#/components/responses/Order'}\n"
    )
    document = load(
        tmp_path,
        """
        openapi: 3.1.0
        paths:
          /orders: {$ref: paths/orders.yaml}
        components:
          parameters:
            Page: {name: page, in: query, schema: {type: integer}}
          requestBodies:
            Order: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
          responses:
            Order: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
          schemas:
            Order: {type: object, properties: {id: {type: string}}}
        """,
    )
    assert lines(document) == [
        "GET /orders (query page?: integer) [application/json <Order>] -> "
        "200: application/json <Order>"
    ]
    assert document.operations[0].origin.path == "paths/orders.yaml"
    assert document.operations[0].document == "contract.yaml"
    assert problems(document) == []


def test_an_operation_that_is_a_reference_is_followed(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text(
        "parameters: [{name: page, in: query, schema: {type: integer}}]\n"
        "responses: {200: {description: ok}}\n"
    )
    document = load(
        tmp_path,
        """
        openapi: 3.1.0
        paths:
          /orders: {get: {$ref: orders.yaml}}
          /gone: {get: {$ref: gone.yaml}}
        """,
    )
    assert lines(document) == ["GET /orders (query page?: integer) [] -> 200: "]
    assert document.undetermined_paths == ("/gone",)


def test_a_reference_that_leads_nowhere_spoils_its_own_place_only(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """\
        openapi: 3.0.3
        paths:
          /a:
            get:
              responses:
                200: {$ref: '#/components/responses/Gone'}
                404: {description: not there}
          /b: {$ref: 'gone.yaml'}
          /c:
            get: {responses: {204: {description: fine}}}
        """,
    )
    assert lines(document) == [
        "GET /a () [] -> 200: application/json "
        "unknown <the response's `$ref` cannot be followed>; 404: ",
        "GET /c () [] -> 204: ",
    ]
    assert document.undetermined_paths == ("/b",)
    assert problems(document) == [
        (
            "contract.yaml",
            6,
            "$ref `#/components/responses/Gone` leads nowhere: there is no `components` "
            "in contract.yaml",
        ),
        ("contract.yaml", 8, "$ref `gone.yaml` leads to a file that does not exist"),
    ]


def test_methods_of_3_2_are_read_and_webhooks_are_not(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        openapi: 3.2.0
        paths:
          /a:
            query: {responses: {}}
            additionalOperations: {COPY: {responses: {}}}
        webhooks:
          changed: {post: {responses: {}}}
        """,
    )
    assert lines(document) == ["QUERY /a () [] -> ", "COPY /a () [] -> "]


def test_paths_lose_their_query_and_gain_a_slash(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        openapi: 3.0.3
        paths:
          search?kind=x: {get: {responses: {}}}
          x-note: words
        """,
    )
    assert lines(document) == ["GET /search () [] -> "]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "openapi: 4.0.0\npaths: {}",
            "contract.yaml:1: `openapi: 4.0.0` is a version that is not read; "
            "readable are 3.0, 3.1 and 3.2 (and 2.0 under `swagger`)",
        ),
        (
            "swagger: '1.2'\n",
            "contract.yaml:1: `swagger: 1.2` is a version that is not read; "
            "readable are 2.0 (and 3.x under `openapi`)",
        ),
        ("openapi: 3.0.3\npaths: [a]", "contract.yaml:2: `paths` must be a mapping"),
    ],
)
def test_a_document_that_cannot_be_read_says_why(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        load(tmp_path, text)
    assert str(caught.value) == message


def test_unquoted_versions_are_understood(tmp_path: Path) -> None:
    assert load(tmp_path, "openapi: 3.0\npaths: {}").version == "3.0"
    assert load(tmp_path, "swagger: 2.0\npaths: {}").version == "2.0"


def test_a_document_without_paths_is_not_silently_fine(tmp_path: Path) -> None:
    document = load(tmp_path, "openapi: 3.0.3\ninfo: {title: x}\n")
    assert problems(document) == [
        ("contract.yaml", 1, "has no `paths`, so there is no endpoint to check")
    ]


def test_malformed_parts_are_problems_of_their_own(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """\
        openapi: 3.0.3
        paths:
          /a: text
          /b: {get: text}
          /c: {get: {responses: text}}
          /d: {get: {parameters: [text], responses: {}}}
        """,
    )
    assert lines(document) == ["GET /c () [] -> ", "GET /d () [] -> "]
    assert [(line, reason) for _, line, reason in problems(document)] == [
        (3, "the path `/a` must be a mapping"),
        (4, "the operation `GET /b` is not a mapping"),
        (5, "`responses` must be a mapping"),
        (6, "a parameter must be a mapping"),
    ]


def test_what_is_no_status_may_be_any(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """\
        openapi: 3.0.3
        paths:
          /a:
            delete:
              responses:
                204 NO_CONTENT: {description: gone}
                5xx: {description: failed}
        """,
    )
    what = "`204 NO_CONTENT` is no status, which is written as `204`, `2XX` or `default`"
    assert lines(document) == [
        f"DELETE /a () [] -> default: application/json unknown <{what}>; 5XX: "
    ]
    assert problems(document) == [("contract.yaml", 6, what)]


def test_parameters_in_angle_brackets_are_those_in_braces(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        openapi: 3.0.3
        paths:
          /<program>/files/<int:number>.json: {get: {responses: {}}}
          /a<b: {get: {responses: {}}}
          /<1>: {get: {responses: {}}}
        """,
    )
    assert [operation.path for operation in document.operations] == [
        "/{program}/files/{number}.json",
        "/a<b",
        "/<1>",
    ]
