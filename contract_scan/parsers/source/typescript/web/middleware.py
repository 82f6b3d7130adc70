"""Middleware that changes what handlers are given or send: `req.body = snakeCased(req.body)`,
`res.json = (body) => json(camelCased(body))`."""

from __future__ import annotations

import operator
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Expr,
    Function,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    OperationExpr,
    Return,
    Spread,
    Statement,
    Throw,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.typescript.lowering.params import dotted_name_of
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.handlers import HandlerSummary, heads_handed_on
from contract_scan.parsers.source.typescript.web.response_heads import SETTERS, Head
from contract_scan.parsers.source.typescript.web.response_walk import (
    NOTHING_SET,
    Heads,
    ResponseMethods,
)
from contract_scan.parsers.source.typescript.web.routers import Graph, Node

_FIRST_ERROR = 400
_SENDS = ("json", "send", "jsonp")
_OF_RESPONSES = frozenset({*_SENDS, "end", "status", "write", "redirect", "render", *SETTERS})
_RENAMERS = ("camel", "snake", "humps")
"""Parts of the names of libraries that give the same value with other keys."""
_REWRITTEN = Unknown(reason=Reason("middleware-rewrites-body"))
_REPLACED = Unknown(reason=Reason("middleware-replaces-response-methods"))


class UsedFunction(Struct, frozen=True, eq=False):
    """A function that routers use, and where they are told to."""

    function: FunctionValue
    routers: tuple[Node, ...]
    path: str
    """The file in which it stands."""
    span: Span
    pattern: str = "*"
    """The paths that it is used for."""

    def stands_behind(self, path: str, span: Span) -> bool:
        """Whether it stands further down than a place, in the same file."""
        here = (self.span.line, self.span.column)
        return self.path == path and here > (span.line, span.column)


class Middleware:
    """The functions that stand before every route of some routers, and change bodies or set a
    status."""

    def __init__(self, program: Program, graph: Graph) -> None:
        self._program = program
        self._graph = graph
        self._replacing: list[Node] = []
        self._replacing_errors: list[Node] = []
        self._rewriting: list[Node] = []
        self._writing: list[tuple[FunctionValue, tuple[Node, ...]]] = []
        self._setting: list[UsedFunction] = []
        self._methods: list[tuple[ResponseMethods, tuple[Node, ...]]] = []
        self._known_heads: dict[tuple[int, tuple[int, ...]], tuple[Heads, Heads]] = {}

    def note_setting(
        self, function: FunctionValue, routers: tuple[Node, ...], path: str, span: Span
    ) -> None:
        """Note a function that the routers use at a place of a file, for all of their paths, if it
        may set something on the response and hand on."""
        if sets_head(self._program, function):
            self._setting.append(UsedFunction(function, routers, path, span))

    def heads_before(self, node: Node, path: str, span: Span) -> Heads:
        """What is set on the response before a route of this router, registered at this place of a
        file. What is used further down in the same file stands behind it."""
        heads = NOTHING_SET
        for used in self._setting:
            if not used.stands_behind(path, span) and self._stands_before(node, list(used.routers)):
                after = self._heads_after(used.function, heads)
                # Elsewhere, what sets an error may as well stand last.
                heads = tuple(
                    head for head in after if used.path == path or not self._is_error(head)
                )
                heads = heads or NOTHING_SET
        return heads

    def _heads_after(self, function: FunctionValue, before: Heads) -> Heads:
        """What is set when a function hands on, found out once for all routes that it stands
        before."""
        key = (id(function), tuple(map(id, before)))
        known = self._known_heads.get(key)
        if known is None:  # keeps what was set before, so that its identity stays its own
            known = (before, heads_handed_on(self._program, function, before))
            self._known_heads[key] = known
        return known[1]

    def _is_error(self, head: Head) -> bool:
        if head.status is None:
            return False
        found = statuses.statuses(self._program, head.status.expr, head.status.scope)
        return any(status >= _FIRST_ERROR for status in found)

    def note(self, function: FunctionValue, routers: tuple[Node, ...]) -> None:
        """Note a function that the routers use."""
        if replaces_answers(self._program, function, status=_SUCCESS):
            self._replacing.extend(routers)
        elif replaces_answers(self._program, function):
            self._replacing_errors.extend(routers)
        if methods := methods_put_on_responses(self._program, function):
            self._methods.append((methods, routers))
        if rewrites_requests(self._program, function):
            self._rewriting.extend(routers)
        elif writes_into_requests(self._program, function):
            self._writing.append((function, routers))

    def response_methods(self, node: Node) -> ResponseMethods:
        """The methods that functions before a route of this router put on the response."""
        found: dict[str, tuple[FunctionValue, frozenset[str]]] = {}
        for methods, routers in self._methods:
            if self._stands_before(node, list(routers)):
                found.update(methods)
        return found

    def body_writers_before(self, node: Node) -> list[FunctionValue]:
        """The functions before a route of this router that put something into the body."""
        return [
            function
            for function, routers in self._writing
            if self._stands_before(node, list(routers))
        ]

    def apply_middleware(self, node: Node, handled: HandlerSummary) -> HandlerSummary:
        """The signature of a route of this router after its middleware. Middleware that is
        used after the route counts as if it stood before: the order of calls in several
        files is undetermined."""
        if self._stands_before(node, self._replacing):
            handled = without_bodies(handled)
        elif self._stands_before(node, self._replacing_errors):
            handled = without_bodies(handled, errors_only=True)
        if self._stands_before(node, self._rewriting):
            handled = without_request(handled)
        return handled

    def _stands_before(self, node: Node, users: list[Node]) -> bool:
        return any(node == user or self._graph.is_below(node, user) for user in users)


