"""AWS Lambda Powertools: resolvers of API gateways, load balancers and function URLs."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    Constant,
    LibraryResult,
    OneOf,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Annotation, Attribute, Call, Expr, NamedType
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.fastapi.signature import signature
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.fields import is_true
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    DeclaredFunction,
    argument,
    functions,
    likely_text,
    merge_responses,
    response,
    status_of,
    text,
    unknown,
)
from contract_scan.parsers.source.python.web.mounts import (
    Graph,
    Reached,
    Router,
    mount,
    note,
    receivers,
    route_graph,
)
from contract_scan.parsers.source.python.web.path_syntax import (
    WERKZEUG,
    join_path,
    path_names,
    path_parameter,
)
from contract_scan.parsers.source.python.web.returns import ReturnedResponse, as_response, sent_by
from contract_scan.parsers.source.web.route_graph import application_of

_NAMES = (b"aws_lambda_powertools",)
_ROUTES = (*(b"." + verb.encode() + b"(" for verb in VERBS[:6]), b".route(")
_CALLS = (b".include_router(",)
_PACKAGE = "aws_lambda_powertools.event_handler"
_RESOLVERS = (
    *("APIGatewayRestResolver", "APIGatewayHttpResolver", "ApiGatewayResolver", "ALBResolver"),
    *("LambdaFunctionUrlResolver", "VPCLatticeResolver", "VPCLatticeV2Resolver"),
)
_ROUTERS = (
    *("Router", "APIGatewayRouter", "APIGatewayHttpRouter", "ALBRouter"),
    *("LambdaFunctionUrlRouter", "VPCLatticeRouter", "VPCLatticeV2Router"),
)
_MODULES = (
    *("", ".api_gateway", ".router", ".alb", ".lambda_function_url", ".vpc_lattice"),
    *(".api_gateway_rest", ".api_gateway_http"),
)
_APPLICATIONS = frozenset(f"{_PACKAGE}{m}.{name}" for m in _MODULES for name in _RESOLVERS)
_MAKERS = _APPLICATIONS | {f"{_PACKAGE}{m}.{name}" for m in _MODULES for name in _ROUTERS}
_READS = frozenset({"json_body", "body", "decoded_body"})


class _Route(Struct, frozen=True, eq=False):
    router: Router
    function: DeclaredFunction
    annotation: Annotation
    methods: tuple[str, ...] | None
    """None: they are undetermined."""


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every route of every resolver and router."""
    if not program_files(program, *_NAMES):
        return
    graph = route_graph(program)
    routes: list[_Route] = []
    for path in program_files(program, *_ROUTES, *_CALLS):
        file = program.facts(path)
        for call, scope in program.calls(file):
            match call:
                case Call(callee=Attribute(name="include_router") as callee):
                    _include(program, graph, call, callee, scope)
                case _:
                    continue
        for declared in functions(program, file):
            for annotation in declared.function.annotations:
                routes.extend(_routes(program, graph, declared, annotation))
    for route in routes:
        for reached in graph.places(route.router.id):
            yield from _operations(program, framework, route, reached)


def _note(graph: Graph, found: list[Router]) -> list[Router]:
    for router in found:
        note(graph, router, "", application=router.maker in _APPLICATIONS)
    return found


def _include(program: Program, graph: Graph, call: Call, callee: Attribute, scope: Scope) -> None:
    given = [a.value for a in call.args if not a.name and not a.spread]
    named = {a.name: a.value for a in call.args if a.name}
    child_expr = named.get("router", given[0] if given else None)
    prefix_expr = named.get("prefix", given[1] if given[1:] else None)
    if child_expr is None:
        return
    parents = _note(graph, receivers(program, callee.value, scope, _MAKERS))
    none = prefix_expr is None or _is_none(program.evaluate(prefix_expr, scope))
    prefix = "" if none else text(program, prefix_expr, scope)
    children = receivers(program, child_expr, scope, _MAKERS) if parents else []
    for child in _note(graph, children):
        for parent in parents:
            mount(graph, parent.id, child.id, prefix, call, scope)


