"""What documents and models of Mongoose can be asked besides their paths: methods and statics that
the project adds to a schema, the document that a reference leads to, models by their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Object, Scalar, Schema
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassValue,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    ClassDecl,
    Expr,
    LiteralExpr,
    ObjectLiteral,
)
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization.mongoose.plugins import SCHEMAS

MODELS = frozenset({"mongoose.model", "mongoose.default.model", "mongoose.connection.model"})
_BY_NAME = ("mongoose.models.", "mongoose.default.models.")
_ADDS = (b".methods", b".statics", b".method(", b".static(", b".loadClass(")
_KINDS = {"methods": "methods", "method": "methods", "statics": "statics", "static": "statics"}

Place: TypeAlias = tuple[str, Span]
"""Where a schema is made."""


class _SchemaAdditions(Struct):
    """What the project adds to schemas."""

    of: dict[tuple[Place, str], dict[str, tuple[Expr, Scope]]]
    """Schema, `methods` or `statics` -> name -> function."""
    classes: dict[Place, ClassValue]
    """Classes whose methods a schema is given (`loadClass`)."""


def model_of(program: Program, value: Value | None) -> LibraryResult | None:
    """The call that made a model with its schema: the value itself, or the one of its name."""
    match value:
        case LibraryResult(name=name) if name in MODELS:
            if len(value.site.args) > 1:
                return value
            given = program.text(value.site.args[0].value, value.scope) if value.site.args else None
            return None if given is None else _models(program).get(given)
        case LibrarySymbol(name=name) if name.startswith(_BY_NAME):
            return _models(program).get(name.rpartition(".")[2])
        case _:
            return None


def model_called(program: Program, name: str) -> LibraryResult | None:
    """The model that a reference names."""
    return _models(program).get(name)


@memoised
def _models(program: Program) -> dict[str, LibraryResult]:
    """Models by their names; of two with one name neither."""
    found: dict[str, list[LibraryResult]] = {}
    for path in program.files_containing(b"mongoose"):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            if not isinstance(node, Call) or len(node.args) < 2:
                continue
            callee = node.callee
            if getattr(callee, "name", getattr(callee, "id", "")) != "model":
                continue
            made = program.evaluate(node, scope)
            name = program.text(node.args[0].value, scope)
            if isinstance(made, LibraryResult) and made.name in MODELS and name is not None:
                found.setdefault(name, []).append(made)
    return {name: models[0] for name, models in found.items() if len(models) == 1}


def schema_of_model(program: Program, model: LibraryResult) -> LibraryResult | None:
    """The schema that a model is made with."""
    args = model.site.args
    schema = program.evaluate(args[1].value, model.scope) if len(args) > 1 else None
    return schema if isinstance(schema, LibraryResult) and schema.name in SCHEMAS else None


@memoised
def schemas_read(program: Program) -> dict[Place, LibraryResult]:
    """Schemas by their places. It is filled as they are read: a document is known by the place that
    its shape comes from."""
    del program
    return {}


@memoised
def _collect_added_methods(program: Program) -> _SchemaAdditions:
    added = _SchemaAdditions({}, {})
    for path in program.files_containing(*_ADDS):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            for receiver, kind, name, function in _method_declarations(node):
                place = _schema_location(program.evaluate(receiver, scope))
                if place is not None:
                    added.of.setdefault((place, kind), {})[name] = (function, scope)
            match node:
                case Call(callee=Attribute(value=receiver, name="loadClass"), args=args) if args:
                    place = _schema_location(program.evaluate(receiver, scope))
                    given = program.evaluate(args[0].value, scope)
                    if place is not None and isinstance(given, ClassValue):
                        added.classes[place] = given
                case _:
                    continue
    return added


def _method_declarations(node: object) -> Iterator[tuple[Expr, str, str, Expr]]:
    """Schema, kind, name and function: `schema.methods.a = …`, `schema.methods = { a: … }`,
    `schema.method("a", …)`."""
    match node:
        case Assign(
            target=Attribute(
                value=Attribute(value=receiver, name="methods" | "statics" as kind), name=name
            ),
            value=value,
        ) if value is not None:
            yield receiver, kind, name, value
        case Assign(
            target=Attribute(value=receiver, name="methods" | "statics" as kind),
            value=ObjectLiteral(entries=entries),
        ):
            for entry in entries:
                if entry.key is not None and not entry.spread:
                    yield receiver, kind, entry.key, entry.value
        case Call(
            callee=Attribute(value=receiver, name="method" | "static" as kind), args=(first, second)
        ) if isinstance(first.value, LiteralExpr) and isinstance(first.value.value, str):
            yield receiver, _KINDS[kind], first.value.value, second.value
        case _:
            return


def _schema_location(value: Value | None) -> Place | None:
    if not isinstance(value, LibraryResult) or value.name not in SCHEMAS:
        return None
    return (value.scope.file.path, value.site.span)


def attribute(program: Program, value: Value, name: str, document: Schema | None) -> Value | None:
    """What a document (`document`: its shape) or a model has of that name beside its paths."""
    model = model_of(program, value)
    schema = schema_of_model(program, model) if model is not None else None
    if schema is not None and model is not None:
        found = _member(program, schema, "statics", name, value)
        if found is None and document is not None:
            # `new Order()` is told from `Order` by what is asked of it.
            method = _member(program, schema, "methods", name, BySchema(document, keeps_shape=True))
            return method or _path(document, name)
        return found
    if not isinstance(value, BySchema) or not isinstance(value.schema, Object):
        return None
    if name == "id" and any(field.name == "_id" for field in value.schema.fields):
        return BySchema(Scalar(type="string"))
    origin = value.schema.origin
    read = schemas_read(program).get((origin.path, origin.span))
    return None if read is None else _member(program, read, "methods", name, value)


def _path(document: Schema, name: str) -> Value | None:
    fields = document.fields if isinstance(document, Object) else ()
    found = next((field.schema for field in fields if field.name == name), None)
    if found is None and name == "id" and fields:
        return BySchema(Scalar(type="string"))
    return None if found is None else BySchema(found)


def _member(
    program: Program, schema: LibraryResult, kind: str, name: str, receiver: Value
) -> FunctionValue | None:
    """A method or static of a schema, called on the receiver."""
    place = _schema_location(schema)
    if place is None:
        return None
    add = _method if kind == "methods" else _static
    found = add(program, place, name, receiver)
    if found is not None or len(schema.site.args) < 2:
        return found
    options = program.evaluate(schema.site.args[1].value, schema.scope)
    for entry in options.entries if isinstance(options, Record) else ():
        if entry.name == kind and isinstance(entry.value, Record):
            of_options = next((e.value for e in entry.value.entries if e.name == name), None)
            if isinstance(of_options, FunctionValue):
                return replace(of_options, receiver=receiver)
    return None


def _static(program: Program, place: Place, name: str, receiver: Value) -> FunctionValue | None:
    return _function(
        program, _collect_added_methods(program).of.get((place, "statics"), {}).get(name), receiver
    )


def _method(program: Program, place: Place, name: str, receiver: Value) -> FunctionValue | None:
    added = _collect_added_methods(program)
    found = _function(program, added.of.get((place, "methods"), {}).get(name), receiver)
    loaded = added.classes.get(place)
    if found is None and loaded is not None:
        own = program.find_method(loaded.symbol, name)
        return None if own is None else replace(own, receiver=receiver)
    return found


def _function(
    program: Program, given: tuple[Expr, Scope] | None, receiver: Value
) -> FunctionValue | None:
    if given is None:
        return None
    value = program.evaluate(*given)
    return replace(value, receiver=receiver) if isinstance(value, FunctionValue) else None


def is_schema_class(program: Program, decl: ClassDecl, scope: Scope) -> bool:
    """Whether a class is declared as a schema, with the decorator of NestJS."""
    return any(
        annotation.callee is not None
        and program.qualified_name(annotation.callee, scope) == "@nestjs/mongoose.Schema"
        for annotation in decl.annotations
    )
