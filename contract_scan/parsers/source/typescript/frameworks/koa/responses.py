"""What a Koa handler sends: it sets the body and the status of a context, in any order, and what is
set when it ends is sent. Each way through the handler is followed with what is set on it.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Branch,
    Call,
    Evaluate,
    Expr,
    Loop,
    Name,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.body_key_mapping import Rename, renaming_of
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.paired_members import UNPAIRED
from contract_scan.parsers.source.typescript.web.response_calls import stringified_value
from contract_scan.parsers.source.typescript.web.response_heads import ANY, JSON
from contract_scan.parsers.source.typescript.web.returned_responses import (
    ResponseSite,
    collected_answers,
)

CONTEXT = LibrarySymbol("<context>")
MAX_WAYS = 48
"""How many ways through a handler are kept apart."""
MAX_FOLLOWED = 4
_HOLDERS = frozenset({"<context>", "<context>.response"})
_TEXT = "text/plain"
_SHORT_TYPES = {"json": JSON, "text": _TEXT, "html": "text/html", "txt": _TEXT}
_SETTERS = frozenset({"set", "response.set", "append"})
_QUIET = frozenset(
    {"set", "append", "remove", "get", "is", "accepts", "vary", "cookies.set", "cookies.get"}
    | {"acceptsEncodings", "acceptsCharsets", "acceptsLanguages", "etag", "flushHeaders", "toJSON"}
    | {"attachment", "inspect", "response.set", "request.get", "header", "onerror"}
)
"""Methods of the context that send nothing."""
_SENDERS = ("response.", "res.")
"""Parts of the context that can send; what the others do (`ctx.path.slice`) sends nothing."""
_ERROR = Reason("error-handler-decides-error")


class ResponsePath(Struct, frozen=True, eq=False):
    """What is set on one way through the handler."""

    status: tuple[int, ...] | None = None
    """None: not set; empty: set to what is undetermined."""
    body: Body | None = None
    body_varies: bool = False
    """Whether the body is one of several values."""
    content_type: str = ""
    """What it is set to; without it a text is sent as text/plain. `*/*`: it is undetermined."""
    is_set: bool = False
    origin: Origin | None = None
    answered: bool = False
    """Whether the last function of the route has run."""


def _with_content_type(way: ResponsePath, kind: str | None) -> ResponsePath:
    """A way on which the content type is set; None: to what is undetermined."""
    short = (kind or ANY).split(";")[0].strip().lower()
    named = _SHORT_TYPES.get(short, short if "/" in short else ANY)
    body = None if way.body is None else replace(way.body, content_type=named)
    return replace(way, content_type=named, body=body)


def _with_known_pair(way: ResponsePath) -> ResponsePath:
    """A way on which status and body are set: where both are one of several, which of them go
    together is not told."""
    if way.body is None or not way.body_varies or way.status is None or len(way.status) < 2:
        return way
    return replace(way, body=replace(way.body, schema=UNPAIRED))


def _with_body(
    way: ResponsePath, body: Body | None, origin: Origin, *, varies: bool
) -> ResponsePath:
    """A way on which a body is set."""
    body = _of_type(body, way)
    return _with_known_pair(replace(way, body=body, body_varies=varies, is_set=True, origin=origin))


def _of_type(body: Body | None, way: ResponsePath) -> Body | None:
    """A body that is set: a text has the content type that is set before, an object is JSON
    (https://github.com/koajs/koa/blob/master/docs/api/response.md#responsebody-1)."""
    if body is None or body.content_type != _TEXT or not way.content_type:
        return body
    return replace(body, content_type=way.content_type)


class Layer(Struct, frozen=True, eq=False):
    """A function of a route, which runs those behind it with `next()`."""

    function: FunctionValue
    scope: Scope
    """Inside it, its context bound."""
    is_used: bool = False
    """Whether a router uses it for all of its routes. What such a one makes of the bodies of
    handlers is told apart (`changes_bodies`)."""


class _Reader:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._open: set[tuple[str, object]] = set()
        self._layers: tuple[Layer, ...] = ()
        self._layer = 0
        """Position of the one that is read."""
        self.sites: list[ResponseSite] = []
        self.undetermined: list[tuple[Reason, Origin]] = []
        self.complete = True

    def function(
        self, function: FunctionValue, scope: Scope, ways: list[ResponsePath], depth: int
    ) -> list[ResponsePath]:
        """The ways on which a function ends that is entered on some ways."""
        key = (scope.file.path, function.function.span)
        if key in self._open:
            self.complete = False
            return ways
        self._open.add(key)
        going, left = self._block(scope.statements or (), scope, ways, depth)
        self._open.discard(key)
        return self._unique_ways([*going, *left])

    def route(self, layers: tuple[Layer, ...]) -> list[ResponsePath]:
        """The ways through the functions of a route on which the last one runs; what others send by
        themselves (errors, as a rule) is left out."""
        self._layers = layers
        ways = self._run_layer(0, [ResponsePath()])
        return [way for way in ways if way.answered]

    def _run_layer(self, position: int, ways: list[ResponsePath]) -> list[ResponsePath]:
        if position >= len(self._layers):
            return ways
        around, self._layer = self._layer, position
        layer = self._layers[position]
        ways = self.function(layer.function, layer.scope, ways, 0)
        if position == len(self._layers) - 1:
            ways = [replace(way, answered=True) for way in ways]
        self._layer = around
        return ways

    def end(self, ways: list[ResponsePath]) -> None:
        """Note what is sent on the ways on which the handler ends."""
        for way in ways:
            if not way.is_set and way.status is None:
                continue  # nothing is set: Koa answers that there is no such thing
            explicit = way.status is not None
            codes = way.status
            if codes is None:
                codes = (200,) if way.body is not None else (204,)
            self.complete = self.complete and bool(codes)
            origin = way.origin or Origin("")
            if not codes:
                self.undetermined.append((Reason("response-status-not-constant"), origin))
            for code in codes:
                empty = code in (204, 205, 304)
                body = None if empty else way.body
                self.sites.append(ResponseSite(str(code), explicit, body, origin))

    # ------------------------------------------------------------------ statements

    def _block(
        self, statements: tuple[Statement, ...], scope: Scope, ways: list[ResponsePath], depth: int
    ) -> tuple[list[ResponsePath], list[ResponsePath]]:
        """(ways that go on behind the block, ways on which it returns)."""
        left: list[ResponsePath] = []
        for statement in statements:
            if not ways:
                break
            match statement:
                case Assign(target=Attribute() as target, value=value) if value is not None:
                    ways = self._calls(value, scope, ways, depth)
                    ways = self._after_assignment(target, value, scope, ways)
                case Branch(blocks=blocks, condition=condition):
                    if condition is not None:
                        ways = self._calls(condition, scope, ways, depth)
                    # What asks what the handlers have set is for errors and unknown paths.
                    asks = condition is not None and _asks_what_is_set(condition)
                    passing = [way for way in ways if asks and way.answered]
                    ways = [way for way in ways if not (asks and way.answered)]
                    ends = [] if statement.exhaustive else [*ways]
                    for block in blocks:
                        going, returned = self._block(block, scope, ways, depth)
                        ends.extend(going)
                        left.extend(returned)
                    ways = self._unique_ways([*passing, *ends])
                case Loop(body=body):
                    going, returned = self._block(body, scope, ways, depth)
                    left.extend(returned)
                    ways = self._unique_ways([*ways, *going])
                case Return(value=value):
                    if value is not None:
                        ways = self._calls(value, scope, ways, depth)
                    left.extend(ways)
                    ways = []
                case Throw(value=value):
                    if value is not None:
                        self._note_thrown_error(value, scope)
                    ways = []
                case Evaluate(value=value) | Assign(value=value) if value is not None:
                    ways = self._calls(value, scope, ways, depth)
                case _:
                    pass
        return ways, self._unique_ways(left)

    def _unique_ways(self, ways: list[ResponsePath]) -> list[ResponsePath]:
        unique: dict[tuple[object, ...], ResponsePath] = {}
        for way in ways:
            key = (way.status, id(way.body), way.content_type, way.is_set, way.answered)
            unique.setdefault(key, way)
        if len(unique) > MAX_WAYS:
            self.complete = False
        return list(unique.values())[:MAX_WAYS]

    # ------------------------------------------------------------------ what is set

    def _after_assignment(
        self, target: Attribute, value: Expr, scope: Scope, ways: list[ResponsePath]
    ) -> list[ResponsePath]:
        if target.name not in ("body", "status", "type", "statusCode"):
            return ways
        holder = self._program.evaluate(target.value, scope)
        if not isinstance(holder, LibrarySymbol) or holder.name not in _HOLDERS:
            return ways
        origin = Origin(scope.file.path, value.span)
        if target.name == "body":
            used = self._layers[self._layer].is_used
            body = self._body(value, scope, origin)
            varies = isinstance(self._program.evaluate(value, scope), OneOf)
            return [
                way if used and way.answered else _with_body(way, body, origin, varies=varies)
                for way in ways
            ]
        if target.name == "type":
            kind = self._program.text(value, scope)
            return [_with_content_type(way, kind) for way in ways]
        codes = statuses.statuses(self._program, value, scope)
        return [
            _with_known_pair(replace(way, status=codes, origin=way.origin or origin))
            for way in ways
        ]

    def _body(self, value: Expr, scope: Scope, origin: Origin) -> Body | None:
        found = self._program.evaluate(value, scope)
        if isinstance(found, Constant) and found.value is None:
            return None
        inner = stringified_value(self._program, value, scope)
        if inner is not None:
            return Body(schema=self._program.infer(*inner), content_type=_TEXT, origin=origin)
        schema = self._program.schema_of(found)
        flat = self._program.types.flat(schema)
        text = isinstance(flat, Scalar) and flat.type == "string"
        return Body(schema=schema, content_type=_TEXT if text else JSON, origin=origin)

    def _note_thrown_error(self, expr: Expr, scope: Scope) -> None:
        """`throw createError(404)`."""
        value = self._program.evaluate(expr, scope)
        if isinstance(value, LibraryResult) and value.name in (
            "http-errors",
            "http-errors.default",
        ):
            self._error(value.site.args[0].value if value.site.args else None, value.scope, expr)
        elif isinstance(value, LibraryResult) and value.name.startswith("http-errors."):
            codes = statuses.of_value(LibrarySymbol(_constant(value.name.rsplit(".", 1)[-1])))
            self._note_error(codes, Origin(scope.file.path, expr.span))

    def _error(self, status: Expr | None, scope: Scope, place: Expr) -> None:
        codes = statuses.statuses(self._program, status, scope) if status is not None else (500,)
        self._note_error(codes, Origin(scope.file.path, place.span))

    def _note_error(self, codes: tuple[int, ...], origin: Origin) -> None:
        for code in codes:
            body = Body(schema=Unknown(reason=_ERROR, origin=origin), content_type="*/*")
            self.sites.append(ResponseSite(str(code), len(codes) == 1, body, origin))

    # ------------------------------------------------------------------ calls

    def _calls(
        self, expr: Expr, scope: Scope, ways: list[ResponsePath], depth: int
    ) -> list[ResponsePath]:
        """What the calls of an expression set, in the order of the text."""
        for node in nested_nodes(expr):
            if isinstance(node, Call) and ways:
                ways = self._call(node, scope, ways, depth, whole=node is expr)
        return ways

    def _call(
        self, call: Call, scope: Scope, ways: list[ResponsePath], depth: int, *, whole: bool
    ) -> list[ResponsePath]:
        if isinstance(call.callee, Attribute):
            holder = self._program.evaluate(call.callee.value, scope)
            if isinstance(holder, LibrarySymbol) and holder.name.startswith("<context>"):
                name = f"{holder.name}.{call.callee.name}".removeprefix("<context>.")
                return self._of_context(name, call, scope, ways, whole)
        if isinstance(call.callee, Name) and _is_next(self._program.evaluate(call.callee, scope)):
            return self._run_layer(self._layer + 1, ways)
        positions = [
            position
            for position, argument in enumerate(call.args)
            if _is_context(self._program.evaluate(argument.value, scope))
        ]
        if not positions:
            return ways
        callee = self._program.evaluate(call.callee, scope)
        if not isinstance(callee, FunctionValue) or depth >= MAX_FOLLOWED:
            if not _is_next(callee):
                self._not_seen(call, scope)
            return ways
        bindings = self._program.evaluator.arguments_with_defaults(callee, call, scope)
        inner = scope_of(self._program, callee, bindings)
        return self.function(callee, replace(inner, depth=scope.depth + 1), ways, depth + 1)

    def _of_context(
        self, name: str, call: Call, scope: Scope, ways: list[ResponsePath], whole: bool
    ) -> list[ResponsePath]:
        first = call.args[0].value if call.args else None
        if name == "throw":
            self._error(first, scope, call)
            return [] if whole else ways
        if name == "assert" and len(call.args) > 1:
            self._error(call.args[1].value, scope, call)
        elif name in ("redirect", "response.redirect"):
            origin = Origin(scope.file.path, call.span)
            return [
                replace(
                    way,
                    status=way.status if way.status and way.status[0] // 100 == 3 else (302,),
                    body=None,
                    is_set=True,
                    origin=origin,
                )
                for way in ways
            ]
        elif name in _SETTERS and call.args:
            return self._after_header(call, scope, ways)
        elif name not in _QUIET and ("." not in name or name.startswith(_SENDERS)):
            self._not_seen(call, scope)
        return ways

    def _after_header(
        self, call: Call, scope: Scope, ways: list[ResponsePath]
    ) -> list[ResponsePath]:
        """`ctx.set("Content-Type", "application/json")`."""
        name = self._program.text(call.args[0].value, scope)
        if len(call.args) > 1 and name is not None and name.lower() != "content-type":
            return ways
        is_known = len(call.args) > 1 and name is not None
        kind = self._program.text(call.args[1].value, scope) if is_known else None
        return [_with_content_type(way, kind) for way in ways]

    def _not_seen(self, call: Call, scope: Scope) -> None:
        """Something that is given the context may set what is sent."""
        name = self._program.qualified_name(call.callee, scope).replace("<context>", "ctx")
        origin = Origin(scope.file.path, call.span)
        self.complete = False
        what = f"`{name}`" if name else "a function"
        self.undetermined.append((Reason("context-use-not-visible", what=what), origin))


def answers(program: Program, layers: tuple[Layer, ...]) -> Answers:
    """What the functions of a route send, the handler last."""
    reader = _Reader(program)
    reader.end(reader.route(layers))
    return collected_answers(reader.sites, reader.undetermined, complete=reader.complete)


def changes_bodies(program: Program, function: FunctionValue) -> Rename | bool:
    """Whether a middleware sets the body once the handlers behind it have run:
    `await next(); ctx.body = { data: ctx.body }`; where it only renames the keys of what is there,
    how. Answers to errors and to unknown paths are left out."""
    params = function.function.params
    if len(params) < 2:
        return False
    scope = scope_of(program, function)
    found: list[Expr | None] = []
    _changes(scope.statements or (), params[1].name, False, found)
    if len(found) == 1 and found[0] is not None:
        return renaming_of(program, found[0], scope) or True
    return bool(found)


def _changes(
    statements: tuple[Statement, ...], following: str, ran: bool, found: list[Expr | None]
) -> bool:
    """Gather what bodies are set to behind the call of `next`; gives whether that call stands in
    the statements."""
    for statement in statements:
        if isinstance(statement, Branch):
            condition = statement.condition
            if condition is not None and any(
                isinstance(n, Attribute) and n.name in ("status", "statusCode")
                for n in nested_nodes(condition)
            ):
                continue
            blocks = statement.blocks[:1] if statement.kind == "try" else statement.blocks
            ends = [_changes(block, following, ran, found) for block in blocks]
            going = [end for end, block in zip(ends, blocks, strict=True) if not _has_exit(block)]
            ran = ran or any(going)
            continue
        if (
            ran
            and isinstance(statement, Assign)
            and isinstance(statement.target, Attribute)
            and statement.target.name == "body"
        ):
            found.append(statement.value)
            continue
        ran = ran or any(
            isinstance(node, Call) and getattr(node.callee, "id", "") == following
            for node in nested_nodes(statement)
        )
    return ran


def _has_exit(block: tuple[Statement, ...]) -> bool:
    return bool(block) and isinstance(block[-1], Return | Throw)


def _asks_what_is_set(condition: Expr) -> bool:
    """Whether a condition asks what the handlers have set: `if (ctx.status === 404) …`."""
    return any(
        isinstance(node, Attribute) and node.name in ("status", "statusCode", "body")
        for node in nested_nodes(condition)
    )


def _is_context(value: Value) -> bool:
    return isinstance(value, LibrarySymbol) and value.name in _HOLDERS


def _is_next(value: Value) -> bool:
    return isinstance(value, LibrarySymbol) and value.name == "<next>"


def _constant(name: str) -> str:
    """`NotFound` as `NOT_FOUND`."""
    return "".join(f"_{c}" if c.isupper() and i else c for i, c in enumerate(name)).upper()