def _is_none(value: Value) -> bool:
    return isinstance(value, Constant) and value.value is None


def _routes(
    program: Program, graph: Graph, declared: DeclaredFunction, annotation: Annotation
) -> Iterator[_Route]:
    callee = annotation.callee
    if not isinstance(callee, Attribute) or not annotation.has_parentheses:
        return
    if callee.name != "route" and callee.name not in VERBS:
        return
    methods: tuple[str, ...] | None = (callee.name.upper(),)
    if callee.name == "route":
        given = argument(annotation, 1, "method")
        found = ("GET",) if given is None else program.texts(given, declared.scope)
        known = tuple(name.upper() for name in found if name)
        methods = known if known and len(known) == len(found) else None
    for router in _note(graph, receivers(program, callee.value, declared.scope, _MAKERS)):
        yield _Route(router, declared, annotation, methods)


# --------------------------------------------------------------------------- operations


def _operations(
    program: Program, framework: Framework, route: _Route, reached: Reached
) -> Iterator[Operation]:
    scope, annotation = route.function.scope, route.annotation
    rule = argument(annotation, 0, "rule")
    written = text(program, rule, scope)
    unresolved = reached.unresolved or (
        NO_REASON if written is not None else Reason("route-path-computed")
    )
    if written is None:
        written = likely_text(program, rule, scope)
    if route.methods is None:
        unresolved = unresolved or Reason("methods-not-constant")
    path = WERKZEUG.template(join_path(reached.prefix, written) if reached.prefix else written)
    path = path if path.startswith("/") else f"/{path}"
    origin = origin_at(scope, annotation.span)
    validates = _validates(program, route, reached)
    responses, complete = _responses(program, route, validates)
    hidden = argument(annotation, -1, "include_in_schema")
    for method in route.methods or ("*",):
        parameters, request, is_complete = _request_inputs(program, route, path, method, validates)
        yield Operation(
            method=method,
            path=path,
            parameters=parameters,
            parameters_complete=is_complete,
            request=request,
            responses=responses,
            statuses_complete=complete,
            origin=origin,
            handler=route.function.name,
            framework=framework.name,
            application=application_of(reached),
            excluded_from_docs=hidden is not None and getattr(hidden, "value", None) is False,
            unresolved=unresolved,
        )


def _validates(program: Program, route: _Route, reached: Reached) -> bool:
    """Whether the application validates what is declared."""
    routers = [route.router]
    for each in reached.mounts:
        routers += receivers(program, _receiver(each.call), each.scope, _MAKERS)
    for router in routers:
        for item in router.site.args:
            if item.name == "enable_validation":
                return is_true(program.evaluate(item.value, router.scope))
    return False


def _receiver(call: Call) -> Expr:
    assert isinstance(call.callee, Attribute)
    return call.callee.value


def _request_inputs(
    program: Program, route: _Route, path: str, method: str, validates: bool
) -> tuple[tuple[Parameter, ...], tuple[Body, ...], bool]:
    """Parameters and bodies, and whether these are all parameters."""
    takes_body = method not in ("GET", "HEAD", "DELETE")
    origin = origin_at(route.function.scope, route.function.function.name_span)
    body: tuple[Body, ...] = ()
    if takes_body and _reads_body(program, route):
        undetermined = unknown(Reason("handler-reads-request-itself"), origin)
        body = (Body(schema=undetermined, required=None, origin=origin),)
    if validates:
        names = path_names(path)
        declared_inputs = signature(program, route.function.value, names, [], takes_body=takes_body)
        return declared_inputs.parameters, declared_inputs.bodies or body, False
    parameters = tuple(path_parameter(name, origin) for name in path_names(path))
    return parameters, body, False


