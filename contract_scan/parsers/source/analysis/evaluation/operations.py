"""What operators give: of numbers, of texts, of two sides of which one is taken."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Scalar
from contract_scan.parsers.source.analysis.domain.effects import Mutation
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ByType,
    Constant,
    Instance,
    Items,
    OneOf,
    Record,
    Scope,
    Template,
    Unresolved,
    Value,
    is_itself,
    origin_at,
    union_of,
    without_itself,
)
from contract_scan.parsers.source.analysis.evaluation.applied_mutations import AppliedMutations
from contract_scan.parsers.source.analysis.evaluation.constant_text import Texts, unless_begun
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume, is_assumed
from contract_scan.parsers.source.facts.nodes import (
    Call,
    LiteralExpr,
    ObjectLiteral,
    OperationExpr,
)

_ARITHMETIC = frozenset(
    {"+", "-", "*", "/", "%", "**", "//", "&", "|", "^", "<<", ">>", "~"} | {"++", "--"}
)
_NUMBERS = frozenset({"-", "*", "/", "%", "**"})
"""What gives a number in JavaScript, whatever it is given."""
_COMPARISON = frozenset(
    {"==", "!=", "===", "!==", "<", ">", "<=", ">=", "in", "not in", "is", "is not", "!", "not"}
    | {"instanceof", "and", "&&"}
)


_MAX_JOINED = 20_000
"""Items of lists that are joined, of which each is told: a list that is joined with itself doubles,
and so does the next one."""
MAX_TEXT = 20_000
"""Letters of a text that is put together of several; a longer one is known to be a text."""
MAX_PARTS = 500
"""Parts of a text of which not all are known, those of its parts counted."""


def _is_long(parts: tuple[Value, ...]) -> bool:
    """Whether a text has more parts than are followed."""
    pending, count = list(parts), 0
    while pending:
        part = pending.pop()
        count += 1
        if count > MAX_PARTS:
            return True
        if isinstance(part, Template):
            pending += part.parts
    return False


_MOST_LISTS = 4
"""How many sums of lists are told apart of which each may be one of several."""


class Operations:
    """The part of the evaluator that computes."""

    def __init__(
        self,
        context: Context,
        texts: Texts,
        nulls: Nulls,
        containers: Containers,
        mutations: AppliedMutations,
    ) -> None:
        self._program = context.program
        self._evaluate = context.evaluate
        self._texts = texts
        self._nulls = nulls
        self._containers = containers
        self._mutations = mutations

    def operation(self, expr: OperationExpr, scope: Scope) -> Value:
        """What an operator gives."""
        origin = origin_at(scope, expr.span)
        if expr.operator == "and" and scope.file.language == "python":
            sides = tuple(self._evaluate(operand, scope) for operand in expr.operands)
            return self._conjunction(sides, expr.span, origin)
        if expr.operator in _COMPARISON:
            return BySchema(Scalar(type="boolean", origin=origin))
        if expr.operator == "out":
            return self._given_out(expr, scope)
        if expr.operator == "with":
            return self._changed_copy(expr, scope)
        if expr.operator == "typeof":
            return BySchema(Scalar(type="string", origin=origin))
        values = [without_itself(self._evaluate(operand, scope)) for operand in expr.operands]
        itself = next((value for value in values if is_itself(value)), None)
        if itself is not None and expr.operator in _ARITHMETIC:
            return itself
        if expr.operator == "present":
            return self._nulls.without_null(self._containers.unwrap(values[0]))
        if expr.operator == "falsy":
            return self._falsy(values[0], expr.span, origin)
        lists = [self._lists_of(value) for value in values] if expr.operator == "+" else [()]
        if all(lists) and prod(map(len, lists)) <= _MOST_LISTS:
            ways = product(*lists)
            return union_of(tuple(self._concatenation(list(way), origin) for way in ways))
        if expr.operator == "|" and all(isinstance(v, Record) for v in values):
            return self._containers.merged_records(values, origin)
        if expr.operator == "+" and len(values) == 1 and scope.file.language == "typescript":
            (value,) = values
            is_number = isinstance(value, Constant) and isinstance(value.value, int | float)
            return value if is_number else BySchema(Scalar(type="numeric", origin=origin))
        shapes = [self._program.types.schema_of(value) for value in values]
        scalars = [shape for shape in shapes if isinstance(shape, Scalar)]
        if expr.operator == "+" and any(s.type == "string" for s in scalars):
            return self.concatenate(tuple(values))
        kinds = {s.type for s in scalars} if len(scalars) == len(shapes) else {"string"}
        if expr.operator in _ARITHMETIC and not kinds & {"string", "boolean"}:
            integral = kinds <= {"integer"} and expr.operator not in ("/", "**")
            return BySchema(Scalar(type="integer" if integral else "numeric", origin=origin))
        if expr.operator in _NUMBERS and scope.file.language == "typescript":
            return BySchema(Scalar(type="numeric", origin=origin))
        return Unresolved(
            Reason("operator-result-undetermined", operator=expr.operator), expr.span, origin.path
        )

    def _changed_copy(self, expr: OperationExpr, scope: Scope) -> Value:
        """A copy of an object with other values in some members: `order with { Total = 1 }`."""
        copied, changes = expr.operands
        value = self._nulls.without_null(self._containers.unwrap(self._evaluate(copied, scope)))
        for each in changes.entries if isinstance(changes, ObjectLiteral) else ():
            change = Mutation(each.key, each.value, "set", each.span)
            value = self._mutations.apply_mutation(value, change, scope)
        return value

    def _given_out(self, expr: OperationExpr, scope: Scope) -> Value:
        """What a call gives a variable that it is handed as an output parameter, by its type."""
        match expr.operands:
            case (Call() as call, LiteralExpr(value=int(position))):
                called = self._program.evaluator.function_called(call, scope)
                if called is not None and position < len(called.function.params):
                    declared = called.function.params[position].type
                    if declared is not None:
                        inside = self._program.function_scope(called.function, called.scope)
                        return ByType(declared, inside, call.span)
            case _:
                pass
        return Unresolved(Reason("out-parameter-undetermined"), expr.span, scope.file.path)

    def _lists_of(self, value: Value) -> tuple[Items, ...]:
        """The list that a value is, or all that it may be; empty where it may be something else."""
        options = value.options if isinstance(value, OneOf) else (value,)
        lists = tuple(
            Items((self._containers.item(option),), True)
            if isinstance(option, ByType) and self._is_list(option)
            else option
            for option in options
        )
        known = tuple(each for each in lists if isinstance(each, Items))
        is_seen = any(isinstance(option, Items) for option in options)
        return known if is_seen and len(known) == len(options) else ()

    def _is_list(self, typed: ByType) -> bool:
        types = self._program.types
        return isinstance(types.flat(types.schema_of(typed)), Array)

    def _concatenation(self, lists: Sequence[Items], origin: Origin) -> Items:
        """Lists one after the other."""
        if sum(len(each.values) for each in lists) > _MAX_JOINED:
            return Items(tuple(map(self._containers.item, lists)), True, False, origin)
        values = tuple(value for each in lists for value in each.values)
        return Items(values, any(each.repeated for each in lists), False, origin)

    def concatenate(self, parts: tuple[Value, ...]) -> Value:
        """The text that values give one after the other."""
        parts = tuple(map(self._as_part, parts))
        texts = [self._texts.text(part) for part in parts]
        if sum(len(text or "") for text in texts) > MAX_TEXT or _is_long(parts):
            return BySchema(Scalar(type="string"))  # one that holds another twice doubles it
        if all(text is not None for text in texts):
            whole = "".join(text for text in texts if text is not None)
            if any(is_assumed(self._program, text) for text in texts if text):
                assume(self._program, whole)
            return Constant(whole)
        return Template(parts)

    def _as_part(self, value: Value) -> Value:
        """A value as a part of a text: an object as its own method writes it."""
        if self._program.language.text_method and isinstance(value, Instance | OneOf):
            written = self._program.evaluator.own_text(value)
            return value if written is None else written
        return unless_begun(value)

    def _falsy(self, value: Value, span: Span, origin: Origin) -> Value:
        """What JavaScript's `a && b` gives where `a` does not hold."""
        schema = self._program.types.flat(self._program.types.schema_of(value))
        match schema:
            case Scalar(type="boolean", nullable=False):
                return Constant(False, span, origin.path)
            case Scalar(type="string", nullable=False):
                return Constant("", span, origin.path)
            case Scalar(nullable=False):
                return Constant(0, span, origin.path)
            case _:
                return Unresolved(Reason("left-operand-of-and"), span, origin.path)

    def _conjunction(self, values: tuple[Value, ...], span: Span, origin: Origin) -> Value:
        """What Python's `a and b` gives: the first side that does not hold, else the last."""
        types = self._program.types
        shapes = [types.flat(types.schema_of(value)) for value in values]
        if all(isinstance(s, Scalar) and s.type == "boolean" and not s.nullable for s in shapes):
            return BySchema(Scalar(type="boolean", origin=origin))
        options: list[Value] = []
        for value, shape in zip(values[:-1], shapes[:-1], strict=True):
            if isinstance(value, Instance):
                continue
            if not isinstance(shape, Scalar) or shape.nullable is not False:
                return Unresolved(Reason("left-operand-of-python-and"), span, origin.path)
            options.append(self._falsy(value, span, origin))
        return union_of((*options, values[-1]))
