"""Quarkus REST Data with Panache: the endpoints that a build makes of resource interfaces."""

from __future__ import annotations

import re
from collections.abc import Iterator

from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Scalar, Schema, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.java.frameworks.jaxrs.applications import prefixes
from contract_scan.parsers.source.java.resolution.annotations import argument, find, flag, type_name
from contract_scan.parsers.source.java.serialization.jackson.settings import READING, wire_variant
from contract_scan.parsers.source.java.web.request_inputs import with_path_variables
from contract_scan.parsers.source.java.web.routes import join_paths, template
from contract_scan.parsers.source.language import Framework

_RESOURCES = {
    "PanacheEntityResource": 0,
    "PanacheRepositoryResource": 1,
    "PanacheMongoEntityResource": 0,
    "PanacheMongoRepositoryResource": 1,
}
"""Interfaces to extend, and the position of the entity among their type arguments."""
_ENDINGS = ("Resource", "Controller")
_METHODS = {
    "list": ("GET", ""),
    "count": ("GET", "count"),
    "get": ("GET", "{id}"),
    "add": ("POST", ""),
    "update": ("PUT", "{id}"),
    "delete": ("DELETE", "{id}"),
}


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The endpoints of every resource interface."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if symbol.decl.kind == "interface":
                yield from _resource(program, symbol, framework)


def _resource(program: Program, symbol: ClassSymbol, framework: Framework) -> Iterator[Operation]:
    entity = _entity(program, symbol)
    properties = find(symbol.decl.annotations, "ResourceProperties")
    if entity is None or not flag(argument(properties, "exposed"), default=True):
        return
    given = argument(properties, "path")
    own = program.text(given, program.class_scope(symbol)) if given is not None else None
    starts, why = prefixes(program, symbol)
    if given is not None and own is None:
        why = why or Reason("resource-path-not-constant")
    paged = flag(argument(properties, "paged"), default=True)
    methods = {function.name: function for function in symbol.decl.methods}
    for name, (verb, end) in _METHODS.items():
        function = methods.get(name)
        written = find(function.annotations if function else (), "MethodProperties")
        if not flag(argument(written, "exposed"), default=True):
            continue
        middle = program.text(argument(written, "path"), program.class_scope(symbol)) or ""
        if name == "count" and middle:
            end = ""
        for start in starts or [""]:
            base = own if own is not None else resource_name(symbol.decl.name)
            path = template(join_paths(start, base, middle, end))
            yield _operation(program, symbol, framework, name, verb, path, entity, paged, why)


def _entity(program: Program, symbol: ClassSymbol) -> tuple[NamedType, Scope] | None:
    """The entity that an interface is for, with the scope that its name is to be read in."""
    for owner, scope in program.types.chain(symbol, program.class_scope(symbol)):
        for base in owner.decl.bases:
            position = _RESOURCES.get(type_name(base))
            if position is None or not isinstance(base, NamedType) or len(base.args) <= position:
                continue
            entity = base.args[position]
            if isinstance(entity, NamedType):
                return entity, scope
    return None


def resource_name(name: str) -> str:
    """The path that an interface's name gives: `OrderLinesResource` is `order-lines`."""
    for ending in _ENDINGS:
        if name.endswith(ending) and name != ending:
            name = name.removesuffix(ending)
            break
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def _operation(
    program: Program,
    symbol: ClassSymbol,
    framework: Framework,
    name: str,
    verb: str,
    path: str,
    entity: tuple[NamedType, Scope],
    paged: bool,
    why: Reason,
) -> Operation:
    origin = symbol.origin
    variant = wire_variant(program, symbol.file.path)
    entity_schema = with_nullable(program.schema(*entity, variant), False)
    read = with_nullable(program.schema(*entity, f"{variant};{READING}"), False)

    def response(status: str, schema: Schema | None = None) -> Response:
        bodies = () if schema is None else (Body(schema=schema, origin=origin),)
        return Response(status=status, bodies=bodies, explicit_status=False, origin=origin)

    responses = {
        "list": (response("200", Array(items=entity_schema, origin=origin)),),
        "count": (response("200", Scalar(type="integer", format="int64")),),
        "get": (response("200", entity_schema), response("404")),
        "add": (response("201", entity_schema),),
        "update": (response("201", entity_schema), response("204")),
        "delete": (response("204"), response("404")),
    }[name]
    parameters = _paging_parameters(symbol) if name == "list" else []
    if not paged:
        parameters = [p for p in parameters if p.name == "sort"]
    return Operation(
        method=verb,
        path=path,
        parameters=with_path_variables(parameters, path, origin),
        parameters_complete=False,
        request=(Body(schema=read, origin=origin),) if name in ("add", "update") else (),
        responses=responses,
        origin=origin,
        handler=f"{symbol.qualified_name}.{name}",
        framework=framework.name,
        excluded_from_docs=name == "count",
        unresolved=why,
    )


def _paging_parameters(symbol: ClassSymbol) -> list[Parameter]:
    number = Scalar(type="integer", format="int32")
    texts = Array(items=Scalar(type="string"))
    return [
        Parameter(
            name=name,
            location="query",
            schema=schema,
            required=False,
            has_default=name != "sort",
            origin=symbol.origin,
        )
        for name, schema in (("sort", texts), ("page", number), ("size", number))
    ]


FRAMEWORK = Framework(
    name="Quarkus REST Data",
    markers=(b"rest.data.panache",),
    operations=operations,
)