def sets_head(program: Program, function: FunctionValue) -> bool:
    """Whether a function may set status or content type of the response, by itself or by a function
    that it gives the response to."""
    if len(function.function.params) < 2:
        return False
    response = function.function.params[1].name
    for node in nested_nodes(scope_of(program, function).statements or ()):
        match node:
            case Call(callee=Attribute(name=name)) if name in SETTERS:
                return True
            case Assign(target=Attribute(name="statusCode")):
                return True
            case Call(args=args) if any(
                isinstance(a.value, Name) and a.value.id == response for a in args
            ):
                return True
            case _:
                pass
    return False


def hands_on(program: Program, function: FunctionValue, position: int = 1) -> bool:
    """Whether a function calls what stands for the handlers behind it, its parameter at
    `position`. With an error it hands on that alone, as handlers do."""
    params = function.function.params
    following = params[position].name if position < len(params) else ""
    statements = scope_of(program, function).statements or ()
    return following != "" and any(
        isinstance(node, Call) and not node.args and dotted_name_of(node.callee) == following
        for node in nested_nodes(statements)
    )


def replaces_answers(program: Program, function: FunctionValue, status: int | None = None) -> bool:
    """Whether a middleware replaces what sends a response by a function that sends another body
    than it is given. With `status`, for
    responses of that status."""
    params = function.function.params
    response = params[1].name if len(params) > 1 else ""
    if not response:
        return False
    scope = scope_of(program, function)
    sends = {f"{response}.{name}" for name in _SENDS}
    assigned = [
        node
        for node in nested_nodes(scope.statements or ())
        if isinstance(node, Assign) and node.value is not None
    ]
    originals = sends | {
        dotted_name_of(node.target)
        for node in assigned
        if node.value is not None and dotted_name_of(_unbound(node.value)) in sends
    }
    return any(
        isinstance(value, Lambda)
        and not _hands_on(program, value.function, scope, originals - {""}, status)
        for node in assigned
        if dotted_name_of(node.target) in sends
        and (value := node.value and without_casts(node.value)) is not None
    )


def methods_put_on_responses(program: Program, function: FunctionValue) -> ResponseMethods:
    """The methods of its own that a middleware puts on the response:
    `res.success = (data) => res.json({ data })`."""
    params = function.function.params
    response = params[1].name if len(params) > 1 else ""
    if not response:
        return {}
    scope = scope_of(program, function)
    found: dict[str, tuple[FunctionValue, frozenset[str]]] = {}
    for node in nested_nodes(scope.statements or ()):
        if not isinstance(node, Assign) or not isinstance(node.target, Attribute):
            continue
        name = node.target.name
        if node.value is None or dotted_name_of(node.target) != f"{response}.{name}":
            continue
        put = program.function_value(node.value, scope)
        if put is not None and name not in _OF_RESPONSES:
            found[name] = (put, frozenset({response, "this"}))
    return found


def rewrites_requests(program: Program, function: FunctionValue) -> bool:
    """Whether a middleware hands on what another function of the project, or a library that
    renames keys, makes of the request's body."""
    params = function.function.params
    request = params[0].name if params else ""
    if not request:
        return False
    scope, body = scope_of(program, function), f"{request}.body"
    for node in nested_nodes(scope.statements or ()):
        if not isinstance(node, Assign) or dotted_name_of(node.target) != body:
            continue
        value = node.value and without_casts(node.value)
        if isinstance(value, Call) and any(_reads(a.value, body) for a in value.args):
            made = program.evaluate(value.callee, scope)
            name = program.evaluator.qualified_name(made).lower()
            if isinstance(made, FunctionValue) or any(part in name for part in _RENAMERS):
                return True
    return False


