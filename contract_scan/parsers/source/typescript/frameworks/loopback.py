"""LoopBack 4: controllers decorated by `@get("/x")`, `@param`, `@requestBody`, models."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Field, Nothing, Object, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    LibraryResult,
    LibrarySymbol,
    Record,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation import raised_errors
from contract_scan.parsers.source.analysis.typing.json_schema_values import schema_value
from contract_scan.parsers.source.facts.nodes import Attribute, NamedType, Param
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.decorators import Decorator, decorators
from contract_scan.parsers.source.typescript.serialization import loopback as models
from contract_scan.parsers.source.typescript.web import decorated, statuses
from contract_scan.parsers.source.typescript.web.decorated import Method, Place, Role
from contract_scan.parsers.source.typescript.web.file_routes import parameters as path_names
from contract_scan.parsers.source.typescript.web.paths import clean, join
from contract_scan.parsers.source.typescript.web.response_heads import JSON

NAME = "LoopBack"
_MODULES = ("@loopback/rest", "@loopback/openapi-v3")
_VERBS = {"get": "GET", "post": "POST", "put": "PUT", "patch": "PATCH", "del": "DELETE"}
_ERRORS = ("@loopback/rest.HttpErrors.", "http-errors.")
_TYPES = {
    "string": Scalar(type="string"),
    "number": Scalar(type="numeric"),
    "integer": Scalar(type="integer"),
    "long": Scalar(type="integer"),
    "double": Scalar(type="number"),
    "float": Scalar(type="number"),
    "boolean": Scalar(type="boolean"),
    "date": Scalar(type="string", format="date"),
    "dateTime": Scalar(type="string", format="date-time"),
    "password": Scalar(type="string"),
    "binary": Scalar(type="string"),
    "byte": Scalar(type="string"),
}
_PLACES: dict[str, Place] = {
    "path": "path",
    "query": "query",
    "header": "header",
    "cookie": "cookie",
}
_ERROR_BODY = Object(
    fields=(
        Field(
            name="error",
            schema=Object(
                fields=(
                    Field(name="statusCode", schema=Scalar(type="integer")),
                    Field(name="name", schema=Scalar(type="string")),
                    Field(name="message", schema=Scalar(type="string")),
                ),
                incomplete_reason=Reason("error-details-open"),
            ),
        ),
    )
)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every decorated method of a controller."""
    if not program.files_containing(*_OWN):
        return
    bases = _base_paths(program, framework)
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            if symbol.decl.kind != "class" or "abstract" in symbol.decl.modifiers:
                continue
            of_class = decorated.library_decorators(program, symbol, _MODULES)
            for method in decorated.methods(program, symbol, of_class, _MODULES):
                for verb in method.own:
                    if verb.simple in _VERBS or verb.simple == "operation":
                        yield from _operations(program, method, verb, bases)


def _base_paths(program: Program, framework: Framework) -> list[tuple[str, Reason]]:
    """What `app.basePath("/api")` and the configuration put before every path."""
    found: dict[tuple[str, Reason], None] = {}
    for path in program.files_containing(b"basePath("):
        for call, scope in walker.calls(program, program.facts(path), deep=True):
            callee = call.callee
            if isinstance(callee, Attribute) and callee.name == "basePath" and call.args:
                text = program.text(call.args[0].value, scope)
                reason = NO_REASON if text is not None else Reason("base-path-not-constant")
                found[text if text is not None else "/{computed}", reason] = None
    del framework
    return list(found) or [("", NO_REASON)]


class _VerbDecorator(Struct, frozen=True):
    """What a verb's decorator says."""

    method: str
    path: str
    unresolved: Reason
    spec: Value | None


def _route_declaration(program: Program, verb: Decorator) -> _VerbDecorator:
    position = 0
    method = _VERBS.get(verb.simple, "")
    reason = NO_REASON
    if verb.simple == "operation":
        text = program.text(verb.argument(0), verb.scope)
        method, position = (text or "*").upper(), 1
        reason = NO_REASON if text is not None else Reason("method-not-constant")
    expr = verb.argument(position)
    path = program.text(expr, verb.scope) if expr is not None else None
    if path is None:
        shown = program.template(expr, verb.scope) if expr is not None else None
        path = (shown or "{}").replace("{}", "{computed}")
        reason = reason or Reason("path-not-constant")
    given = verb.argument(position + 1)
    spec = program.evaluate(given, verb.scope) if given is not None else None
    return _VerbDecorator(method, path, reason, spec)


