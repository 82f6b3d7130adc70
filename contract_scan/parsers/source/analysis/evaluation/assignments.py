"""What names hold after an assignment or in a loop, with the changes that follow."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, Nothing, Object, Scalar, Schema, Union
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.key_coverage import with_covered
from contract_scan.parsers.source.analysis.domain.values import (
    NOT_NULL,
    BoundType,
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
    is_untyped,
    origin_at,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.applied_mutations import AppliedMutations
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.declared_join import DeclaredJoin
from contract_scan.parsers.source.analysis.evaluation.members import Members
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.evaluation.patterns import Patterns
from contract_scan.parsers.source.analysis.refinement.correlated_destructuring import possible
from contract_scan.parsers.source.analysis.refinement.narrowing import narrow
from contract_scan.parsers.source.analysis.typing.member_narrowing import invalidate
from contract_scan.parsers.source.analysis.typing.object_shapes import is_never_null
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Call,
    Define,
    Expr,
    Loop,
    Name,
    NamedType,
    OperationExpr,
    TypeExpr,
)

_COMPUTING = frozenset({"+", "-", "*", "/", "%", "**", "//", "&", "|", "^", "<<", ">>", ">>>"})
"""Operators of augmented assignments that compute; `??=` and `||=` keep one of two values."""


class Assignments:
    """The part of the evaluator that reads what names are given."""

    def __init__(
        self,
        context: Context,
        nulls: Nulls,
        containers: Containers,
        members: Members,
        patterns: Patterns,
        declared_join: DeclaredJoin,
        mutations: AppliedMutations,
    ) -> None:
        self._program = context.program
        self._evaluate = context.evaluate
        self._nulls = nulls
        self._containers = containers
        self._members = members
        self._patterns = patterns
        self._declared_join = declared_join
        self._mutations = mutations

    def definition(
        self, name: str, definition: reaching_definitions.Definition, scope: Scope
    ) -> Value:
        """The value that an assignment or a loop gives a name, with later mutations."""
        statement = definition.statement
        if isinstance(statement, Define):
            raise TypeError("declarations are resolved by Names")
        if isinstance(statement, Loop):
            source = statement.iterable
            if source is None or statement.variable is None:
                return Unresolved(
                    Reason("variable-set-by-loop", name=name), statement.span, scope.file.path
                )
            item = self._containers.item(self._evaluate(source, scope))
            value = self._patterns.pattern_bindings(statement.variable, item, scope).get(name, item)
            return self._as_tested(value, name, definition, scope)
        if definition.may_be_overwritten:
            return BySchema(Nothing(nullable=None))
        place = self._mutations.closure_scope(definition.inside, scope)
        value = self._assigned_value(name, statement, definition, place)
        written = statement.type
        if written is not None and any(
            self._mutations.is_changed_as_any(mutation, place) for mutation in definition.mutations
        ):
            value = ByType(written, place, statement.span, unchecked=True)
        is_filled = written is not None and _is_filled_here(statement.value, definition)
        if is_filled and statement.value is not None:
            value = self._evaluate(statement.value, place)
        for mutation in definition.mutations:
            value = self._mutations.apply_to_name(value, mutation, name, scope)
        if is_filled and written is not None:
            typed = ByType(written, place, statement.span)
            value = self._declared_join.join_with_declared(value, typed)
        value = self._mutations.without_changed_members(value, name, scope)
        seen = tuple(mutation for mutation in definition.mutations if not mutation.inside)
        value = with_covered(
            value, seen, scope.statements or (), self._program.names.locals.reaching
        )
        return self._as_tested(value, name, definition, scope)

    def _as_tested(
        self, value: Value, name: str, definition: reaching_definitions.Definition, scope: Scope
    ) -> Value:
        """The value as the tests between its definition and the place leave it."""
        for test, held in definition.tests:
            value = narrow(self._program, value, name, test, scope, holds=held)
        value = invalidate(value, definition.mutations)
        if definition.absent:
            return self._nulls.null_of(value)
        return self._nulls.present_value(value, definition) if definition.present else value

    def _assigned_value(
        self,
        name: str,
        statement: Assign,
        definition: reaching_definitions.Definition,
        scope: Scope,
    ) -> Value:
        declared, target = statement.type, definition.target
        if target is not None and statement.value is not None:
            whole = self._containers.unwrap(self._evaluate(statement.value, scope))
            if definition.correlated_tests:
                whole = possible(self._program, whole, definition, scope)
            bound = self._patterns.pattern_bindings(target, whole, scope)
            missing = Unresolved(
                Reason("variable-destructured", name=name),
                statement.span,
                scope.file.path,
                untyped=is_untyped(whole),
            )
            return bound.get(name, missing)
        if statement.value is None:
            if declared is not None:
                return ByType(declared, scope, statement.span)
            return Unresolved(
                Reason("variable-unassigned", name=name), statement.span, scope.file.path
            )
        if declared is not None and not self._containers.says_nothing(declared, scope):
            # What is written down about a value is worth more than its first value, but an object
            # made here keeps its identity.
            value = self._evaluate(statement.value, scope)
            if _is_given(value):
                shape = self._program.types.flat(self._program.types.schema(declared, scope))
                if isinstance(shape, Object | Array) or self._is_class(declared, scope):
                    return ByType(declared, scope, statement.span)
                if isinstance(shape, Scalar) and isinstance(value, LibraryResult):
                    return replace(value, declared_type=BoundType(declared, scope))
            options = value.options if isinstance(value, OneOf) else (value,)
            if isinstance(
                value, LibraryResult | Constant | FunctionValue | LibrarySymbol | ClassValue
            ) or all(
                is_null(each) or self._declared_join.is_made_as_declared(each, declared, scope)
                for each in options
            ):
                return value
            is_list = all(isinstance(each, Items) for each in options)
            if (isinstance(value, Record) or is_list) and isinstance(statement.target, Name):
                return self._declared_join.join_with_declared(
                    value, ByType(declared, scope, statement.span)
                )
            # No compiler holds what may be anything against the type that is declared for it.
            typed = self._containers.as_assigned(ByType(declared, scope, statement.span), value)
            excludes_null = self._program.language.excludes_null
            if excludes_null is None:
                return typed
            if is_never_null(self._program, value):
                return replace(typed, refinements=(NOT_NULL,))
            nulls = tuple(filter(is_null, value.options)) if isinstance(value, OneOf) else ()
            is_kept_out = not nulls or excludes_null(self._program, declared, scope)
            return typed if is_kept_out else union_of((typed, *nulls))
        value = self._evaluate(statement.value, scope)
        if declared is None and _is_given(value):
            return self._type_of_variable(name, statement, scope) or value
        if declared is not None:
            value = self._containers.as_any(value, declared, scope)
        if declared is not None and self._members.made_bare(value, declared):
            return ByType(declared, scope, statement.span)
        if statement.operator in ("+=", "+") and isinstance(value, Items):
            return replace(value, repeated=True)
        if statement.operator.removesuffix("=") in _COMPUTING and isinstance(
            value, Constant | OneOf | Template
        ):
            return self._computed(name, statement, value, definition, scope)
        return value

    def _computed(
        self,
        name: str,
        statement: Assign,
        operand: Value,
        definition: reaching_definitions.Definition,
        scope: Scope,
    ) -> Value:
        """What `x += 1` leaves in a variable: any value of its type, for it may run often. A text
        that is put together in one run is known."""
        types, operator = self._program.types, statement.operator.removesuffix("=")
        added = _scalars(types.flat(types.schema_of(operand)))
        if added is None or statement.value is None:
            return operand
        reaching = self._program.names.locals.reaching(
            scope.statements or (), name, statement.target.span
        )
        runs_once = reaching and all(one.statement is not statement for one in reaching)
        adds_text = operator == "+" and any(s.type == "string" for s in added)
        if adds_text and runs_once and not definition.inside:
            parts = (statement.target, statement.value)
            return self._evaluate(OperationExpr("+", parts, span=statement.span), scope)
        origin = origin_at(scope, statement.span)
        if adds_text:
            return BySchema(Scalar(type="string", origin=origin))
        before = _scalars(types.flat(types.schema_of(self._evaluate(statement.target, scope))))
        if before is None and scope.parent is not None:
            held = self._evaluate(statement.target, scope.parent)
            before = _scalars(types.flat(types.schema_of(held)))
        kinds = {s.type for s in (*before, *added)} if before is not None else {"string"}
        if operator == "+" and "string" in kinds and before is not None:
            return BySchema(Scalar(type="string", origin=origin))
        if kinds == {"boolean"} and operator in ("&", "|", "^"):
            return BySchema(Scalar(type="boolean", origin=origin))
        if before is not None and not kinds & {"string", "boolean"}:
            integral = kinds == {"integer"} and operator not in ("/", "**")
            formats = {s.format for s in before}
            kept = formats.pop() if integral and len(formats) == 1 else ""
            return BySchema(
                Scalar(type="integer" if integral else "numeric", format=kept, origin=origin)
            )
        return Unresolved(
            Reason("operator-result-undetermined", operator=statement.operator),
            statement.span,
            scope.file.path,
        )

    def _type_of_variable(self, name: str, statement: Assign, scope: Scope) -> ByType | None:
        """What a variable is declared as that is set again, or what it began with is where its
        declaration leaves that to the compiler (`var`), in a language whose compiler checks it."""
        if self._program.language.excludes_null is None:
            return None
        for first in reaching_definitions.nested_statements(scope.statements or ()):
            if isinstance(first, Assign) and first.target == Name(id=name, span=first.target.span):
                break
        else:
            return None
        if first.type is not None:
            return ByType(first.type, scope, statement.span)
        if first is statement or first.value is None:
            return None
        match self._containers.unwrap(self._evaluate(first.value, scope)):
            case ByType(type=type, scope=around):
                return ByType(type, around, statement.span)
            case Instance(symbol=made) if not made.decl.type_params:
                type = NamedType(name=made.decl.name, span=made.decl.span)
                return ByType(type, self._program.class_scope(made), statement.span)
            case _:
                return None

    def _is_class(self, type: TypeExpr, scope: Scope) -> bool:
        """Whether a type is a class of the project."""
        found = self._program.names.declared_class(type, scope)
        return found is not None and found.decl.kind == "class"


def _scalars(schema: Schema) -> tuple[Scalar, ...] | None:
    """The scalars that a value may be; None where it may be anything else."""
    match schema:
        case Scalar():
            return (schema,)
        case Union(options=options) if all(isinstance(one, Scalar) for one in options):
            return tuple(one for one in options if isinstance(one, Scalar))
        case _:
            return None


def _is_filled_here(begun: Expr | None, definition: reaching_definitions.Definition) -> bool:
    """Whether a list begins empty and all that happens to it is that items are added: `const rows:
    Row[] = []; for (…) rows.push({ … })`. The items tell more than the declared type."""
    is_empty = isinstance(begun, ArrayLiteral) and not begun.items
    changes = definition.mutations
    return is_empty and bool(changes) and all(m.kind == "add" and not m.path for m in changes)


def _is_given(value: Value) -> bool:
    """Whether a library's call gives a value, or a member of what one gives."""
    while isinstance(value, LibrarySymbol) and value.receiver is not None:
        value = value.receiver
    return isinstance(value, LibraryResult) and isinstance(value.site, Call)
