"""What decorators around Flask views declare: schemas of output and input, by library."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.operation import Body, Location, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Field, Object, Scalar, ScalarType, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    Items,
    LibraryResult,
    Record,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Expr, NamedType
from contract_scan.parsers.source.python.frameworks.flask import quart_schema as quart_declared
from contract_scan.parsers.source.python.frameworks.flask.rules import MAKERS, Rule
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.serialization import restx
from contract_scan.parsers.source.python.serialization.fields import is_true
from contract_scan.parsers.source.python.serialization.marshmallow import schemas as marshmallow
from contract_scan.parsers.source.python.serialization.modes import LOAD
from contract_scan.parsers.source.python.web.bodies import as_parameters
from contract_scan.parsers.source.python.web.common import argument, status_of, unknown
from contract_scan.parsers.source.python.web.mounts import receivers


class Output(Struct, frozen=True, eq=False):
    """A declared response."""

    status: str | None
    """None: whatever success status the view gives."""
    schema: Schema | None
    origin: Origin
    applied: bool = True
    """The decorator itself writes the response; else it is documentation only."""


class Declaration(Struct, frozen=True, eq=False):
    """Everything that the decorators of a view declare."""

    outputs: tuple[Output, ...] = ()
    bodies: tuple[Body, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    inputs_declared: bool = False


def declaration(program: Program, rule: Rule) -> Declaration:
    """What the decorators around one view say."""
    outputs: list[Output] = []
    bodies: list[Body] = []
    parameters: list[Parameter] = []
    declared, undetermined = False, False
    for annotation, scope in rule.annotations:
        library, word = _library_of(program, annotation, scope)
        if not library:
            continue
        outputs.extend(_outputs(program, annotation, scope, library, word))
        for where, schema, origin in _inputs(program, annotation, scope, library, word, rule):
            declared = True
            if where == _OWN:
                undetermined = True
                if rule.method not in ("GET", "HEAD"):
                    why = unknown(Reason("custom-location-not-read"), origin)
                    bodies.append(Body(schema=why, required=None, origin=origin))
            elif where in _PARAMETERS:
                location, flat = _PARAMETERS[where], program.types.flat(schema)
                is_whole = isinstance(flat, Object) and not flat.incomplete_reason
                undetermined = undetermined or not is_whole
                parameters.extend(as_parameters(program, schema, location, origin))
            else:
                content = "application/json" if where == "body" else _FORMS[where]
                needed = library not in _ON_WEBARGS or _needs_something(program, schema)
                bodies.append(
                    Body(schema=schema, content_type=content, required=needed, origin=origin)
                )
    if rule.view is not None:
        inputs = list(_validated_parameters(program, rule))
        declared = declared or bool(inputs)
        for body, found in inputs:
            bodies.extend(body)
            parameters.extend(found)
    return Declaration(
        tuple(outputs), tuple(bodies), tuple(parameters), declared and not undetermined
    )


_PARAMETERS: dict[str, Location] = {
    "query": "query",
    "header": "header",
    "cookie": "cookie",
    "path": "path",
}
_OWN = "own"
"""A location that the project adds to its parser."""
_FORMS = {"form": "application/x-www-form-urlencoded", "files": "multipart/form-data"}
_LIBRARIES = {
    "flask_apispec": "apispec",
    "flask_smorest": "smorest",
    "apiflask": "apiflask",
    "flask_restx": "restx",
    "flask_restplus": "restx",
    "flask_restful": "restx",
    "webargs": "webargs",
    "flask_pydantic": "pydantic",
    "quart_schema": "quart",
}


_ON_WEBARGS = frozenset({"webargs", "apispec", "smorest", "apiflask"})
"""Libraries that take no body at all for an empty object."""


def _needs_something(program: Program, schema: Schema) -> bool | None:
    """Whether an empty object is refused; None where it is undetermined."""
    flat = program.types.flat(schema)
    if isinstance(flat, Unknown):
        return None
    if not isinstance(flat, Object):
        return True
    return any(not field.has_default for field in flat.fields) or (
        None if flat.incomplete_reason else False
    )


def _library_of(program: Program, annotation: Annotation, scope: Scope) -> tuple[str, str]:
    """The library a decorator is of, and which one of its decorators."""
    if annotation.callee is None:
        return "", ""
    name = program.qualified_name(annotation.callee, scope)
    word = name.rpartition(".")[2]
    library = _LIBRARIES.get(name.partition(".")[0], "")
    if not library and isinstance(annotation.callee, Attribute):
        for router in receivers(program, annotation.callee.value, scope, MAKERS):
            library = _LIBRARIES.get(router.maker.partition(".")[0], "")
            word = annotation.callee.name
    return library, word


# --------------------------------------------------------------------------- outputs


def _outputs(
    program: Program, annotation: Annotation, scope: Scope, library: str, word: str
) -> Iterator[Output]:
    origin = origin_at(scope, annotation.span)

    def value(position: int, *names: str) -> Value | None:
        expr = argument(annotation, position, *names)
        return None if expr is None else program.evaluate(expr, scope)

    match library, word:
        case "apispec", "marshal_with":
            schema = value(0, "schema")
            code = value(1, "code")
            status = status_of(code) if code is not None else None
            yield Output(status, _schema(program, schema), origin)
        case "smorest", "response":
            status = status_of(value(0, "status_code") or Constant(200)) or "200"
            yield Output(status, _schema(program, value(1, "schema")), origin)
        case "smorest", "alt_response":
            status_value = value(0, "status_code")
            schema = value(1, "schema", "response")
            if status_value is not None and schema is not None:
                shape = _schema(program, schema)
                yield Output(status_of(status_value), shape, origin, applied=False)
        case "apiflask", "output":
            status = status_of(value(1, "status_code") or Constant(200)) or "200"
            yield Output(status, _schema(program, value(0, "schema")), origin)
        case "quart", _:
            for of_status, shape, applied in quart_declared.outputs(
                program, annotation, scope, word
            ):
                yield Output(of_status, shape, origin, applied)
        case "restx", "marshal_with" | "marshal_list_with":
            yield _marshal_output(program, annotation, scope, word, origin)
        case _:
            return


def _marshal_output(
    program: Program, annotation: Annotation, scope: Scope, word: str, origin: Origin
) -> Output:
    fields_expr = argument(annotation, 0, "fields")
    fields = program.evaluate(fields_expr, scope) if fields_expr is not None else None
    shape = (
        restx.marshalled_schema(program, fields)
        if fields is not None
        else Unknown(reason=Reason("no-output-fields"), origin=origin)
    )
    as_list = argument(annotation, 1, "as_list")
    listed = word == "marshal_list_with" or (
        as_list is not None and is_true(program.evaluate(as_list, scope))
    )
    # Without the flag a list of objects is marshalled as one, so the view decides.
    schema: Schema = Array(items=shape, origin=origin) if listed else shape
    envelope = argument(annotation, -1, "envelope")
    if envelope is not None:
        name = program.text(envelope, scope)
        if name:
            schema = Object(fields=(Field(name=name, schema=schema, origin=origin),), origin=origin)
    return Output(None, schema, origin)


def _schema(program: Program, value: Value | None) -> Schema | None:
    """The shape that an output schema value gives; None where there is none."""
    if value is None or (isinstance(value, Constant) and value.value is None):
        return None
    if isinstance(value, Record) and not marshmallow.is_schema_value(program, value):
        return Unknown(reason=Reason("not-a-marshmallow-schema"))
    if isinstance(value, ClassValue) and not marshmallow.is_schema_value(program, value):
        return program.schema(NamedType(value.symbol.decl.name), program.class_scope(value.symbol))
    return marshmallow.dump_schema(program, value)


# --------------------------------------------------------------------------- inputs


def _inputs(
    program: Program,
    annotation: Annotation,
    scope: Scope,
    library: str,
    word: str,
    rule: Rule,
) -> Iterator[tuple[str, Schema, Origin]]:
    origin = origin_at(scope, annotation.span)
    if library == "quart":
        for where, inputs in quart_declared.inputs(program, annotation, scope, word):
            yield where, inputs, origin
        return
    if (library, word) in (("restx", "expect"),):
        for item in annotation.args:
            if not item.name:
                yield from _expected_inputs(program, program.evaluate(item.value, scope), origin)
        return
    takes = {
        ("apispec", "use_kwargs"),
        ("webargs", "use_args"),
        ("webargs", "use_kwargs"),
        ("smorest", "arguments"),
        ("apiflask", "input"),
    }
    if (library, word) not in takes:
        return
    schema_expr = argument(annotation, 0, "schema", "args", "argmap")
    if schema_expr is None:
        return
    value = program.evaluate(schema_expr, scope)
    where = _location(program, annotation, scope, library, rule)
    yield where, marshmallow.load_schema(program, value), origin


def _location(
    program: Program, annotation: Annotation, scope: Scope, library: str, rule: Rule
) -> str:
    expr = argument(annotation, 1 if library == "apiflask" else -1, "location", "locations")
    names = program.texts(expr, scope) if expr is not None else ()
    known = {
        "json": "body",
        "json_or_form": "body",
        "query": "query",
        "querystring": "query",
        "headers": "header",
        "cookies": "cookie",
        "path": "path",
        "view_args": "path",
        "form": "form",
        "files": "files",
        "form_and_files": "files",
    }
    for name in names:
        if name in known:
            return known[name]
    if names:
        return _OWN
    return "query" if rule.method in ("GET", "HEAD") else "body"


# --------------------------------------------------------------------------- flask-pydantic


def _validated_parameters(
    program: Program, rule: Rule
) -> Iterator[tuple[list[Body], list[Parameter]]]:
    """`@validate()` of flask-pydantic takes `body`, `query` and `form` by parameter name."""
    view = rule.view
    if view is None or not any(
        annotation.callee is not None
        and program.qualified_name(annotation.callee, scope) == "flask_pydantic.validate"
        for annotation, scope in rule.annotations
    ):
        return
    for param in view.function.params:
        if param.type is None or param.name not in ("body", "query", "form"):
            continue
        schema = program.schema(param.type, view.scope, LOAD)
        origin = origin_at(view.scope, param.place)
        if param.name == "query":
            yield [], list(as_parameters(program, schema, "query", origin))
        else:
            content = "application/json" if param.name == "body" else _FORMS["form"]
            body = Body(schema=schema, content_type=content, required=True, origin=origin)
            yield [body], []


def _expected_inputs(
    program: Program, value: Value, origin: Origin
) -> Iterator[tuple[str, Schema, Origin]]:
    """`@api.expect(model)`, `@api.expect([model])`, `@api.expect(parser)`."""
    if isinstance(value, Items) and len(value.values) == 1:
        inner = restx.marshalled_schema(program, value.values[0])
        yield "body", Array(items=inner, origin=origin), origin
    elif isinstance(value, LibraryResult) and "RequestParser" in value.name:
        yield from _request_parser_inputs(program, value)
    elif restx.is_fields(program, value):
        yield "body", restx.marshalled_schema(program, value), origin


_TYPES: dict[str, tuple[ScalarType, str]] = {
    "str": ("string", ""),
    "int": ("integer", ""),
    "float": ("number", ""),
    "bool": ("boolean", ""),
}


def _request_parser_inputs(
    program: Program, made: LibraryResult
) -> Iterator[tuple[str, Schema, Origin]]:
    """The arguments that code adds to a request parser, by the location that the parser reads
    them from."""
    places: dict[str, list[Field]] = {}
    for call, scope in calls_to(program, "add_argument"):
        if not isinstance(call.callee, Attribute):
            continue
        target = program.evaluate(call.callee.value, scope)
        if not isinstance(target, LibraryResult) or target.identity != made.identity:
            continue
        named = {a.name: a.value for a in call.args if a.name}
        positional = [a.value for a in call.args if not a.name and not a.spread]
        name = program.text(positional[0], scope) if positional else None
        if name is None:
            continue
        origin = origin_at(scope, call.span)
        type_name = program.qualified_name(named["type"], scope) if "type" in named else "str"
        known = _TYPES.get(type_name)
        shape: Schema = (
            Scalar(type=known[0], format=known[1], origin=origin)
            if known is not None
            else Unknown(reason=Reason("parser-type-is-function"), nullable=None, origin=origin)
        )
        action = program.text(named["action"], scope) if "action" in named else None
        if action in ("append", "split"):
            shape = Array(items=shape, origin=origin)
        required = "required" in named and is_true(program.evaluate(named["required"], scope))
        where = _parser_location(program, named.get("location"), scope)
        field = Field(
            name=name,
            schema=shape,
            required=required,
            has_default=not required,
            origin=origin,
        )
        places.setdefault(where, []).append(field)
    for where, fields in places.items():
        yield where, Object(fields=tuple(fields), origin=fields[0].origin), fields[0].origin


def _parser_location(program: Program, expr: Expr | None, scope: Scope) -> str:
    names = program.texts(expr, scope) if expr is not None else ("args",)
    known = {
        "args": "query",
        "values": "query",
        "json": "body",
        "form": "form",
        "files": "files",
        "headers": "header",
        "cookies": "cookie",
    }
    return next((known[name] for name in names if name in known), "query")
