"""What the decorators of Quart-Schema declare around a view of Quart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Object, Reference, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import LibrarySymbol, Scope
from contract_scan.parsers.source.facts.nodes import Annotation, ArrayLiteral, Expr, ObjectLiteral
from contract_scan.parsers.source.python.resolution.type_expressions import as_type
from contract_scan.parsers.source.python.serialization.modes import BY_NAME, LOAD
from contract_scan.parsers.source.python.web.common import argument, status_of

_Rename: TypeAlias = Callable[[str], str]
_DEEPEST = 8
_INPUTS = {
    "validate_request": "body",
    "document_request": "body",
    "validate_querystring": "query",
    "document_querystring": "query",
    "validate_headers": "header",
    "document_headers": "header",
}


def outputs(
    program: Program, annotation: Annotation, scope: Scope, word: str
) -> Iterator[tuple[str | None, Schema, bool]]:
    """Status (None where it is not constant), shape, and whether it is what is really sent."""
    if word in ("validate_response", "document_response"):
        model = argument(annotation, 0, "model_class")
        status = argument(annotation, 1, "status_code", "status")
        code = "200" if status is None else status_of(program.evaluate(status, scope))
        if model is not None:
            yield code, _response_schema(program, model, scope), word == "validate_response"
    elif word == "validate":
        given = argument(annotation, -1, "responses")
        for entry in given.entries if isinstance(given, ObjectLiteral) else ():
            key = entry.key
            if key is None and entry.key_expression is not None:
                key = status_of(program.evaluate(entry.key_expression, scope))
            model = entry.value
            if isinstance(model, ArrayLiteral) and model.items:
                model = model.items[0]  # a model with its headers
            yield key, _response_schema(program, model, scope), True


def inputs(
    program: Program, annotation: Annotation, scope: Scope, word: str
) -> Iterator[tuple[str, Schema]]:
    """Where a model is read from, and its shape."""
    found: list[tuple[str, Expr | None, Expr | None]] = []
    if word in _INPUTS:
        source = argument(annotation, 1, "source")
        found.append((_INPUTS[word], argument(annotation, 0, "model_class"), source))
    elif word == "validate":
        source = argument(annotation, -1, "request_source")
        found.append(("body", argument(annotation, -1, "request"), source))
        found.append(("query", argument(annotation, -1, "querystring"), None))
        found.append(("header", argument(annotation, -1, "headers"), None))
    for where, model, source in found:
        type = None if model is None else as_type(model)
        if type is None:
            continue
        value = None if source is None else program.evaluate(source, scope)
        if isinstance(value, LibrarySymbol) and value.name.endswith("FORM"):
            where = "form"
        elif isinstance(value, LibrarySymbol) and value.name.endswith("FORM_MULTIPART"):
            where = "files"
        schema = program.schema(type, scope, LOAD)
        if where == "header":
            schema = _renamed_schema(program, schema, lambda name: name.replace("_", "-"), 1)
        elif converts_casing(program):
            schema = camel_case_schema(program, schema)
        yield where, schema


def _response_schema(program: Program, model: Expr, scope: Scope) -> Schema:
    type = as_type(model)
    if type is None:
        return Unknown(
            reason=Reason("declared-response-not-a-type"), origin=Origin(scope.file.path)
        )
    variant = "" if program.any_file_contains(b"BY_ALIAS") else BY_NAME
    schema = program.schema(type, scope, variant)
    return camel_case_schema(program, schema) if converts_casing(program) else schema


def converts_casing(program: Program) -> bool:
    """Whether Quart-Schema is told to write all names in camel case."""
    return program.any_file_contains(b"convert_casing=True", b"QUART_SCHEMA_CONVERT_CASING")


def camel_case_schema(program: Program, schema: Schema) -> Schema:
    """A schema with its names in camel case."""
    return _renamed_schema(program, schema, _camel, _DEEPEST)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest) if first else name


def _renamed_schema(program: Program, schema: Schema, rename: _Rename, levels: int) -> Schema:
    match schema:
        case Reference():
            flat = program.types.flat(schema)
            if not levels:
                reason = Reason("name-conversion-too-deep")
                return Unknown(reason=reason, nullable=None, origin=schema.origin)
            inner = _renamed_schema(program, flat, rename, levels - 1)
            return (
                inner if isinstance(flat, Reference) else replace(inner, nullable=schema.nullable)
            )
        case Array(items=items):
            return replace(schema, items=_renamed_schema(program, items, rename, levels))
        case Union(options=options):
            parts = tuple(_renamed_schema(program, option, rename, levels) for option in options)
            return replace(schema, options=parts)
        case Object(fields=fields):
            return replace(
                schema,
                fields=tuple(
                    replace(
                        field,
                        name=rename(field.name),
                        accepts=tuple(rename(name) for name in field.accepts),
                        schema=_renamed_schema(program, field.schema, rename, levels),
                    )
                    for field in fields
                ),
            )
        case _:
            return schema