def _operations(
    program: Program, method: Method, verb: Decorator, bases: list[tuple[str, Reason]]
) -> Iterator[Operation]:
    said = _route_declaration(program, verb)
    api = next((d for d in method.of_class if d.simple == "api"), None)
    own = ""
    if api is not None:
        expr = api.option("basePath")
        own = (program.text(expr, api.scope) or "") if expr is not None else ""
    responses, complete = _responses(program, method, said.spec)
    for base, of_base in bases:
        path = clean(join(base, own, said.path))
        names = path_names(path)
        inputs = decorated.request_inputs(program, method, names, _role(program), models.INPUT)
        yield Operation(
            method=said.method,
            path=path,
            parameters=inputs.parameters,
            parameters_complete=inputs.complete,
            reads_no_body=inputs.reads_no_body,
            request=_request(program, method, inputs.request),
            responses=responses,
            statuses_complete=complete,
            origin=method.origin,
            handler=f"{method.controller.qualified_name}.{method.function.name}",
            framework=NAME,
            excluded_from_docs=_is_hidden(program, method, said.spec),
            unresolved=said.unresolved or of_base,
        )


def _is_hidden(program: Program, method: Method, spec: Value | None) -> bool:
    entry = walker.entries(spec).get("x-visibility") if spec is not None else None
    text = program.evaluator.text(entry.value) if entry is not None else ""
    named = any(d.simple in ("visibility", "undocumented") for d in method.own)
    return text == "undocumented" or named


# ---------------------------------------------------------------------- what is taken


def _role(program: Program) -> decorated.RoleOf:
    def role(param: Param, found: list[Decorator]) -> Role:
        for decorator in found:
            name = decorator.name
            for module in _MODULES:
                if name.startswith(f"{module}.requestBody"):
                    return _body_role(program, name, decorator)
                if name.startswith(f"{module}.param"):
                    return _param_role(program, name.removeprefix(f"{module}.param"), decorator)
        return Role(place="")

    return role


def _body_role(program: Program, name: str, decorator: Decorator) -> Role:
    if name.endswith(".file"):
        return Role(place="file", name="file")
    given = decorator.argument(0)
    schema: Schema | None = None
    required = True
    if given is not None:
        spec = program.evaluate(given, decorator.scope)
        schema = _content(program, spec)
        if schema is None and "content" in walker.entries(spec):
            schema = Unknown(reason=Reason("request-body-schema-not-found"))
        entry = walker.entries(spec).get("required")
        if entry is not None and isinstance(entry.value, Constant):
            required = entry.value.value is True
        if name.endswith(".array"):
            schema = None
    return Role(place="body", required=required, schema=schema)


def _param_role(program: Program, rest: str, decorator: Decorator) -> Role:
    """`@param.query.number("page", { required: true })`, `@param.filter(User)`, `@param({…})`."""
    parts = [part for part in rest.split(".") if part]
    if not parts:
        return _parameter_role(program, decorator)
    if parts[0] in ("filter", "where"):
        text = None
        for argument in decorator.args:
            text = text or program.text(argument.value, decorator.scope)
        reason = Unknown(reason=Reason("filter-object-in-query"))
        return Role(place="query", name=text or parts[0], required=False, schema=reason)
    if parts[0] == "array":
        text = program.text(decorator.argument(0), decorator.scope)
        where = program.text(decorator.argument(1), decorator.scope) or "query"
        return Role(place=_PLACES.get(where, "query"), name=text or "", required=False)
    place = _PLACES.get(parts[0])
    if place is None:
        return Role(place="request")
    name = program.text(decorator.argument(0), decorator.scope)
    schema: Schema | None = _TYPES.get(parts[-1])
    if parts[-1] == "object":
        schema = Unknown(reason=Reason("query-object-formats"))
    spec = decorator.argument(1)
    entries = walker.entries(program.evaluate(spec, decorator.scope)) if spec is not None else {}
    required = place == "path"
    if "required" in entries:
        value = entries["required"].value
        required = isinstance(value, Constant) and value.value is True
    if "schema" in entries:
        found = schema_value(program, entries["schema"].value, lambda _: None)
        schema = found if not program.types.is_unknown(found) else schema
    return Role(place=place, name=name or "", required=required, schema=schema)


def _parameter_role(program: Program, decorator: Decorator) -> Role:
    given = decorator.argument(0)
    entries = walker.entries(program.evaluate(given, decorator.scope)) if given is not None else {}
    texts = {
        key: program.evaluator.text(entries[key].value) for key in ("name", "in") if key in entries
    }
    place = _PLACES.get(texts.get("in") or "")
    if place is None:
        return Role(place="request")
    value = entries["required"].value if "required" in entries else None
    required = place == "path" or (isinstance(value, Constant) and value.value is True)
    schema = None
    if "schema" in entries:
        schema = schema_value(program, entries["schema"].value, lambda _: None)
    return Role(place=place, name=texts.get("name") or "", required=required, schema=schema)


def _request(program: Program, method: Method, bodies: tuple[Body, ...]) -> tuple[Body, ...]:
    """Bodies with the content type that `@requestBody({ content })` says."""
    for param in method.function.params:
        for decorator in decorators(program, param.annotations, method.scope):
            given = decorator.argument(0)
            if decorator.simple != "requestBody" or given is None or not bodies:
                continue
            spec = program.evaluate(given, decorator.scope)
            content = walker.entries(spec).get("content")
            kinds = list(walker.entries(content.value)) if content is not None else []
            if kinds and JSON not in kinds:
                kind = kinds[0] if len(kinds) == 1 else "*/*"
                first = bodies[0]
                return (
                    Body(
                        schema=first.schema,
                        content_type=kind,
                        required=first.required,
                        origin=first.origin,
                    ),
                )
    return bodies


