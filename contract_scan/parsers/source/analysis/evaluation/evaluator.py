"""What an expression means, without running it.

A bounded abstract interpreter over the neutral form: constants, literals, declared types, members,
calls into project functions (followed to a limit), well-known library calls (the language's
`intrinsics`). Everything else is `Unresolved` with a reason.
"""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Object, Reference, Scalar, Unknown
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.budget import Budget
from contract_scan.parsers.source.analysis.domain.program import Program
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
    is_falsy,
    is_null,
    known_keys,
    origin_at,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.applied_mutations import AppliedMutations
from contract_scan.parsers.source.analysis.evaluation.assignments import Assignments
from contract_scan.parsers.source.analysis.evaluation.attributes import Attributes
from contract_scan.parsers.source.analysis.evaluation.bindings import Bindings
from contract_scan.parsers.source.analysis.evaluation.bodies import Bodies
from contract_scan.parsers.source.analysis.evaluation.calls import Calls
from contract_scan.parsers.source.analysis.evaluation.comprehensions import Comprehensions
from contract_scan.parsers.source.analysis.evaluation.constant_members import (
    member_of_construction,
)
from contract_scan.parsers.source.analysis.evaluation.constant_text import Texts
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.declared_join import DeclaredJoin
from contract_scan.parsers.source.analysis.evaluation.generics import Generics
from contract_scan.parsers.source.analysis.evaluation.members import Members
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.evaluation.operations import Operations
from contract_scan.parsers.source.analysis.evaluation.patterns import Patterns
from contract_scan.parsers.source.analysis.evaluation.results import Results
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume_last
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.refinement.kind_dispatch import (
    kind_holds,
    without_undetermined_lists,
)
from contract_scan.parsers.source.analysis.refinement.narrowing import narrow
from contract_scan.parsers.source.analysis.refinement.specialisation import (
    Specialisations,
    is_specialised,
)
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.analysis.syntax.positions import position_from_end
from contract_scan.parsers.source.analysis.typing.member_narrowing import says_not_null
from contract_scan.parsers.source.analysis.typing.types import TOO_MANY_STEPS
from contract_scan.parsers.source.analysis.typing.written_values import is_object_written_out
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
    TupleType,
    TypeExpr,
    TypeValue,
    UnsupportedSyntax,
)

MAX_EXPRESSION_DEPTH = 120
"""How deep an expression may nest before it counts as unknown: Python's own stack is the limit."""
_UNTYPED = frozenset({"any", "const", "unknown", "never", "object", "Object"})
"""Types that a cast to says nothing by."""
_MAX_SPREAD = 1000


