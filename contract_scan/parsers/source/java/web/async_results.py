"""What a result comes to hold that is handed out before it is there, or given to a function that is
called back.

DeferredResult<ResponseEntity<Order>> result = new DeferredResult<>();
executor.submit(() -> result.setResult(ResponseEntity.status(201).body(order)));
return result;

void load(String id, Handler<AsyncResult<Order>> handler) {
  handler.handle(Future.succeededFuture(new Order(id)));
}
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ByType,
    FunctionValue,
    Instance,
    LibraryResult,
    Scope,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    NamedType,
    New,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.chains import function_called

_RESULTS = frozenset({"DeferredResult", "CompletableFuture", "SettableFuture"})
_SETTERS = frozenset({"setResult", "complete", "tryComplete", "set", "resume"})
_GIVING = frozenset(
    {
        *("thenAccept", "thenAcceptAsync", "subscribe", "with", "ifPresent"),
        *("whenComplete", "whenCompleteAsync", "handle", "handleAsync"),
        *("thenApply", "thenApplyAsync", "thenCompose", "thenComposeAsync", "doOnNext"),
        *("onSuccess", "onComplete", "compose"),
    }
)
"""Methods that hand a function what their receiver comes to hold."""
_WITH_FAILURE = frozenset({"subscribe", "with"})
"""Those whose second function is called with what went wrong."""
_FAILING = frozenset({"exceptionally", "exceptionallyAsync", "onFailure", "doOnError"})
"""Methods that hand a function what went wrong."""
_CALLBACKS = {"Handler": "handle", "Consumer": "accept"}
"""Interfaces of libraries for functions that are given one value, with their methods."""
_PROMISE = "Promise.promise"
_FAILURE = ".failedFuture"
_MAX_LINKS = 20
"""How many calls of a chain are looked at."""
_MAX_DEPTH = 5
"""How many of them stand in each other."""


_Calls: TypeAlias = tuple[tuple[str, Span], ...]
"""Calls through which a result was handed on, each by file and place."""
_Place: TypeAlias = _Calls
"""A place, behind the calls that led to it."""


class AsyncResultValues(Struct, frozen=True):
    """The values that statements give a result."""

    values: tuple[Value, ...]
    whole: bool
    """Whether these are all: nobody is handed the result who cannot be followed."""


def settled_result(program: Program, returned: Expr, scope: Scope) -> AsyncResultValues | None:
    """The values that complete the asynchronous result which a handler returns; None where it
    returns none that it creates itself."""
    if not isinstance(returned, Name):
        return None
    statements = scope.statements or ()
    made = [
        d.statement
        for d in reaching_definitions.reaching_definitions(statements, returned.id, returned.span)
    ]
    if not made or not all(isinstance(s, Assign) and _is_result(s.value) for s in made):
        return None
    return _collect_completions(program, returned.id, statements, scope)


def settled_later(program: Program, handler: FunctionValue, name: str) -> AsyncResultValues:
    """What a handler gives the result that it is handed as a parameter: `later.resume(order)`."""
    function, file = handler.function, handler.scope.file
    inside = program.function_scope(function, handler.scope)
    return _collect_completions(program, name, program.body(function, file), inside)


def settled_promise(program: Program, value: Value) -> AsyncResultValues | None:
    """The values that complete the promise whose future a value is, where a variable of the same
    function holds it: `promise.complete(order); return promise.future();`. None for others."""
    if not isinstance(value, LibraryResult) or not isinstance(value.receiver, LibraryResult):
        return None
    match value.site:
        case Call(callee=Attribute(value=Name(id=id), name="future"), args=()):
            pass
        case _:
            return None
    statements = value.scope.statements or ()
    is_local = any(
        isinstance(s, Assign) and isinstance(s.target, Name) and s.target.id == id
        for s in statements
    )
    if not value.receiver.name.endswith(_PROMISE) or not is_local:
        return None
    return _collect_completions(program, id, statements, value.scope)


def value_later(program: Program, expr: Expr, scope: Scope) -> Value:
    """What an expression holds once it is there: the value of a future, of a promise by what
    completes it or by the declared type of the function that gives it."""
    value = program.evaluator.unwrap(program.evaluate(expr, scope))
    settled = settled_promise(program, value)
    if settled is None:
        return value
    if settled.whole:
        return union_of(settled.values)
    function = function_called(program, expr, scope) if isinstance(expr, Call) else None
    if function is None or function.function.returns is None:
        return value
    return program.evaluator.unwrap(ByType(function.function.returns, function.scope))


def callback_arguments(
    program: Program, call: Call, position: int, scope: Scope, calls: _Calls = ()
) -> dict[str, Value]:
    """What a lambda at a position of the arguments of a call is given, by its parameter: what the
    function of the project calls it with, or what that declares. `calls` led to this one."""
    lambda_ = call.args[position].value
    params = lambda_.function.params if isinstance(lambda_, Lambda) else ()
    if len(params) != 1 or params[0].type is not None or len(calls) >= _MAX_DEPTH:
        return {}
    function = function_called(program, call, scope)
    if function is None or position >= len(function.function.params):
        return {}
    declared = function.function.params[position].type
    if not isinstance(declared, NamedType):
        return {}
    name, given = _callback_method(program, declared, function.scope)
    if not name:
        return {}
    gathering = _Gathering(program, frozenset({name}))
    gathering.follow(call, [position], scope, calls)
    values = tuple(value for value in gathering.values.values() if not _is_failure(value))
    if values and not gathering.handed_over:
        return {params[0].name: union_of(values)}
    return {} if given is None else {params[0].name: program.evaluator.unwrap(given)}


def _callback_method(program: Program, type: NamedType, scope: Scope) -> tuple[str, Value | None]:
    """The method of a functional interface that is given one value, with the type of that; empty
    where it is no such interface."""
    own = program.names.declared_class(type, scope)
    if own is None:
        given = ByType(type.args[0], scope) if len(type.args) == 1 else None
        return _CALLBACKS.get(type_name(type), ""), given
    abstract = [method for method in own.decl.methods if "abstract" in method.modifiers]
    if own.decl.kind != "interface" or len(abstract) != 1 or len(abstract[0].params) != 1:
        return "", None
    param = abstract[0].params[0]
    is_plain = param.type is not None and not own.decl.type_params
    given = ByType(param.type, program.class_scope(own)) if is_plain and param.type else None
    return abstract[0].name, given


def _is_failure(value: Value) -> bool:
    """Whether a result says that something went wrong: nothing asks it for its value."""
    return isinstance(value, LibraryResult) and value.name.endswith(_FAILURE)


def _collect_completions(
    program: Program, result: str, statements: tuple[Statement, ...], scope: Scope
) -> AsyncResultValues:
    gathering = _Gathering(program)
    gathering.statements(result, statements, scope, ())
    values = gathering.values
    return AsyncResultValues(tuple(values.values()), bool(values) and not gathering.handed_over)


class _Gathering:
    """Finds what is given a result, also by functions of the project that are handed it."""

    def __init__(self, program: Program, setters: frozenset[str] = _SETTERS) -> None:
        self._program = program
        self._setters = setters
        self.values: dict[_Place, Value] = {}
        """By the place of the call, and the calls that led there."""
        self.handed_over = False
        """Whether anybody is handed the result who cannot be followed."""
        self._followed: set[_Place] = set()

    def statements(
        self, result: str, statements: tuple[Statement, ...], scope: Scope, calls: _Calls
    ) -> None:
        """Gather what statements give the result that a variable holds."""
        for call, place in calls_in(self._program, statements, scope):
            at = (*calls, (place.file.path, call.span))
            match call:
                case Call(callee=Attribute(value=Name(id=id), name=name)) if id == result:
                    if name in self._setters and call.args and at not in self.values:
                        value = self._program.evaluate(call.args[0].value, place)
                        self.values[at] = value
                case Call(callee=Attribute(value=giver, name=name)) if name in _GIVING | _FAILING:
                    self._given_to_functions(result, call, giver, name, place, calls)
                case Call():
                    self._given_to_callbacks(result, call, place, at)
                case _:
                    pass
            self._handed_on(result, call, place, calls)

    def _given_to_functions(
        self, result: str, call: Call, giver: Expr, name: str, scope: Scope, calls: _Calls
    ) -> None:
        """Functions that are called once a value, or what went wrong, is there."""
        for position, argument in enumerate(call.args):
            fails = name in _FAILING or (position > 0 and name in _WITH_FAILURE)
            if self._is_setter(argument.value, result):
                at = (*calls, (scope.file.path, call.span))
                held = _problem(scope) if fails else _result_value(self._program, giver, scope)
                self.values[at] = held
            elif isinstance(argument.value, Lambda) and len(calls) < _MAX_DEPTH:
                function = argument.value.function
                given = _callback_arguments(self._program, function, giver, scope, fails=fails)
                inside = self._program.function_scope(function, scope, given)
                self.statements(result, function.body or (), inside, calls)

    def _is_setter(self, expr: Expr, result: str) -> bool:
        """Whether a method reference settles a result: `later::resume`."""
        return (
            isinstance(expr, Attribute)
            and expr.name in self._setters
            and isinstance(expr.value, Name)
            and expr.value.id == result
        )

    def _given_to_callbacks(self, result: str, call: Call, scope: Scope, at: _Calls) -> None:
        """Functions that a function of the project calls back with a value."""
        for position, argument in enumerate(call.args):
            match argument.value:
                case Lambda(function=function) as lambda_ if _names(lambda_, result):
                    given = callback_arguments(self._program, call, position, scope, at)
                    if given:
                        inside = self._program.function_scope(function, scope, given)
                        self.statements(result, function.body or (), inside, at[:-1])
                case _:
                    pass

    def _handed_on(self, result: str, call: Call | New, scope: Scope, calls: _Calls) -> None:
        """A call that is handed the result: what the function gives it counts."""
        positions = [
            position
            for position, argument in enumerate(call.args)
            if isinstance(argument.value, Name) and argument.value.id == result
        ]
        self.follow(call, positions, scope, calls)

    def follow(self, call: Call | New, positions: list[int], scope: Scope, calls: _Calls) -> None:
        """Gather what the function that a call runs gives the result at positions of its
        arguments."""
        at = (*calls, (scope.file.path, call.span))
        if not positions or at in self._followed:
            return
        self._followed.add(at)
        function = function_called(self._program, call, scope) if isinstance(call, Call) else None
        if function is not None and "abstract" in function.function.modifiers:
            function = self._program.evaluator.only_implementation(function)
        params = function.function.params if function is not None else ()
        if function is None or positions[-1] >= len(params) or len(calls) >= _MAX_DEPTH:
            self.handed_over = True
            return
        assert isinstance(call, Call)
        names = {params[position].name for position in positions}
        bound = {
            param.name: self._program.evaluate(argument.value, scope)
            for param, argument in zip(params, call.args, strict=False)
            if param.name not in names
        }
        fields = _fields_set_before(self._program, call, scope)
        if any(isinstance(value, FunctionValue) for value in fields.values()):
            self.handed_over = True  # a status that a function gives, later
            return
        bound = {**fields, **bound}
        inside = self._program.function_scope(function.function, function.scope, bound)
        types = self._program.evaluator.inferred_types(function, call, scope, {})
        inside = replace(inside, types={**inside.types, **types})
        body = self._program.body(function.function, function.scope.file)
        for name in sorted(names):
            self.statements(name, body, inside, at)


def _fields_set_before(program: Program, call: Call, scope: Scope) -> dict[str, Value]:
    """What the fields hold of an object that is put together where its method is called:
    `Answer.from(Response.ok()).entity(order).sendTo(later)`."""
    found: dict[str, Value] = {}
    receiver: Expr = call.callee.value if isinstance(call.callee, Attribute) else call.callee
    for _ in range(_MAX_LINKS):
        if not isinstance(receiver, Call):
            break
        function = function_called(program, receiver, scope)
        if function is None:
            break
        given = program.evaluator.arguments(function.function.params, receiver, scope)
        inside = program.function_scope(function.function, function.scope, given)
        for name, value in _fields_set_by(program, function, inside).items():
            found.setdefault(name, value)  # the last call of a chain stands first
        receiver = receiver.callee.value if isinstance(receiver.callee, Attribute) else receiver
    return found


def _fields_set_by(program: Program, function: FunctionValue, inside: Scope) -> dict[str, Value]:
    """The fields that a method sets on its object, or on the one that it makes and returns."""
    found: dict[str, Value] = {}
    for statement in inside.statements or ():
        match statement:
            case Assign(target=target, value=value) if value is not None:
                name = _own_field(target, function)
                if name:
                    found[name] = program.evaluate(value, inside)
            case Return(value=New() as made):
                instance = program.evaluate(made, inside)
                if isinstance(instance, Instance):
                    found.update(_fields_of_made(program, instance, made, inside))
            case _:
                pass
    return found


def _fields_of_made(program: Program, value: Instance, made: New, scope: Scope) -> dict[str, Value]:
    """The fields that the constructor of an object sets to what it is given, or to a copy of it."""
    makers = [m for m in value.symbol.decl.methods if "constructor" in m.modifiers]
    if len(makers) != 1:
        return {}
    outside = program.class_scope(value.symbol)
    maker = FunctionValue(makers[0], outside, value.symbol)
    given = program.evaluator.arguments(
        makers[0].params, Call(callee=Name(id=makers[0].name), args=made.args), scope
    )
    found: dict[str, Value] = {}
    for statement in program.body(makers[0], value.symbol.file):
        if isinstance(statement, Assign) and statement.value is not None:
            name = _own_field(statement.target, maker)
            held = statement.value
            if isinstance(held, Call) and isinstance(held.callee, Attribute):
                held = held.callee.value if held.callee.name == "clone" else held
            if name and isinstance(held, Name) and held.id in given:
                found[name] = given[held.id]
    return found


def _own_field(target: Expr, function: FunctionValue) -> str:
    """The field of its object that a method sets; empty for anything else."""
    match target:
        case Attribute(value=Name(id="this"), name=name):
            return name
        case Name(id=id) if function.owner is not None:
            is_field = any(member.name == id for member in function.owner.decl.members)
            return id if is_field else ""
        case _:
            return ""


def _callback_arguments(
    program: Program, function: Function, giver: Expr, scope: Scope, *, fails: bool
) -> dict[str, Value]:
    """What a function is called with once its result is there: the result, and what went wrong."""
    names = [param.name for param in function.params if param.type is None]
    values: tuple[Value, ...] = (_problem(scope),)
    if not fails:
        values = (_result_value(program, giver, scope), *values)
    return dict(zip(names, values, strict=False))


def _problem(scope: Scope) -> Value:
    return ByType(NamedType(name="Throwable"), scope)


def _result_value(program: Program, giver: Expr, scope: Scope) -> Value:
    return value_later(program, giver, scope)


def _names(lambda_: Lambda, name: str) -> bool:
    return any(
        isinstance(node, Name) and node.id == name for node in nodes_of(lambda_.function.body or ())
    )


def _is_result(value: Expr | None) -> bool:
    return isinstance(value, New) and type_name(value.type) in _RESULTS and not value.members
