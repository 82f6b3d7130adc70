"""tsoa: controllers from which it makes both the routes and the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from posixpath import dirname

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Nothing, Schema, Union, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import AliasSymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Expr,
    LiteralType,
    Name,
    NamedType,
    Param,
    Statement,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.resolution.decorators import Decorator, decorators
from contract_scan.parsers.source.typescript.web import decorated
from contract_scan.parsers.source.typescript.web.decorated import Method, Place, Role
from contract_scan.parsers.source.typescript.web.paths import join, templates
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.statuses import statuses

NAME = "tsoa"

_MODULES = ("tsoa", "@tsoa/runtime")
_VERBS = frozenset({"Get", "Post", "Put", "Patch", "Delete", "Head", "Options"})
_PLACES: dict[str, Place] = {
    "Path": "path",
    "Query": "query",
    "Queries": "query",
    "Header": "header",
    "Body": "body",
    "BodyProp": "body field",
    "FormField": "form field",
    "UploadedFile": "file",
    "UploadedFiles": "file",
    "Request": "request",
    "RequestProp": "",
    "Inject": "",
    "Res": "",
}
_WHOLE = frozenset({"Queries", "Body"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every method of a controller that has a verb."""
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            of_class = decorated.library_decorators(program, symbol, _MODULES)
            route = next((d for d in of_class if d.simple == "Route"), None)
            if route is None:
                continue
            for method in decorated.methods(program, symbol, of_class, _MODULES):
                for verb in method.own:
                    if verb.simple in _VERBS:
                        yield from _operations(program, method, route, verb)


def _operations(
    program: Program, method: Method, route: Decorator, verb: Decorator
) -> Iterator[Operation]:
    base = _base_path(program, method.controller.file.path)
    parts = [_path(program, decorator) for decorator in (route, verb)]
    unresolved = next((reason for _, reason in parts if reason), NO_REASON)
    hidden = any(d.simple == "Hidden" for d in (*method.own, *method.of_class))
    for template in templates(join(base, *(path for path, _ in parts))):
        inputs = decorated.request_inputs(program, method, template.parameters, _role(program), "")
        responses, complete = _responses(program, method)
        consumes = _media(program, method, "Consumes")
        yield Operation(
            method=verb.simple.upper(),
            path=template.path,
            parameters=inputs.parameters,
            parameters_complete=inputs.complete,
            reads_no_body=inputs.reads_no_body,
            request=tuple(
                replace(body, content_type=consumes) if body.content_type == JSON else body
                for body in inputs.request
            ),
            responses=responses,
            statuses_complete=complete,
            origin=method.origin,
            handler=f"{method.controller.qualified_name}.{method.function.name}",
            framework=NAME,
            excluded_from_docs=hidden,
            unresolved=unresolved,
        )


def _path(program: Program, decorator: Decorator) -> tuple[str, Reason]:
    """(path with `:name` for parameters, why it is undetermined)."""
    first = decorator.argument(0)
    if first is None:
        return "", NO_REASON
    text = program.text(first, decorator.scope)
    if text is None:
        return "", Reason("path-not-constant")
    return text.replace("{", ":").replace("}", ""), NO_REASON


def _base_path(program: Program, path: str) -> str:
    """`routes.basePath` of the nearest `tsoa.json`."""
    folder = dirname(path)
    while True:
        content = program.files.read(f"{folder}/tsoa.json" if folder else "tsoa.json")
        if content is not None:
            return _configured_base_path(content)
        if not folder:
            return ""
        folder = dirname(folder)


def _configured_base_path(content: bytes) -> str:
    try:
        settings = json.loads(content)
    except ValueError:
        return ""
    routes = settings.get("routes") if isinstance(settings, dict) else None
    base = routes.get("basePath") if isinstance(routes, dict) else None
    return base if isinstance(base, str) else ""


# ------------------------------------------------------------------ what a method takes


def _role(program: Program) -> decorated.RoleOf:
    def role(param: Param, found: list[Decorator]) -> Role:
        required = decorated.is_required(param)
        for decorator in found:
            if decorator.name.startswith(tuple(f"{m}." for m in _MODULES)):
                place = _PLACES.get(decorator.simple)
                if place is None:
                    continue
                first = decorator.argument(0)
                text = program.text(first, decorator.scope) if first is not None else None
                name = "" if decorator.simple in _WHOLE else text or param.name
                return Role(place=place, name=name, required=required)
        return Role(place="path", name=param.name)

    return role


# ------------------------------------------------------------------ what it sends