class Evaluator:
    """Evaluates expressions of one program. It hands an expression to the part that knows its kind;
    each part is made with those that it calls."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._evaluated: dict[tuple[int, int], tuple[Expr, Scope, Value, bool]] = {}
        """What expressions mean, and whether calls that are too deep cut it short."""
        self.budget = Budget()
        self.specialisations = specialisations = Specialisations(program)
        context = Context(program, self.budget, self.evaluate)
        texts = Texts(context)
        nulls = Nulls(context)
        containers = Containers(context, texts, nulls)
        members = Members(context, nulls, containers)
        attributes = Attributes(context, containers, members)
        patterns = Patterns(context, containers, attributes)
        declared_join = DeclaredJoin(context, nulls, containers, members)
        generics = Generics(context, containers)
        bodies = Bodies(context, specialisations, nulls)
        results = Results(context, containers, members, declared_join, bodies)
        bindings = Bindings(context, containers, patterns, declared_join, bodies, nulls)
        calls = Calls(
            context,
            specialisations,
            nulls,
            containers,
            members,
            attributes,
            patterns,
            declared_join,
            generics,
            bodies,
            results,
            bindings,
        )
        mutations = AppliedMutations(
            context,
            nulls,
            containers,
            members,
            attributes,
            patterns,
            generics,
            bodies,
            bindings,
        )
        comprehensions = Comprehensions(context, texts, nulls, containers, patterns)
        operations = Operations(context, texts, nulls, containers, mutations)
        assignments = Assignments(
            context, nulls, containers, members, patterns, declared_join, mutations
        )
        choices = Choices(context, specialisations, nulls, results)

        self._containers = containers
        self._patterns = patterns
        self._calls = calls
        self._mutations = mutations
        self._comprehensions = comprehensions
        self._operations = operations
        self._choices = choices

        # What others ask the evaluator for, each answered by the part that knows it.
        self.text = texts.text
        self.template = texts.template
        self.texts = texts.texts
        self.qualified_name = texts.qualified_name
        self.without_null = nulls.without_null
        self.present_value = nulls.present_value
        self.null_of = nulls.null_of
        self.may_be_nothing = nulls.absences.may_be_nothing
        self._of_asked_chain = nulls.of_asked_chain
        self.item = containers.item
        self.unwrap = containers.unwrap
        self.entries_of = containers.entries_of
        self.merged_records = containers.merged_records
        self.record = containers.record
        self.plain = containers.plain
        self.possibly_absent = containers.possibly_absent
        self.says_nothing = containers.says_nothing
        self.member = members.member
        self.class_member = members.class_member
        self.attribute = attributes.attribute
        self.found_value = attributes.found_value
        self.type_value = attributes.type_value
        self.pattern_bindings = patterns.pattern_bindings
        self.join_with_declared = declared_join.join_with_declared
        self.inferred_types = generics.inferred_types
        self.bound_type = generics.bound_type
        self.member_of_construction = partial(member_of_construction, program)
        self.only_implementation = generics.only_implementation
        self.as_called = bodies.as_called
        self.function_exits = bodies.function_exits
        self.returned_value = results.returned_value
        self.only_throws = results.only_throws
        self.arguments = bindings.arguments
        self.arguments_with_defaults = bindings.arguments_with_defaults
        self.parameter = bindings.parameter
        self.destructured_parameter = bindings.destructured_parameter
        self.call_function = calls.call_function
        self.apply = calls.apply
        self.own_text = calls.own_text
        self.apply_to_name = mutations.apply_to_name
        self.function_called = mutations.function_called
        self.concatenate = operations.concatenate
        self.definition = assignments.definition
        self.choices = choices.options

    def evaluate(self, expr: Expr, scope: Scope) -> Value:
        """What an expression means at a place."""
        key = (id(expr), id(scope))
        known = self._evaluated.get(key)
        budget = self.budget
        if known is not None:
            if known[3]:
                budget.cut_deep()
            return known[2]
        if budget.depth > MAX_EXPRESSION_DEPTH:
            budget.cuts += 1
            return Unresolved(Reason("expression-too-deep"), expr.span, scope.file.path)
        if budget.spent > budget.allowed:
            budget.cuts += 1
            return Unresolved(Reason("operation-step-limit"), expr.span, scope.file.path)
        if budget.depth == 0:
            budget.steps = 0
        elif budget.steps > budget.limit:
            budget.cuts += 1
            return Unresolved(TOO_MANY_STEPS, expr.span, scope.file.path)
        budget.depth += 1
        budget.steps += 1
        budget.spent += 1
        others, deep = budget.cuts - budget.deep_cuts, budget.deep_cuts
        try:
            value = self._evaluate(expr, scope)
            if others == budget.cuts - budget.deep_cuts:
                # Expression and scope are kept with the value: their identities stay theirs.
                self._evaluated[key] = (expr, scope, value, deep < budget.deep_cuts)
            return value
        except RecursionError:
            budget.cuts += 1
            if budget.depth > 1:
                raise  # on to the outermost, where there is room to go on
            return Unresolved(Reason("following-too-deep"), expr.span, scope.file.path)
        finally:
            budget.depth -= 1

    def _evaluate(self, expr: Expr, scope: Scope) -> Value:
        match expr:
            case LiteralExpr(value=value):
                return Constant(value, expr.span, scope.file.path)
            case Name(id=id, is_method=is_method):
                named = self._program.names.lookup(id, scope, expr.span, is_method=is_method)
                return self.found_value(named, id, expr.span, scope)
            case Attribute(value=value, name=name):
                if isinstance(value, Name) and value.id == "this" and scope.function is not None:
                    given = self._mutations.just_given(name, scope, expr.span)
                    if given is not None:
                        return given
                if isinstance(value, Name):
                    found = self._program.names.modules.of_module(value.id, name, scope)
                    if found is not None:
                        return self.found_value(found, name, expr.span, scope)
                found = self.attribute(self.evaluate(value, scope), name, scope, expr.span)
                return self._of_asked_chain(found, expr, scope)
            case Call():
                return self._of_asked_chain(self._calls.call(expr, scope), expr, scope)
            case New():
                return self._calls.construction(expr, scope)
            case ObjectLiteral(entries=entries):
                return self.record(entries, scope, expr.span)
            case ArrayLiteral(items=items, is_tuple=is_tuple):
                return self._items(items, scope, is_tuple=is_tuple, span=expr.span)
            case Lambda(function=function):
                return FunctionValue(function, scope, scope.owner, scope.receiver)
            case Choice():
                return self._choices.choice_value(expr, scope)
            case Cast(value=value, checks_only=True):
                return self.evaluate(value, scope)
            case Cast(type=type, value=value):
                return self._cast(type, value, scope, expr.span)
            case Text(parts=parts):
                return self.concatenate(tuple(self.evaluate(part, scope) for part in parts))
            case Index(value=value, index=index):
                held, last = self.evaluate(value, scope), position_from_end(value, index)
                if last and isinstance(held, Items) and not held.repeated:
                    return held.values[-last] if last <= len(held.values) else self.item(held)
                return self._index(held, index, scope, expr.span)
            case Comprehension():
                return self._comprehensions.each(expr, scope)
            case OperationExpr():
                return self._operations.operation(expr, scope)
            case TypeValue(type=type):
                return self.type_value(type, scope, expr.span)
            case Spread(value=value):
                return self.evaluate(value, scope)
            case UnsupportedSyntax(description=what):
                return Unresolved(
                    Reason("unsupported-syntax", what=what), expr.span, scope.file.path
                )

    def _cast(self, type: TypeExpr, value: Expr, scope: Scope, span: Span) -> Value:
        if isinstance(type, NamedType) and type.name in _UNTYPED:
            return self.evaluate(value, scope)
        is_tuple = isinstance(type, TupleType) and isinstance(value, ArrayLiteral)
        if is_tuple or (isinstance(value, ObjectLiteral) and value.entries):
            return self.join_with_declared(self.evaluate(value, scope), ByType(type, scope, span))
        seen = self.without_null(self.evaluate(value, scope))
        if isinstance(seen, FunctionValue):
            return seen  # what a function does, its statements say
        options = seen.options if isinstance(seen, OneOf) else (seen,)
        flat = self._program.types.flat
        if all(isinstance(o, BySchema) and isinstance(flat(o.schema), Object) for o in options):
            return seen  # a library said what is there, and a cast adds nothing to it
        named = isinstance(type, NamedType)
        if isinstance(seen, LibraryResult) and named and self._says_no_shape(type, scope):
            return seen  # `fastify() as FastifyInstance`: of the call more is known
        objects = all(isinstance(option, Record | BySchema | ByType) for option in options)
        if objects and self._is_open_map(type, scope):
            return seen  # `row as Record<string, unknown>`
        unchecked = self._program.language.casts_unchecked
        if unchecked and is_object_written_out(seen):
            # What is in an object that is written out, no cast changes.
            if isinstance(seen, Record):
                return seen
            return self.join_with_declared(seen, ByType(type, scope, span))
        types = self._program.types
        if (
            unchecked
            and self._says_no_shape(type, scope)
            and not types.is_unknown(types.schema_of(seen))
        ):
            return seen  # `found as T`: nor does one to a type that is not known
        if isinstance(seen, LibraryResult) and seen.name.partition(".")[0].rstrip("()") in (
            self._program.language.computing_libraries
        ):
            return seen
        if unchecked and all(
            isinstance(option, ByType | Instance) and self._is_of(option, type, scope)
            for option in options
        ):
            return seen
        return ByType(type, scope, span, unchecked=unchecked)

    def _is_of(self, value: ByType | Instance, type: TypeExpr, scope: Scope) -> bool:
        """Whether a value is known to be of a named type, whatever of it a query has loaded."""
        own = self._program.types.schema_of(replace(value, view=""))
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
                spread = self.evaluate(item.value, scope)
                if isinstance(spread, Record):
                    spread = known_keys(spread) or spread
                if isinstance(spread, Items) and len(spread.values) <= _MAX_SPREAD:
                    values.extend(spread.values)
                    repeated = repeated or spread.repeated
                    continue
                repeated = True
                values.append(self.item(spread))
            else:
                values.append(self.evaluate(item, scope))
        return Items(tuple(values), repeated, is_tuple, origin_at(scope, span))

    def _index(self, value: Value, index: Expr, scope: Scope, span: Span) -> Value:
        if isinstance(index, UnsupportedSyntax) and index.description == "slice":
            return self._slice(value)
        key = self.evaluate(index, scope)
        if isinstance(key, Constant) and isinstance(key.value, str):
            return self.attribute(value, key.value, scope, span, subscript=True)
        position = key.value if isinstance(key, Constant) else None
        listed = value.values if isinstance(value, Items) and not value.repeated else ()
        if isinstance(position, int) and 0 <= position < len(listed):
            return listed[position]
        if isinstance(value, OneOf):
            return union_of(tuple(self._index(o, index, scope, span) for o in value.options))
        if isinstance(position, int) and position >= 0 and isinstance(value, ByType):
            return self._patterns.position(value, position)
        if isinstance(value, Record) and value.missing is not None:
            further = () if value.values is None else (value.values,)
            return union_of((*(entry.value for entry in value.entries), *further, value.missing))
        if isinstance(value, Record) and value.entries:
            return union_of(tuple(entry.value for entry in value.entries))
        if isinstance(value, ClassValue | LibrarySymbol):
            return value  # a generic class with its arguments: `Page[Order]`
        mapped = self._containers.map_value(value)
        return self.item(value) if mapped is None else mapped

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


# What conditional expressions give, and what their tests say of the names in their options.

_TEST_STEPS = 200
"""How many expressions may be looked at to decide one test."""


def _is_always_taken(value: Value, *, falsy: bool) -> bool:
    """Whether a value is never null (with `falsy`, nor false or empty), so that no fallback takes
    its place."""
    match value:
        case Constant(value=held):
            return bool(held) if falsy else held is not None
        case Record(entries=entries):
            return any(not entry.optional for entry in entries)
        case Items(values=values, repeated=repeated):
            return not falsy or (bool(values) and not repeated)
        case OneOf(options=options):
            return all(_is_always_taken(option, falsy=falsy) for option in options)
        case ByType(refinements=refinements):
            return not falsy and says_not_null(refinements)  # it was tested
        case _:
            return False


class Choices:
    """The part of the evaluator that chooses among the options of conditional expressions."""

    def __init__(
        self, context: Context, specialisations: Specialisations, nulls: Nulls, results: Results
    ) -> None:
        self._program = context.program
        self._budget = context.budget
        self._evaluate = context.evaluate
        self._specialisations = specialisations
        self._nulls = nulls
        self._results = results

    def choice_value(self, expr: Choice, scope: Scope) -> Value:
        options = self.options(expr, scope)
        reachable = [pair for pair in options if not self._throws(*pair)] or options
        values = [self._evaluate(option, inner) for option, inner in reachable]
        values = [
            self._constructed_as(values, option, inner) or value
            for value, (option, inner) in zip(values, reachable, strict=True)
        ]
        if expr.given:
            values = without_undetermined_lists(self._program, expr, reachable, values, scope)
            values = self._without_unproven_nulls(expr, values, reachable, scope)
        elif expr.fallback:
            last = values[-1:] if reachable[-1] is options[-1] else []
            before = zip(values[: len(values) - len(last)], reachable, strict=False)
            values = [v for v, (option, inner) in before if not self._is_left_out(option, inner)]
            if last and self._is_mere_precaution(values, last[0]):
                last = []
            always = (at for at, v in enumerate(values) if _is_always_taken(v, falsy=expr.falsy))
            certain = next(always, None)
            if certain is not None:  # what comes after it is never taken
                values, last = values[: certain + 1], []
            values = self._values_before_fallback(values, falsy=expr.falsy) + last
            if len(values) > 1 and self._is_proven(*reachable[0], falsy=expr.falsy):
                values = values[:1]
            assume_last(self._program, values)
        return union_of(tuple(values))

    def _is_mere_precaution(self, values: list[Value], fallback: Value) -> bool:
        """Whether an empty object (`found || {}`) stands behind what is an object by its type, or
        of which nothing is known: that it is ever given is not said."""
        if not self._program.language.structural or not values:
            return False
        if not isinstance(fallback, Record) or fallback.entries or fallback.partial:
            return False
        if fallback.values is not None or any(map(is_null, values)):
            return False
        flat, schema_of = self._program.types.flat, self._program.types.schema_of
        shapes = [flat(schema_of(value)) for value in values]
        return all(
            isinstance(shape, Unknown) or (isinstance(shape, Object) and shape.nullable is False)
            for shape in shapes
        )

    def _is_proven(self, option: Expr, scope: Scope, *, falsy: bool) -> bool:
        """Whether an option is a variable, or what a method of it gives, that is never null where
        it stands: on every path there it was tested, or given an object that is written out."""
        held = option
        if isinstance(held, Call) and isinstance(held.callee, Attribute):
            held = held.callee.value
        if not isinstance(held, Name) or not scope.statements:
            return False
        shape = self._program.types.flat(
            self._program.types.schema_of(self._evaluate(option, scope))
        )
        if shape.nullable is not False or (falsy and not isinstance(shape, Object)):
            return False
        given = reaching_definitions.reaching_definitions(scope.statements, held.id, held.span)
        tested = [one for one in given if one.present]
        return bool(tested) and all(
            one in tested
            or isinstance(getattr(one.statement, "value", None), ObjectLiteral | ArrayLiteral | New)
            for one in given
        )

    def _values_before_fallback(self, values: list[Value], *, falsy: bool) -> list[Value]:
        """What is left of the options of a fallback that others stand behind."""
        there = [self._nulls.without_null(v) for v in values if not is_null(v)]
        return [self._nulls.without_falsy(v) for v in there if not is_falsy(v)] if falsy else there

    def _constructed_as(self, others: list[Value], option: Expr, scope: Scope) -> Value | None:
        """What `new()` makes beside other options: an object of their type."""
        if not isinstance(option, New) or option.type is not None:
            return None
        declared_class = self._program.names.declared_class
        for other in others:
            if isinstance(other, ByType) and isinstance(other.type, NamedType):
                meant = declared_class(other.type, other.scope)
                here = declared_class(other.type, scope)
                if meant is not None and here is not None and meant.key == here.key:
                    return self._evaluate(replace(option, type=other.type), scope)
                return ByType(other.type, other.scope, option.span)
        return None

    def _without_unproven_nulls(
        self, expr: Choice, values: list[Value], reachable: list[tuple[Expr, Scope]], scope: Scope
    ) -> list[Value]:
        """The values of options, without the nulls that the test before them does not prove."""
        tests = {id(o): t for o, t in zip(expr.options, expr.given, strict=False)}
        left: list[Value] = []
        for value, (option, _) in zip(values, reachable, strict=True):
            test = tests[id(option)]
            null: Value | None = value
            if test is not None and is_null(value):
                null = self._nulls.null_where(test, True, value, scope)
            if null is not None:
                is_left = null is value and isinstance(value, Constant) and value.value is None
                left.append(replace(value, is_chosen=True) if is_left else null)
        return left or values

    def _is_left_out(self, option: Expr, scope: Scope) -> bool:
        """Whether an option is a member that an object given to a function lacks, of which all
        that is in it is known: `options.status` of `{ name: "x" }`, also of `(options as T)`."""
        holder = option.value if isinstance(option, Attribute) else None
        while isinstance(holder, Cast):
            holder = holder.value
        if not isinstance(option, Attribute) or not isinstance(holder, Name):
            return False
        given = scope.bindings_around(holder.id)
        if not isinstance(given, Record) or given.partial or given.values is not None:
            return False
        return bool(given.entries) and all(entry.name != option.name for entry in given.entries)

    def _throws(self, expr: Expr, scope: Scope) -> bool:
        """Whether an expression gives nothing, since what it calls can only throw."""
        if not isinstance(expr, Call) or not isinstance(expr.callee, Lambda | Name):
            return False
        callee = self._evaluate(expr.callee, scope)
        return isinstance(callee, FunctionValue) and self._results.only_throws(callee)

    def options(self, expr: Choice, scope: Scope) -> list[tuple[Expr, Scope]]:
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
        held = self._specialisations.holds(test, scope)
        if held is False:
            return False
        if held is None and is_specialised(scope):
            with self._budget.within_further(_TEST_STEPS):
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
            value = self._evaluate(Name(id=name, span=test.span), scope)
            remaining = (
                narrow(self._program, value, name, test, scope, holds=True) if is_refined else value
            )
            if present or absent:
                if absent:
                    bindings[name] = self._nulls.null_of(remaining)
                elif null_checks.is_truthy(test, name, True):
                    bindings[name] = self._nulls.without_falsy(self._nulls.without_null(remaining))
                else:
                    bindings[name] = self._nulls.without_null(remaining)
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
