"""routing-controllers: decorated controllers on Express or Koa."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import Call, LiteralExpr, Param
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.typescript.messaging.library import property_of
from contract_scan.parsers.source.typescript.resolution.decorators import Decorator, decorators
from contract_scan.parsers.source.typescript.serialization import class_transformer
from contract_scan.parsers.source.typescript.serialization.utility_types import lenient
from contract_scan.parsers.source.typescript.web import decorated
from contract_scan.parsers.source.typescript.web.decorated import Method, Place, Role
from contract_scan.parsers.source.typescript.web.handlers import read_handler
from contract_scan.parsers.source.typescript.web.paths import DYNAMIC_PREFIX, join, templates
from contract_scan.parsers.source.typescript.web.response_heads import JSON
from contract_scan.parsers.source.typescript.web.statuses import statuses

NAME = "routing-controllers"

_MODULES = (NAME,)
_VERBS = frozenset({"Get", "Post", "Put", "Patch", "Delete", "Head", "Options", "All", "Method"})
_CONTROLLERS = frozenset({"Controller", "JsonController"})
_PLACES: dict[str, Place] = {
    "Param": "path",
    "Params": "path",
    "QueryParam": "query",
    "QueryParams": "query",
    "HeaderParam": "header",
    "HeaderParams": "header",
    "CookieParam": "cookie",
    "CookieParams": "cookie",
    "Body": "body",
    "BodyParam": "body field",
    "UploadedFile": "file",
    "UploadedFiles": "file",
    "Req": "request",
    "Ctx": "request",
    "Res": "",
    "CurrentUser": "",
    "Session": "",
    "SessionParam": "",
    "State": "",
}
_SERVERS = frozenset(
    f"{NAME}.{name}"
    for name in ("createExpressServer", "useExpressServer", "createKoaServer", "useKoaServer")
)
_INTERCEPTED = Unknown(reason=Reason("interceptor-may-change-response"))


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every action of a controller."""
    server = _server(program, framework)
    for file in program.seeds(framework):
        for symbol in program.classes(file):
            of_class = decorated.library_decorators(program, symbol, _MODULES)
            controller = next((d for d in of_class if d.simple in _CONTROLLERS), None)
            if controller is None:
                continue
            for method in decorated.methods(program, symbol, of_class, _MODULES):
                for verb in method.own:
                    if verb.simple in _VERBS:
                        yield from _operations(program, method, controller, verb, server)


# ------------------------------------------------------------------ the application


class _Server:
    """What the start-up code says of all controllers."""

    def __init__(self) -> None:
        self.prefixes: list[tuple[str, Reason]] = []
        """(prefix, why it is undetermined) of each application."""
        self.intercepts = False
        self.plain = False
        """`classTransformer: false`: values are sent as they are."""
        self.validates: bool | None = None
        """Whether class-validator checks bodies, as it does unless `validation` says otherwise;
        None: no application is seen."""
        self.required = False
        """`defaults.paramOptions.required`."""


def _server(program: Program, framework: Framework) -> _Server:
    server = _Server()
    for file in program.seeds(framework):
        for call, scope in program.calls(file):
            if (
                not isinstance(call, Call)
                or program.qualified_name(call.callee, scope) not in _SERVERS
            ):
                continue
            options = call.args[-1].value if call.args else None
            prefix = property_of(program, options, scope, "routePrefix")
            if prefix is not None:
                text = program.text(prefix, scope)
                reason = NO_REASON if text is not None else Reason("routeprefix-not-constant")
                server.prefixes.append((text or DYNAMIC_PREFIX, reason))
            else:
                server.prefixes.append(("", NO_REASON))
            server.intercepts |= property_of(program, options, scope, "interceptors") is not None
            transformer = property_of(program, options, scope, "classTransformer")
            if server.validates is not False:
                validation = property_of(program, options, scope, "validation")
                server.validates = validation is None
            server.plain |= isinstance(transformer, LiteralExpr) and transformer.value is False
            defaults = property_of(program, options, scope, "defaults")
            of_params = property_of(program, defaults, scope, "paramOptions")
            required = property_of(program, of_params, scope, "required")
            server.required |= isinstance(required, LiteralExpr) and required.value is True
    return server


# ------------------------------------------------------------------ operations