def _reads(expr: Expr, path: str) -> bool:
    """`req.body`, `req.body ?? {}`, `{ ...req.body }`."""
    return any(
        isinstance(node, Attribute) and dotted_name_of(node) == path for node in nodes_of(expr)
    )


def writes_into_requests(program: Program, function: FunctionValue) -> bool:
    """`req.body.author = req.user.id`."""
    params = function.function.params
    body = f"{params[0].name}.body" if params else ""
    statements = scope_of(program, function).statements or ()
    return any(
        isinstance(node, Assign)
        and isinstance(node.target, Attribute | Index)
        and body in (dotted_name_of(node.target), dotted_name_of(node.target.value))
        for node in nested_nodes(statements)
    )


def behind_middleware(
    program: Program, functions: list[FunctionValue], handled: HandlerSummary
) -> HandlerSummary:
    """The signature of a handler that runs behind other functions of its own route."""
    if any(replaces_answers(program, function, status=_SUCCESS) for function in functions):
        return without_bodies(handled)
    if any(replaces_answers(program, function) for function in functions):
        return without_bodies(handled, errors_only=True)
    return handled


def without_request(handled: HandlerSummary) -> HandlerSummary:
    """What a handler does behind a middleware that rewrites requests."""
    return replace(handled, request=tuple(replace(b, schema=_REWRITTEN) for b in handled.request))


def without_bodies(handled: HandlerSummary, *, errors_only: bool = False) -> HandlerSummary:
    """What a handler does behind such a middleware: the bodies that it sends (with errors) are not
    those that the client gets."""

    def change(responses: tuple[Response, ...]) -> tuple[Response, ...]:
        return tuple(
            replace(
                response,
                bodies=tuple(
                    replace(body, schema=replace(_REPLACED, origin=body.origin))
                    for body in response.bodies
                ),
            )
            if not errors_only or not response.status.startswith(("1", "2", "3"))
            else response
            for response in responses
        )

    return handled.with_changed_answers(lambda found: found.with_changed_responses(change))


def _hands_on(
    program: Program, function: Function, scope: Scope, originals: set[str], status: int | None
) -> bool:
    """Whether every call of what was there before is given the body as it came."""
    if not function.params:
        return True
    body = function.params[0].name
    statements = _statements_for_status(function.body or (), status)
    if _alters(statements, body):
        return False
    names = frozenset({body, _ALL}) | _copies(program, statements, scope, body)
    for node in nested_nodes(statements):
        if isinstance(node, Call):
            if _altered_by(program, node, scope, body):
                return False
            given = _body_argument(node, originals)
            if given is not None and not is_same_json(program, given, scope, names):
                return False
    return True


def _copies(
    program: Program, statements: tuple[Statement, ...], scope: Scope, body: str
) -> frozenset[str]:
    """Variables that hold a copy of the body alone, and are not changed."""
    assigned: dict[str, list[Expr | None]] = {}
    for node in nested_nodes(statements):
        if isinstance(node, Assign) and isinstance(node.target, Name):
            assigned.setdefault(node.target.id, []).append(node.value)
    return frozenset(
        name
        for name, values in assigned.items()
        if len(values) == 1
        and values[0] is not None
        and is_same_json(program, values[0], scope, frozenset({body}))
        and not any(
            isinstance(node, Assign)
            and isinstance(node.target, Attribute | Index)
            and dotted_name_of(node.target).startswith(f"{name}.")
            for node in nested_nodes(statements)
        )
    )


_DEEPEST = 3


def is_same_json(
    program: Program, expr: Expr, scope: Scope, names: frozenset[str], depth: int = 0
) -> bool:
    """Whether an expression gives the JSON of what one of the variables holds: the variable, a
    round trip through JSON, or what a function of the project makes of it that does no more."""
    match expr:
        case Name(id=id):
            return id in names
        case Cast(value=value):
            return is_same_json(program, value, scope, names, depth)
        case Call(
            callee=outer,
            args=(Argument(value=Call(callee=inner, args=(Argument(value=given),))),),
        ) if (dotted_name_of(outer), dotted_name_of(inner)) == ("JSON.parse", "JSON.stringify"):
            return is_same_json(program, given, scope, names, depth)
        case Call(callee=callee, args=(Argument(value=given),)) if depth < _DEEPEST:
            if not is_same_json(program, given, scope, names, depth + 1):
                return False
            if dotted_name_of(callee) == "structuredClone":
                return True
            called = program.evaluate(callee, scope)
            return isinstance(called, FunctionValue) and _gives_back(program, called, depth + 1)
        case _:
            return False


