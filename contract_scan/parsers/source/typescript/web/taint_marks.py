"""What a handler reads of its request, told by values: the parameters of the handler are bound to
marks, and whatever is reached from a mark (`request.json()`, `c.req.query("page")`) is known by
name, through variables, patterns and functions of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Record,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Call,
    Cast,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    ObjectLiteral,
)
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes, nodes
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod
from contract_scan.parsers.source.typescript.web import schemas
from contract_scan.parsers.source.typescript.web.body_parts import BodyPart
from contract_scan.parsers.source.typescript.web.body_uses import LEVELS, BodyUses
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.part_reader import WalkState
from contract_scan.parsers.source.typescript.web.request_reads import (
    PARSES,
    RequestReads,
    as_used,
    has_undeclared_body,
    is_only_declared,
    spread_body,
    validated_argument,
)
from contract_scan.parsers.source.typescript.web.response_heads import JSON

MAX_FOLLOWED = 4
"""How many calls deep a request is followed into functions of the project."""
FORM = "*/*"
"""A form is multipart or URL-encoded, as the client likes."""


class TaintMarks(Struct, frozen=True, kw_only=True):
    """What can be reached from the parameters of a library's handlers."""

    bodies: Mapping[str, str]
    """What gives the body -> content type: names of properties, and of calls with `()` behind."""
    queries: frozenset[str] = frozenset()
    """What has one property for each query parameter: names as in `bodies`."""
    getters: frozenset[str] = frozenset()
    """Names of functions that are given the name of a query parameter."""
    keyed: frozenset[str] = frozenset()
    """Names of `bodies` that give what stands under the key that they are given."""
    picking: frozenset[str] = frozenset()
    """Names of `bodies` that give what stands under the keys that they are given."""
    validated: Mapping[str, str] = {}
    """Names of functions `(event, validator)` -> `body` or `query`."""


FETCH = TaintMarks(
    bodies={
        "<request>.json()": JSON,
        "<request>.clone().json()": JSON,
        "<request>.formData()": FORM,
        "<request>.text()": "*/*",
        "<request>.blob()": "*/*",
        "<request>.arrayBuffer()": "*/*",
    },
    getters=frozenset(
        f"{owner}.{method}"
        for owner in ("<request>.nextUrl.searchParams", "<url>.searchParams")
        for method in ("get", "getAll", "has")
    ),
)
"""A `Request` of the Fetch standard, bound to `<request>`; the URL it is for to `<url>`."""
REQUEST = LibrarySymbol("<request>")
_URL_GETTERS = frozenset(f"URL().searchParams.{name}" for name in ("get", "getAll", "has"))
_ADDRESSES = frozenset({"<request>.url", "<request>.nextUrl", "<url>", "<request>.nextUrl.href"})


