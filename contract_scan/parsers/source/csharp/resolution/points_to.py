"""Which objects and constants an expression may give: a points-to analysis on demand.

`Result.Failure<Todo>(TodoErrors.NotFound(id))` is followed to the constructions that it stands for,
through locals, parameters, calls, interfaces, mediators and conversions, and `result.Error.Type` to
what the constructor of each was given. How a place is reached counts: behind
`if (result.IsSuccess) return …` only the results are left that failed. Whatever is not followed is
`Opaque`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.path_facts import EnumConstant
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    LibrarySymbol,
    Scope,
)
from contract_scan.parsers.source.csharp.lowering.expressions import AWAIT, NOT_NULL
from contract_scan.parsers.source.csharp.resolution.abstract_objects import (
    FREE,
    OPAQUE,
    Assigned,
    Constructed,
    Given,
    Object,
    Opaque,
    Place,
    Plain,
    distinct,
    members_assigned_since,
    with_assigned,
    without_null,
)
from contract_scan.parsers.source.csharp.resolution.constructed_members import (
    Construction,
    constructions,
    default_value,
    initial_value,
    meant_constructor,
)
from contract_scan.parsers.source.csharp.resolution.conversions import (
    awaited_type,
    class_of_value,
    implicit_operators,
    meant_operator,
)
from contract_scan.parsers.source.csharp.resolution.dispatch import Dispatch, dispatch_of
from contract_scan.parsers.source.csharp.resolution.named_constants import NamedConstants
from contract_scan.parsers.source.csharp.resolution.object_tests import (
    Reached,
    ReachedReturns,
    TestedObjects,
)
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Cast,
    Choice,
    Expr,
    Function,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    OperationExpr,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MOST_STEPS = 4_000
"""How many expressions are looked at for one question; in real services hardly 2,000 are."""
_DEEPEST = 50
_MOST_CALLS_OF_ITSELF = 2
"""How often a function is followed into itself: overloads that call each other are all tried where
the type of an argument is not known."""
_PASSING = frozenset({"ConfigureAwait", "AsTask", "FromResult", "WaitAsync"})
_TASKS = frozenset({"Task", "ValueTask"})

T = TypeVar("T")


@memoised
def points_to(program: Program) -> PointsTo:
    """The analysis of a program."""
    return PointsTo(program)


class PointsTo:
    """Follows expressions to the objects and constants that they may give."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._steps = 0
        self._depth = 0
        self._asking = False
        self._followed: list[int] = []
        """The functions whose results are being found out, by their identity."""
        self._open: set[tuple[int, int, frozenset[str]]] = set()
        self._named = NamedConstants(program, self._converted_objects)
        self._tests = TestedObjects(program, self._objects, self._variable)

    def objects(self, expr: Expr, place: Place) -> tuple[Object, ...]:
        """What an expression may give at a place; `Opaque` among it where something is not
        followed."""
        return self._objects(expr, place)

    def returns(self, place: Place) -> ReachedReturns:
        """The returns of a function that may be reached with what it is given."""
        return self._within_one_question(lambda: self._tests.returns(place))

    def options(self, choice: Choice, place: Place) -> Reached:
        """The options of a conditional expression that may be chosen, each with what variables hold
        where it is."""
        return self._within_one_question(lambda: self._tests.options(choice, place))

    def _within_one_question(self, ask: Callable[[], T]) -> T:
        """An answer for which no more expressions are looked at, in all, than for one question."""
        self._steps, self._asking = 0, True
        try:
            return ask()
        finally:
            self._asking = False

    def arguments(
        self, function: Function, within: Scope, args: tuple[Argument, ...], place: Place
    ) -> dict[int, Given]:
        """What a call at a place gives the parameters of a function that is declared in a scope."""
        by_name = {argument.name: argument.value for argument in args if argument.name}
        found: dict[int, Given] = {}
        for position, param in enumerate(function.params):
            value = by_name.get(param.name)
            if value is None and position < len(args) and not args[position].name:
                value = args[position].value
            if value is not None and not param.kind:
                found[id(param)] = Given(
                    partial(self._converted_objects, value, place, param.type, within)
                )
            elif param.default is not None and not param.kind:
                found[id(param)] = Given(partial(self._objects, param.default, place))
        return found

    # ------------------------------------------------------------------ expressions

    def _objects(self, expr: Expr, place: Place) -> tuple[Object, ...]:
        key = (id(expr), id(place.arguments), frozenset(place.chosen))
        self._steps = self._steps + 1 if self._depth or self._asking else 0
        if key in self._open:
            return ()  # what leads back to itself gives nothing else
        if self._depth >= _DEEPEST or self._steps > _MOST_STEPS:
            return OPAQUE
        self._depth += 1
        self._open.add(key)
        try:
            return distinct(self._objects_by_form(expr, place))
        finally:
            self._open.discard(key)
            self._depth -= 1

    def _objects_by_form(self, expr: Expr, place: Place) -> Iterable[Object]:
        match expr:
            case LiteralExpr(value=value):
                return (Plain(value),)
            case Call(callee=Name(id=id), args=(argument,)) if id in (AWAIT, NOT_NULL):
                found = self._objects(argument.value, place)
                return found if id == AWAIT else without_null(found)
            case Call(callee=Attribute(value=Name(id=holder), name="FromResult"), args=(only,)) if (
                holder in _TASKS
            ):
                return self._objects(only.value, place)
            case Call(callee=Attribute(value=value, name=name)) if name in _PASSING:
                return self._objects(value, place)
            case Cast(value=value):
                return self._objects(value, place)
            case Choice():
                return self._chosen(expr, place)
            case Name(id="this"):
                return OPAQUE if place.this is None else (place.this,)
            case Name():
                return self._of_name(expr, place)
            case Attribute():
                return self._of_attribute(expr, place)
            case Call():
                return self._of_call(expr, place)
            case New(type=NamedType() as type):
                symbol = self._program.names.declared_class(type, place.scope)
                if symbol is None:
                    return (Opaque(present=True),)
                return (Constructed(symbol, expr, place),)
            case OperationExpr(operator="with", operands=(copied, ObjectLiteral(entries=entries))):
                set_there = [Assigned(e.key or "", e.value, place, False) for e in entries]
                return with_assigned(self._objects(copied, place), set_there)
            case OperationExpr():
                held = self._tests.holds(expr, place)
                return OPAQUE if held is None else (Plain(held),)
            case _:
                return OPAQUE

    def _chosen(self, choice: Choice, place: Place) -> Iterator[Object]:
        if choice.fallback:
            for at, option in enumerate(choice.options):
                found = self._objects(option, place)
                if at == len(choice.options) - 1:
                    yield from found
                    return
                yield from without_null(found)
                if all(isinstance(o, Constructed) or getattr(o, "present", False) for o in found):
                    return
            return
        reached = self._tests.options(choice, place)
        if reached.is_open:
            yield Opaque()
        for option, inside in reached.options:
            yield from self._objects(option, inside)

    def _of_name(self, expr: Name, place: Place) -> Iterable[Object]:
        chosen = place.chosen.get(expr.id)
        if chosen is not None:
            return chosen
        found = self._variable(expr, place)
        if found is None:
            return self._own_member(expr, place)
        if len(found) > 1:
            return self._tests.objects_reaching(expr, found, place)
        return found

    def _variable(self, expr: Name, place: Place) -> tuple[Object, ...] | None:
        """What a local variable or a parameter may hold, however the place is reached; None where a
        name is neither."""
        scope: Scope | None = place.scope
        while scope is not None:
            inside = replace(place, scope=scope)
            definitions, is_open = self._tests.definitions(expr, inside)
            if definitions or is_open:
                found = [o for each in definitions for o in self._defined_objects(each, inside)]
                return distinct((*found, *OPAQUE) if is_open else found)
            for param in scope.function.params if scope.function is not None else ():
                if param.name == expr.id:
                    given = place.arguments.get(id(param))
                    return FREE if given is None else given.objects
            scope = scope.parent
        return None

    def _defined_objects(self, definition: Definition, place: Place) -> Iterable[Object]:
        statement = definition.statement
        if not isinstance(statement, Assign) or statement.value is None or statement.operator:
            return OPAQUE
        if not isinstance(statement.target, Name) or definition.target is not None:
            return OPAQUE
        assigned = members_assigned_since(definition, place)
        if assigned is None:
            return OPAQUE
        found = self._converted_objects(statement.value, place, statement.type, place.scope)
        found = with_assigned(found, assigned)
        return without_null(found) if definition.present else found

    def _own_member(self, expr: Name, place: Place) -> Iterable[Object]:
        if place.this is not None:
            found = self._member(place.this, expr.id)
            if found is not None:
                return found
        return self._named.objects(expr, place)

    def _of_attribute(self, expr: Attribute, place: Place) -> Iterable[Object]:
        static = self._named.objects(expr, place)
        if static != OPAQUE:
            return static
        if isinstance(expr.value, Name) and expr.value.id == "super":
            return OPAQUE
        return self._members(self._objects(expr.value, place), expr)

    def _members(self, holders: Iterable[Object], expr: Attribute) -> Iterator[Object]:
        for holder in holders:
            match holder:
                case Constructed():
                    found = self._member(holder, expr.name)
                    if found is None:
                        found = (holder,) if expr.name == "Result" else OPAQUE
                    yield from found
                case Plain(value=None):
                    if expr.optional:
                        yield holder
                case Plain(value=EnumConstant()) if expr.name == "Value":
                    yield holder  # of a value that may be null
                case Opaque(free=free):
                    yield Opaque(free=free)
                case _:
                    yield Opaque()

    # ------------------------------------------------------------------ members of objects

    def _member(self, made: Constructed, name: str) -> tuple[Object, ...] | None:
        """What a member of an object holds; None where its class has none of that name."""
        later: list[Object] = []
        for each in reversed(made.assigned):
            if each.member == name:
                later.extend(self._objects(each.value, each.place))
                if not each.conditional:
                    return distinct(later)
        if later:
            before = self._member(replace(made, assigned=()), name)
            return distinct((*later, *(before or OPAQUE)))
        for entry in made.site.entries:
            if entry.key == name:
                return self._objects(entry.value, made.place)
        chain = self._program.types.chain(made.symbol, self._program.class_scope(made.symbol))
        for owner, inside in chain:
            member = next((m for m in owner.decl.members if m.name == name), None)
            if member is None or "static" in member.modifiers:
                continue
            if member.kind == "getter":
                if member.value is None:
                    return OPAQUE
                return self._objects(member.value, Place(inside, this=made))
            if owner.decl.kind == "interface":
                continue
            return self._set_by_construction(made, name)
        return None

    def _set_by_construction(self, made: Constructed, name: str) -> tuple[Object, ...]:
        steps = self._constructions(made)
        initial = None if steps is None else initial_value(self._program, steps, name)
        if steps is None or initial is None:
            return OPAQUE
        if initial.value is None:
            return default_value(self._program, initial.member, initial.inside)
        place = Place(initial.inside, this=None)
        if initial.step >= 0:
            place = self._place_inside(made, steps, initial.step)
        return self._converted_objects(initial.value, place, initial.member.type, initial.inside)

    def _constructions(self, made: Constructed) -> list[Construction] | None:
        place = made.place

        def choose(
            fitting: list[Function],
            args: tuple[Argument, ...],
            step: Scope,
            before: list[Construction],
        ) -> Function | None:
            around = self._place_inside(made, before, len(before) - 1) if before else place
            return meant_constructor(self._program, self._objects, fitting, args, step, around)

        return constructions(self._program, made.symbol, made.site.args, choose)

    def _place_inside(self, made: Constructed, steps: list[Construction], position: int) -> Place:
        """Inside one of the constructors that make an object."""
        place = made.place
        for step in steps[: position + 1]:
            constructor = step.constructor
            if constructor is None:
                place = Place(step.inside)
                continue
            given = self.arguments(constructor, step.inside, step.args, place)
            inside = self._program.function_scope(constructor, step.inside)
            place = Place(inside, arguments=given)
        return place

    # ------------------------------------------------------------------ calls

    def _of_call(self, call: Call, place: Place) -> Iterator[Object]:
        delegate = self._delegate(call.callee, place)
        if delegate is not None:
            function, around = delegate
            yield from self.returned_objects(function, call.args, place, around)
            return
        found = dispatch_of(self._program, call, place.scope)
        if found.is_open:
            yield Opaque()
        receivers: list[Constructed | None] = [None]
        if found.receiver is not None and any(
            "static" not in each.function.modifiers for each in found.functions
        ):
            held = [o for o in self._objects(found.receiver, place) if isinstance(o, Constructed)]
            receivers = [*held] or [None]
        elif isinstance(call.callee, Name):
            receivers = [place.this]
        for function in found.functions:
            for receiver in receivers:
                yield from self.returned_objects(function, found.args, place, this=receiver)

    def _delegate(self, callee: Expr, place: Place) -> tuple[FunctionValue, Place] | None:
        """The function that a parameter is given: `onFailure(result)`."""
        match callee:
            case Attribute(value=Name() as holder, name="Invoke"):
                callee = holder
            case Name():
                pass
            case _:
                return None
        value = place.scope.bindings_around(callee.id)
        if not isinstance(value, FunctionValue):
            return None
        return value, place

    def returned_objects(
        self,
        function: FunctionValue,
        args: tuple[Argument, ...],
        place: Place,
        around: Place | None = None,
        this: Constructed | None = None,
    ) -> Iterator[Object]:
        """What a function gives that is called with arguments at a place."""
        if self._followed.count(id(function.function)) >= _MOST_CALLS_OF_ITSELF:
            yield Opaque()
            return
        self._followed.append(id(function.function))
        try:
            yield from tuple(self._results_of_body(function, args, place, around, this))
        finally:
            self._followed.pop()

    def _results_of_body(
        self,
        function: FunctionValue,
        args: tuple[Argument, ...],
        place: Place,
        around: Place | None,
        this: Constructed | None,
    ) -> Iterator[Object]:
        given = self.arguments(function.function, function.scope, args, place)
        within = {**place.arguments, **(around.arguments if around else {}), **given}
        inside = Place(self._scope(function, args, place), within, this)
        found = self._tests.returns(inside)
        if found.is_open:
            yield Opaque()
        if not found.returns and function.function.body is None and not inside.scope.statements:
            yield Opaque()
        for one in found.returns:
            if one.value is None or one.generator:
                yield Opaque()
            else:
                yield from self._converted_objects(
                    one.value, inside, function.function.returns, function.scope
                )

    def handed_to_delegates(self, call: Call, place: Place) -> list[Given | None]:
        """For each argument of a call that is a function, what this is given first: `error` of
        `result.Match(value => …, error => …)`. None where that is not known."""
        found = dispatch_of(self._program, call, place.scope)
        shift = len(found.args) - len(call.args)
        if found.is_open or len(found.functions) != 1 or not 0 <= shift < 2:
            return [None for _ in call.args]
        [function] = found.functions
        params = function.function.params
        positions = [position + shift for position in range(len(call.args))]
        return [
            Given(partial(self._given_by, function, params[at].name, found, place))
            if at < len(params)
            else None
            for at in positions
        ]

    def _given_by(
        self, function: FunctionValue, name: str, found: Dispatch, place: Place
    ) -> tuple[Object, ...]:
        """What a function gives, first, to one that a parameter of it holds."""
        receivers: list[Constructed | None] = [None]
        if found.receiver is not None:
            held = self._objects(found.receiver, place)
            receivers = [o if isinstance(o, Constructed) else None for o in held]
        given = self.arguments(function.function, function.scope, found.args, place)
        scope = self._scope(function, found.args, place)
        handed: list[Object] = []
        for receiver in receivers:
            inside = Place(scope, {**place.arguments, **given}, receiver)
            handed.extend(self._handed_in(name, inside))
        return distinct(handed)

    def _handed_in(self, name: str, inside: Place) -> Iterator[Object]:
        for one in self._tests.returns(inside).returns:
            for option, place in self._options(one.value, inside) if one.value is not None else ():
                for node in nodes_of((option,), closed=(Lambda,)):
                    if not isinstance(node, Call) or not _calls(node.callee, name):
                        continue
                    if node.args:
                        yield from self._objects(node.args[0].value, place)

    def _options(self, expr: Expr, place: Place) -> Iterator[tuple[Expr, Place]]:
        """The expressions that an expression stands for, conditional ones by their options."""
        while isinstance(expr, Call) and isinstance(expr.callee, Name) and expr.callee.id == AWAIT:
            expr = expr.args[0].value
        if not isinstance(expr, Choice) or expr.fallback:
            yield expr, place
            return
        for option, inside in self._tests.options(expr, place).options:
            yield from self._options(option, inside)

    def _scope(self, function: FunctionValue, args: tuple[Argument, ...], place: Place) -> Scope:
        """Inside a function, with the functions that it is given."""
        bindings = {
            param.name: FunctionValue(value.function, place.scope, place.scope.owner)
            for param, argument in zip(function.function.params, args, strict=False)
            if not argument.name and isinstance(value := argument.value, Lambda)
        }
        return self._program.function_scope(function.function, function.scope, bindings)

    # ------------------------------------------------------------------ conversions

    def _converted_objects(
        self, expr: Expr, place: Place, type: TypeExpr | None, scope: Scope
    ) -> tuple[Object, ...]:
        """What an expression gives where a type is expected that a scope declares, whose operators
        may convert it."""
        wanted = awaited_type(type)
        symbol = (
            self._program.names.declared_class(wanted, scope)
            if isinstance(wanted, NamedType)
            else None
        )
        plain = expr
        while (
            isinstance(plain, Call) and isinstance(plain.callee, Name) and plain.callee.id == AWAIT
        ):
            plain = plain.args[0].value
        if isinstance(plain, New) and plain.type is None:
            return (
                (Opaque(present=True),) if symbol is None else (Constructed(symbol, plain, place),)
            )
        if isinstance(plain, Choice) and not plain.fallback and symbol is not None:
            reached = self._tests.options(plain, place)
            found = distinct(
                o
                for option, inside in reached.options
                for o in self._converted_objects(option, inside, type, scope)
            )
            return distinct((*found, *OPAQUE)) if reached.is_open else found
        found = self._objects(expr, place)
        if symbol is None and self._is_of_library(wanted, scope):
            return distinct(
                Opaque(present=True) if isinstance(o, Constructed) else o for o in found
            )
        operators = [] if symbol is None else implicit_operators(symbol)
        if symbol is None or not operators:
            return found
        return distinct(
            o for each in found for o in self._through(operators, symbol, each, expr, place)
        )

    def _is_of_library(self, type: TypeExpr | None, scope: Scope) -> bool:
        """Whether a type is a class of a library, into which the library converts what is given."""
        if not isinstance(type, NamedType) or type.name in ("object", "dynamic", "var"):
            return False
        return isinstance(self._program.names.lookup_type(type.name, scope), LibrarySymbol)

    def _through(
        self,
        operators: list[Function],
        symbol: ClassSymbol,
        given: Object,
        expr: Expr,
        place: Place,
    ) -> Iterable[Object]:
        """What the operators of a class make of a value."""
        own = class_of_value(self._program, given, expr, place.scope)
        operator = meant_operator(self._program, operators, symbol, given, own)
        if operator is None:
            return (given,)
        return self._operator_results(operator, self._program.class_scope(symbol), given)

    def _operator_results(
        self, operator: Function, inside: Scope, given: Object
    ) -> Iterable[Object]:
        scope = self._program.function_scope(operator, inside)
        held = replace(given, present=True) if isinstance(given, Opaque) else given
        place = Place(scope, {id(operator.params[0]): Given(lambda: (held,))})
        for one in self._tests.returns(place).returns:
            if one.value is not None:
                yield from self._converted_objects(one.value, place, operator.returns, inside)


# --------------------------------------------------------------------------- parts


def _calls(callee: Expr, name: str) -> bool:
    """Whether the function is called that a parameter holds: `failed(…)`, `failed.Invoke(…)`."""
    match callee:
        case Attribute(value=Name(id=id), name="Invoke") | Name(id=id):
            return id == name
        case _:
            return False
