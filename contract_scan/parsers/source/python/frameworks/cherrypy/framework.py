"""CherryPy: trees of objects (`tree`), method dispatchers, routes dispatchers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.operation import Body, Operation, Parameter, Response
from contract_scan.ir.origin import NO_SPAN, Origin
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    LibraryResult,
    OneOf,
    Record,
    Scope,
    Template,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name, Param
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.cherrypy.tree import (
    Handler,
    MountedTree,
    Settings,
    handlers,
    mounted_tree,
)
from contract_scan.parsers.source.python.resolution.calls_by_name import all_calls
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.web import dispatch_by_method as by_method
from contract_scan.parsers.source.python.web import known_parameters
from contract_scan.parsers.source.python.web.bodies import read_body
from contract_scan.parsers.source.python.web.common import (
    asks_request,
    call_argument,
    likely_text,
    merge_responses,
    response,
    text,
    undetermined_response,
    unknown,
)
from contract_scan.parsers.source.python.web.current_status import statuses_in_force
from contract_scan.parsers.source.python.web.mounts import unread_routes
from contract_scan.parsers.source.python.web.path_syntax import path_names, path_parameter
from contract_scan.parsers.source.python.web.raised_errors import with_raised
from contract_scan.parsers.source.python.web.returns import ReturnedResponse, as_response

_NAMES = (b"cherrypy",)
_CALLS = (b"cherrypy.tree.mount(", b"cherrypy.quickstart(", b"RoutesDispatcher(", b".connect(")
_FIELD = re.compile(r"\{(\w+)(?::[^{}]*)?\}")
_OLD_FIELD = re.compile(r"(?<=/):(\w+)")
_READERS = frozenset({"json"})
_DISPATCHER = "RoutesDispatcher"


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """Every handler of every tree, and the routes of dispatchers."""
    if not program_files(program, *_NAMES):
        return
    trees: list[MountedTree] = []
    routes: list[tuple[Call, Scope]] = []
    for path in program_files(program, *_NAMES):
        for call, scope in all_calls(program, path):
            if not isinstance(call, Call):
                continue
            tree = mounted_tree(program, call, scope)
            if tree is not None:
                trees.append(tree)
            elif isinstance(call.callee, Attribute) and call.callee.name == "connect":
                routes.append((call, scope))
    seen: set[tuple[object, ...]] = set()
    for tree in trees:
        for operation in _of_tree(program, framework, tree):
            # A test may mount the tree as well.
            key = (operation.method, operation.path, operation.origin, operation.unresolved)
            if key not in seen:
                seen.add(key)
                yield operation
    for call, scope in routes:
        yield from _dispatcher_operations(program, framework, trees, call, scope)


def _of_tree(program: Program, framework: Framework, tree: MountedTree) -> Iterator[Operation]:
    found = False
    for handler in handlers(program, tree):
        found = True
        yield from _operations(program, framework, handler)
    known = isinstance(tree.root, Instance | ClassValue | Constant)
    if not found and not known:
        yield unread_routes(
            framework,
            f"{tree.prefix}/{{rest*}}",
            origin_at(tree.scope, tree.call.span),
            Reason("mounted-object-unreadable"),
        )


class _HandlerPath(Struct, frozen=True, eq=False):
    """One path of a handler."""

    path: str
    excluded_from_docs: bool
    unresolved: Reason = NO_REASON


def _operations(program: Program, framework: Framework, handler: Handler) -> Iterator[Operation]:
    for reached in _handler_paths(handler):
        yield _operation(program, framework, handler, reached)


def _operation(
    program: Program, framework: Framework, handler: Handler, reached: _HandlerPath
) -> Operation:
    known = _known_arguments(program, handler, path_names(reached.path))
    found, complete = _responses(program, handler.view, handler.settings, known)
    if handler.method == "*" and asks_request(program, handler.view, "method"):
        found, complete = (
            (undetermined_response(Reason("handler-dispatches-method"), handler.origin),),
            False,
        )
    return Operation(
        method=handler.method,
        path=reached.path,
        parameters=(
            *_parameters(reached.path, handler.origin),
            *_queries(handler, path_names(reached.path)),
        ),
        parameters_complete=False,
        request=_request(program, handler.view, handler.method),
        responses=found,
        statuses_complete=complete,
        origin=handler.origin,
        handler=f"{handler.owner.decl.name}.{handler.view.function.name}",
        framework=framework.name,
        excluded_from_docs=reached.excluded_from_docs,
        unresolved=handler.unresolved or reached.unresolved,
    )


def _handler_paths(handler: Handler) -> Iterator[_HandlerPath]:
    """Parameters come from the path or from the query: each way is one path. The one that the
    method is written for is shown, the others stand for what a contract may say of it."""
    positional = _positional(handler.view)
    needed = [param for param in positional if param.default is None]
    by_method = handler.settings.by_method
    usual = len(needed) if by_method else 0
    path = handler.path
    is_default = not by_method and handler.view.function.name == "default"
    for count in range(len(positional) + 1 if handler.takes_rest else 1):
        names = [param.name for param in positional[:count]]
        whole = "/".join([path.rstrip("/"), *(f"{{{name}}}" for name in names)]) or "/"
        if not (is_default and count == 0):
            yield _HandlerPath(whole, excluded_from_docs=count != max(usual, int(is_default)))
    rest = next((p for p in handler.view.function.params if p.kind == "*"), None)
    if rest is not None and handler.takes_rest:
        why = Reason("handler-dispatches-subpath")
        yield _HandlerPath(
            f"{path.rstrip('/')}/{{{rest.name}*}}", excluded_from_docs=True, unresolved=why
        )


def _positional(view: FunctionValue) -> list[Param]:
    params = [p for p in view.function.params if p.kind == ""]
    return params[1:] if params and params[0].name in ("self", "this") else params


def _parameters(path: str, origin: Origin) -> tuple[Parameter, ...]:
    return tuple(path_parameter(name, origin) for name in path_names(path))


def _known_arguments(program: Program, handler: Handler, in_path: list[str]) -> by_method.Given:
    """What is known of the parameters where the path sets some of them. A query may set others:
    a handler that responds only when they are set expects them."""
    view = handler.view
    if not handler.takes_rest:
        return by_method.NOTHING_GIVEN
    decorators = (
        annotation.name
        for annotation in view.function.annotations
        if annotation.callee is None
        or not program.qualified_name(annotation.callee, view.scope).startswith("cherrypy.")
    )
    known = known_parameters.known_arguments(program, view, in_path, {}, decorators)
    answers = any(not result.thrown for result in by_method.exits_for(program, view, "", known))
    return known if answers else by_method.NOTHING_GIVEN


def _queries(handler: Handler, in_path: list[str]) -> Iterator[Parameter]:
    """Parameters of the method that the path does not give: of the query, or fields of a form."""
    for param in _positional(handler.view):
        if param.name not in in_path:
            origin = origin_at(handler.view.scope, param.place)
            yield Parameter(
                name=param.name,
                location="query",
                schema=Scalar(type="string", origin=origin),
                required=param.default is None and handler.method in ("GET", "HEAD", "DELETE"),
                has_default=param.default is not None,
                origin=origin,
            )


# --------------------------------------------------------------------------- routes


def _dispatcher_operations(
    program: Program, framework: Framework, trees: list[MountedTree], call: Call, scope: Scope
) -> Iterator[Operation]:
    """`dispatcher.connect("orders", "/orders/{id}", controller=Orders(), action="read")`."""
    assert isinstance(call.callee, Attribute)
    value = program.evaluate(call.callee.value, scope)
    if not isinstance(value, LibraryResult) or value.name.rpartition(".")[2] != _DISPATCHER:
        return
    expr = call_argument(call.args, "route", 1)
    written = text(program, expr, scope)
    shown = written if written is not None else likely_text(program, expr, scope) or "{rest}"
    action = call_argument(call.args, "action")
    name = "index" if action is None else program.text(action, scope)
    controller = call_argument(call.args, "controller", 2)
    target = None if controller is None else program.evaluate(controller, scope)
    symbol = target.symbol if isinstance(target, Instance | ClassValue) else None
    view = None if symbol is None or name is None else program.find_method(symbol, name)
    origin = origin_at(scope, call.span)
    found, complete = _route_responses(program, symbol, view, origin)
    for prefix in _prefixes(value, trees):
        path = _template(f"{prefix}/{shown.lstrip('/')}")
        for method in _conditions(program, call_argument(call.args, "conditions"), scope):
            yield Operation(
                method=method,
                path=path,
                parameters=_parameters(path, origin),
                parameters_complete=False,
                request=() if view is None else _request(program, view, method),
                responses=found,
                statuses_complete=complete,
                origin=origin,
                handler="" if symbol is None else f"{symbol.decl.name}.{name}",
                framework=framework.name,
                unresolved=NO_REASON if written is not None else Reason("route-path-computed"),
            )


def _route_responses(
    program: Program, symbol: ClassSymbol | None, view: FunctionValue | None, origin: Origin
) -> tuple[tuple[Response, ...], bool]:
    if symbol is None or view is None:
        return (undetermined_response(Reason("route-handler-not-found"), origin),), False
    is_json = any(a.name.endswith("tools.json_out") for a in view.function.annotations)
    return _responses(program, view, Settings(json=is_json))


def _prefixes(dispatcher: LibraryResult, trees: list[MountedTree]) -> list[str]:
    """Where the applications are mounted that use a dispatcher."""
    found = [
        tree.prefix
        for tree in trees
        if isinstance(tree.config, Record)
        for section in tree.config.entries
        if isinstance(section.value, Record)
        for entry in section.value.entries
        if isinstance(entry.value, LibraryResult) and entry.value.identity == dispatcher.identity
    ]
    return list(dict.fromkeys(found)) or [""]


def _conditions(program: Program, expr: Expr | None, scope: Scope) -> tuple[str, ...]:
    """`conditions={"method": ["GET"]}`."""
    value = None if expr is None else program.evaluate(expr, scope)
    for entry in value.entries if isinstance(value, Record) else ():
        if entry.name == "method":
            found = program.evaluator.texts(entry.value)
            known = tuple(item.upper() for item in found if item is not None)
            return known or ("*",)
    return ("*",)


def _template(path: str) -> str:
    if "{" not in path:
        path = _OLD_FIELD.sub(r"{\1}", path)
    return re.sub(r"/{2,}", "/", _FIELD.sub(r"{\1}", path))


# --------------------------------------------------------------------------- what is sent


def _request(program: Program, view: FunctionValue, method: str) -> tuple[Body, ...]:
    if method in ("GET", "HEAD", "DELETE") or not asks_request(program, view, "json", "body"):
        return ()
    if not asks_request(program, view, "body"):
        running = by_method.view_for(program, view, method)
        return read_body(program, running, _READERS, "application/json")
    origin = origin_at(view.scope, view.function.name_span)
    why = unknown(Reason("handler-reads-request-itself"), origin)
    return (Body(schema=why, required=None, origin=origin),)


def _responses(
    program: Program,
    view: FunctionValue,
    settings: Settings,
    known: by_method.Given = by_method.NOTHING_GIVEN,
) -> tuple[tuple[Response, ...], bool]:
    """What a method sends, where its parameters are what is `known` of them."""
    scope = program.function_scope(view.function, view.scope)
    statuses = statuses_in_force(program, scope, _is_status)
    found: list[Response] = []
    complete = True
    for result in by_method.exits_for(program, view, "", known):
        if result.thrown:
            continue
        status = statuses.get(result.span, "")
        origin = origin_at(result.scope, result.span)
        if status is None:
            complete = False
            continue
        value: Value = Constant(None)
        if result.value is not None:
            value = program.evaluate(result.value, result.scope)
        for option in value.options if isinstance(value, OneOf) else (value,):
            returned = _option_response(
                program, option, status or None, origin, settings, result.generator
            )
            found.append(as_response(program, returned))
    if not found and complete and NO_SPAN in statuses:  # It returns nothing.
        status, origin = statuses[NO_SPAN], origin_at(view.scope, view.function.name_span)
        complete = status is not None
        found = [response(status or "200", None, origin, explicit=bool(status))] if complete else []
    return with_raised(program, view, merge_responses(found), "", known), complete


def _option_response(
    program: Program,
    value: Value,
    status: str | None,
    origin: Origin,
    settings: Settings,
    streamed: bool,
) -> ReturnedResponse:
    if streamed:
        return ReturnedResponse(status, None, origin, "", Reason("body-is-stream"))
    if (
        isinstance(value, LibraryResult)
        and value.name.rpartition(".")[2] == "dumps"
        and value.site.args
    ):
        inner = program.evaluate(value.site.args[0].value, value.scope)
        return ReturnedResponse(status, inner, origin)
    if settings.json:
        return ReturnedResponse(status, value, origin)
    match value:
        case Constant(value=None):
            return ReturnedResponse(status, None, origin, "")
        case Constant() | Template():
            return ReturnedResponse(status, None, origin, "text/html", Reason("body-is-text"))
        case LibraryResult(name=name) if (
            name.startswith(("jinja2.", "mako.")) or "serve_file" in name
        ):
            return ReturnedResponse(status, None, origin, "text/html", Reason("body-is-page"))
        case _:
            return ReturnedResponse(status, value, origin)


def _is_status(target: Expr) -> bool:
    """`cherrypy.response.status`."""
    match target:
        case Attribute(value=Attribute(value=Name(), name="response"), name="status"):
            return True
        case Attribute(value=Name(id="response"), name="status"):
            return True
        case _:
            return False


FRAMEWORK = Framework(
    name="CherryPy", markers=(*_NAMES, *_CALLS), calls=_CALLS, operations=operations
)
