from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import Scalar
from contract_scan.reports import (
    extract_asyncapi,
    extract_json,
    extract_json_schema,
    extract_openapi,
)
from contract_scan.reports.formats import EXTRACT_FORMATS, extract_renderer
from tests.reports.extraction_samples import CODE, GET_ORDER, ORDER, Code


def extracted(code: Code) -> dict[str, Any]:
    value = json.loads("".join(extract_json.render(code)))
    assert isinstance(value, dict)
    return value


def test_json_lists_every_endpoint_by_path() -> None:
    said = extracted(CODE)
    assert said["schema_version"] == 1
    assert [(each["method"], each["path"], each["line"]) for each in said["endpoints"]] == [
        ("GET", "/", 40),
        ("*", "/files/{path*}", 30),
        ("PUT", "/orders/{id}", 20),
        ("GET", "/orders/{order_id}", 10),
        ("GET", "/orders/{x}", 50),
    ]
    assert said["endpoints"][0]["unresolved"] == "the path is computed at run time"


def test_json_says_all_of_an_endpoint() -> None:
    (endpoint,) = extracted(Code(endpoints=(GET_ORDER,), resolver=CODE.resolver))["endpoints"]
    assert endpoint == {
        "method": "GET",
        "path": "/orders/{order_id}",
        "params": [
            {"name": "order_id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "expand", "in": "query", "required": False, "schema": {"type": "string"}},
            {"name": "trace", "in": "header", "required": None, "schema": {}},
        ],
        "request_body": None,
        "responses": {
            "200": {
                "type": "object",
                "title": "Order",
                "properties": {
                    "id": {"type": "string", "format": "uuid"},
                    "total": {"type": "number"},
                    "state": {"type": "string", "enum": ["open", "paid"]},
                    "note": {"type": ["string", "null"]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "extra": {"x-unknown": "declared as any"},
                },
                "required": ["id", "total", "tags", "extra"],
                "x-unknown-required": ["state"],
            },
            "404": None,
        },
        "handler": "get_order",
        "framework": "FastAPI",
        "file": "src/app.py",
        "line": 10,
    }


def test_json_lists_models_events_and_what_was_not_read() -> None:
    said = extracted(CODE)
    assert [(each["name"], each["language"], each["file"]) for each in said["models"]] == [
        ("Order", "typescript", ""),
        ("Order", "python", "src/app.py"),
        ("Tree", "python", "src/app.py"),
    ]
    assert [(each["direction"], each["channel"]) for each in said["events"]] == [
        ("receive", ""),
        ("send", "order.placed/v1"),
    ]
    assert said["events"][0]["unresolved"] == "the topic is computed at run time"
    assert list(said["schemas"]) == ["Tree"]
    assert said["not_analysed"] == [
        {
            "path": "src/broken.py",
            "line": 3,
            "reason": "cannot be parsed",
            "partly": True,
            "code": "",
        }
    ]


@pytest.mark.parametrize("code", [CODE, Code()], ids=["all", "nothing"])
def test_json_fits_its_published_schema(code: Code) -> None:
    file = Path(__file__).parents[2] / "docs" / "schema" / "extract.schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(extracted(code), schema, jsonschema.Draft202012Validator)


def test_the_openapi_document_is_valid() -> None:
    document = extract_openapi.document(CODE)
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_an_openapi_document_of_nothing_is_valid() -> None:
    assert list(OpenAPIV31SpecValidator(extract_openapi.document(Code())).iter_errors()) == []


def test_openapi_joins_templates_that_differ_in_names_only() -> None:
    paths = extract_openapi.document(CODE)["paths"]
    assert {path: sorted(item) for path, item in paths.items()} == {
        "/files/{path}": sorted(extract_openapi.METHODS),
        "/orders/{id}": ["get", "put"],
    }
    assert [(each["in"], each["name"]) for each in paths["/orders/{id}"]["get"]["parameters"]] == [
        ("path", "id"),
        ("query", "expand"),
        ("header", "trace"),
    ]


def test_openapi_leaves_no_route_out() -> None:
    document = extract_openapi.document(CODE)
    assert document["x-unresolved"] == [
        {
            "method": "GET",
            "path": "/",
            "x-source": "src/app.py:40",
            "x-unknown": "the path is computed at run time",
        }
    ]
    assert document["x-shadowed"] == [
        {
            "method": "GET",
            "path": "/orders/{x}",
            "x-handler": "again",
            "x-source": "src/app.py:50",
        }
    ]


def test_openapi_numbers_equal_and_empty_parameter_names() -> None:
    odd = msgspec.structs.replace(GET_ORDER, path="/{a}/{}/{a}", parameters=())
    document = extract_openapi.document(Code(endpoints=(odd,), resolver=CODE.resolver))
    assert list(document["paths"]) == ["/{a}/{parameter}/{a2}"]
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


def test_openapi_says_operation_ids_once() -> None:
    twice = msgspec.structs.replace(GET_ORDER, path="/other")
    document = extract_openapi.document(Code(endpoints=(GET_ORDER, twice), resolver=CODE.resolver))
    ids = [
        operation.get("operationId")
        for item in document["paths"].values()
        for operation in item.values()
    ]
    assert sorted(ids, key=str) == [None, "getOrder"]


def test_asyncapi_has_a_channel_with_its_message_and_operation() -> None:
    document = extract_asyncapi.document(CODE)
    assert document["asyncapi"] == "3.0.0"
    assert document["channels"] == {
        "order.placed_v1": {
            "address": "order.placed/v1",
            "messages": {
                "Order": {"payload": {"$ref": "#/components/schemas/Order"}, "name": "Order"}
            },
        }
    }
    assert document["operations"] == {
        "send-order.placed_v1": {
            "action": "send",
            "channel": {"$ref": "#/channels/order.placed_v1"},
            "messages": [{"$ref": "#/channels/order.placed_v1/messages/Order"}],
            "x-framework": "aiokafka",
            "x-source": "src/app.py:60",
        }
    }
    assert list(document["components"]["schemas"]) == ["Order"]
    assert document["x-unresolved"] == [
        {
            "action": "receive",
            "x-unknown": "the topic is computed at run time",
            "x-source": "src/app.py:70",
        }
    ]


def test_asyncapi_keeps_two_shapes_of_one_message_apart() -> None:
    first, other = CODE.events[1], msgspec.structs.replace(CODE.events[1], payload=ORDER)
    document = extract_asyncapi.document(Code(events=(first, first, other), resolver=CODE.resolver))
    assert list(document["channels"]["order.placed_v1"]["messages"]) == ["Order", "Order_2"]
    assert len(document["operations"]) == 3


def test_json_schema_has_a_definition_for_every_type() -> None:
    document = extract_json_schema.document(CODE)
    jsonschema.Draft202012Validator.check_schema(document)
    assert list(document["$defs"]) == ["Order", "Order_2", "Tree", "Order_3", "Tree_2"]
    assert document["$defs"]["Order_2"]["x-source"] == "src/app.py:1"
    assert document["$defs"]["Order"]["$ref"] == "#/$defs/Order_3"


@pytest.mark.parametrize("name", EXTRACT_FORMATS)
def test_every_format_is_json_whatever_order_things_were_found_in(name: Any) -> None:
    render = extract_renderer(name)
    backwards = Code(
        endpoints=CODE.endpoints[::-1],
        models=CODE.models[::-1],
        events=CODE.events[::-1],
        resolver=CODE.resolver,
        problems=CODE.problems,
    )
    text = "".join(render(CODE))
    json.loads(text)
    assert "".join(render(backwards)) == text


def test_json_has_a_handler_of_several_media_types_once_and_no_parameter_of_what_is_unknown() -> (
    None
):
    json_body = Body(schema=Scalar(type="string"), content_type="application/json")
    xml_body = Body(schema=Scalar(type="integer"), content_type="application/xml")
    place = Origin("app.py", Span(3, 1, 3, 9))

    def route(body: Body, path: str = "/orders", unresolved: str = "") -> Operation:
        answers = (Response(status="200", bodies=(body,)),)
        return Operation(
            method="GET",
            path=path,
            responses=answers,
            origin=place,
            handler="orders",
            unresolved=unresolved,
        )

    found = Code(
        endpoints=(
            route(json_body),
            route(xml_body),
            route(json_body, "/{computed}/carts", "`prefix` is not constant"),
            route(json_body, "/a/{computed}", "`name` is not constant"),
        ),
        resolver=CODE.resolver,
    )
    written = json.loads("".join(extract_json.render(found)))["endpoints"]
    assert [(each["path"], each.get("unresolved", "")) for each in written] == [
        ("/a/…", "`name` is not constant"),
        ("/orders", ""),
        ("/carts", "`prefix` is not constant"),
    ]
    assert written[1]["responses"]["200"] == {"anyOf": [{"type": "string"}, {"type": "integer"}]}
