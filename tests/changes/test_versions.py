"""The same promise in another version of a specification is the same promise."""

from __future__ import annotations

from typing import Any

from tests.changes.examples import INFO, ids

THING: dict[str, Any] = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "string", "maxLength": 9}, "count": {"type": "integer"}},
}
SWAGGER = {
    "swagger": "2.0",
    "info": INFO,
    "host": "api.example",
    "basePath": "/v1",
    "consumes": ["application/json"],
    "produces": ["application/json"],
    "definitions": {"Thing": THING},
    "securityDefinitions": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}},
    "security": [{"k": []}],
    "paths": {
        "/things/{id}": {
            "put": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "type": "string"},
                    {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"}},
                    {
                        "name": "thing",
                        "in": "body",
                        "required": True,
                        "schema": {"$ref": "#/definitions/Thing"},
                    },
                ],
                "responses": {
                    "200": {
                        "description": "",
                        "schema": {"$ref": "#/definitions/Thing"},
                        "headers": {"X-Rate": {"type": "integer"}},
                    }
                },
            }
        },
        "/files": {
            "post": {
                "consumes": ["multipart/form-data"],
                "parameters": [
                    {"name": "file", "in": "formData", "required": True, "type": "file"},
                    {"name": "note", "in": "formData", "type": "string"},
                ],
                "responses": {"204": {"description": ""}},
            }
        },
    },
}


def openapi(version: str, *, thing: dict[str, Any] = THING) -> dict[str, Any]:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}
    form = {
        "type": "object",
        "required": ["file"],
        "properties": {
            "file": {"type": "string", "format": "binary"},
            "note": {"type": "string"},
        },
    }
    tags = {"type": "array", "items": {"type": "string"}}
    return {
        "openapi": version,
        "info": INFO,
        "servers": [{"url": "https://api.example/v1"}],
        "components": {
            "schemas": {"Item": thing},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        },
        "security": [{"key": []}],
        "paths": {
            "/things/{thingId}": {
                "parameters": [
                    {
                        "name": "thingId",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string"},
                    }
                ],
                "put": {
                    "parameters": [
                        {"name": "tags", "in": "query", "explode": False, "schema": tags}
                    ],
                    "requestBody": {"required": True, "content": content},
                    "responses": {
                        "200": {
                            "description": "",
                            "content": content,
                            "headers": {"x-rate": {"schema": {"type": "integer"}}},
                        }
                    },
                },
            },
            "/files": {
                "post": {
                    "requestBody": {
                        "required": True,
                        "content": {"multipart/form-data": {"schema": form}},
                    },
                    "responses": {"204": {"description": ""}},
                }
            },
        },
    }


def test_openapi_2_and_3() -> None:
    assert ids(SWAGGER, openapi("3.0.3")) == []
    assert ids(openapi("3.1.0"), SWAGGER) == []
    shorter = {**THING, "properties": {**THING["properties"], "id": {"type": "string"}}}
    assert ids(SWAGGER, openapi("3.0.3", thing=shorter)) == [
        "request-max-length-removed",
        "response-max-length-removed",
    ]


def test_openapi_3_0_and_3_1() -> None:
    old = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "nullable": True},
            "b": {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            "c": {"type": "string", "enum": ["x"]},
            "d": {"nullable": True, "allOf": [{"type": "string"}]},
            "e": {"type": "integer", "minimum": 5},
        },
    }
    new = {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "b": {"type": "number", "exclusiveMinimum": 1},
            "c": {"type": "string", "const": "x"},
            "d": {"type": ["string", "null"]},
            "e": {"type": "integer", "exclusiveMinimum": 4},
        },
    }
    assert ids(openapi("3.0.3", thing=old), openapi("3.1.0", thing=new)) == []


def test_a_base_path_that_moves_into_the_paths() -> None:
    moved = openapi("3.0.3")
    moved["servers"] = [{"url": "https://api.example"}]
    moved["paths"] = {f"/v1{path}": item for path, item in moved["paths"].items()}
    assert ids(openapi("3.0.3"), moved) == []


def test_asyncapi_2_and_3() -> None:
    message = {"name": "made", "payload": THING, "contentType": "application/json"}
    two = {
        "asyncapi": "2.6.0",
        "info": INFO,
        "channels": {
            "things/{id}": {"publish": {"message": message}},
            "news": {"subscribe": {"message": {"oneOf": [message, {**message, "name": "gone"}]}}},
        },
    }
    three = {
        "asyncapi": "3.0.0",
        "info": INFO,
        "channels": {
            "in": {"address": "things/{thing}", "messages": {"made": message}},
            "out": {
                "address": "news",
                "messages": {"made": message, "gone": {**message, "name": "gone"}},
            },
        },
        "operations": {
            "take": {"action": "receive", "channel": {"$ref": "#/channels/in"}},
            "tell": {"action": "send", "channel": {"$ref": "#/channels/out"}},
        },
    }
    assert ids(two, three) == []
    assert ids(three, two) == []


def test_drafts_of_json_schema() -> None:
    old = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Thing",
        "definitions": {"Id": {"type": "string"}},
        "type": "object",
        "properties": {
            "id": {"$ref": "#/definitions/Id"},
            "pair": {"type": "array", "items": [{"type": "string"}], "additionalItems": False},
        },
        "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
    }
    new = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Thing",
        "$defs": {"Id": {"type": "string"}},
        "type": "object",
        "properties": {
            "id": {"$ref": "#/$defs/Id"},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
        },
        "dependentRequired": {"a": ["b"]},
        "dependentSchemas": {"c": {"required": ["d"]}},
    }
    assert ids(old, new) == []
    assert ids(new, old) == []