def _content(program: Program, spec: Value) -> Schema | None:
    """The schema of `{ content: { "application/json": { schema } } }`; None where none is said."""
    content = walker.entries(spec).get("content")
    kinds = walker.entries(content.value) if content is not None else {}
    inner = kinds.get(JSON) or next(iter(kinds.values()), None)
    found = inner.value if inner is not None else None
    if found is None and content is not None and isinstance(content.value, Record):
        found = content.value.values  # by a constant of another package
    schema = walker.entries(found).get("schema") if found is not None else None
    return _schema(program, schema.value) if schema is not None else None


def _schema(program: Program, value: Value) -> Schema | None:
    """A schema in code: of a model, written out, or `{ "x-ts-type": Model }`."""
    if isinstance(value, Record):
        own = walker.entries(value).get("x-ts-type")
        if own is not None and isinstance(own.value, ClassValue):
            return models.model(program, own.value.symbol, models.INPUT)
    found = schema_value(program, value, lambda _: None)
    return None if program.types.is_unknown(found) else found


# ---------------------------------------------------------------------- what is sent


def _responses(
    program: Program, method: Method, spec: Value | None
) -> tuple[tuple[Response, ...], bool]:
    errors = _errors(program, method)
    origin = method.origin
    schema, place = decorated.returned_schema(program, method, as_declared=True)
    if schema is None:
        # What stands around the method may answer by itself: a login that redirects.
        empty = Response(status="204", explicit_status=False, origin=origin)
        return (empty, *errors), False
    if program.types.is_unknown(schema):
        noted = _documented_success(program, method, spec)
        if noted is not None:
            return (noted, *errors), False
    flat = program.types.flat(schema)
    if isinstance(flat, Nothing):
        return (Response(status="204", explicit_status=False, origin=origin), *errors), False
    kind = "text/plain" if isinstance(flat, Scalar) else JSON
    if _answers_itself(method):
        schema = Unknown(reason=Reason("handler-uses-response-object"), origin=place)
        kind = "*/*"
    body = Body(schema=schema, content_type=kind, origin=place)
    response = Response(status="200", bodies=(body,), explicit_status=False, origin=origin)
    return (response, *errors), kind != "*/*"


def _answers_itself(method: Method) -> bool:
    """Whether a method declares that it gives the response object."""
    declared = method.function.returns
    while isinstance(declared, NamedType) and declared.name == "Promise" and declared.args:
        declared = declared.args[0]
    return isinstance(declared, NamedType) and declared.name.rsplit(".", 1)[-1] == "Response"


def _documented_success(program: Program, method: Method, spec: Value | None) -> Response | None:
    """The success response that decorators document, where the code leaves it undetermined."""
    found: list[tuple[str, Value]] = []
    entry = walker.entries(spec).get("responses") if spec is not None else None
    for status, inner in walker.entries(entry.value).items() if entry is not None else ():
        found.append((status, inner.value))
    for decorator in method.own:
        if decorator.simple == "response" and len(decorator.args) > 1:
            codes = statuses.statuses(program, decorator.args[0].value, decorator.scope)
            value = program.evaluate(decorator.args[1].value, decorator.scope)
            found.extend((str(code), value) for code in codes)
    for status, value in found:
        schema = _content(program, value) if status.startswith("2") else None
        if schema is not None:
            body = Body(schema=schema, content_type=JSON, origin=method.origin)
            return Response(
                status="200",
                bodies=(body,),
                explicit_status=False,
                documented=True,
                origin=method.origin,
            )
    return None


def _errors(program: Program, method: Method) -> list[Response]:
    """`throw new HttpErrors.NotFound(…)`."""
    found: dict[str, Response] = {}
    for expr, scope in raised_errors.thrown_errors(program, method.value()):
        value = program.evaluate(expr, scope)
        if not isinstance(value, LibraryResult) or not value.name.startswith(_ERRORS):
            continue
        for code in statuses.of_value(LibrarySymbol(_constant(value.name.rsplit(".", 1)[-1]))):
            place = Origin(scope.file.path, expr.span)
            body = Body(schema=_ERROR_BODY, content_type=JSON, origin=place)
            found.setdefault(str(code), Response(status=str(code), bodies=(body,), origin=place))
    return list(found.values())


def _constant(name: str) -> str:
    """`NotFound` -> `NOT_FOUND`."""
    return "".join(f"_{c}" if c.isupper() else c for c in name).strip("_").upper()


_OWN = (b"@loopback/rest", b"@loopback/openapi-v3")
"""What a project that uses LoopBack 4 holds somewhere."""

FRAMEWORK = Framework(
    name=NAME,
    markers=_OWN,
    calls=(),
    operations=operations,
)
