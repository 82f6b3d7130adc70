"""Which tests hold, and which options and returns are reached, by the objects that variables hold.

One object of a variable is looked at after the other: a result that failed has an error, one that
succeeded has none, and whoever asks whether it succeeded is answered for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    nested_statements,
)
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.path_facts import EnumConstant
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, ClassValue, Scope
from contract_scan.parsers.source.analysis.refinement.path_conditions import is_same_enum
from contract_scan.parsers.source.analysis.refinement.path_feasibility import branches_around
from contract_scan.parsers.source.analysis.refinement.pruning import (
    running_cases,
    running_statements,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import evaluate_boolean
from contract_scan.parsers.source.csharp.lowering.statements import OF_TYPE
from contract_scan.parsers.source.csharp.resolution.abstract_objects import (
    Constructed,
    Object,
    Opaque,
    Place,
    Plain,
    is_unfollowed,
)
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.facts.conditionals import CASE
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Branch,
    Choice,
    Evaluate,
    Expr,
    Lambda,
    Loop,
    Name,
    NamedType,
    NullableType,
    OperationExpr,
    Return,
    Statement,
    TypeExpr,
    TypeValue,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


class Reached(Struct, frozen=True, eq=False):
    """The options of a conditional expression that may be chosen."""

    options: tuple[tuple[Expr, Place], ...]
    is_open: bool = False
    """Whether others may be chosen too, of which it is unknown."""


class ReachedReturns(Struct, frozen=True, eq=False):
    """The returns of a function that may be reached."""

    returns: tuple[Return, ...]
    is_open: bool = False
    """As in `Reached`."""


class Running(Struct, frozen=True, eq=False):
    """The statements of a function that may run."""

    statements: Body
    is_open: bool = False
    """As in `Reached`."""


_CONSTANTS = frozenset({"int", "bool", "HttpStatusCode", "System.Net.HttpStatusCode"})
_OUTCOMES = frozenset(
    {
        *("IsSuccess", "IsSuccessful", "Success", "Succeeded", "IsOk", "Successful", "Ok"),
        *("IsFailure", "IsFailed", "Failed", "IsError", "HasError", "HasErrors", "IsFaulted"),
        *("StatusCode", "HttpStatusCode", "HttpStatus", "ErrorType", "ErrorCode", "ResultType"),
        *("Code", "Status"),
    }
)
"""What members are called that say how something went."""


def carries_outcome(program: Program, symbol: ClassSymbol) -> bool:
    """Whether objects of a class say how something went: whether it succeeded, with which status,
    or what kind of error it was."""
    for each in (symbol, *program.bases(symbol)):
        name = each.decl.name.partition("`")[0]
        if name.endswith(("Result", "Error", "Outcome", "Failure")):
            return True
        if any(member.name in _OUTCOMES for member in each.decl.members):
            return True
    return False


Body: TypeAlias = tuple[Statement, ...]
Asking: TypeAlias = Body | Choice
"""Statements or a conditional expression, whose tests ask."""
_CarriersKey: TypeAlias = tuple[int, int, int, frozenset[str]]


class TestedObjects:
    """Asks what tests say of objects."""

    __test__ = False

    def __init__(
        self,
        program: Program,
        objects: Callable[[Expr, Place], tuple[Object, ...]],
        variable: Callable[[Name, Place], tuple[Object, ...] | None],
    ) -> None:
        self._program = program
        self._objects = objects
        self._variable = variable
        self._carriers: dict[_CarriersKey, tuple[Asking, Place, tuple[Name, ...]]] = {}
        """By the identity of what is asked where, which is kept so that it stays its own."""
        self._asked_in: set[int] = set()
        """The bodies of which it is being found out which definitions of a variable are reached."""

    # ------------------------------------------------------------------ tests

    def holds(self, test: Expr, place: Place) -> bool | None:
        """Whether a test holds; None where that is undetermined."""
        match test:
            case OperationExpr(operator="!" | "&&" | "||" as operator, operands=operands):
                return evaluate_boolean(operator, (self.holds(each, place) for each in operands))
            case OperationExpr(operator="==" | "!=" as operator, operands=(left, right)):
                same = self._same(left, right, place)
                return None if same is None else same is (operator == "==")
            case OperationExpr(
                operator="is", operands=(value, TypeValue(type=NamedType() as type))
            ):
                return self._common_answer(
                    self._objects(value, place), lambda o: self._is_of(o, type, place)
                )
            case OperationExpr(operator=operator, operands=(subject, label)) if operator == CASE:
                return self.is_case(subject, label, place)
            case OperationExpr():
                return None
            case _:
                return self._common_answer(self._objects(test, place), _truth)

    def is_case(self, subject: Expr, label: Expr, place: Place) -> bool | None:
        """Whether a value has a label of a `switch`."""
        match label:
            case ArrayLiteral(items=items):
                return any_of(self.is_case(subject, item, place) for item in items)
            case OperationExpr(
                operator=operator, operands=(TypeValue(type=NamedType() as type),)
            ) if operator == OF_TYPE:
                return self._common_answer(
                    self._objects(subject, place), lambda o: self._is_of(o, type, place)
                )
            case Name(id=id) if isinstance(
                self._program.names.lookup_type(id, place.scope), ClassValue
            ):
                type = NamedType(name=id, span=label.span)
                return self._common_answer(
                    self._objects(subject, place), lambda o: self._is_of(o, type, place)
                )
            case _:
                return self._same(subject, label, place)

    def _common_answer(
        self, objects: Iterable[Object], ask: Callable[[Object], bool | None]
    ) -> bool | None:
        answers = {ask(each) for each in objects}
        return answers.pop() if len(answers) == 1 else None

    def _same(self, left: Expr, right: Expr, place: Place) -> bool | None:
        ones, others = self._objects(left, place), self._objects(right, place)
        answers = {self._is_same(one, other) for one in ones for other in others}
        return answers.pop() if len(answers) == 1 else None

    def _is_same(self, one: Object, other: Object) -> bool | None:
        match one, other:
            case Plain(value=a), Plain(value=b):
                if isinstance(a, EnumConstant) and isinstance(b, EnumConstant):
                    return a.name == b.name if is_same_enum(a.enum, b.enum) else None
                if a is None or b is None:
                    return a is b
                return a == b if type(a) is type(b) else None
            case (Plain(value=None), Constructed()) | (Constructed(), Plain(value=None)):
                return False
            case (Plain(value=None), Opaque(present=True)) | (
                Opaque(present=True),
                Plain(value=None),
            ):
                return False
            case Constructed(site=a, symbol=symbol), Constructed(site=b, symbol=of):
                if a is b:
                    return True
                is_record = symbol.decl.kind == "record" or of.decl.kind == "record"
                return None if is_record or "op_Equality" in _names(symbol) else False
            case _:
                return None

    def _is_of(self, value: Object, type: NamedType, place: Place) -> bool | None:
        match value:
            case Plain(value=None):
                return False
            case Constructed(symbol=symbol):
                wanted = self._program.names.declared_class(type, place.scope)
                if wanted is None:
                    return None
                lineage = (symbol, *self._program.bases(symbol))
                return any(each.key == wanted.key for each in lineage)
            case _:
                return None

    # ------------------------------------------------------------------ what is reached

    def options(self, choice: Choice, place: Place) -> Reached:
        """The options of a conditional expression that may be chosen, each with what variables hold
        where it is. None of those that ask which kind of value something is of which nothing is
        known: which of them may be chosen, nobody can tell."""
        if len(choice.given) != len(choice.options):
            return Reached(tuple((option, place) for option in choice.options))
        chosen: list[dict[str, tuple[Object, ...]] | None] = [{} for _ in choice.options]
        names = self._asked_variables(choice, place)
        if not names and not any(self._is_about(test, place) for test in choice.given):
            return Reached(tuple((option, place) for option in choice.options))
        possible, is_open = self._positions(choice, place, strict=not names)
        for name in names:
            held = self._objects(name, place)
            taken: list[list[Object]] = [[] for _ in choice.options]
            for one in held:
                inside = replace(place, chosen={**place.chosen, name.id: (one,)})
                positions, open_for_one = self._positions(choice, inside, strict=True)
                is_open = is_open or open_for_one
                for position in positions:
                    taken[position].append(one)
            for position, objects in enumerate(taken):
                before = chosen[position]
                if not objects or before is None:
                    chosen[position] = None
                elif len(objects) < len(held):
                    before[name.id] = tuple(objects)
        return Reached(
            tuple(
                (option, replace(place, chosen={**place.chosen, **known}))
                for position, (option, known) in enumerate(zip(choice.options, chosen, strict=True))
                if known is not None and position in possible
            ),
            is_open,
        )

    def _positions(self, choice: Choice, place: Place, *, strict: bool) -> tuple[list[int], bool]:
        """Positions of the options that tests let be chosen, and (if `strict`) whether others may
        be which ask for the kind of something unknown."""
        found: list[int] = []
        is_open = False
        for position, test in enumerate(choice.given):
            held = self.holds(test, place)
            if held is None and strict and self._asks_for_kind(test, place):
                is_open = True
            elif held is not False:
                found.append(position)
            if held:
                break
        return found, is_open

    def _asks_for_kind(self, test: Expr, place: Place) -> bool:
        """Whether a test asks which constant, or of which class, something is that nothing is known
        of."""
        for node in nodes_of((test,), closed=(Lambda,)):
            match node:
                case OperationExpr(operator=operator, operands=(subject, *_)) if (
                    operator == CASE
                    or (operator == "is" and isinstance(node.operands[-1], TypeValue))
                    or (operator in ("==", "!=") and self._is_constant(node.operands[-1], place))
                ):
                    if is_unfollowed(self._objects(subject, place)):
                        return True
                case _:
                    pass
        return False

    def _is_constant(self, expr: Expr, place: Place) -> bool:
        """Whether an expression is a constant of an enum."""
        if not isinstance(expr, Attribute):
            return False
        found = self._objects(expr, place)
        return any(isinstance(o, Plain) and isinstance(o.value, EnumConstant) for o in found)

    def _asked_variables(self, asking: Asking, place: Place) -> list[Name]:
        """The variables, of which something is known, that tests ask about."""
        found: dict[str, Name] = {}
        for name in self._asked_carriers(asking, place):
            if name.id in found:
                continue
            held = place.chosen.get(name.id) or self._variable(name, place)
            if held and any(not isinstance(each, Opaque) for each in held):
                found[name.id] = name
        return list(found.values())

    def _asked_carriers(self, asking: Asking, place: Place) -> tuple[Name, ...]:
        """Where tests ask about variables that may say how something went: found out once for the
        same question, since every variable of a function is asked for by way of the others."""
        key = (id(asking), id(place.scope), id(place.arguments), frozenset(place.chosen))
        known = self._carriers.get(key)
        if known is None:
            tests = asking.given if isinstance(asking, Choice) else tuple(_tests(asking))
            names = tuple(
                node
                for node in nodes_of(tests, closed=(Lambda,))
                if isinstance(node, Name)
                and node.id != "this"
                and (node.id in place.chosen or self._may_carry(node, place))
            )
            known = self._carriers[key] = (asking, place, names)
        return known[2]

    def _may_carry(self, name: Name, place: Place) -> bool:
        """Whether a variable is of a class whose objects say how something went, or a parameter
        that is given a constant."""
        scope: Scope | None = place.scope
        while scope is not None:
            for param in scope.function.params if scope.function is not None else ():
                if param.name == name.id:
                    if id(param) not in place.arguments:
                        return False
                    return param.type is None or self._is_carrier_type(param.type, scope)
            if self._definitions(name, scope):
                value = self._program.evaluator.unwrap(self._program.evaluate(name, scope))
                symbol = symbol_of(self._program, value)
                return symbol is not None and carries_outcome(self._program, symbol)
            scope = scope.parent
        return False

    def _is_carrier_type(self, type: TypeExpr, scope: Scope) -> bool:
        while isinstance(type, NullableType):
            type = type.item
        if not isinstance(type, NamedType):
            return False
        symbol = self._program.names.declared_class(type, scope)
        if symbol is None:
            return type.name in _CONSTANTS
        return symbol.decl.kind == "enum" or carries_outcome(self._program, symbol)

    def _is_about(self, test: Expr, place: Place) -> bool:
        """Whether a test asks about something that is given or chosen."""
        given = set(place.chosen)
        scope: Scope | None = place.scope
        while scope is not None:
            for param in scope.function.params if scope.function is not None else ():
                if id(param) in place.arguments:
                    given.add(param.name)
            scope = scope.parent
        return any(
            isinstance(node, Name) and (node.id in given or (place.this and node.id[:1].isupper()))
            for node in nodes_of((test,), closed=(Lambda,))
        )

    def returns(self, place: Place) -> ReachedReturns:
        """The returns of a function that may be reached with what it is given; none of those behind
        a `switch` that asks which kind of value something is of which nothing is known."""
        statements = place.scope.statements or ()
        names = self._asked_variables(statements, place)
        left = self._running_statements(statements, place, strict=not names)
        every = _returns(left.statements)
        is_open = left.is_open
        kept = {id(one): one for one in every}
        for name in names:
            seen: set[int] = set()
            for inside in self._one_by_one(name, self._objects(name, place), place):
                running = self._running_statements(statements, inside)
                is_open = is_open or running.is_open
                seen.update(id(each) for each in _returns(running.statements))
            kept = {key: one for key, one in kept.items() if key in seen}
        return ReachedReturns(tuple(kept.values()), is_open)

    def objects_reaching(
        self, name: Name, held: tuple[Object, ...], place: Place
    ) -> tuple[Object, ...]:
        """Of the objects that a variable may hold those with which a place is reached."""
        statements = place.scope.statements or ()
        asked = any(
            isinstance(node, Name) and node.id == name.id
            for test in _tests(statements)
            for node in nodes_of((test,), closed=(Lambda,))
        )
        if not asked or not _stands_in(statements, name.span):
            return held
        return tuple(
            one
            for one, inside in zip(held, self._one_by_one(name, held, place), strict=True)
            if _stands_in(
                self._running_statements(statements, inside, strict=False).statements, name.span
            )
        )

    def definitions(self, name: Name, place: Place) -> tuple[list[Definition], bool]:
        """The definitions of a local variable that may hold where it stands, and whether others may
        which are chosen by the kind of something unknown."""
        statements = place.scope.statements or ()
        every = list(self._definitions(name, place.scope))
        # Variables that are asked about on the way to another one are taken as they stand: to ask
        # for each by way of all others would not end.
        if len(every) < 2 or place.scope.function is None or id(statements) in self._asked_in:
            return every, False
        self._asked_in.add(id(statements))
        try:
            return self._reached_definitions(name, statements, place)
        finally:
            self._asked_in.discard(id(statements))

    def _definitions(self, name: Name, scope: Scope) -> tuple[Definition, ...]:
        """The definitions of a local name that may hold where it stands."""
        return self._program.names.locals.reaching(scope.statements or (), name.id, name.span)

    def _reached_definitions(
        self, name: Name, statements: Body, place: Place
    ) -> tuple[list[Definition], bool]:
        names = [n for n in self._asked_variables(statements, place) if n.id != name.id]
        whole = self._running_statements(statements, place, strict=not names)
        found = {id(each.statement): each for each in _definitions_among(whole, name)}
        is_open = whole.is_open
        for asked in names:
            seen: set[int] = set()
            for inside in self._one_by_one(asked, self._objects(asked, place), place):
                running = self._running_statements(statements, inside)
                is_open = is_open or running.is_open
                seen.update(id(each.statement) for each in _definitions_among(running, name))
            found = {key: each for key, each in found.items() if key in seen}
        return list(found.values()), is_open

    def _one_by_one(self, name: Name, held: tuple[Object, ...], place: Place) -> Iterator[Place]:
        for one in held:
            yield replace(place, chosen={**place.chosen, name.id: (one,)})

    def _running_statements(
        self, statements: Body, place: Place, *, strict: bool = True
    ) -> Running:
        """The statements that may run with what variables hold."""
        known = _ObjectConditions(self, place, strict=strict)
        left = running_statements(_with_tests(statements), known)
        return Running(left, known.is_open)

    def running_cases(self, branch: Branch, place: Place, *, strict: bool) -> Body | Branch | None:
        """The blocks of a `switch` that may run; None where nothing is known of what it asks, and
        (if `strict`) nobody can tell which of them may."""
        subject = branch.condition
        if subject is None or not self._is_about(subject, place):
            return branch
        if strict and is_unfollowed(self._objects(subject, place)):
            return None
        return running_cases(branch, lambda asked, label: self.is_case(asked, label, place))

    def holds_at(self, test: Expr, place: Place) -> bool | None:
        """Whether a test holds that asks about something that is given or chosen."""
        return self.holds(test, place) if self._is_about(test, place) else None


class _ObjectConditions:
    """What is known at a place."""

    def __init__(self, tests: TestedObjects, place: Place, *, strict: bool) -> None:
        self._tests = tests
        self._place = place
        self._strict = strict
        self.is_open = False
        """Whether something may run too, of which it is unknown."""

    def holds(self, test: Expr) -> bool | None:
        return self._tests.holds_at(test, self._place)

    def running_cases(self, branch: Branch) -> Body | Branch:
        left = self._tests.running_cases(branch, self._place, strict=self._strict)
        self.is_open = self.is_open or left is None
        return () if left is None else left


def _with_tests(statements: Body) -> Body:
    """The statements, with what each branch asks before it: that is evaluated whatever runs."""
    found: list[Statement] = []
    for statement in statements:
        match statement:
            case Branch(condition=test, blocks=blocks):
                if test is not None:
                    found.append(Evaluate(value=test, span=test.span))
                found.append(replace(statement, blocks=tuple(map(_with_tests, blocks))))
            case Loop(body=body):
                found.append(replace(statement, body=_with_tests(body)))
            case _:
                found.append(statement)
    return tuple(found)


def _tests(statements: Body) -> list[Expr]:
    """What branches ask."""
    return [
        test
        for node in nodes_of(statements, closed=(Lambda,))
        if isinstance(node, Branch)
        for test in (node.condition, *node.cases)
        if test is not None
    ]


def _definitions_among(running: Running, name: Name) -> Iterable[Definition]:
    """The definitions of a variable that reach a place among statements that run."""
    if not _stands_in(running.statements, name.span):
        return ()
    return reaching_definitions.reaching_definitions(running.statements, name.id, name.span)


def _returns(statements: Body) -> list[Return]:
    return [one for one in nested_statements(statements) if isinstance(one, Return)]


def _stands_in(statements: Body, span: Span) -> bool:
    """Whether a place lies in one of the statements that are left."""
    return branches_around(statements, span) is not None


def _truth(value: Object) -> bool | None:
    return value.value if isinstance(value, Plain) and isinstance(value.value, bool) else None


def _names(symbol: object) -> set[str]:
    decl = getattr(symbol, "decl", None)
    return {method.name for method in decl.methods} if decl is not None else set()