def _operations(
    program: Program, method: Method, controller: Decorator, verb: Decorator, server: _Server
) -> Iterator[Operation]:
    name, path_at = verb.simple.upper(), 0
    unresolved = NO_REASON
    if verb.simple == "Method":
        text = program.text(verb.argument(0), verb.scope)
        name, path_at = (text or "*").upper(), 1
        unresolved = NO_REASON if text is not None else Reason("method-computed")
    base, of_base = _path(program, controller, 0)
    path, of_path = _path(program, verb, path_at)
    for prefix, of_prefix in dict.fromkeys(server.prefixes or [("", NO_REASON)]):
        for template in templates(join(prefix, base, path)):
            variant = "" if server.plain else class_transformer.INPUT
            if server.validates and not server.plain:
                variant = class_transformer.with_validation(variant)
            inputs = decorated.request_inputs(
                program, method, template.parameters, _role(program, server), variant
            )
            responses, complete = _responses(program, method, controller, server)
            yield Operation(
                method="*" if name == "ALL" else name,
                path=template.path,
                parameters=inputs.parameters,
                parameters_complete=inputs.complete,
                reads_no_body=inputs.reads_no_body,
                request=tuple(replace(b, schema=lenient(b.schema)) for b in inputs.request),
                responses=responses,
                statuses_complete=complete,
                origin=method.origin,
                handler=f"{method.controller.qualified_name}.{method.function.name}",
                framework=NAME,
                unresolved=unresolved or of_prefix or of_base or of_path,
            )


def _path(program: Program, decorator: Decorator, position: int) -> tuple[str, Reason]:
    first = decorator.argument(position)
    if first is None:
        return "", NO_REASON
    text = program.text(first, decorator.scope)
    return (text, NO_REASON) if text is not None else ("", Reason("path-not-constant"))


def _role(program: Program, server: _Server) -> decorated.RoleOf:
    def role(param: Param, found: list[Decorator]) -> Role:
        for decorator in found:
            place = _PLACES.get(decorator.simple)
            if place is None or not decorator.name.startswith(f"{NAME}."):
                continue
            first = decorator.argument(0)
            name = program.text(first, decorator.scope) if first is not None else None
            written = decorator.option("required")
            required = server.required
            if isinstance(written, LiteralExpr):
                required = written.value is True
            return Role(place=place, name=name or "", required=required)
        return Role(place="")

    return role


# ------------------------------------------------------------------ what is sent


def _responses(
    program: Program, method: Method, controller: Decorator, server: _Server
) -> tuple[tuple[Response, ...], bool]:
    status, is_known = _status(program, method)
    redirect = method.decorator_named("Redirect")
    if redirect is not None:
        return (Response(status="302", explicit_status=False, origin=method.origin),), False
    schema, place = decorated.returned_schema(
        program, method, "" if server.plain else class_transformer.OUTPUT
    )
    position = _response_parameter(program, method)
    if position is not None:
        handled = read_handler(
            program, method.value(), request=None, response=position, default_status=status or "200"
        )
        if handled.responses:
            return handled.responses, handled.answers.value.statuses_complete
        return (), False
    if not is_known:
        return (), False
    explicit = method.decorator_named("HttpCode") is not None
    if schema is None:
        return _undefined_response(program, method)
    content_type = _content_type(program, method, controller, schema)
    nullable = program.types.flat(schema).nullable
    if server.intercepts or any(
        d.simple == "UseInterceptor" for d in (*method.own, *method.of_class)
    ):
        schema = _INTERCEPTED
    flat = program.types.flat(schema)
    if flat.nullable:
        schema = replace(flat, nullable=False)  # null is sent as no content
    body = Body(schema=schema, content_type=content_type, origin=place)
    found = [
        Response(status=status, bodies=(body,), explicit_status=explicit, origin=method.origin)
    ]
    return tuple(found), nullable is False


def _status(program: Program, method: Method) -> tuple[str, bool]:
    """(status, whether it could be told)."""
    decorator = method.decorator_named("HttpCode")
    if decorator is None:
        return "200", True
    code = decorator.argument(0)
    found = statuses(program, code, decorator.scope) if code is not None else ()
    return (str(found[0]), True) if len(found) == 1 else ("", False)


def _undefined_response(program: Program, method: Method) -> tuple[tuple[Response, ...], bool]:
    """A handler that gives nothing answers 404, unless `@OnUndefined` names another status."""
    decorator = method.decorator_named("OnUndefined")
    code = decorator.argument(0) if decorator is not None else None
    if decorator is None or code is None:
        return (Response(status="404", explicit_status=False, origin=method.origin),), False
    found = statuses(program, code, decorator.scope)
    if len(found) != 1:
        return (), False
    return (Response(status=str(found[0]), origin=method.origin),), True


def _content_type(program: Program, method: Method, controller: Decorator, schema: Schema) -> str:
    written = method.decorator_named("ContentType")
    if written is not None:
        return program.text(written.argument(0), written.scope) or JSON
    if method.decorator_named("Render") is not None:
        return "text/html"
    if controller.simple == "Controller" and isinstance(program.types.flat(schema), Scalar):
        return "text/html"
    return JSON


def _response_parameter(program: Program, method: Method) -> int | None:
    """Position of an injected response object."""
    for position, param in enumerate(method.function.params):
        for decorator in decorators(program, param.annotations, method.scope):
            if decorator.name == f"{NAME}.Res":
                return position
    return None


FRAMEWORK = Framework(
    name=NAME,
    markers=(b"'routing-controllers'", b'"routing-controllers"'),
    calls=(
        b"createExpressServer(",
        b"useExpressServer(",
        b"createKoaServer(",
        b"useKoaServer(",
    ),
    operations=operations,
)