def _reads_body(program: Program, route: _Route) -> bool:
    body = program.body(route.function.function, route.function.scope.file)
    return any(isinstance(node, Attribute) and node.name in _READS for node in nodes_of(body))


# --------------------------------------------------------------------------- responses


def _responses(
    program: Program, route: _Route, validates: bool
) -> tuple[tuple[Response, ...], bool]:
    """What a handler returns: a body, a body with its status, or a response."""
    found: list[Response] = []
    complete = True
    declared = _declared_schema(program, route) if validates else None
    for returned in sent_by(program, route.function.value):
        made = _library_response(returned.value)
        if made is not None:
            item = _of_response(program, made, returned.origin)
        elif returned.unclear_status:
            item = None
        else:
            item = _returned_value_response(program, returned, declared)
        if item is None:
            complete = False
        else:
            found.append(item)
    return merge_responses(found), complete


def _returned_value_response(
    program: Program, returned: ReturnedResponse, declared: Schema | None
) -> Response:
    if declared is not None and returned.status in (None, "200"):
        explicit = returned.status is not None
        return response("200", declared, returned.origin, explicit=explicit)
    if returned.content_type == "text/html":
        returned = ReturnedResponse(
            returned.status, None, returned.origin, opaque=Reason("body-is-text")
        )
    return as_response(program, returned)


def _declared_schema(program: Program, route: _Route) -> Schema | None:
    """The declared return type, unless it is a response or a tuple."""
    returns = route.function.function.returns
    if not isinstance(returns, NamedType):
        return None
    value = ByType(returns, route.function.scope)
    name = program.evaluator.qualified_name(value)
    if name.startswith("aws_lambda_powertools.") or returns.name in ("dict", "tuple", "Dict"):
        return None
    schema = program.schema_of(value)
    return None if program.types.is_unknown(schema) else schema


def _library_response(value: Value | None) -> LibraryResult | None:
    if isinstance(value, OneOf):
        return None
    is_response = isinstance(value, LibraryResult) and value.name.startswith(
        "aws_lambda_powertools."
    )
    return value if is_response and isinstance(value, LibraryResult) else None


def _of_response(program: Program, made: LibraryResult, origin: Origin) -> Response | None:
    """`Response(status_code=201, content_type="application/json", body=json.dumps(x))`."""
    names = ("status_code", "content_type", "body")
    positional = [a.value for a in made.site.args if not a.name and not a.spread]
    given = dict(zip(names, positional, strict=False))
    given.update({a.name: a.value for a in made.site.args if a.name})
    code = given.get("status_code")
    status = None if code is None else status_of(program.evaluate(code, made.scope))
    if status is None:
        return None
    body = given.get("body")
    value = None if body is None else program.evaluate(body, made.scope)
    if value is None or _is_none(value):
        return response(status, None, origin)
    media_expr = given.get("content_type")
    media = _media(program, media_expr, made.scope)
    for _ in range(2):
        if isinstance(value, LibraryResult) and value.name.rpartition(".")[2] == "dumps":
            value = program.evaluate(value.site.args[0].value, value.scope)
            return response(status, program.schema_of(value), origin, content_type=media)
    if isinstance(value, Constant):
        return response(status, unknown(Reason("body-is-text"), origin), origin, content_type=media)
    return response(status, program.schema_of(value), origin, content_type=media)


def _media(program: Program, expr: Expr | None, scope: Scope) -> str:
    if expr is None:
        return "application/json"
    known = text(program, expr, scope)
    if known is not None:
        return known.partition(";")[0].strip()
    name = program.qualified_name(expr, scope).rpartition(".")[2]
    return {"TEXT_PLAIN": "text/plain", "TEXT_HTML": "text/html"}.get(name, "application/json")


FRAMEWORK = Framework(
    name="AWS Lambda Powertools",
    markers=(*_NAMES, *_ROUTES, *_CALLS),
    calls=_CALLS,
    operations=operations,
)
