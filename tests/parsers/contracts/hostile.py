"""Inputs made to exhaust, to escape or to confuse: generators, so that no file lies about."""

from __future__ import annotations

import json
from collections.abc import Callable

_HEAD = "openapi: 3.0.3\ninfo: {title: x, version: '1'}\n"


def alias_bomb() -> bytes:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 12)]
    return (_HEAD + "\n".join(lines) + "\npaths: *a11\n").encode()


def merge_bomb() -> bytes:
    lines = ["m0: &m0 {" + ", ".join(f"k{n}: 1" for n in range(50)) + "}"]
    lines += [f"m{n}: &m{n} {{<<: [" + ", ".join([f"*m{n - 1}"] * 500) + "]}" for n in range(1, 80)]
    return (_HEAD + "\n".join(lines) + "\npaths: {<<: *m79}\n").encode()


def self_alias() -> bytes:
    return (_HEAD + "paths: &p {/a: *p}\n").encode()


def deep_flow() -> bytes:
    return b"openapi: 3.0.3\npaths: " + b"[" * 200_000


def deep_flow_mappings() -> bytes:
    return b"openapi: 3.0.3\npaths: " + b"{a: " * 100_000


def deep_dashes() -> bytes:
    return b"- " * 200_000


def deep_indent() -> bytes:
    return "\n".join(" " * n + "a:" for n in range(3_000)).encode()


def deep_json() -> bytes:
    return b"[" * 100_000 + b"]" * 100_000


def deep_json_objects() -> bytes:
    return b'{"a":' * 100_000 + b"1" + b"}" * 100_000


def many_values() -> bytes:
    return b'{"openapi": "3.0.3", "x": [' + b"1," * 1_500_000 + b"1]}"


def many_lines() -> bytes:
    return b"openapi: 3.0.3\n" + b"\n" * 5_000_000 + b"paths: {}\n"


def huge_integer() -> bytes:
    return b'{"openapi": "3.0.3", "paths": {}, "x": ' + b"9" * 5_000 + b"}"


def huge_exponent() -> bytes:
    return b"openapi: 3.0.3\npaths: {}\nx: 1e999999999\n"


def strange_numbers() -> bytes:
    return (_HEAD + "paths: {}\nx: [.nan, .inf, 2020-99-99, 0x, 0o9, +, ., -.]\n").encode()


def utf_16() -> bytes:
    return ("\ufeff" + _HEAD + "paths: {}\n").encode("utf-16-le")


def nul_bytes() -> bytes:
    return b"openapi: 3.0.3\npaths: {}\nx: a\0b\n"


def control_characters() -> bytes:
    return b'{"openapi": "3.0.3", "paths": {"/\\u001b[31m\\u0007\\u202e": {"get": {}}}}'


def long_key() -> bytes:
    return b'"' + b"k" * 200_000 + b'": 1\nopenapi: 3.0.3\npaths: {}\n'


def python_tag() -> bytes:
    return b"openapi: 3.0.3\npaths: {}\nx: !!python/object/apply:os.system [exit 1]\n"


def unclosed_anchor() -> bytes:
    return b"openapi: &\npaths: {}\n"


def random_bytes() -> bytes:
    return bytes(range(256)) * 100


def _schemas(schemas: dict[str, object], first: str) -> bytes:
    body = {"application/json": {"schema": {"$ref": f"#/components/schemas/{first}"}}}
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "x", "version": "1"},
            "paths": {"/a": {"get": {"responses": {"200": {"content": body}}}}},
            "components": {"schemas": schemas},
        }
    ).encode()


