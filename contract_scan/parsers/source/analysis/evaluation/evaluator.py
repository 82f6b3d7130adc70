"""What an expression means, without running it.

A bounded abstract interpreter over the neutral form: constants, literals, declared types, members,
calls into project functions (followed to a limit), well-known library calls (the language's
`intrinsics`). Everything else is `Unresolved` with a reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Reference, Scalar, Unknown
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Template,
    Unresolved,
    Value,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.assignments import Assignments
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume_last
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.refinement.kind_dispatch import kind_holds
from contract_scan.parsers.source.analysis.refinement.narrowing import narrow
from contract_scan.parsers.source.analysis.refinement.specialisation import is_specialised
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.analysis.typing.types import TOO_MANY_STEPS
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Choice,
    Comprehension,
    Expr,
    Index,
    Lambda,
    LiteralExpr,
    Name,
    NamedType,
    New,
    ObjectLiteral,
    OperationExpr,
    Spread,
    Text,
    TypeExpr,
    TypeValue,
    UnsupportedSyntax,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

MAX_EXPRESSION_DEPTH = 120
"""How deep an expression may nest before it counts as unknown: Python's own stack is the limit."""

_TEST_STEPS = 200
"""How many expressions may be looked at to decide one test."""


class Evaluator(Assignments):
    """Evaluates expressions of one program."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._depth = 0
        self._evaluated: dict[tuple[int, int], tuple[Expr, Scope, Value]] = {}

    def evaluate(self, expr: Expr, scope: Scope) -> Value:
        """What an expression means at a place."""
        key = (id(expr), id(scope))
        known = self._evaluated.get(key)
        if known is not None:
            return known[2]
        if self._depth > MAX_EXPRESSION_DEPTH:
            self.cuts += 1
            return Unresolved(Reason("expression-too-deep"), expr.span, scope.file.path)
        if self._depth == 0:
            self._steps = 0
        elif self._steps > self._limit:
            self.cuts += 1
            return Unresolved(TOO_MANY_STEPS, expr.span, scope.file.path)
        self._depth += 1
        self._steps += 1
        cuts = self.cuts
        try:
            value = self._evaluate(expr, scope)
            if cuts == self.cuts:
                # Expression and scope are kept with the value: their identities stay theirs.
                self._evaluated[key] = (expr, scope, value)
            return value
        except RecursionError:
            self.cuts += 1
            if self._depth > 1:
                raise  # on to the outermost, where there is room to go on
            return Unresolved(Reason("following-too-deep"), expr.span, scope.file.path)
        finally:
            self._depth -= 1

    @contextmanager
    def limit_steps(self, steps: int) -> Iterator[None]:
        """Inside, an expression is followed for this many steps: for questions asked of every call
        whose answers are near."""
        limit, self._limit = self._limit, min(steps, self._limit)
        try:
            yield
        finally:
            self._limit = limit

    @contextmanager
    def within_further(self, steps: int) -> Iterator[None]:
        """Inside, an expression is followed for this many steps more than until now."""
        limit = self._limit
        self._limit = min(self._steps + steps if self._depth else steps, limit)
        try:
            yield
        finally:
            self._limit = limit

    def _evaluate(self, expr: Expr, scope: Scope) -> Value:
        match expr:
            case LiteralExpr(value=value):
                return Constant(value, expr.span, scope.file.path)
            case Name(id=id):
                return self.found_value(
                    self._program.names.lookup(id, scope, expr.span), id, expr.span, scope
                )
            case Attribute(value=value, name=name):
                if isinstance(value, Name) and value.id == "this" and scope.function is not None:
                    given = self.just_given(name, scope, expr.span)
                    if given is not None:
                        return given
                if isinstance(value, Name):
                    found = self._program.names.of_module(value.id, name, scope)
                    if found is not None:
                        return self.found_value(found, name, expr.span, scope)
                return self.attribute(self.evaluate(value, scope), name, scope, expr.span)
            case Call():
                return self._call(expr, scope)
            case New():
                return self._construction(expr, scope)
            case ObjectLiteral(entries=entries):
                return self.record(entries, scope, expr.span)
            case ArrayLiteral(items=items, is_tuple=is_tuple):
                return self._items(items, scope, is_tuple=is_tuple, span=expr.span)
            case Lambda(function=function):
                return FunctionValue(function, scope, scope.owner, scope.receiver)
            case Choice():
                return self._choice_value(expr, scope)
            case Cast(value=value, checks_only=True):
                return self.evaluate(value, scope)
            case Cast(type=type, value=value):
                return self._cast(type, value, scope, expr.span)
            case Text(parts=parts):
                return self.concatenate(tuple(self.evaluate(part, scope) for part in parts))
            case Index(value=value, index=index):
                return self._index(self.evaluate(value, scope), index, scope, expr.span)
            case Comprehension():
                return self.each(expr, scope)
            case OperationExpr():
                return self.operation(expr, scope)
            case TypeValue(type=type):
                return self.type_value(type, scope, expr.span)
            case Spread(value=value):
                return self.evaluate(value, scope)
            case UnsupportedSyntax(description=what):
                return Unresolved(
                    Reason("unsupported-syntax", what=what), expr.span, scope.file.path
                )

    def _choice_value(self, expr: Choice, scope: Scope) -> Value:
        options = self.choices(expr, scope)
        reachable = [pair for pair in options if not self._throws(*pair)] or options
        values = [self.evaluate(option, inner) for option, inner in reachable]
        if expr.fallback:
            last = values[-1:] if reachable[-1] is options[-1] else []
            before = zip(values[: len(values) - len(last)], reachable, strict=False)
            values = [v for v, (option, inner) in before if not self._is_left_out(option, inner)]
            values = [self.without_null(v) for v in values if not is_null(v)] + last
            certain = (at for at, v in enumerate(values) if isinstance(v, Constant) and v.value)
            values = values[: next(certain, len(values)) + 1]  # what comes after it is never taken
            assume_last(self._program, values)
        return union_of(tuple(values))

    def _is_left_out(self, option: Expr, scope: Scope) -> bool:
        """Whether an option is a member that an object given to a function lacks, of which all
        that is in it is known: `options.status` of `{ name: "x" }`."""
        if not isinstance(option, Attribute) or not isinstance(option.value, Name):
            return False
        given = scope.bindings_around(option.value.id)
        if not isinstance(given, Record) or given.partial or given.values is not None:
            return False
        return bool(given.entries) and all(entry.name != option.name for entry in given.entries)

    def _throws(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression gives nothing, since what it calls can only throw."""
        if not isinstance(expr, Call) or not isinstance(expr.callee, Lambda | Name):
            return False
        callee = self.evaluate(expr.callee, scope)
        return isinstance(callee, FunctionValue) and self.only_throws(callee)

    def choices(self, expr: Choice, scope: Scope) -> list[tuple[Expr, Scope]]:
        """The options of a choice, each with the scope to evaluate it in: what the test of a
        conditional expression says of a name holds in its options."""
        tests = expr.given or (None,) * len(expr.options)
        pairs = list(zip(expr.options, tests, strict=False))
        chosen = [p for p in pairs if p[1] is None or self._may_hold(p[1], scope)]
        return [
            (option, scope if test is None else self._scope_where(test, scope))
            for option, test in chosen or pairs
        ]

    def _may_hold(self, test: Expr, scope: Scope) -> bool:
        held = self.specialisations.holds(test, scope)
        if held is False:
            return False
        if held is None and is_specialised(scope):
            with self.within_further(_TEST_STEPS):
                if evaluate_condition(test, ConditionContext(self._program, scope)) is False:
                    return False
        return kind_holds(self._program, test, scope) is not False

    def _scope_where(self, test: Expr, scope: Scope) -> Scope:
        """The scope in which a test holds."""
        bindings: dict[str, Value] = {}
        for name in null_checks.names(test):
            present = null_checks.is_not_null(test, name, True)
            absent = not present and null_checks.is_null_or_falsy(test, name, True)
            is_refined = null_checks.is_kind_test(test, name)
            if not (present or absent or is_refined):
                continue
            value = self.evaluate(Name(id=name, span=test.span), scope)
            remaining = (
                narrow(self._program, value, name, test, scope, holds=True) if is_refined else value
            )
            if present or absent:
                bindings[name] = (
                    self.without_null(remaining) if present else self.null_of(remaining)
                )
            elif remaining is not value:
                bindings[name] = remaining
        if not bindings:
            return scope
        return Scope(
            file=scope.file,
            parent=scope,
            bindings=bindings,
            receiver=scope.receiver,
            depth=scope.depth,
        )

    def _cast(self, type: TypeExpr, value: Expr, scope: Scope, span: Span) -> Value:
        if isinstance(type, NamedType) and type.name in ("any", "unknown", "object", "Object"):
            return self.evaluate(value, scope)
        if isinstance(type, NamedType) and type.name == "const":
            return self.evaluate(value, scope)
        if isinstance(value, ObjectLiteral) and value.entries:
            return self.join_with_declared(self.evaluate(value, scope), ByType(type, scope, span))
        seen = self.without_null(self.evaluate(value, scope))
        if isinstance(seen, FunctionValue):
            return seen  # what a function does, its statements say
        options = seen.options if isinstance(seen, OneOf) else (seen,)
        flat = self._program.types.flat
        if all(isinstance(o, BySchema) and isinstance(flat(o.schema), Object) for o in options):
            return seen  # a library said what is there, and a cast adds nothing to it
        plain = isinstance(type, NamedType) and not type.args
        if isinstance(seen, LibraryResult) and plain and self._says_no_shape(type, scope):
            return seen  # `fastify() as FastifyInstance`: of the call more is known
        objects = all(isinstance(option, Record | BySchema | ByType) for option in options)
        if objects and self._is_open_map(type, scope):
            return seen  # `row as Record<string, unknown>`
        unchecked = self._program.language.casts_unchecked
        if unchecked and isinstance(seen, ByType | Instance) and self._is_of(seen, type, scope):
            return seen
        return ByType(type, scope, span, unchecked=unchecked)

    def _is_of(self, value: Value, type: TypeExpr, scope: Scope) -> bool:
        """Whether a value is known to be of a named type."""
        own = self._program.types.schema_of(value)
        named = self._program.types.schema(type, scope)
        if not isinstance(own, Reference) or not isinstance(named, Reference):
            return False
        return own.key == named.key

    def _is_open_map(self, type: TypeExpr, scope: Scope) -> bool:
        """Whether a type is what any object can be given as, where types are structural."""
        structural = self._program.language.structural and self.says_nothing(type, scope)
        return structural and not self._says_no_shape(type, scope)

    def _says_no_shape(self, type: TypeExpr, scope: Scope) -> bool:
        return isinstance(
            self._program.types.flat(self._program.types.schema(type, scope)), Unknown
        )

    def _items(self, items: tuple[Expr, ...], scope: Scope, *, is_tuple: bool, span: Span) -> Value:
        values: list[Value] = []
        repeated = False
        for item in items:
            if isinstance(item, Spread):
                repeated = True
                spread = self.evaluate(item.value, scope)
                if not isinstance(spread, Items) or spread.values:
                    values.append(self.item(spread))
            else:
                values.append(self.evaluate(item, scope))
        return Items(tuple(values), repeated, is_tuple, self._origin(span, scope))

    def _index(self, value: Value, index: Expr, scope: Scope, span: Span) -> Value:
        if isinstance(index, UnsupportedSyntax) and index.description == "slice":
            return self._slice(value)
        key = self.evaluate(index, scope)
        if isinstance(key, Constant) and isinstance(key.value, str):
            return self.attribute(value, key.value, scope, span, subscript=True)
        position = key.value if isinstance(key, Constant) else None
        if (
            isinstance(position, int)
            and isinstance(value, Items)
            and not value.repeated
            and 0 <= position < len(value.values)
        ):
            return value.values[position]
        if isinstance(position, int) and isinstance(value, OneOf):
            return union_of(tuple(self._index(o, index, scope, span) for o in value.options))
        if isinstance(position, int) and position >= 0 and isinstance(value, ByType):
            return self._position(value, position)
        if isinstance(value, Record) and value.entries:
            return union_of(tuple(entry.value for entry in value.entries))
        if isinstance(value, ClassValue | LibrarySymbol):
            return value  # a generic class with its arguments: `Page[Order]`
        return self.item(value)

    def _slice(self, value: Value) -> Value:
        """Some of the items of a list, some of the characters of a text: Python's `x[1:]`."""
        match value:
            case Items():
                return replace(value, repeated=True)
            case Constant(value=str()) | Template():
                return BySchema(Scalar(type="string"))
            case OneOf(options=options):
                return union_of(tuple(self._slice(option) for option in options))
            case _:
                return value