def _responses(program: Program, method: Method) -> tuple[tuple[Response, ...], bool]:
    answers = list(_answers(program, method))
    # A method that has responses of its own to give returns what giving them returns.
    schema, place = decorated.returned_schema(program, method, as_declared=bool(answers))
    declared = method.decorator_named("SuccessResponse")
    flat = None if schema is None else program.types.flat(schema)
    if isinstance(flat, Nothing):
        schema = None  # null is answered as nothing is
    options = flat.options if isinstance(flat, Union) else (flat,)
    unknown = any(o is not None and program.types.is_unknown(o) for o in options)
    # What is undetermined may be nothing, unless a type says otherwise.
    complete = not unknown or method.function.returns is not None
    defaults = [("204" if schema is None else "200", False)] if complete else []
    found: list[tuple[str, bool]] = []
    if declared is not None and declared.argument(0) is not None:
        codes = _codes(program, declared.args[0].value, declared.scope)
        found = [(code, True) for code in codes]
        complete = bool(codes)
        defaults = found or defaults
    scope = method.value().scope
    inside = program.function_scope(method.function, scope)
    set_, always = _set_statuses(program, inside.statements or (), inside)
    if set_ is None:
        complete = False
    elif set_:
        complete |= always
        found = [*([] if always else defaults), *((code, True) for code in set_)]
    found = found or defaults
    content_type = _media(program, method, "Produces")
    if declared is not None and declared.argument(2) is not None:
        content_type = program.text(declared.argument(2), declared.scope) or content_type
    bodies: tuple[Body, ...] = ()
    if schema is not None:
        bodies = (Body(schema=schema, content_type=content_type, origin=place),)
    responses = [
        Response(
            status=code,
            bodies=() if code == "204" else bodies,
            explicit_status=explicit,
            origin=method.origin,
        )
        for code, explicit in dict(found).items()
    ]
    answered = {response.status for response in responses}
    responses += [answer for answer in answers if answer.status not in answered]
    return tuple(responses), complete


def _media(program: Program, method: Method, name: str) -> str:
    """The media type of `@Produces` or `@Consumes`, of the method or else of its class."""
    for decorator in (*method.own, *method.of_class):
        if decorator.simple == name:
            return program.text(decorator.argument(0), decorator.scope) or JSON
    return JSON


def _codes(program: Program, expr: Expr, scope: Scope) -> list[str]:
    """Statuses are written as numbers or as texts."""
    text = program.text(expr, scope)
    if text is not None:
        return [text] if text.isdigit() else []
    return [str(code) for code in statuses(program, expr, scope)]


def _set_statuses(
    program: Program, statements: tuple[Statement, ...], scope: Scope
) -> tuple[list[str] | None, bool]:
    """The statuses that `this.setStatus(…)` sets, and whether one is set on every path; None where
    one is undetermined."""
    found: list[str] = []
    always = False
    for statement in statements:
        for call, place in walker.calls_in(program, (statement,), scope):
            callee = call.callee
            if not isinstance(callee, Attribute) or callee.name != "setStatus" or not call.args:
                continue
            if isinstance(callee.value, Name) and callee.value.id == "this":
                codes = _codes(program, call.args[0].value, place)
                if not codes:
                    return None, False
                found.extend(codes)
                always |= place is scope and not isinstance(statement, Branch)
    return list(dict.fromkeys(found)), always


def _answers(program: Program, method: Method) -> Iterator[Response]:
    """`@Res() notFound: TsoaResponse<404, { reason: string }>`: a response of its own."""
    for param in method.function.params:
        for decorator in decorators(program, param.annotations, method.scope):
            if decorator.simple == "Res" and param.type is not None:
                yield from _answer(program, param.type, method)


def _answer(program: Program, declared: TypeExpr, method: Method) -> Iterator[Response]:
    if isinstance(declared, NamedType) and not declared.args:
        found = program.names.lookup_type(declared.name, method.scope)
        declared = found.alias.type if isinstance(found, AliasSymbol) else declared
    if not isinstance(declared, NamedType) or not declared.args:
        return
    status = declared.args[0]
    schema: Schema = Unknown(reason=Reason("response-declares-no-body"))
    if len(declared.args) > 1:
        schema = program.schema(declared.args[1], method.scope)
    bodies = (Body(schema=schema, origin=method.origin),)
    for option in status.options if isinstance(status, UnionType) else (status,):
        if isinstance(option, LiteralType) and isinstance(option.value, int):
            yield Response(
                status=str(option.value), bodies=bodies, documented=True, origin=method.origin
            )


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"'tsoa'", b'"tsoa"', b"@tsoa/runtime"),
    calls=(b".setStatus(",),
    operations=operations,
)
