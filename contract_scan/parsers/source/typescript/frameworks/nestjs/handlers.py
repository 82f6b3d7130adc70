"""What one method of a Nest controller takes and sends."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.evidence import DECLARED, ENFORCED
from contract_scan.ir.operation import Answers, Body, Location, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Field,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.raised_errors import sole_errors
from contract_scan.parsers.source.analysis.typing.types import may_be_absent
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Entry,
    Expr,
    Lambda,
    Name,
    NamedType,
    New,
    Param,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.frameworks.nestjs.application import Application
from contract_scan.parsers.source.typescript.frameworks.nestjs.interceptors import (
    Effect,
    Interceptor,
    apply_interceptors,
    converts,
    effect,
    excludes_all,
    may_ask_for_groups,
    refuses_unlisted,
    transforms,
    validates,
    validates_members,
)
from contract_scan.parsers.source.typescript.frameworks.nestjs.raised_errors import (
    always_throws,
    error_responses,
)
from contract_scan.parsers.source.typescript.resolution.decorators import (
    COMMON,
    Decorator,
    address,
    decorators,
)
from contract_scan.parsers.source.typescript.serialization import class_transformer
from contract_scan.parsers.source.typescript.serialization.utility_types import lenient
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web.body_uses import BodyUses
from contract_scan.parsers.source.typescript.web.decorated import (
    Method,
    RequestInputs,
    parameters_of_object,
)
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.handlers import heads_left, read_handler
from contract_scan.parsers.source.typescript.web.request_reads import path_text
from contract_scan.parsers.source.typescript.web.response_heads import ANY, JSON
from contract_scan.parsers.source.typescript.web.response_walk import NOTHING_SET
from contract_scan.parsers.source.typescript.web.statuses import statuses

_LOCATIONS: dict[str, Location] = {"Query": "query", "Param": "path", "Headers": "header"}
_FILES = frozenset({"UploadedFile", "UploadedFiles"})
_REQUESTS = frozenset({"Req", "Request"})
_DECLARED = frozenset({*_LOCATIONS, *_FILES, "Body", "Res", "Response", "Ip", "HostParam"})
"""Decorators that say what a parameter is given; through others it may be given any part of the
request."""
_RESPONSES = frozenset({"Res", "Response"})
_REJECTING_PIPES = frozenset(
    {"ParseIntPipe", "ParseFloatPipe", "ParseBoolPipe", "ParseUUIDPipe", "ParseEnumPipe"}
)
_BINARY = frozenset({"StreamableFile", "Buffer", "ReadStream", "Readable"})


class Endpoint(Method, frozen=True):
    """A handler with everything around it that matters."""

    program: Program
    application: Application | None
    verb: str
    """Name of the decorator that makes it a handler."""


# ------------------------------------------------------------------ what it takes


def request_inputs(endpoint: Endpoint, path_names: tuple[str, ...]) -> RequestInputs:
    """The parameters and the body of a handler whose path has these parameters."""
    program = endpoint.program
    parameters: dict[tuple[str, str], Parameter] = {}
    complete = all_bound = True
    whole: Body | None = None
    parts: list[Field] = []
    seen = BodyUses(program)
    multipart = False
    for param in endpoint.function.params:
        complete = complete and not _may_read_parameters(endpoint, param)
        of_param = decorators(program, param.annotations, endpoint.scope)
        all_bound = all_bound and all(d.simple in _DECLARED for d in of_param)
        for decorator in of_param:
            if not decorator.name.startswith(COMMON):
                continue
            simple = decorator.simple
            if simple in _LOCATIONS:
                found, all_known = _parameters(endpoint, param, decorator, path_names)
                complete = complete and all_known
                parameters.update(((p.location, p.name), p) for p in found)
            elif simple == "Body":
                name = _key(endpoint, decorator)
                if name:
                    parts.append(_body_field(endpoint, param, decorator, name))
                    _read_uses(endpoint, param, seen, name)
                else:
                    whole = _body(endpoint, param, decorator)
            elif simple in _FILES:
                multipart = True
            elif simple in _REQUESTS:
                complete = False
    for name in path_names:
        parameters.setdefault(("path", name), path_text(name, endpoint.origin))
    if parts:
        origin = Origin(endpoint.scope.file.path, endpoint.function.span)
        shape = Object(fields=tuple(parts), origin=origin)
        whole = Body(
            schema=shape, required=True, evidence=DECLARED, uses=seen.proven_schema(), origin=origin
        )
    if multipart:
        reason = Unknown(reason=Reason("file-uploaded"))
        schema = whole.schema if whole is not None else reason
        whole = Body(schema=schema, content_type="multipart/form-data", required=True)
    named = frozenset(path_names)
    ordered = tuple(p for p in parameters.values() if p.location != "path" or p.name in named)
    bodies = () if whole is None else (_with_members_set(endpoint, whole),)
    return RequestInputs(ordered, complete, bodies, all_bound)


def _with_members_set(endpoint: Endpoint, body: Body) -> Body:
    """A body whose members no client has to send that a guard or an interceptor sets before it is
    validated: `request.body.userId = request.user.id`."""
    program = endpoint.program
    before = (
        (argument.value, decorator.scope, "canActivate")
        for decorator in (*endpoint.of_class, *endpoint.own)
        if decorator.name == COMMON + "UseGuards"
        for argument in decorator.args
    )
    around = ((each.expr, each.scope, "intercept") for each in _interceptors(endpoint))
    found: set[str] = set()
    for expr, scope, name in (*before, *around):
        value = program.evaluate(expr, scope)
        symbol = value.symbol if isinstance(value, ClassValue | Instance) else None
        method = program.find_method(symbol, name) if symbol is not None else None
        for node in nodes_of(
            () if method is None else program.body(method.function, method.scope.file)
        ):
            match node:
                case Assign(target=Attribute(value=Attribute(name="body"), name=member)):
                    found.add(member)
                case _:
                    pass
    shape = program.types.flat(body.schema)
    if not isinstance(shape, Object) or not any(field.name in found for field in shape.fields):
        return body
    fields = tuple(replace(f, required=False) if f.name in found else f for f in shape.fields)
    return replace(body, schema=replace(shape, fields=fields))


_PARTS_OF_REQUESTS = frozenset(
    {"query", "params", "headers", "cookies", "url", "originalUrl", "get", "header"}
)


_DESCRIBING = (COMMON, "@nestjs/swagger.", "class-transformer.", "class-validator.")
"""Libraries whose decorators of parameters read nothing that is not told by them."""


def _may_read_parameters(endpoint: Endpoint, param: Param) -> bool:
    """Whether a decorator of the project's own (`createParamDecorator`) may take parameters out of
    the request for an argument, or hands the request on; one of a library may."""
    program = endpoint.program
    for annotation in param.annotations:
        callee = annotation.callee
        made = None if callee is None else program.evaluate(callee, endpoint.scope)
        if isinstance(made, LibrarySymbol) and not made.name.startswith(_DESCRIBING):
            return True
        if not isinstance(made, LibraryResult) or not isinstance(made.site, Call):
            continue
        if made.name.removesuffix("()") != f"{COMMON}createParamDecorator":
            continue
        factory = made.site.args[0].value if made.site.args else None
        if not isinstance(factory, Lambda):
            return True
        for node in nodes_of(program.body(factory.function, made.scope.file)):
            match node:
                case Attribute(name=name) | Entry(key=name) if name in _PARTS_OF_REQUESTS:
                    return True
                case Call(args=args) if any(isinstance(each.value, Name) for each in args):
                    return True
    return False


def _key(endpoint: Endpoint, decorator: Decorator) -> str:
    """The name in `@Body("user")`, `@Query("page")`."""
    first = decorator.argument(0)
    return endpoint.program.text(first, decorator.scope) or "" if first is not None else ""


def _parameters(
    endpoint: Endpoint, param: Param, decorator: Decorator, path_names: tuple[str, ...]
) -> tuple[list[Parameter], bool]:
    """Parameters that one argument of the handler reads, and whether these are all."""
    location = _LOCATIONS[decorator.simple]
    origin = Origin(endpoint.scope.file.path, param.place)
    name = _key(endpoint, decorator)
    schema = _param_schema(endpoint, param, decorator)
    if isinstance(schema, Unknown) and param.type is None:
        schema = replace(schema, is_text=True)
    if name:
        has_default = param.default is not None or _has_pipe(decorator, {"DefaultValuePipe"})
        required = location == "path" or (
            _has_pipe(decorator, _REJECTING_PIPES)
            and not has_default
            and not param.optional
            and not _optional_pipe(decorator)
        )
        piped = _has_pipe(decorator, _REJECTING_PIPES)
        transformed = any(map(transforms, _pipes(endpoint, decorator)))
        return [
            Parameter(
                name=name,
                location=location,
                schema=schema,
                required=required,
                has_default=has_default,
                default=_default(endpoint, param, decorator),
                evidence=ENFORCED if piped or transformed else DECLARED,
                origin=origin,
            )
        ], True
    flat = endpoint.program.types.flat(schema)
    if not isinstance(flat, Object):
        return [], location == "path"
    evidence = ENFORCED if _is_validated(endpoint, param, decorator) else DECLARED
    return parameters_of_object(flat, location, path_names, evidence), not flat.incomplete_reason


def _default(endpoint: Endpoint, param: Param, decorator: Decorator) -> LiteralValue:
    """The plain value that counts where the parameter is left out: that of `new
    DefaultValuePipe(20)`, or of the argument itself; None where there is none that is told."""
    expr = param.default
    for argument in decorator.args:
        given = argument.value
        if isinstance(given, New) and _pipe_name(given) == "DefaultValuePipe" and given.args:
            expr = given.args[0].value
    found = None if expr is None else endpoint.program.evaluate(expr, decorator.scope)
    return found.value if isinstance(found, Constant) else None


def _has_pipe(decorator: Decorator, names: frozenset[str] | set[str]) -> bool:
    return any(_pipe_name(argument.value) in names for argument in decorator.args)


def _pipe_name(expr: Expr) -> str:
    if isinstance(expr, New) and expr.type is not None:
        return getattr(expr.type, "name", "").rsplit(".", 1)[-1]
    return getattr(expr, "id", "")


def _optional_pipe(decorator: Decorator) -> bool:
    """`new ParseIntPipe({ optional: true })`."""
    for argument in decorator.args:
        if isinstance(argument.value, New):
            inner = Decorator("", argument.value.args, decorator.scope)
            if inner.flag("optional"):
                return True
    return False


def _param_schema(endpoint: Endpoint, param: Param, decorator: Decorator) -> Schema:
    """The shape of what a parameter takes: that of a schema its pipe checks, or its type."""
    checked = _pipe_schema(endpoint, decorator)
    if checked is not None:
        return checked
    origin = Origin(endpoint.scope.file.path, param.place)
    if param.type is None:
        name = param.name or "the parameter"
        return Unknown(reason=Reason("no-declared-type", member=name), origin=origin)
    variant = class_transformer.UNCHECKED_INPUT
    pipes = _pipes(endpoint, decorator)
    if any(map(transforms, pipes)):
        converted = any(map(converts, pipes))
        variant = class_transformer.CONVERTED_INPUT if converted else class_transformer.INPUT
    if any(map(validates_members, pipes)):
        is_class = _declared_class(endpoint, param) is not None
        refuses = is_class and any(map(refuses_unlisted, pipes))
        variant = class_transformer.with_validation(variant, refuses_unlisted=refuses)
    return lenient(endpoint.program.schema(param.type, endpoint.scope, variant))


def _pipe_schema(endpoint: Endpoint, decorator: Decorator | None) -> Schema | None:
    """`@Body(new ZodValidationPipe(schema))`, `@UsePipes(new ZodValidationPipe(schema))`."""
    candidates: list[tuple[Expr, Scope]] = []
    if decorator is not None:
        candidates = [(a.value, decorator.scope) for a in decorator.args]
    for used in (*endpoint.own, *endpoint.of_class):
        of_body = decorator is not None and decorator.simple == "Body"
        if used.name == COMMON + "UsePipes" and of_body:
            candidates.extend((a.value, used.scope) for a in used.args)
    for expr, scope in candidates:
        args = expr.args if isinstance(expr, New | Call) else ()
        for argument in args:
            value = endpoint.program.evaluate(argument.value, scope)
            if isinstance(value, LibraryResult) and zod.is_zod(value.name):
                return endpoint.program.schema_of(value, zod.INPUT)
    return None


def _body(endpoint: Endpoint, param: Param, decorator: Decorator) -> Body:
    schema = _param_schema(endpoint, param, decorator)
    origin = Origin(endpoint.scope.file.path, param.place)
    absent = param.optional or may_be_absent(param.type) or param.default is not None
    if _is_validated(endpoint, param, decorator):
        return Body(schema=schema, required=not absent, evidence=ENFORCED, origin=origin)
    seen = BodyUses(endpoint.program)
    _read_uses(endpoint, param, seen)
    return Body(
        schema=schema,
        required=not absent,
        evidence=DECLARED,
        uses=seen.proven_schema(),
        origin=origin,
    )


def _read_uses(endpoint: Endpoint, param: Param, uses: BodyUses, key: str = "") -> None:
    """Read what the handler does with a parameter that holds the body, or what is under a key."""
    value = endpoint.value()
    position = endpoint.function.params.index(param)
    place = Origin(endpoint.scope.file.path, param.place)
    uses.parameter(value, scope_of(endpoint.program, value), position, key, place)


def _is_validated(endpoint: Endpoint, param: Param, decorator: Decorator) -> bool:
    """Whether a pipe holds the body against a schema, or against the class it is declared as: of
    an interface nothing is left when the program runs."""
    if _pipe_schema(endpoint, decorator) is not None:
        return True
    if endpoint.application is not None and not any(map(validates, _pipes(endpoint, decorator))):
        return False
    return _declared_class(endpoint, param) is not None


def _declared_class(endpoint: Endpoint, param: Param) -> ClassSymbol | None:
    """The class that a parameter is declared as, of which its values are made."""
    found = endpoint.program.names.declared_class(param.type, endpoint.scope)
    return found if found is not None and found.decl.kind == "class" else None


def _pipes(endpoint: Endpoint, decorator: Decorator) -> list[Expr]:
    """The pipes that a parameter, its handler and the application name."""
    found = list(endpoint.application.pipes) if endpoint.application is not None else []
    for used in (decorator, *endpoint.own, *endpoint.of_class):
        if used is decorator or used.name == COMMON + "UsePipes":
            found += (argument.value for argument in used.args)
    return found


def _body_field(endpoint: Endpoint, param: Param, decorator: Decorator, name: str) -> Field:
    absent = param.optional or may_be_absent(param.type)
    schema = _param_schema(endpoint, param, decorator)
    validated = _is_validated(endpoint, param, decorator)
    return Field(
        name=name,
        schema=replace(schema, evidence=ENFORCED) if validated else schema,
        required=not absent,
        has_default=True,
        origin=Origin(endpoint.scope.file.path, param.place),
    )


# ------------------------------------------------------------------ what it sends


def handler_responses(endpoint: Endpoint) -> Answers:
    """The success response of a handler, where it is determined."""
    status, explicit, is_known = _status(endpoint)
    response = _response_param(endpoint)
    origin = Origin(endpoint.scope.file.path, endpoint.function.name_span)
    redirect = _own_decorator(endpoint, "Redirect")
    if redirect is not None:
        code = redirect.argument(1)
        found = statuses(endpoint.program, code, redirect.scope) if code is not None else (302,)
        return Answers(
            tuple(Response(status=str(c), origin=origin) for c in found),
            statuses_complete=bool(found),
            undetermined_status=None if found else _place(endpoint, redirect),
        )
    if response is not None:
        handled = read_handler(
            endpoint.program,
            endpoint.value(),
            request=None,
            response=response,
            default_status=status,
        )
        return handled.answers.value
    if not is_known:
        sets = _own_decorator(endpoint, "HttpCode")
        place = None if sets is None else _place(endpoint, sets)
        return Answers((), statuses_complete=False, undetermined_status=place)
    body = _success_body(endpoint, origin)
    success = Response(
        status=status,
        bodies=() if body is None else (body,),
        explicit_status=explicit,
        origin=origin,
    )
    return _with_statuses_set(endpoint, success)


def _with_statuses_set(endpoint: Endpoint, success: Response) -> Answers:
    """The responses of a handler that returns what is sent, with the statuses that it sets on the
    response that is passed through to it."""
    position = _response_param(endpoint, passthrough=True)
    heads = NOTHING_SET
    if position is not None:
        heads = heads_left(endpoint.program, endpoint.value(), position)
    found: dict[str, Response] = {}
    undetermined: Origin | None = None
    for head in heads:
        set_at = head.status
        sent = _with_type(success, head.content_type)
        if set_at is None:
            found[success.status] = sent
            continue
        told = statuses(endpoint.program, set_at.expr, set_at.scope)
        origin = endpoint.program.origin(set_at.expr, set_at.scope)
        undetermined = undetermined or (None if told else origin)
        for code in map(str, told):
            found[code] = replace(sent, status=code, explicit_status=True, origin=origin)
    responses = tuple(
        replace(each, bodies=()) if each.status == "204" else each for each in found.values()
    )
    return Answers(
        responses, statuses_complete=undetermined is None, undetermined_status=undetermined
    )


def _place(endpoint: Endpoint, decorator: Decorator) -> Origin:
    """Where the last argument of a decorator stands; of one without, the handler."""
    if not decorator.args:
        return Origin(endpoint.scope.file.path, endpoint.function.name_span)
    return endpoint.program.origin(decorator.args[-1].value, decorator.scope)


def _with_type(response: Response, content_type: str) -> Response:
    """The response with the content type that is set on it, if one is."""
    if not content_type:
        return response
    bodies = tuple(replace(body, content_type=content_type) for body in response.bodies)
    return replace(response, bodies=bodies)


def with_raised(endpoint: Endpoint, answers: Answers) -> Answers:
    """What a handler sends, and the errors that it throws with a status."""
    known = {response.status for response in answers.responses}
    added = list(error_responses(endpoint.program, endpoint.value()))
    if added and always_throws(endpoint.program, endpoint.value()):
        return Answers(tuple(added), statuses_complete=True)
    if sole_errors(endpoint.program, endpoint.value()) and _response_param(endpoint) is None:
        return answers.left_open(tuple(added))  # what is declared is never sent
    more = tuple(response for response in added if response.status not in known)
    return answers._replace(responses=(*answers.responses, *more))


def _own_decorator(endpoint: Endpoint, simple: str) -> Decorator | None:
    for decorator in endpoint.own:
        if decorator.name == COMMON + simple:
            return decorator
    return None


def _status(endpoint: Endpoint) -> tuple[str, bool, bool]:
    """(status, whether it is written, whether it could be told)."""
    decorator = _own_decorator(endpoint, "HttpCode")
    if decorator is None:
        is_known = all(one.name for one in endpoint.own)
        return ("201" if endpoint.verb == "Post" else "200", False, is_known)
    code = decorator.argument(0)
    found = statuses(endpoint.program, code, decorator.scope) if code is not None else ()
    if len(found) != 1:
        return ("200", False, False)
    return (str(found[0]), True, True)


def _response_param(endpoint: Endpoint, *, passthrough: bool = False) -> int | None:
    """Position of an injected response object, where Nest leaves sending to the handler; with
    `passthrough`, where it does not."""
    for position, param in enumerate(endpoint.function.params):
        for decorator in decorators(endpoint.program, param.annotations, endpoint.scope):
            if decorator.name.startswith(COMMON) and decorator.simple in _RESPONSES:
                return position if decorator.flag("passthrough") == passthrough else None
    return None


def _success_body(endpoint: Endpoint, origin: Origin) -> Body | None:
    found = _effect(endpoint)
    value = endpoint.program.evaluator.returned_value(endpoint.value())
    schema, place = _returned_schema(endpoint, value, found.variant, origin)
    content_type = _content_type(endpoint)
    if _own_decorator(endpoint, "Sse") is not None:
        content_type = "text/event-stream"
    elif _is_binary(endpoint):
        content_type = content_type or "application/octet-stream"
    elif _own_decorator(endpoint, "Render") is not None:
        content_type = "text/html"
    returned, schema = (
        schema,
        apply_interceptors(
            endpoint.program,
            found,
            schema,
            address(endpoint.program, (*endpoint.of_class, *endpoint.own), endpoint.verb),
        ),
    )
    is_as_returned = schema is returned
    flat = endpoint.program.types.flat(schema)
    if isinstance(flat, Nothing) and not flat.nullable:
        return None
    if "json" in content_type and isinstance(flat, Scalar) and flat.type == "string":
        # A text is sent as it is, whatever type it is said to be of.
        schema = Unknown(reason=Reason("json-handwritten"))
    content_type = content_type or _content_type_of(endpoint, flat)
    missing = is_as_returned and endpoint.program.evaluator.may_be_nothing(value)
    return Body(schema=schema, content_type=content_type, may_be_missing=missing, origin=place)


def _content_type_of(endpoint: Endpoint, sent: Schema) -> str:
    """What the platform says that a value is, where the handler does not say it."""
    options = sent.options if isinstance(sent, Union) else (sent,)
    platform = endpoint.application.plain_types if endpoint.application is not None else None
    kinds = set()
    for option in map(endpoint.program.types.flat, options):
        if not isinstance(option, Scalar):
            kinds.add(JSON)
        elif platform is None:
            kinds.add(ANY)
        else:
            kinds.add(platform.text if option.type == "string" else platform.other)
    return kinds.pop() if len(kinds) == 1 else ANY


def _interceptors(endpoint: Endpoint) -> tuple[Interceptor, ...]:
    """The interceptors of a handler, outermost first."""
    app = endpoint.application
    own = (
        Interceptor(argument.value, decorator.scope)
        for decorator in (*endpoint.of_class, *endpoint.own)
        if decorator.name == COMMON + "UseInterceptors"
        for argument in decorator.args
    )
    return (*(app.interceptors if app is not None else ()), *own)


def _effect(endpoint: Endpoint) -> Effect:
    interceptors = _interceptors(endpoint)
    options: list[Argument] = []
    for decorator in (*endpoint.of_class, *endpoint.own):
        if decorator.name == COMMON + "SerializeOptions":
            options += decorator.args
    found = effect(endpoint.program, interceptors)
    if found.variant and any(map(excludes_all, options)):
        found = replace(found, variant=class_transformer.OUTPUT_EXPOSED)
    for each in interceptors:  # `new ClassSerializerInterceptor(reflector, { groups: … })`
        options += each.expr.args[1:] if isinstance(each.expr, New) else ()
    if found.variant and not any(map(may_ask_for_groups, options)):
        found = replace(found, variant=class_transformer.without_groups(found.variant))
    return found


def _content_type(endpoint: Endpoint) -> str:
    """The content type that a decorator gives a handler; empty: none does."""
    for decorator in endpoint.own:
        if decorator.name == COMMON + "Header" and len(decorator.args) == 2:
            name = endpoint.program.text(decorator.args[0].value, decorator.scope)
            value = endpoint.program.text(decorator.args[1].value, decorator.scope)
            if (name or "").lower() == "content-type" and value:
                return value
    return ""


def _is_binary(endpoint: Endpoint) -> bool:
    declared = endpoint.function.returns
    while isinstance(declared, NamedType) and declared.args:
        declared = declared.args[0]
    return isinstance(declared, NamedType) and declared.name.rsplit(".", 1)[-1] in _BINARY


def _returned_schema(
    endpoint: Endpoint, value: Value, variant: str, origin: Origin
) -> tuple[Schema, Origin]:
    """The shape of a value that a handler returns, and the place that says it: the declared type,
    where that says one."""
    program = endpoint.program
    declared = endpoint.function.returns
    schema = program.schema_of(value, variant)
    if declared is None or program.types.is_unknown(program.schema(declared, endpoint.scope)):
        return schema, origin
    return schema, Origin(endpoint.scope.file.path, declared.span)