def _gives_back(program: Program, function: FunctionValue, depth: int) -> bool:
    """Whether a function gives back the JSON of its first parameter, and does not change it."""
    params = function.function.params
    if not params or not params[0].name or "async" in function.function.modifiers:
        return False
    statements = program.body(function.function, function.scope.file)
    returned = program.function_exits(function)
    return (
        bool(returned)
        and not _alters(statements, params[0].name)
        and all(
            one.value is not None
            and not one.thrown
            and is_same_json(program, one.value, one.scope, frozenset({params[0].name}), depth)
            for one in returned
        )
    )


def _altered_by(program: Program, call: Call, scope: Scope, body: str) -> bool:
    """Whether a function of the project that is handed the body changes it."""
    for position, argument in enumerate(call.args):
        if not isinstance(argument.value, Name) or argument.value.id != body:
            continue
        callee = program.evaluate(call.callee, scope)
        if isinstance(callee, FunctionValue) and position < len(callee.function.params):
            name = callee.function.params[position].name
            statements = program.body(callee.function, callee.scope.file)
            if name and _alters(statements, name):
                return True
    return False


def _alters(statements: tuple[Statement, ...], name: str) -> bool:
    """Whether statements change the object that a variable holds, or give the variable another."""
    names = {name}
    for node in nested_nodes(statements):
        if not isinstance(node, Assign):
            continue
        value = node.value and without_casts(node.value)
        if isinstance(node.target, Name) and isinstance(value, Name) and value.id in names:
            names.add(node.target.id)
        elif any(_is_of(node.target, held) for held in names):
            return True
    return False


def _statements_for_status(
    body: tuple[Statement, ...], status: int | None
) -> tuple[Statement, ...]:
    """The statements that may run for responses of a status: `if (status < 400) return …;`."""
    if status is None:
        return body
    aliases = {
        node.target.id
        for node in body
        if isinstance(node, Assign)
        and isinstance(node.target, Name)
        and node.value is not None
        and dotted_name_of(node.value).endswith(_STATUS)
    }
    remaining: list[Statement] = []
    for node in body:
        outcome = (
            _status_comparison(node.condition, aliases, status)
            if isinstance(node, Branch)
            else None
        )
        if not isinstance(node, Branch) or outcome is None:
            remaining.append(node)
            continue
        chosen = node.blocks[:1] if outcome else node.blocks[1:]
        remaining.extend(inner for block in chosen for inner in block)
        if chosen and chosen[0] and isinstance(chosen[0][-1], Return | Throw):
            break
    return tuple(remaining)


def _status_comparison(test: Expr | None, aliases: set[str], status: int) -> bool | None:
    """Whether a comparison of the status with a number holds; None for any other test."""
    if not isinstance(test, OperationExpr) or len(test.operands) != 2:
        return None
    left, right = test.operands
    known = dotted_name_of(left).endswith(_STATUS) or (
        isinstance(left, Name) and left.id in aliases
    )
    limit = right.value if isinstance(right, LiteralExpr) else None
    compare = _COMPARED.get(test.operator)
    if not known or not isinstance(limit, int) or compare is None:
        return None
    return compare(status, limit)


_STATUS = ".statusCode"
_SUCCESS = 200
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ALL = "arguments"


def _body_argument(call: Call, originals: set[str]) -> Expr | None:
    """The body that a call of one of the originals passes on, `json.call(this, body)`
    included."""
    position, callee = 0, call.callee
    if isinstance(callee, Attribute) and callee.name in ("call", "apply"):
        position, callee = 1, callee.value
    if dotted_name_of(callee) not in originals or position >= len(call.args):
        return None
    given = without_casts(call.args[position].value)
    if isinstance(given, ArrayLiteral) and position and len(given.items) == 1:
        item = given.items[0]
        return given if isinstance(item, Spread) else without_casts(item)
    return given


def _is_of(target: Expr, name: str) -> bool:
    """Whether a place is the variable or lies in its value."""
    while isinstance(target, Attribute | Index):
        target = target.value
    return isinstance(target, Name) and target.id == name


def _unbound(value: Expr) -> Expr:
    """`res.json` of `res.json.bind(res)`."""
    value = without_casts(value)
    callee = value.callee if isinstance(value, Call) else None
    if isinstance(callee, Attribute) and callee.name == "bind":
        return callee.value
    return value
