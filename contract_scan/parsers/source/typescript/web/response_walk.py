"""Follows a response object through the code that has it: what is set on it before it is
sent, in branches, in functions that it is given to, and in those that hand on to others.

A way ends where the response is sent, where an error is thrown or handed on, and where the handlers
behind are called (`next()`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import Schema, Union
from contract_scan.parsers.source.analysis.dataflow.key_coverage import syntax_key
from contract_scan.parsers.source.analysis.dataflow.object_mutations import without_casts
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    FunctionValue,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    null_test_outcome,
)
from contract_scan.parsers.source.facts.nodes import (
    CAUGHT,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Define,
    Expr,
    Function,
    Lambda,
    Loop,
    Name,
    ObjectLiteral,
    OperationExpr,
    Param,
    Return,
    Statement,
    Throw,
)
from contract_scan.parsers.source.typescript.resolution.walker import nested_nodes
from contract_scan.parsers.source.typescript.web import statuses
from contract_scan.parsers.source.typescript.web.error_kinds import (
    ErrorKinds,
    declared_errors,
    names_after,
)
from contract_scan.parsers.source.typescript.web.function_scope import scope_of
from contract_scan.parsers.source.typescript.web.paired_members import UNPAIRED
from contract_scan.parsers.source.typescript.web.response_calls import (
    ResponseFunction,
    chain_of,
    name_of,
)
from contract_scan.parsers.source.typescript.web.response_chains import ResponseChains
from contract_scan.parsers.source.typescript.web.response_envelopes import Envelope
from contract_scan.parsers.source.typescript.web.response_heads import (
    JSON,
    SETTERS,
    Condition,
    Head,
    StatusSet,
    condition_of,
)

Heads: TypeAlias = tuple[Head, ...]
NOTHING_SET: Heads = (Head(),)
MAX_FOLLOWED = 4
"""How many calls deep a response object is followed into helpers."""
MAX_HEADS = 32
"""How many ways are told apart."""
_SHORT_CIRCUITS = frozenset({"&&", "||", "??"})


class Held(Struct, frozen=True):
    """The names in a function of what is followed."""

    response: frozenset[str]
    following: frozenset[str] = frozenset()
    """What calls the handlers behind: `next`."""
    errors: frozenset[str] = frozenset()
    """Caught errors, and what is read of them."""
    holders: tuple[tuple[str, ObjectLiteral], ...] = ()
    """Names of objects that the response stands in: `const context = { req, res }`."""

    def literal(self, expr: Expr) -> Expr:
        """The object that a name stands for, if the response stands in it; else what is given."""
        return dict(self.holders).get(name_of(expr), expr) if self.holders else expr

    def without(self, params: tuple[Param, ...]) -> Held:
        """Inside a function with these parameters, which may bear the same names."""
        taken = {parameter.name for parameter in params}
        left = (self.response - taken) or self.response
        holders = tuple(each for each in self.holders if each[0] not in taken)
        return Held(left, self.following - taken, self.errors - taken, holders)


ResponseMethods: TypeAlias = Mapping[str, tuple[FunctionValue, frozenset[str]]]
"""Methods that the project puts on responses, with the names that the response has in each."""
NO_METHODS: ResponseMethods = {}


class ResponseWalk:
    """Walks functions, and those that they give the response to, to what sends. With `main`, what
    that function returns is sent, in an `envelope` where there is one."""

    def __init__(
        self,
        program: Program,
        sending: ResponseChains,
        senders: tuple[ResponseFunction, ...] = (),
        main: FunctionValue | None = None,
        envelope: Envelope | None = None,
        methods: ResponseMethods = NO_METHODS,
    ) -> None:
        self._program = program
        self.sending = sending
        self._senders = {sender.name: sender for sender in senders}
        self._methods = methods
        self._open: set[tuple[str, Span]] = set()
        self._closures = _Closures()
        self._main = main
        self._envelope = envelope
        self._kinds: ErrorKinds | None = None
        self._ended: Heads = ()
        """Heads with which the function returns that is followed."""
        self.handed_on: Heads = ()
        """Heads with which the handlers behind are called."""
        self.undetermined_at: Origin | None = None
        """The first place at which the response could not be followed."""

    @property
    def complete(self) -> bool:
        """Whether the response could be followed everywhere."""
        return self.undetermined_at is None

    def _note_undetermined(self, place: Origin) -> None:
        self.undetermined_at = self.undetermined_at or place

    def function(
        self, function: FunctionValue, scope: Scope, held: Held, before: Heads, depth: int = 0
    ) -> Heads:
        """The heads with which a function ends without having sent, entered with those `before`."""
        key = (scope.file.path, function.function.span)
        if key in self._open or not (held.response or function is self._main):
            if key in self._open:
                self._note_undetermined(Origin(*key))
            return before
        self._open.add(key)
        if self._kinds is None:
            self._kinds = self.sending.kinds = ErrorKinds(self._program, function)
        left = self._body(scope.statements or (), scope, held, before, depth)
        self._open.discard(key)
        return left

    def _body(
        self,
        statements: tuple[Statement, ...],
        scope: Scope,
        held: Held,
        before: Heads,
        depth: int,
    ) -> Heads:
        around, self._ended = self._ended, ()
        going = self._statements(statements, scope, held, before, depth)
        if self._main is not None and scope.function is self._main.function:
            self._note_nothing(scope, self._main.function.span, going)
        left = self._either(self._ended, going)
        self._ended = around
        return left

    def _either(self, *groups: Heads) -> Heads:
        """The heads of several ways that meet."""
        found = tuple(dict.fromkeys(head for heads in groups for head in heads))
        if len(found) > 1 and len({(one.status, one.content_type) for one in found}) == 1:
            of_one_kind = all(one.of_one_kind for one in found)
            return (replace(found[0], tests=(), of_one_kind=of_one_kind),)
        set_at = next((head.status for head in found if head.status is not None), None)
        if len(found) > MAX_HEADS and set_at is not None:
            self._note_undetermined(self._program.origin(set_at.expr, set_at.scope))
        return found[:MAX_HEADS]

    # ------------------------------------------------------------------ statements

    def _statements(
        self,
        nodes: tuple[Statement, ...],
        scope: Scope,
        held: Held,
        heads: Heads,
        depth: int,
        passed: list[Head] | None = None,
    ) -> Heads:
        """The heads at the end of statements; `passed` gathers those in between."""
        for node in nodes:
            if passed is not None:
                passed.extend(heads)
            match node:
                case Branch():
                    heads = self._branch(node, scope, held, heads, depth)
                case Loop(body=body):
                    heads = self._either(heads, self._statements(body, scope, held, heads, depth))
                case Define(declaration=Function() as declared):
                    if not self._closures.is_called(declared.name, scope):
                        # Else it is read where it is called, with what it is given.
                        inner = self._program.function_scope(declared, scope)
                        self._body(declared.body or (), inner, held, heads or NOTHING_SET, depth)
                case Assign(
                    target=Attribute(value=Name(id=id), name="statusCode"), value=value
                ) if id in held.response and value is not None:
                    status = StatusSet(value, scope, held.errors)
                    heads = tuple(replace(head, status=status) for head in heads)
                case Assign(target=Name(id=id), value=Lambda()) if self._closures.is_called(
                    id, scope
                ):
                    continue
                case Return(value=value):
                    if value is not None:
                        heads = self._expression(value, scope, held, heads, depth)
                    if self._main is not None and scope.function is self._main.function:
                        self._return(node, scope, held, heads)
                    self._ended = self._either(self._ended, heads)
                    heads = ()
                case Throw():
                    heads = ()
                case _:
                    value = getattr(node, "value", None)
                    if value is not None:
                        heads = self._expression(value, scope, held, heads, depth)
                    if isinstance(node, Assign):
                        held = replace(held, errors=names_after(node, held.errors))
                    if isinstance(node, Assign) and isinstance(node.target, Name):
                        heads = _without_tests_of(node.target.id, heads)
                        if _gives_response(value, held):
                            held = replace(held, response=held.response | {node.target.id})
                        made = without_casts(value) if value is not None else None
                        if isinstance(made, ObjectLiteral) and _keys_with(made, held.response):
                            held = replace(held, holders=(*held.holders, (node.target.id, made)))
        return heads

    def _branch(self, branch: Branch, scope: Scope, held: Held, heads: Heads, depth: int) -> Heads:
        if branch.condition is not None:
            heads = self._expression(branch.condition, scope, held, heads, depth)
        if branch.kind == "try":
            passed: list[Head] = []
            tried = self._statements(branch.blocks[0], scope, held, heads, depth, passed)
            caught = self._either(heads, tuple(passed))
            ends = [self._statements(b, scope, held, caught, depth) for b in branch.blocks[1:]]
            return self._either(tried, *ends)
        blocks = branch.blocks if branch.exhaustive else (*branch.blocks, ())
        of_blocks = self._of_one_kind(branch, held, scope)
        outcome = null_test_outcome(branch, ConditionContext(self._program, scope))
        ends = []
        for position, block in enumerate(blocks):
            if outcome is not None and outcome != (position == 0):
                continue
            before = heads
            if of_blocks[position : position + 1] == (True,):
                before = tuple(replace(head, of_one_kind=True) for head in heads)
            is_if = branch.kind == "if" and len(blocks) == 2
            test = _test(self._program, branch.condition) if is_if else None
            if test is not None:
                condition, holds = test[0], test[1] == (position == 0)
                before = tuple(
                    replace(head, tests=(*head.tests, (condition, holds)))
                    for head in before
                    if (condition, not holds) not in head.tests
                )
            ends.append(self._statements(block, scope, held, before, depth))
        return self._either(*ends)

    def _of_one_kind(self, branch: Branch, held: Held, scope: Scope) -> tuple[bool, ...]:
        """Whether each block runs for one kind of caught error alone, that nothing throws."""
        if self._kinds is None or not held.errors:
            return ()
        if branch.kind == "switch":
            return self._kinds.of_cases(branch, held.errors, scope)
        return self._kinds.of_test(branch.condition, held.errors, scope)

    def _return(self, node: Return, scope: Scope, held: Held, heads: Heads) -> None:
        """`return value` of a handler whose result is sent."""
        value = node.value
        if value is None or self._main is None:
            self._note_nothing(scope, node.span, heads)
            return
        if isinstance(value, Name) and value.id in (*held.response, "undefined"):
            return
        if isinstance(value, Call) and chain_of(value, held.response) is not None:
            return
        declared = self._main.function.returns
        typed = None if declared is None else self._program.schema(declared, self._main.scope)
        origin = Origin(scope.file.path, value.span)
        for head in _distinct(heads):
            each = self.sending.alternatives(value, scope, head)
            for place, sent in each:
                schema = self._program.infer(value, place)
                is_told = len(each) > 1 and not self._program.types.is_unknown(schema)
                if typed is not None and not is_told and not self._program.types.is_unknown(typed):
                    schema = self._declared_schema(typed, schema, sent)
                missing = self._envelope is None and self.sending.may_be_nothing(value, place)
                if self._envelope is not None:
                    schema = self._envelope.sent_schema(schema, origin)
                body = Body(
                    schema=schema,
                    content_type=sent.content_type or JSON,
                    may_be_missing=missing,
                    origin=origin,
                )
                self.sending.note(sent.status, body, place, value, of_one_kind=sent.of_one_kind)

    def _declared_schema(self, declared: Schema, seen: Schema, head: Head) -> Schema:
        """What a handler declares that it returns. Of several types, what is seen at a place tells
        which it is; which goes with which of several statuses is undetermined."""
        types, status = self._program.types, head.status
        if not isinstance(types.flat(declared), Union):
            return declared
        found = statuses.find_statuses(self._program, status.expr, status.scope) if status else ()
        if found is None or len(found) > 1:
            return UNPAIRED
        return declared if types.is_unknown(seen) else seen

    def _note_nothing(self, scope: Scope, place: Span, heads: Heads) -> None:
        """A way through a handler that returns nothing, which only an envelope sends."""
        if self._envelope is None:
            return
        origin = Origin(scope.file.path, place)
        for head in _distinct(heads):
            body = Body(schema=self._envelope.sent_schema(None, origin), origin=origin)
            self.sending.note(head.status, body, scope, Name(id="undefined", span=place))

    # ------------------------------------------------------------------ expressions

    def _expression(self, expr: Expr, scope: Scope, held: Held, heads: Heads, depth: int) -> Heads:
        """Read the response chains of an expression; the heads of ways that have not sent."""
        match expr:
            case Choice(options=options, given=given):
                for test in given:
                    heads = self._expression(test, scope, held, heads, depth)
                ends = [self._expression(one, scope, held, heads, depth) for one in options]
                return self._either(*ends)
            case OperationExpr(operator=operator, operands=(first, *others)) if (
                operator in _SHORT_CIRCUITS
            ):
                heads = self._expression(first, scope, held, heads, depth)
                ends = [self._expression(one, scope, held, heads, depth) for one in others]
                return self._either(heads, *ends)
            case _:
                return self._calls(expr, scope, held, heads, depth)

    def _calls(self, expr: Expr, scope: Scope, held: Held, heads: Heads, depth: int) -> Heads:
        """The calls of an expression; functions inside it are read as statements of their own."""
        before = heads
        inner_links: set[int] = set()
        bound: dict[int, dict[str, Value]] = {}
        functions: list[Lambda] = []
        piped: set[int] = set()
        for node in nested_nodes(expr):
            if isinstance(node, Lambda):
                functions.append(node)
            if not isinstance(node, Call):
                continue
            given = self._callback_bindings(node, scope)
            bound.update((id(argument.value), given) for argument in node.args)
            if id(node) in inner_links:
                continue
            chain = chain_of(node, held.response)
            if chain is None:
                piped.update(id(a.value) for a in node.args if _method(node) == "pipe")
                heads = self._call(node, scope, held, heads, depth)
                continue
            inner_links.update(map(id, chain[:-1]))
            position = next((i for i, c in enumerate(chain) if _method(c) in self._methods), -1)
            if position >= 0:
                heads = self._chain(chain[:position], scope, held, heads)
                heads = self._own_method(chain[position], scope, heads, depth)
            else:
                heads = self._chain(chain, scope, held, heads)
            if id(node) in piped:  # `stream.pipe(res.writeHead(200))`
                for head in heads:
                    self.sending.note_piped(head, scope, node)
                heads = ()
        for function in functions:
            params = function.function.params
            values = bound.get(id(function), {}).values()
            bindings = {p.name: v for p, v in zip(params, values, strict=False)}
            inner = self._program.function_scope(function.function, scope, bindings)
            own = held.without(params)
            caught = declared_errors(params) | frozenset(
                name
                for name, value in bindings.items()
                if isinstance(value, LibrarySymbol) and value.name == CAUGHT
            )
            own = replace(own, errors=own.errors | caught)
            left = self._body(inner.statements or (), inner, own, before or NOTHING_SET, depth)
            before = self._either(before, left)
            heads = self._either(heads, left)
        return heads

    def _chain(self, chain: list[Call], scope: Scope, held: Held, heads: Heads) -> Heads:
        """The heads after calls on the response; none of ways on which they send."""
        distinct = _distinct(heads)
        after = {
            _without_tests(head): self.sending.by_chain(chain, scope, head, held.errors)
            for head in distinct
        }
        left = ((head, after[_without_tests(head)]) for head in heads)
        return self._either(
            tuple(replace(one, tests=head.tests) for head, one in left if one is not None)
        )

    def _own_method(self, call: Call, scope: Scope, heads: Heads, depth: int) -> Heads:
        """The heads after a method that the project has put on the response."""
        function, names = self._methods[_method(call)]
        if depth >= MAX_FOLLOWED:
            self._note_undetermined(self._program.origin(call, scope))
            return heads
        bindings = self._program.evaluator.arguments_with_defaults(function, call, scope)
        inner = scope_of(self._program, function, bindings)
        inner = replace(inner, depth=scope.depth + 1)
        inner = self._program.evaluator.as_called(inner, function, call, scope)
        return self.function(function, inner, Held(names), heads, depth + 1)

    def _callback_bindings(self, call: Call, scope: Scope) -> dict[str, Value]:
        """The arguments that `promise.then(value => …)` and `promise.catch(error => …)` pass to
        their functions."""
        callee = call.callee
        if isinstance(callee, Attribute) and callee.name == "catch":
            return {"": LibrarySymbol(CAUGHT)}
        if isinstance(callee, Attribute) and callee.name == "then":
            value = self._program.evaluate(callee.value, scope)
            return {"": self._program.evaluator.unwrap(value)}
        return {}

    # ------------------------------------------------------------------ calls

    def _call(self, call: Call, scope: Scope, held: Held, heads: Heads, depth: int) -> Heads:
        """The heads after a call that is not one on the response: a function of the project that
        is given the response is followed."""
        if isinstance(call.callee, Name) and call.callee.id in held.following:
            if not call.args:
                self.handed_on = self._either(self.handed_on, heads)
            return ()
        positions = _positions(call, held.response)
        in_objects = [_keys_with(held.literal(a.value), held.response) for a in call.args]
        if not positions and not any(in_objects):
            if _positions(call, held.following):
                self.handed_on = self._either(self.handed_on, heads)
            closure = self._closure(call, scope, held)
            if closure is None:
                return heads
            if depth >= MAX_FOLLOWED:
                self._note_undetermined(self._program.origin(call, scope))
                return heads
            bindings = self._program.evaluator.arguments_with_defaults(closure, call, scope)
            inner = scope_of(self._program, closure, bindings)
            inner = replace(inner, depth=scope.depth + 1)
            inner = self._program.evaluator.as_called(inner, closure, call, scope)
            return self.function(closure, inner, held, heads, depth + 1)
        callee = self._program.evaluate(call.callee, scope)
        sender = self._senders.get(self._program.evaluator.qualified_name(callee))
        if sender is not None and positions[:1] == [0]:
            self.sending.by_function(call, sender, scope)
            return ()
        if (
            not isinstance(callee, FunctionValue)
            or "abstract" in callee.function.modifiers
            or depth >= MAX_FOLLOWED
        ):
            self._note_undetermined(self._program.origin(call, scope))
            if _positions(call, held.following):
                self.handed_on = self._either(self.handed_on, heads)
            return heads
        bindings = self._program.evaluator.arguments_with_defaults(callee, call, scope)
        inner = scope_of(self._program, callee, bindings)
        types = self._program.evaluator.inferred_types(callee, call, scope, {})
        inner = replace(inner, depth=scope.depth + 1, types={**inner.types, **types})
        inner = self._program.evaluator.as_called(inner, callee, call, scope)
        params = callee.function.params
        given = Held(
            _names_received(call, params, held.response, held),
            _names_received(call, params, held.following, held),
            _names_received(call, params, held.errors, held) | declared_errors(params),
        )
        if self._kinds is not None and held.errors:
            self._kinds.enter(inner, params, call, held.errors, scope)
        return self.function(callee, inner, given, heads, depth + 1)

    def _closure(self, call: Call, scope: Scope, held: Held) -> FunctionValue | None:
        """`send(200, x)`: a function inside the handler, which sees the response by itself."""
        if not isinstance(call.callee, Name) or not self._closures.is_called_around(
            call.callee.id, scope
        ):
            return None
        callee = self._program.evaluate(call.callee, scope)
        if not isinstance(callee, FunctionValue) or callee.scope.function is None:
            return None
        shadowed = {parameter.name for parameter in callee.function.params}
        return None if held.response & shadowed else callee


def _distinct(heads: Heads) -> Heads:
    """One head for each status and content type."""
    found = {_without_tests(head): head for head in reversed(heads)}
    return tuple(reversed(found.values()))


def _without_tests(head: Head) -> tuple[object, ...]:
    return (head.status, head.content_type, head.of_one_kind)


def _gives_response(value: Expr | None, held: Held) -> bool:
    """Whether an assigned value is the response: its name, or a chain of calls that set something
    and give it back (`const r = res.status(201)`)."""
    if name_of(value) in held.response:
        return True
    chain = chain_of(value, held.response) if isinstance(value, Call) else None
    return chain is not None and all(
        isinstance(call.callee, Attribute) and call.callee.name in SETTERS for call in chain
    )


def _test(program: Program, condition: Expr | None) -> tuple[Condition, bool] | None:
    """What a condition asks, apart from where it stands, and whether it asks that it holds."""
    holds = True
    while isinstance(condition, OperationExpr) and condition.operator == "!":
        condition, holds = condition.operands[0], not holds
    return None if condition is None else (condition_of(program, syntax_key(condition)), holds)


def _without_tests_of(name: str, heads: Heads) -> Heads:
    """Heads after a variable has got another value."""
    return tuple(
        replace(head, tests=tuple(test for test in head.tests if name not in test[0].words))
        if any(name in condition.words for condition, _ in head.tests)
        else head
        for head in heads
    )


def _positions(call: Call, names: frozenset[str]) -> list[int]:
    """The positions of arguments that are one of the names."""
    return [
        position for position, argument in enumerate(call.args) if name_of(argument.value) in names
    ]


def _names_received(
    call: Call, params: tuple[Param, ...], names: frozenset[str], held: Held
) -> frozenset[str]:
    """The names that a function gives what the caller has under these names."""
    found = {params[p].name for p in _positions(call, names) if p < len(params)}
    for parameter, argument in zip(params, call.args, strict=False):
        found |= _taken_out(parameter, _keys_with(held.literal(argument.value), names))
    return frozenset(found - {""})


def _keys_with(expr: Expr, names: frozenset[str]) -> frozenset[str]:
    """The keys under which an object literal holds one of the names: `send({ res, data })`."""
    entries = expr.entries if isinstance(expr, ObjectLiteral) else ()
    return frozenset(e.key for e in entries if e.key and name_of(e.value) in names)


def _taken_out(parameter: Param, keys: frozenset[str]) -> frozenset[str]:
    """The names that a parameter's pattern gives what stands under the keys."""
    pattern = parameter.pattern
    entries = pattern.entries if isinstance(pattern, ObjectLiteral) else ()
    return frozenset(e.value.id for e in entries if e.key in keys and isinstance(e.value, Name))


