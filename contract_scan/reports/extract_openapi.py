"""The endpoints that code has, as an OpenAPI 3.1 document.

A route whose method or path is undetermined stands in `x-unresolved`: a document that left it out
would claim to be whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.schema import Anything, Schema, Union
from contract_scan.reports.extraction import Extraction
from contract_scan.reports.json_schema import SchemaWriter, finite
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.order import endpoints_in_order

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def render(extraction: Extraction) -> Iterator[str]:
    """The document as indented JSON."""
    yield indented_json(document(extraction))


def document(extraction: Extraction) -> dict[str, Any]:
    """The document as plain values."""
    writer = SchemaWriter(extraction.resolver, "#/components/schemas")
    paths = _Paths(writer)
    for operation in endpoints_in_order(extraction.endpoints):
        paths.add(operation)
    written: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Endpoints found in the code", "version": "0"},
        "paths": paths.items,
    }
    schemas = writer.named_schemas()
    if schemas:
        written["components"] = {"schemas": schemas}
    if paths.unresolved:
        written["x-unresolved"] = paths.unresolved
    if paths.shadowed:
        written["x-shadowed"] = paths.shadowed
    return written


def operation_item(operation: Operation, writer: SchemaWriter) -> dict[str, dict[str, Any]]:
    """The path of one route with its methods; empty where OpenAPI cannot say it."""
    paths = _Paths(writer)
    paths.add(operation)
    return paths.items


class _Paths:
    """The path items, built up route by route."""

    def __init__(self, writer: SchemaWriter) -> None:
        self._writer = writer
        self._templates: dict[str, tuple[str, list[str]]] = {}
        self._operation_ids: set[str] = set()
        self.items: dict[str, dict[str, Any]] = {}
        self.unresolved: list[dict[str, Any]] = []
        self.shadowed: list[dict[str, Any]] = []
        """Further handlers of a method and path that is written already."""

    def add(self, operation: Operation) -> None:
        """Write one route."""
        methods = METHODS if operation.method == "*" else (operation.method.lower(),)
        if operation.unresolved or not set(methods) <= set(METHODS):
            reason = operation.unresolved or "OpenAPI has no word for this method"
            self.unresolved.append({**_operation_summary(operation), "x-unknown": reason})
            return
        template, renamed = self._template(operation.path)
        item = self.items.setdefault(template, {})
        written = self._operation(operation, template, renamed, unique=len(methods) == 1)
        for method in methods:
            if method not in item:
                item[method] = written
            elif operation.method != "*":
                self.shadowed.append(_operation_summary(operation))

    def _template(self, path: str) -> tuple[str, dict[str, str]]:
        """The template a path is written under, and what its parameters are called there.

        Two templates that differ in the names of parameters only are one path in OpenAPI.
        """
        names = [name.removesuffix("*") for name in _PLACEHOLDER.findall(path)]
        shape = _PLACEHOLDER.sub("{}", path)
        if shape not in self._templates:
            distinct = _distinct(names)
            rest = iter(distinct)
            template = _PLACEHOLDER.sub(lambda _: "{" + next(rest) + "}", path)
            self._templates[shape] = template, distinct
        template, first = self._templates[shape]
        return template, dict(zip(names, first, strict=True))

    def _operation(
        self, operation: Operation, template: str, renamed: dict[str, str], *, unique: bool
    ) -> dict[str, Any]:
        written: dict[str, Any] = {}
        name = operation.operation_id
        if name and unique and name not in self._operation_ids:
            self._operation_ids.add(name)
            written["operationId"] = name
        parameters = self._parameters(operation, template, renamed)
        if parameters:
            written["parameters"] = parameters
        if operation.request:
            written["requestBody"] = self._request(operation.request)
        written["responses"] = self._responses(operation.responses)
        return {**written, **_source_fields(operation)}

    def _parameters(
        self, operation: Operation, template: str, renamed: dict[str, str]
    ) -> list[dict[str, Any]]:
        in_path = dict.fromkeys(_PLACEHOLDER.findall(template))
        written: dict[tuple[str, str], dict[str, Any]] = {}
        for parameter in operation.parameters:
            if parameter.location == "path":
                name = renamed.get(parameter.name, parameter.name)
                if name not in in_path:
                    continue
                written["path", name] = self._parameter(name, parameter, required=True)
            else:
                key = (parameter.location, parameter.name)
                required = parameter.required is True
                written.setdefault(key, self._parameter(parameter.name, parameter, required))
        for name in in_path:
            if ("path", name) not in written:
                bare = Parameter(name=name, location="path", schema=Anything())
                written["path", name] = self._parameter(name, bare, required=True)
        return list(written.values())

    def _parameter(self, name: str, parameter: Parameter, required: bool) -> dict[str, Any]:
        written: dict[str, Any] = {"name": name, "in": parameter.location}
        if required:
            written["required"] = True
        elif parameter.required is None:
            written["x-unknown-required"] = True
        schema = self._writer.write_parameter(parameter.schema)
        if parameter.default is not None and "$ref" not in schema:
            schema = {**schema, "default": finite(parameter.default)}
        return {**written, "schema": schema}

    def _request(self, bodies: tuple[Body, ...]) -> dict[str, Any]:
        written: dict[str, Any] = {"content": self._content(bodies, reads=True)}
        if all(body.required for body in bodies):
            written["required"] = True
        return written

    def _responses(self, responses: tuple[Response, ...]) -> dict[str, Any]:
        by_status: dict[str, tuple[Body, ...]] = {}
        for response in responses:
            by_status[response.status] = by_status.get(response.status, ()) + response.bodies
        if not by_status:
            return {"default": {"description": "Undetermined by the code."}}
        written: dict[str, Any] = {}
        for status, bodies in sorted(by_status.items()):
            written[status] = {"description": f"Status {status}."}
            if bodies:
                written[status]["content"] = self._content(bodies)
        return written

    def _content(self, bodies: tuple[Body, ...], *, reads: bool = False) -> dict[str, Any]:
        by_type: dict[str, list[Schema]] = {}
        for body in bodies:
            shapes = by_type.setdefault(body.content_type or "application/json", [])
            if body.schema not in shapes:
                shapes.append(body.schema)
        return {
            content_type: {
                "schema": self._writer.write(
                    shapes[0] if len(shapes) == 1 else Union(options=tuple(shapes)), reads=reads
                )
            }
            for content_type, shapes in by_type.items()
        }


def _distinct(names: Iterable[str]) -> list[str]:
    """The names with equal and empty ones numbered."""
    distinct: list[str] = []
    for name in names:
        wanted, number = name or "parameter", 2
        candidate = wanted
        while candidate in distinct:
            candidate, number = f"{wanted}{number}", number + 1
        distinct.append(candidate)
    return distinct


def _operation_summary(operation: Operation) -> dict[str, Any]:
    return {"method": operation.method, "path": operation.path, **_source_fields(operation)}


def _source_fields(operation: Operation) -> dict[str, Any]:
    written: dict[str, Any] = {}
    if operation.handler:
        written["x-handler"] = operation.handler
    if operation.framework:
        written["x-framework"] = operation.framework
    if operation.origin.path:
        written["x-source"] = f"{operation.origin.path}:{operation.origin.span.line}"
    return written