class MarkedReader(RequestReads):
    """Collects what the functions of one route read of values that are bound to marks."""

    def __init__(self, program: Program, marks: TaintMarks) -> None:
        super().__init__(program)
        self._marks = marks
        self._ends = frozenset(
            name.rsplit(".", 1)[-1].removesuffix("()") for name in (*marks.bodies, *marks.queries)
        )
        self._checks = frozenset(name.rsplit(".", 1)[-1] for name in marks.validated)
        self._get = frozenset(name.rsplit(".", 1)[-1] for name in marks.getters)
        self._functions: list[tuple[FunctionValue, Scope]] = []
        self._set_besides: dict[tuple[str, Span, str], frozenset[str]] = {}
        """Parameters of functions that are handed an object into which the body is spread, with the
        keys that the object sets besides."""

    def bodies(self) -> tuple[Body, ...]:
        """The request body, by its use where no type is declared for it."""
        found = super().bodies()
        if not (has_undeclared_body(found) or is_only_declared(found)):
            return found
        uses = MarkedUses(self._program, self._mark_kind)
        for function, scope in self._functions:
            uses.read_function(function, scope)
        return as_used(found, uses)

    def _mark_kind(self, expr: Expr, scope: Scope) -> str:
        """See `MarkedUses`."""
        if not isinstance(expr, Name | Attribute | Call) or not self._may_end(expr):
            return ""
        name = self._name(expr, scope)
        if self._marks.bodies.get(name, "*/*") == "*/*":
            return ""
        if name in self._marks.keyed:
            return "key"
        return "keys" if name in self._marks.picking else "whole"

    def read_function(self, function: FunctionValue, bindings: Mapping[str, Value]) -> Scope:
        """Read a function whose parameters are bound to marks; returns the scope inside
        it."""
        scope = scope_of(self._program, function, bindings)
        self._functions.append((function, scope))
        for parameter in function.function.params:
            if isinstance(parameter.pattern, ObjectLiteral):
                self._taken_apart(parameter.pattern, bindings, scope)
        self._read_statements(scope, set(bindings), 0)
        return scope

    def _taken_apart(
        self, pattern: ObjectLiteral, values: Mapping[str, Value], scope: Scope
    ) -> None:
        """`({ payload }, h) => …`, `const { payload } = request`: bodies by their own names."""
        for entry in pattern.entries:
            value = values.get(entry.value.id) if isinstance(entry.value, Name) else None
            if isinstance(value, LibrarySymbol) and value.name in self._marks.bodies:
                self.mention(scope, entry, self._marks.bodies[value.name])

    def _read_statements(self, scope: Scope, names: set[str], depth: int) -> None:
        """Read the statements of a scope. `names` are those that something reached from a mark may
        bear: what holds none of them is not worth evaluating."""
        for node, place in nodes(self._program, scope.statements or (), scope):
            match node:
                case Assign(value=value) if value is not None and _contains_name(value, names):
                    names.update(_targets(node.target))
                    self._note_assignment(node, value, place)
                case Cast(value=value, checks_only=False) if _contains_name(value, names):
                    if self._is_body(value, place):
                        self.declare_body(node.type, place)
                case Call() if _contains_name(node, names):
                    self._call(node, place, names, depth)
                case Attribute(name=name) if _contains_name(node, names):
                    self._attribute(node, name, place)
                case Index(index=LiteralExpr(value=str(name))) if _contains_name(node, names):
                    self._attribute(node, name, place)
                case _:
                    pass

    # ------------------------------------------------------------------ values

    def _name(self, expr: Expr, scope: Scope) -> str:
        """What an expression gives, named as in `TaintMarks.bodies`; empty where that has none."""
        expr = without_casts(expr)
        if not isinstance(expr, Name | Attribute | Call):
            return ""
        value = self._program.evaluate(expr, scope)
        if isinstance(value, LibraryResult):
            return f"{value.name}()"
        return value.name if isinstance(value, LibrarySymbol) else ""

    def _is_body(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression gives the body as a value, or an object into which it is spread:
        its raw text says nothing of a type."""
        spread = spread_body(expr)
        if spread is not None:
            return self._is_body(spread.value, scope)
        return self._marks.bodies.get(self._name(expr, scope), "*/*") != "*/*"

    def _is_query(self, expr: Expr, scope: Scope) -> bool:
        return bool(self._marks.queries) and self._name(expr, scope) in self._marks.queries

    def _may_end(self, expr: Expr) -> bool:
        """Whether an expression is worth evaluating: it ends like something that is wanted."""
        expr = without_casts(expr)
        if isinstance(expr, Call):
            expr = expr.callee
        return (isinstance(expr, Attribute) and expr.name in self._ends) or isinstance(expr, Name)

    # ------------------------------------------------------------------ nodes

    def _note_assignment(self, node: Assign, value: Expr, scope: Scope) -> None:
        target = node.target
        if isinstance(target, ObjectLiteral) and any(e.key in self._ends for e in target.entries):
            whole = self._program.evaluate(value, scope)
            bound = self._program.evaluator.pattern_bindings(target, whole, scope)
            self._taken_apart(target, bound, scope)
        if not self._may_end(value):
            return
        if self._is_query(value, scope):
            if node.type is not None:
                self.declare_query(node.type, scope)
            if isinstance(node.target, ObjectLiteral):
                self.query_names(node.target, scope)
        elif node.type is not None and self._is_body(value, scope):
            self.declare_body(node.type, scope)

    def _attribute(self, node: Attribute | Index, name: str, scope: Scope) -> None:
        if name in self._ends and isinstance(node, Attribute):
            content_type = self._marks.bodies.get(self._name(node, scope))
            if content_type is not None:
                self.mention(scope, node, content_type)
        if self._may_end(node.value) and self._is_query(node.value, scope):
            self.add_query(name, scope, node)

    def _call(self, call: Call, scope: Scope, names: set[str], depth: int) -> None:
        callee = call.callee
        parsed = validated_argument(self._program, call, scope)
        if parsed is not None and self._note_parsing(*parsed, scope):
            return
        if (
            parsed is not None
            and self._is_body(parsed[1], scope)
            and self._program.function_value(callee, scope) is None
        ):
            self.note_unseen_check()
        if isinstance(callee, Attribute):
            if callee.name in self._ends:
                self._body_call(call, scope)
            if callee.name in self._get and call.args:
                self._getter(call, call.args[0].value, scope)
        elif isinstance(callee, Name):
            if callee.id in self._ends:
                self._body_call(call, scope)
            elif callee.id in self._checks and len(call.args) > 1:
                self._note_validator(call, scope)
        self._follow_argument(call, scope, names, depth)

    def _body_call(self, call: Call, scope: Scope) -> None:
        content_type = self._marks.bodies.get(self._name(call, scope))
        if content_type is not None:
            self.mention(scope, call, content_type)
            if call.type_args:
                self.declare_body(call.type_args[0], scope)

    def _note_validator(self, call: Call, scope: Scope) -> None:
        """`readValidatedBody(event, schema.parse)`, `…(event, (body) => schema.parse(body))`."""
        value = self._program.evaluate(call, scope)
        part = self._marks.validated.get(value.name) if isinstance(value, LibraryResult) else None
        if part is None:
            return
        if part == "body":
            self.mention(scope, call)
        given = call.args[1].value
        inside: object = given
        if isinstance(given, Lambda):
            inner = self._program.function_scope(given.function, scope)
            inside, scope = inner.statements or (), inner
        validators: list[Expr] = [given] if isinstance(given, Name) else []
        validators.extend(
            node.value
            for node in nested_nodes(inside)
            if isinstance(node, Attribute) and node.name in PARSES
        )
        for validator in validators[:1]:
            schema = self._program.evaluate(validator, scope)
            if isinstance(schema, LibraryResult) and schemas.checks(schema):
                shape = self._program.schema_of(schema, zod.INPUT)
                if part == "body":
                    self.check_body(shape, scope, validator)
                else:
                    self.query_fields(shape)

    def _getter(self, call: Call, name: Expr, scope: Scope) -> None:
        value = self._program.evaluate(call, scope)
        if not isinstance(value, LibraryResult):
            return
        key = self._program.text(name, scope)
        known = value.name in self._marks.getters or (
            value.name in _URL_GETTERS and self._is_of_request(value)
        )
        if known and key is not None:
            self.add_query(key, scope, call)

    def _is_of_request(self, value: LibraryResult) -> bool:
        """Whether a URL was made of the request's own address."""
        current: Value | None = value
        while current is not None:
            if isinstance(current, LibraryResult) and current.name == "URL":
                args = current.site.args
                return bool(args) and self._name(args[0].value, current.scope) in _ADDRESSES
            current = (
                current.receiver if isinstance(current, LibraryResult | LibrarySymbol) else None
            )
        return False

    def _note_parsing(self, validator: Expr, given: Expr, scope: Scope) -> bool:
        """Note `schema.parse(await request.json())`, and say whether it is a schema that parses."""
        body = self._is_body(given, scope)
        value = self._program.evaluate(validator, scope)
        if not isinstance(value, LibraryResult) or not schemas.checks(value):
            return False
        if body or self._is_query(given, scope):
            schema = self._program.schema_of(value, zod.INPUT)
            if body:
                self.check_body(schema, scope, given, self._replaced_keys(given, scope))
            else:
                self.query_fields(schema)
        return True

    def _replaced_keys(self, expr: Expr, scope: Scope) -> frozenset[str]:
        """The keys that the code sets besides, where an expression is an object into which the body
        is spread, or a parameter that holds one."""
        spread = spread_body(expr)
        if spread is not None:
            return spread.keys | self._replaced_keys(spread.value, scope)
        name = expr.id if isinstance(expr, Name) else ""
        around: Scope | None = scope
        while name and around is not None:
            if around.function is not None:
                place = (around.file.path, around.function.span, name)
                if place in self._set_besides:
                    return self._set_besides[place]
            around = around.parent
        return frozenset()

    def _follow_argument(self, call: Call, scope: Scope, names: set[str], depth: int) -> None:
        """`service.create(body)`, `helper(request)`: the parameter's type declares the
        body; a function of the project is read when an argument comes from a mark."""
        marked = [
            _contains_name(argument.value, names) and self._is_mark(argument.value, scope, names)
            for argument in call.args
        ]
        if not any(marked):
            return
        function = self._program.evaluate(call.callee, scope)
        if not isinstance(function, FunctionValue):
            return
        params = function.function.params
        given: set[str] = set()
        bodies: dict[str, Value] = {}
        """Parameters that hold the body, or an object into which it is spread."""
        for argument, parameter, holds in zip(call.args, params, marked, strict=False):
            if not holds:
                continue
            spread = spread_body(argument.value)
            if spread is not None and self._is_body(spread.value, scope):
                bodies[parameter.name] = self._program.evaluate(spread.value, scope)
                place = (function.scope.file.path, function.function.span, parameter.name)
                self._set_besides[place] = spread.keys | self._replaced_keys(spread.value, scope)
            elif parameter.type is not None and self._is_body(argument.value, scope):
                self.declare_body(parameter.type, function.scope)
            pattern = parameter.pattern
            given.update(_targets(pattern) if pattern is not None else {parameter.name})
        if depth < MAX_FOLLOWED:
            self._enter(function, call, scope, given, bodies, depth)

    def _is_mark(self, expr: Expr, scope: Scope, names: set[str]) -> bool:
        """Whether an expression gives something reached from a mark, or an object that holds it."""
        if spread_body(expr) is not None and self._is_body(expr, scope):
            return True
        if isinstance(expr, ObjectLiteral) and not any(entry.spread for entry in expr.entries):
            return any(
                _is_marked(self._program.evaluate(entry.value, scope))
                for entry in expr.entries
                if _contains_name(entry.value, names)
            )
        value = self._program.evaluate(expr, scope)
        if isinstance(value, Record):
            return any(_is_marked(entry.value) for entry in value.entries)
        return _is_marked(value)

    def _enter(
        self,
        function: FunctionValue,
        call: Call,
        scope: Scope,
        names: set[str],
        bodies: Mapping[str, Value],
        depth: int,
    ) -> None:
        key = (function.scope.file.path, function.function.span)
        if key in self._open or "abstract" in function.function.modifiers:
            return
        self._open.add(key)
        bindings = self._program.evaluator.arguments_with_defaults(function, call, scope)
        bindings.give(bodies)
        inner = scope_of(self._program, function, bindings)
        self._read_statements(replace(inner, depth=scope.depth + 1), names, depth + 1)


def _is_marked(value: Value) -> bool:
    return isinstance(value, LibrarySymbol | LibraryResult) and value.name.startswith("<")


def _contains_name(expr: object, names: set[str]) -> bool:
    """Whether an expression holds one of the names outside inner functions."""
    return any(isinstance(node, Name) and node.id in names for node in nested_nodes(expr))


def _targets(pattern: Expr) -> set[str]:
    """The names that a target of an assignment binds."""
    return {node.id for node in nested_nodes(pattern) if isinstance(node, Name)}


# Which keys of a request body code reads, where the body is told by marks (see `marks`).

Marked = Callable[[Expr, "Scope"], str]
"""What an expression gives of the body: `whole`, `key` (named by its first argument), `keys`
(listed there), or nothing of it (empty)."""


class MarkedUses(BodyUses):
    """Collects what the functions of one route read of a body that is told by marks."""

    def __init__(self, program: Program, marked: Marked) -> None:
        super().__init__(program)
        self._marked = marked

    def read_function(self, function: FunctionValue, scope: Scope) -> None:
        """Read a function whose scope binds the marks."""
        self._seen.clear()
        self._function(function.function, scope, {}, 0, LEVELS)

    def _expr(self, expr: Expr, walk: WalkState, depth: int, left: int) -> BodyPart | None:
        followed = isinstance(expr, Name) and expr.id in walk.names
        kind = self._marked(expr, walk.scope) if left and not followed else ""
        if kind == "whole":
            return self.body
        if not kind or not isinstance(expr, Call):
            return super()._expr(expr, walk, depth, left)
        listed = expr.args[0].value if expr.args else None
        if kind == "keys":
            if not isinstance(listed, ArrayLiteral):
                self.body.leave_open(Reason("taken-keys-not-found"))
                return None
            made = BodyPart(made=True)
            for item in listed.items:
                name = self._program.text(item, walk.scope)
                if name is not None:
                    made.keys[name] = self._key(self.body, name, item.span, walk)
            return made
        if isinstance(listed, LiteralExpr) and isinstance(listed.value, str):
            held: BodyPart = self.body
            for name in listed.value.split("."):
                held = self._key(held, name, listed.span, walk)
            # What is given besides stands where there is none.
            return held if len(expr.args) == 1 else held.copy()
        self.body.leave_open(Reason("key-computed"))
        return None