def _method(call: Call) -> str:
    return call.callee.name if isinstance(call.callee, Attribute) else ""


class _Closures:
    """Remembers for each function which of the functions in it it calls."""

    def __init__(self) -> None:
        self._called: dict[int, tuple[Function, frozenset[str]]] = {}
        """By the identity of the function, which is kept so that it stays its own."""

    def is_called(self, name: str, scope: Scope) -> bool:
        """Whether the function of a scope defines a function of that name and calls it."""
        if not name or scope.function is None:
            return False
        key = id(scope.function)
        if key not in self._called:
            self._called[key] = (scope.function, _own_calls(scope.statements or ()))
        return name in self._called[key][1]

    def is_called_around(self, name: str, scope: Scope) -> bool:
        """Whether any function around a place calls the name itself."""
        current: Scope | None = scope
        while current is not None:
            if self.is_called(name, current):
                return True
            current = current.parent
        return False


def _own_calls(statements: tuple[Statement, ...]) -> frozenset[str]:
    """Names of functions that are defined in some statements, and called there."""
    defined: set[str] = set()
    called: set[str] = set()
    pending: list[object] = [statements]
    while pending:
        for node in nested_nodes(pending.pop()):
            match node:
                case Define(declaration=Function() as declared):
                    defined.add(declared.name)
                    pending.append(declared.body or ())
                case Assign(target=Name(id=id), value=Lambda()):
                    defined.add(id)
                case Call(callee=Name(id=id)):
                    called.add(id)
                case Lambda():
                    pending.append(node.function.body or ())
                case _:
                    pass
    return frozenset(defined & called)