def _to(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def reference_ring() -> bytes:
    return _schemas({"A": _to("B"), "B": _to("C"), "C": _to("A")}, "A")


def reference_to_itself() -> bytes:
    return _schemas({"A": _to("A")}, "A")


def all_of_ring() -> bytes:
    return _schemas({"A": {"allOf": [_to("B")]}, "B": {"allOf": [_to("A")]}}, "A")


def one_of_ring() -> bytes:
    return _schemas({"A": {"oneOf": [_to("B"), _to("A")]}, "B": {"oneOf": [_to("A")]}}, "A")


def reference_fan_out() -> bytes:
    schemas: dict[str, object] = {
        f"S{n}": {"type": "object", "properties": {"l": _to(f"S{n + 1}"), "r": _to(f"S{n + 1}")}}
        for n in range(60)
    }
    return _schemas({**schemas, "S60": {"type": "string"}}, "S0")


def all_of_fan_out() -> bytes:
    schemas: dict[str, object] = {
        f"S{n}": {"allOf": [_to(f"S{n + 1}"), _to(f"S{n + 1}")]} for n in range(60)
    }
    return _schemas({**schemas, "S60": {"type": "object"}}, "S0")


def one_of_product() -> bytes:
    choice = {"oneOf": [{"properties": {str(n): {"type": "string"}}} for n in range(10)]}
    return _schemas({"A": {"allOf": [choice] * 12}}, "A")


def nested_one_of_products() -> bytes:
    schemas: dict[str, object] = {
        f"S{n}": {
            "properties": {f"p{n}": {"type": "string"}},
            "oneOf": [
                {"properties": {f"a{n}": _to(f"S{n + 1}")}, "allOf": [_to(f"S{n + 1}")]},
                {"properties": {f"b{n}": _to(f"S{n + 1}")}, "allOf": [_to(f"S{n + 1}")]},
            ],
        }
        for n in range(30)
    }
    return _schemas({**schemas, "S30": {"type": "object"}}, "S0")


def merged_recursion() -> bytes:
    members = [
        {"properties": {"next": _to(f"S{n}"), "other": _to(f"S{(n + 1) % 8}")}} for n in range(8)
    ]
    schemas: dict[str, object] = {f"S{n}": members[n] for n in range(8)}
    return _schemas({**schemas, "All": {"allOf": [_to(f"S{n}") for n in range(8)]}}, "All")


def deep_schema() -> bytes:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(90):
        schema = {"properties": {"a": schema}}
    return _schemas({"A": schema}, "A")


def long_reference_chain() -> bytes:
    schemas: dict[str, object] = {f"S{n}": _to(f"S{n + 1}") for n in range(5_000)}
    return _schemas({**schemas, "S5000": {"type": "string"}}, "S0")


def wide_enum() -> bytes:
    values = [f"value-{n}" for n in range(20_000)]
    return _schemas({"A": {"type": "string", "enum": values}}, "A")


def wide_enums_together() -> bytes:
    values = [f"value-{n}" for n in range(5_000)]
    return _schemas({"A": {"allOf": [{"enum": values}, {"enum": values[::-1]}]}}, "A")


def slow_pattern() -> bytes:
    return _schemas({"A": {"type": "string", "pattern": "^(a+)+$", "default": "a" * 60 + "!"}}, "A")


def wrong_types_everywhere() -> bytes:
    odd: list[object] = [None, True, 5, 1.5, "text", [], {}, [[]], [{}], {"a": []}]
    words: tuple[str, ...] = (
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "allOf",
        "oneOf",
        "format",
        "$ref",
    )
    words += ("not", "additionalProperties", "discriminator", "nullable", "const", "if", "then")
    schemas: dict[str, object] = {
        f"{word}{index}": {word: value, "title": value}
        for word in words
        for index, value in enumerate(odd)
    }
    properties = {name: _to(name) for name in schemas}
    return _schemas({**schemas, "All": {"properties": properties}}, "All")


def wrong_document() -> bytes:
    return json.dumps(
        {
            "openapi": "3.0.3",
            "info": [],
            "servers": {"url": 5},
            "paths": {
                "/a": {
                    "servers": [5, {"url": 5}, {"url": "http://[", "variables": [1]}],
                    "parameters": {"a": 1},
                    "get": {"parameters": [[], 5, {"in": 5, "name": {}}], "responses": {"200": 5}},
                    "put": {"requestBody": [], "responses": {"200": {"content": {"a": 5}}}},
                    "post": {"servers": 5, "responses": {"200": {"content": []}}},
                }
            },
        }
    ).encode()


def wrong_asyncapi() -> bytes:
    return json.dumps(
        {
            "asyncapi": "3.0.0",
            "info": 5,
            "defaultContentType": [],
            "channels": {
                "a": {"address": 5, "messages": [], "bindings": [], "parameters": 5},
                "b": {"messages": {"m": 5, "n": {"payload": 5, "traits": 5, "name": []}}},
            },
            "operations": {
                "x": {"action": "send", "channel": {"$ref": 5}},
                "y": {"action": "send", "channel": {"$ref": "#/channels/b"}, "messages": [5]},
                "z": {"action": [], "channel": 5, "reply": 5},
            },
        }
    ).encode()


def wide_server_variables() -> bytes:
    variables = "\n".join(
        f"      v{n}: {{default: a, enum: [{', '.join(f'x{m}' for m in range(20))}]}}"
        for n in range(12)
    )
    url = "/" + "/".join(f"{{v{n}}}" for n in range(12))
    return (
        _HEAD + f"servers:\n  - url: {url}\n    variables:\n{variables}\npaths: {{}}\n"
    ).encode()


INPUTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    **{
        make.__name__: ("a.yaml", make)
        for make in (
            alias_bomb,
            merge_bomb,
            self_alias,
            deep_flow,
            deep_flow_mappings,
            deep_dashes,
            deep_indent,
            many_lines,
            huge_exponent,
            strange_numbers,
            utf_16,
            nul_bytes,
            long_key,
            python_tag,
            unclosed_anchor,
            random_bytes,
            wide_server_variables,
        )
    },
    **{
        make.__name__: ("a.json", make)
        for make in (
            deep_json,
            deep_json_objects,
            many_values,
            huge_integer,
            control_characters,
            reference_ring,
            reference_to_itself,
            all_of_ring,
            one_of_ring,
            reference_fan_out,
            all_of_fan_out,
            one_of_product,
            nested_one_of_products,
            merged_recursion,
            deep_schema,
            long_reference_chain,
            wide_enum,
            wide_enums_together,
            slow_pattern,
            wrong_types_everywhere,
            wrong_document,
            wrong_asyncapi,
        )
    },
}
