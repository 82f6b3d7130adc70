"""What a Koa handler sends: it sets the body and the status of a context, in any order, and what is
set when it ends is sent. Each way through the handler is followed with what is set on it.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Answers, Body
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of
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
from contract_scan.parsers.source.typescript.web.body_key_mapping import rename_keys, renaming_of
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.known_payloads import (
    BranchFacts,
    prune_choices,
    test_outcome,
)
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
_OTHERS = ("params", "query", "request", "path", "url", "method")
"""Further members of the context that say nothing of what is sent."""
_ERROR = Reason("error-handler-decides-error")
_SET_ELSEWHERE = Reason("some-keys-computed")


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
    state: tuple[tuple[str, Value], ...] = ()
    """What is set as members of the context's `state`, which functions share."""


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
                if code == statuses.OF_ERROR:
                    continue
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
                    passing, ways = self._behind_handlers(statement, scope, ways, left, depth)
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

    def _behind_handlers(
        self,
        branch: Branch,
        scope: Scope,
        ways: list[ResponsePath],
        left: list[ResponsePath],
        depth: int,
    ) -> tuple[list[ResponsePath], list[ResponsePath]]:
        """(ways that have gone through a branch, all others): what the handlers behind have set
        decides its test. Where it does not, and the branch sets a body, the body is undetermined.
        """
        passed: list[ResponsePath] = []
        others: list[ResponsePath] = []
        for way in ways:
            decides = branch.kind == "if" and way.answered
            outcome = test_outcome(branch.condition, self._facts(way, scope)) if decides else None
            bodies = _bodies_set(branch) if decides and outcome is None else []
            if bodies and all(renaming_of(self._program, each, scope) for each in bodies):
                outcome = True  # `if (isObject(ctx.body))`: nothing else has keys
            if outcome is not None:
                block = branch.blocks[:1] if outcome else branch.blocks[1:]
                going, returned = self._block(block[0] if block else (), scope, [way], depth)
                passed.extend(going)
                left.extend(returned)
            elif bodies:
                passed.append(self._with_changed_body(way, scope))
            else:
                others.append(way)
        return passed, others

    def _facts(self, way: ResponsePath, scope: Scope) -> BranchFacts:
        """What the tests of a function see of what those behind it have set."""
        seen = self._program.schema_of(self._context(way, scope))
        return BranchFacts(self._program, _context_name(scope), seen, scope=scope)

    def _context(self, way: ResponsePath, scope: Scope) -> Record:
        """The context as the functions behind have left it."""
        codes = (200,) if way.status is None else way.status
        state = dict(way.state)
        read = {
            node.name
            for node in nested_nodes(scope.statements or ())
            if isinstance(node, Attribute) and dotted_name_of(node.value).endswith(".state")
        }
        for name in sorted(read - state.keys()):
            # What the project sets on some routes is not there on others.
            if self._program.any_file_contains(f".state.{name} =".encode()):
                state[name] = Constant(None)
        given: dict[str, Value] = {
            "body": Constant(None) if way.body is None else BySchema(way.body.schema),
            "state": self._record(state, scope),
        }
        if codes:
            given["status"] = union_of(tuple(Constant(code) for code in codes))
        others = {name: LibrarySymbol(f"{CONTEXT.name}.{name}") for name in _OTHERS}
        return self._record({**given, "response": self._record(given, scope), **others}, scope)

    def _record(self, members: Mapping[str, Value], scope: Scope) -> Record:
        origin = Origin(scope.file.path)
        entries = (RecordEntry(name, value, origin) for name, value in members.items())
        return Record(tuple(entries), partial=_SET_ELSEWHERE)

    def _with_changed_body(self, way: ResponsePath, scope: Scope) -> ResponsePath:
        if way.body is None:
            return way
        name = scope.function.name if scope.function is not None else ""
        reason = Reason("middleware-changes-responses", changer=name or "a middleware")
        return replace(way, body=replace(way.body, schema=Unknown(reason=reason)))

    def _unique_ways(self, ways: list[ResponsePath]) -> list[ResponsePath]:
        unique: dict[tuple[object, ...], ResponsePath] = {}
        for way in ways:
            of_state = tuple((name, id(value)) for name, value in way.state)
            key = (way.status, id(way.body), way.content_type, way.is_set, way.answered, of_state)
            unique.setdefault(key, way)
        if len(unique) > MAX_WAYS:
            self.complete = False
        return list(unique.values())[:MAX_WAYS]

    # ------------------------------------------------------------------ what is set

    def _after_assignment(
        self, target: Attribute, value: Expr, scope: Scope, ways: list[ResponsePath]
    ) -> list[ResponsePath]:
        holder = self._program.evaluate(target.value, scope)
        if isinstance(holder, LibrarySymbol) and holder.name == f"{CONTEXT.name}.state":
            given = (target.name, self._program.evaluate(value, scope))
            return [replace(way, state=(*way.state, given)) for way in ways]
        if target.name not in ("body", "status", "type", "statusCode"):
            return ways
        if not isinstance(holder, LibrarySymbol) or holder.name not in _HOLDERS:
            return ways
        origin = Origin(scope.file.path, value.span)
        if target.name == "body":
            return [self._with_assigned_body(way, value, scope, origin) for way in ways]
        if target.name == "type":
            kind = self._program.text(value, scope)
            return [_with_content_type(way, kind) for way in ways]
        found = statuses.find_statuses(self._program, value, scope)
        codes = () if found is None else found or (statuses.OF_ERROR,)
        return [
            _with_known_pair(replace(way, status=codes, origin=way.origin or origin))
            for way in ways
        ]

    def _with_assigned_body(
        self, way: ResponsePath, value: Expr, scope: Scope, origin: Origin
    ) -> ResponsePath:
        """A way on which `ctx.body = value` has run."""
        renamed = renaming_of(self._program, value, scope) if way.answered else None
        if renamed is not None and way.body is not None:
            schema = rename_keys(self._program, way.body.schema, renamed)
            return replace(way, body=replace(way.body, schema=schema))
        seen = scope
        if way.answered and way.body is not None:
            name = _context_name(scope)
            seen = replace(scope, bindings={**scope.bindings, name: self._context(way, scope)})
            value = prune_choices(value, self._facts(way, scope))
        varies = isinstance(self._program.evaluate(value, seen), OneOf)
        return _with_body(way, self._body(value, seen, origin), origin, varies=varies)

    def _body(self, value: Expr, scope: Scope, origin: Origin) -> Body | None:
        found = self._program.evaluate(value, scope)
        if is_null(found) and isinstance(found, Constant | LibrarySymbol):
            return None
        inner = stringified_value(self._program, value, scope)
        if inner is not None:
            return Body(schema=self._program.infer(*inner), content_type=_TEXT, origin=origin)
        schema = self._program.schema_of(found)
        flat = self._program.types.flat(schema)
        text = isinstance(flat, Scalar) and flat.type == "string"
        return Body(
            schema=schema,
            content_type=_TEXT if text else JSON,
            may_be_missing=self._program.evaluator.may_be_nothing(found, value, scope),
            origin=origin,
        )

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


def _bodies_set(branch: Branch) -> list[Expr]:
    """What a branch sets bodies to, as it seems: `ctx.body = …`."""
    return [
        node.value
        for node in nested_nodes(branch.blocks)
        if isinstance(node, Assign)
        and isinstance(node.target, Attribute)
        and node.target.name == "body"
        and node.value is not None
    ]


def _context_name(scope: Scope) -> str:
    """What a function calls the context that it is given."""
    return next((name for name, value in scope.bindings.items() if _is_context(value)), "")


def _is_context(value: Value) -> bool:
    return isinstance(value, LibrarySymbol) and value.name in _HOLDERS


def _is_next(value: Value) -> bool:
    return isinstance(value, LibrarySymbol) and value.name == "<next>"


def _constant(name: str) -> str:
    """`NotFound` as `NOT_FOUND`."""
    return "".join(f"_{c}" if c.isupper() and i else c for i, c in enumerate(name)).upper()
