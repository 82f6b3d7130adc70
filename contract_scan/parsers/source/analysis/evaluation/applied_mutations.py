"""What is left of an object after the statements that change it, those of other functions that are
handed it included."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import partial

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Array, Field, Object
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.dataflow.records import to_record
from contract_scan.parsers.source.analysis.domain.effects import (
    COUNTED_ITEM,
    EVERY_ITEM,
    Closure,
    Mutation,
    PathKey,
    WalkedEntry,
)
from contract_scan.parsers.source.analysis.domain.path_facts import class_test
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    AssignedMember,
    BoundType,
    BySchema,
    ByType,
    ClassValue,
    Constant,
    Copied,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    LibrarySymbol,
    ModuleValue,
    OneOf,
    Record,
    Scope,
    Unresolved,
    Value,
    is_null,
    is_undefined,
    origin_at,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.attributes import Attributes
from contract_scan.parsers.source.analysis.evaluation.bindings import Bindings, parameter_for
from contract_scan.parsers.source.analysis.evaluation.bodies import Bodies
from contract_scan.parsers.source.analysis.evaluation.changed_records import ChangedRecords
from contract_scan.parsers.source.analysis.evaluation.containers import Containers
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.generics import Generics
from contract_scan.parsers.source.analysis.evaluation.members import Members
from contract_scan.parsers.source.analysis.evaluation.nullness import Nulls
from contract_scan.parsers.source.analysis.evaluation.patterns import Patterns
from contract_scan.parsers.source.analysis.refinement.conditions import (
    ConditionContext,
    evaluate_condition,
)
from contract_scan.parsers.source.analysis.syntax import null_checks
from contract_scan.parsers.source.analysis.syntax.callback_effects import EACH
from contract_scan.parsers.source.analysis.syntax.last_stores import just_assigned
from contract_scan.parsers.source.analysis.syntax.null_checks import property_of
from contract_scan.parsers.source.analysis.typing.assigned_members import (
    by_its_type,
    value_after_mutation,
    without_assigned_nulls,
    without_members,
)
from contract_scan.parsers.source.analysis.typing.constructions import with_constructed
from contract_scan.parsers.source.analysis.typing.library_objects import (
    after_builder_call,
    with_member_set,
)
from contract_scan.parsers.source.analysis.typing.loaded_values import (
    after_change,
    fills_in,
    with_part_filled,
)
from contract_scan.parsers.source.analysis.typing.member_narrowing import without_null
from contract_scan.parsers.source.analysis.typing.overloads import called_overload
from contract_scan.parsers.source.analysis.typing.types import TOO_MANY_STEPS
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Entry,
    Expr,
    Function,
    LiteralExpr,
    Name,
    NamedType,
    New,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of


class AppliedMutations:
    """The part of the evaluator that follows changes of objects."""

    def __init__(
        self,
        context: Context,
        nulls: Nulls,
        containers: Containers,
        members: Members,
        attributes: Attributes,
        patterns: Patterns,
        generics: Generics,
        bodies: Bodies,
        bindings: Bindings,
    ) -> None:
        self._program = context.program
        self._budget = context.budget
        self._evaluate = context.evaluate
        self._nulls = nulls
        self._containers = containers
        self._members = members
        self._attributes = attributes
        self._patterns = patterns
        self._generics = generics
        self._bodies = bodies
        self._bindings = bindings
        self._records = ChangedRecords(context, nulls, containers)
        self._handed: set[tuple[int, str]] = set()
        self._known_changes: dict[
            tuple[int, str], tuple[tuple[Statement, ...], tuple[Mutation, ...]]
        ] = {}
        self._known_method_calls: dict[
            int, tuple[tuple[Statement, ...], Mapping[str, Collection[tuple[str, int]]]]
        ] = {}

    def apply_mutation(self, value: Value, mutation: Mutation, scope: Scope) -> Value:
        """The value after a change that is made to it in the scope."""
        if isinstance(value, OneOf):
            return union_of(tuple(self.apply_mutation(v, mutation, scope) for v in value.options))
        if mutation.kind == "setter" and not mutation.path:  # of a class; maps have other methods
            is_made = isinstance(value, LibraryResult) and isinstance(value.site, New)
            if not isinstance(value, ByType | Instance) and not is_made:
                return value
            mutation = replace(mutation, kind="set")
        if mutation.kind == "through" or (
            mutation.kind == "built" and not isinstance(value, LibraryResult)
        ):
            return value
        is_keyed = mutation.key is not None
        is_removal = mutation.kind == "remove" and not mutation.path and is_keyed
        if isinstance(value, BySchema | LibraryResult) and mutation.kind != "pass":
            is_shape = is_removal and isinstance(value, BySchema)
            opened = value if is_shape else self._containers.changeable(value)
            if not isinstance(opened, BySchema | LibraryResult):
                return self.apply_mutation(opened, mutation, scope)
        if mutation.path:
            return self._changed_within(value, mutation, scope)
        scope = self.closure_scope(mutation.inside, scope)
        if mutation.key is None and mutation.key_expression is not None:
            mutation = replace(mutation, key=self._program.text(mutation.key_expression, scope))
        if mutation.walked is not None:
            record = to_record(self._program, value)
            if isinstance(record, Record):
                return self._with_entries_changed(record, mutation, mutation.walked, scope)
        if mutation.kind == "pass":
            return self._value_after_call(value, mutation, scope)
        if isinstance(value, Instance):
            value = without_members(with_constructed(self._program, value, mutation), mutation)
        if isinstance(value, ByType | Instance) and not value.view and mutation.kind != "each":
            return self._with_member(value, mutation, scope)
        given = (
            None if mutation.value is None else self._stored_value(mutation, mutation.value, scope)
        )
        if isinstance(value, ByType | Instance) and value.view:
            value = after_change(self._program.types, value, mutation, given)
        if isinstance(value, Items) and given is not None:
            return self._with_item(value, given, mutation)
        origin = origin_at(scope, mutation.span)
        if mutation.kind == "built" and isinstance(value, LibraryResult):
            return after_builder_call(value, given, mutation, origin)
        if mutation.kind == "each" and given is not None and isinstance(value, BySchema | ByType):
            return Items((given,), True, False, origin)
        if isinstance(value, LibraryResult) and self._containers.is_map(value):
            value = Record((), NO_REASON, None, origin_at(value.scope, value.site.span))
        if (
            isinstance(value, LibraryResult)
            and self._containers.is_list(value)
            and given is not None
        ):
            empty = Items((), True, False, origin_at(value.scope, value.site.span))
            return self._with_item(empty, given, mutation)
        if isinstance(value, LibraryResult):
            return with_member_set(value, given, mutation, origin)
        if isinstance(value, ByType | Instance):
            return self._with_member(value, mutation, scope)
        if not isinstance(value, Record):
            unset = mutation.kind == "set" and given is not None and is_undefined(given)
            is_gone = unset or mutation.kind == "remove"
            return self._without_member(value, mutation) if is_gone else value
        return self._records.record_after(value, given, mutation, scope)

    def apply_to_name(self, value: Value, mutation: Mutation, name: str, scope: Scope) -> Value:
        """The value that a name holds after a change of it, which may stand behind a test of what
        kind of value it is: `if isinstance(found, dict): found.pop("id")`."""
        asked = class_test(mutation.condition) if mutation.condition is not None else None
        is_tested = asked is not None and isinstance(asked[0], Name) and asked[0].id == name
        if not (mutation.conditional and is_tested) or mutation.condition is None:
            return self.apply_mutation(value, mutation, scope)
        changed: list[Value] = []
        for option in value.options if isinstance(value, OneOf) else (value,):
            inner = Scope(file=scope.file, parent=scope, bindings={name: option}, depth=scope.depth)
            holds = evaluate_condition(mutation.condition, ConditionContext(self._program, inner))
            made = mutation if holds is None else replace(mutation, conditional=False)
            changed.append(option if holds is False else self.apply_mutation(option, made, scope))
        return union_of(tuple(changed))

    def _with_entries_changed(
        self, record: Record, mutation: Mutation, walked: WalkedEntry, scope: Scope
    ) -> Value:
        """An object after a loop that has changed it under each of several keys."""
        as_one = replace(mutation, walked=None)
        given = record if walked.is_own else self._records.walked_record(walked, scope)
        if given is None:
            return self.apply_mutation(record, as_one, scope)
        value: Value = record
        for entry in given.entries:
            change = self._records.of_entry(mutation, walked, entry, scope)
            if change is None or not isinstance(value, Record):
                continue
            is_tested = null_checks.has_key(change.condition, entry.name)
            if change.conditional and not (is_tested and walked.is_own):
                expr = change.value
                stored = None if expr is None else self._stored_value(change, expr, scope)
                value = self._records.where_undecided(value, entry, change, stored, walked)
            else:
                value = self.apply_mutation(value, change, scope)
        if not walked.is_own and given.partial and isinstance(value, Record):
            return replace(value, partial=value.partial or given.partial)
        return value if given.values is None else self.apply_mutation(value, as_one, scope)

    def _with_member(self, value: ByType | Instance, mutation: Mutation, scope: Scope) -> Value:
        """An object of a class after a change of one of its members. What a member is set to is
        evaluated where it is asked for: most objects with members that code sets are no answer."""
        given = None
        if mutation.value is not None:
            key, later = mutation.key or "", self._bodies.later
            entry = Entry(key=key, value=mutation.value, span=mutation.span)
            stored = partial(self._stored_member, mutation, mutation.value, scope)
            given = AssignedMember(
                key, later(stored), later(partial(self._may_be_undefined, entry, scope))
            )
        before = partial(self._member_before, value, mutation)
        value = value_after_mutation(value, mutation, given, before)
        return self._without_member(value, mutation) if mutation.kind == "remove" else value

    def _may_be_undefined(self, entry: Entry, scope: Scope) -> bool | None:
        value = self._evaluate(entry.value, scope)
        return self._containers.absences.may_be_undefined(entry, scope, value)

    def _stored_member(self, mutation: Mutation, expr: Expr, scope: Scope) -> Value:
        """The value that a member is set to: null is told where the test before it proves it."""
        found, test = self._stored_value(mutation, expr, scope), mutation.condition
        if not (mutation.conditional and isinstance(found, Constant) and is_null(found) and test):
            return found
        null = self._nulls.null_where(test, True, found, scope)
        return replace(found, is_chosen=True) if null is found else null or found

    def _member_before(self, value: ByType | Instance, mutation: Mutation) -> Value | None:
        """What a member held that a change sets on some paths, on those where it does not."""
        key = mutation.key or ""
        found = self._members.member(value, key)
        if found is None or not null_checks.is_null_key(mutation.condition, key):
            return found
        left = self._nulls.without_null(found)
        return None if is_null(left) else left

    def _changed_within(self, value: Value, mutation: Mutation, scope: Scope) -> Value:
        """An object after a change of something in it: `order.lines.push(line)`."""
        key, *rest = mutation.path
        inner = replace(mutation, path=tuple(rest))
        is_each = key in (EVERY_ITEM, COUNTED_ITEM) and not isinstance(value, Items | Record)
        if is_each or key == EVERY_ITEM:
            return self._with_items_changed(value, inner, scope)
        if isinstance(value, LibraryResult) and mutation.value is not None:
            within = self.closure_scope(mutation.inside, scope)
            given = self._stored_value(mutation, mutation.value, within)
            return with_member_set(value, given, mutation, origin_at(scope, mutation.span))
        if isinstance(value, Items):
            return self._with_item_changed(value, key, inner, scope)
        if key == COUNTED_ITEM:
            key, inner = None, replace(inner, conditional=True)
        if isinstance(value, ByType | Instance) and isinstance(key, str):
            return self._with_part_changed(value, key, inner, scope)
        if not isinstance(value, Record):
            return value
        if key is None and value.values is not None:
            return replace(value, values=self.apply_mutation(value.values, inner, scope))
        entries = tuple(
            replace(entry, value=self.apply_mutation(entry.value, inner, scope))
            if entry.name == key
            else entry
            for entry in value.entries
        )
        return replace(value, entries=entries)

    def _with_part_changed(
        self, value: ByType | Instance, key: str, mutation: Mutation, scope: Scope
    ) -> ByType | Instance:
        """An object after a change of an object that it holds, `order.buyer.name = 1`, where
        nothing keeps that of its type. A library's property gives a copy each time, of the same
        parts: `for row in serializer.data: row["a"] = 1`."""
        value = with_part_filled(value, key)
        read = self._attributes.library_property(value, key)
        part = self._members.member(value, key) if read is None else read
        is_held = self._program.language.holds_what_is_set is not None
        if not is_held or part is None or (read is not None and not mutation.path):
            return value
        changed = self.apply_mutation(part, mutation, scope)
        is_told = read is not None or bool(getattr(changed, "assigned", ()))
        if changed is part or not is_told:
            return value
        others = tuple(one for one in value.assigned if one.name != key)
        return replace(value, assigned=(*others, AssignedMember(key, lambda: changed)))

    def _with_item_changed(
        self, value: Items, key: PathKey, mutation: Mutation, scope: Scope
    ) -> Items:
        """A list after a change of one of its items: `rows[0].total = 1`. Objects of classes whose
        types nobody checks stay the same objects, of which is known what their methods give."""
        is_checked = not self._program.language.casts_unchecked
        if isinstance(key, str) and key != COUNTED_ITEM:
            return value
        is_known = not value.repeated and (key is None or isinstance(key, int))
        if is_known and len(value.values) == 1:
            key = 0
        if not is_known or key is None:
            mutation = replace(mutation, conditional=mutation.conditional or key != COUNTED_ITEM)
        each = tuple(
            self.apply_mutation(one, mutation, scope)
            if (not is_known or key in (None, position))
            and (is_checked or not isinstance(one, ByType | Instance))
            else one
            for position, one in enumerate(value.values)
        )
        return replace(value, values=each)

    def _with_items_changed(self, value: Value, mutation: Mutation, scope: Scope) -> Value:
        """A list after a change of each of its items."""
        if isinstance(value, Items):
            each = tuple(self.apply_mutation(one, mutation, scope) for one in value.values)
            return replace(value, values=each)
        if not isinstance(self._program.types.flat(self._program.schema_of(value)), Array):
            return value
        item = self._containers.item(value)
        changed = self.apply_mutation(item, mutation, scope)
        return value if changed is item else Items((changed,), True)

    def closure_scope(self, closures: tuple[Closure, ...], scope: Scope) -> Scope:
        """The scope inside nested functions. A function that a call runs for each item of
        a list gets the items as its argument."""
        for closure in closures:
            given = self._gone_through(closure, scope)
            scope = self._program.function_scope(closure.function, scope, given)
        return scope

    def _gone_through(self, closure: Closure, scope: Scope) -> dict[str, Value]:
        match closure:
            case Closure(
                function=Function(params=(first, *_)),
                call=Call(callee=Attribute(value=receiver, name=name)),
            ) if name in EACH:
                item = self._containers.item(
                    self._containers.unwrap(self._evaluate(receiver, scope))
                )
            case _:
                return {}
        if first.pattern is not None:
            return dict(self._patterns.pattern_bindings(first.pattern, item, scope))
        says = first.type is not None and not self._containers.says_nothing(first.type, scope)
        return {} if says else {first.name: item}

    def just_given(self, name: str, scope: Scope, use: Span) -> Value | None:
        """What `this.name` was given just before a place in the same function; None where it is not
        seen."""
        expr = just_assigned(scope.statements or (), name, use)
        if expr is None or (isinstance(expr, LiteralExpr) and expr.value is None):
            return None
        return self._evaluate(expr, scope)

    def _stored_value(self, mutation: Mutation, expr: Expr, scope: Scope) -> Value:
        """The value that a mutation stores. An object that a name holds may change
        afterwards: `rows.add(row); row.put("a", 1);`."""
        if isinstance(expr, Name):
            names = self._program.names
            if mutation.kind in ("set", "add") and names.locals.is_followed(expr, scope):
                self._budget.cuts += 1
                return Unresolved(
                    Reason("value-contains-itself", value=expr.id), expr.span, scope.file.path
                )
            if self._budget.steps > self._budget.limit:
                self._budget.cuts += 1
                return Unresolved(TOO_MANY_STEPS, expr.span, scope.file.path)
            later = names.locals.with_later_changes(expr, scope)
            if later is not None:
                self._budget.steps += len(later.mutations)
                found = names.locals.join_definitions(expr.id, (later,), scope)
                if not isinstance(found, AliasSymbol | BoundType):
                    return found
        return self._evaluate(expr, scope)

    def _with_item(self, value: Items, given: Value, mutation: Mutation) -> Value:
        if mutation.kind == "each":
            return replace(value, values=(given,), repeated=True)
        if mutation.kind == "extend":
            if isinstance(given, Items):
                return replace(value, values=(*value.values, *given.values), repeated=True)
            given = self._containers.item(given)
        elif mutation.kind != "add" and (mutation.kind != "set" or mutation.key is not None):
            return value
        return replace(value, values=(*value.values, given), repeated=True)

    def _without_member(self, value: Value, mutation: Mutation) -> Value:
        """What is left of an object of a declared type after `delete x.a`."""
        if not isinstance(value, ByType | Instance | BySchema):
            return value
        types = self._program.types
        shape = types.flat(types.schema_of(self._containers.unwrap(value)))
        if not isinstance(shape, Object) or all(f.name != mutation.key for f in shape.fields):
            return value
        of_null = null_checks.is_null_key(mutation.condition, mutation.key or "")

        def left_over(field: Field) -> Field:
            if not of_null:
                return replace(field, required=None)
            may_go = False if types.flat(field.schema).nullable else None
            return replace(without_null(types, field), required=may_go)

        left = tuple(
            left_over(f) if f.name == mutation.key else f
            for f in shape.fields
            if f.name != mutation.key or mutation.conditional
        )
        kept = getattr(value, "keeps_shape", False)
        return BySchema(replace(shape, fields=left), keeps_shape=kept)

    # ------------------------------------------------------------------ handed to functions

    def _value_after_call(self, value: Value, mutation: Mutation, scope: Scope) -> Value:
        """What a function of the project does to an object that it is handed: `fill(x);`."""
        call = mutation.value
        if not self._program.language.structural:
            pass  # what follows tells what is loaded, too
        elif isinstance(value, ByType | Instance) and value.view and isinstance(call, Call):
            return self._query_result_after_call(value, call, mutation, scope)
        if not isinstance(call, Call) or not self._is_followed(value):
            return without_members(value, mutation) if isinstance(value, Instance) else value
        callee = self.function_called(call, scope)
        parameter = parameter_for(callee, call, mutation.key or "") if callee else None
        if callee is None or self._is_unseen(callee):
            copied = self._copied_into(call, mutation.key or "", scope)
            if copied:
                typed = by_its_type(self._program, value)
                return value if typed is None else replace(typed, copied=copied, assigned=())
            if isinstance(value, ByType | Instance):
                is_kept = self._containers.keeps_argument(call, scope)
                return value if is_kept else without_assigned_nulls(value)
        key = (id(callee.function), parameter.name) if callee and parameter else None
        if callee is None or parameter is None or key is None or key in self._handed:
            return without_assigned_nulls(value) if isinstance(value, Instance) else value
        body = self._program.body(callee.function, callee.scope.file)
        if not self._changes(body, parameter.name):
            return value
        self._handed.add(key)
        try:
            bindings = self._bindings.arguments_with_defaults(callee, call, scope)
            inside = self._program.function_scope(callee.function, callee.scope, bindings)
            inside = self._bodies.as_called(inside, callee, call, scope)
            for change in self._changes(inside.statements or (), parameter.name):
                if_there = null_checks.is_about(change.condition, parameter.name)
                conditional = (change.conditional and not if_there) or mutation.conditional
                value = self.apply_mutation(value, replace(change, conditional=conditional), inside)
        finally:
            self._handed.discard(key)
        return value

    def _is_unseen(self, callee: FunctionValue) -> bool:
        """Whether a method is declared alone, and what runs where it is called is made
        elsewhere."""
        if "abstract" in callee.function.modifiers:
            return True
        is_declared = callee.owner is not None and callee.owner.decl.kind == "interface"
        return is_declared and not self._program.body(callee.function, callee.scope.file)

    def _copied_into(self, call: Call, name: str, scope: Scope) -> Copied:
        """Whether a library fills what a name holds from another object, in its call or in what a
        build writes."""
        fills = self._program.language.fills_parameter
        meant = None if fills is None else self._method_named(call, scope)
        parameter = parameter_for(meant, call, name) if meant else None
        if fills is not None and meant and parameter and fills(meant, parameter):
            return "required"
        copiers = self._program.language.copiers
        found = self._evaluate(call.callee, scope) if copiers else None
        position = copiers.get(found.name) if isinstance(found, LibrarySymbol) else None
        filled = () if position is None else call.args[position : position + 1]
        named = (isinstance(one.value, Name) and one.value.id == name for one in filled)
        return "any" if any(named) else ""

    def _is_followed(self, value: Value) -> bool:
        """Whether it matters what a function does to a value: to an object whose keys are seen, or
        of a class whose members code sets."""
        match value:
            case Instance(site=New()) if self._program.language.null_if_unset is not None:
                return True
            case ByType() | Instance() if value.assigned:
                return True
            case ByType(type=NamedType(name=name), scope=scope):
                return isinstance(self._program.names.lookup_type(name, scope), ClassValue)
            case _:
                is_open = isinstance(value, BySchema) and not value.keeps_shape
                return is_open or isinstance(value, Instance | Record | Items | LibraryResult)

    def without_changed_members(self, value: Value, name: str, scope: Scope) -> Value:
        """A value without what is known of the members that its own methods set, where the function
        that holds it under a name calls these."""
        if not isinstance(value, ByType | Instance) or not value.assigned:
            return value
        changed: set[str] = set()
        for called, arity in self._method_calls(scope.statements or ()).get(name, ()):
            method = self._members.member(value, called, arity)
            if isinstance(method, FunctionValue):
                changed |= self._own_members_set(method) - {property_of(called, "set")}
        left = tuple(one for one in value.assigned if one.name not in changed)
        return replace(value, assigned=left)

    def _method_calls(
        self, body: tuple[Statement, ...]
    ) -> Mapping[str, Collection[tuple[str, int]]]:
        """The methods that a body calls on what it holds under names, by these, with the number of
        arguments; found out once."""
        known = self._known_method_calls.get(id(body))
        if known is None:  # keeps the body, so that its identity stays its own
            found: dict[str, dict[tuple[str, int], None]] = defaultdict(dict)
            for node in nodes_of(body):
                match node:
                    case Call(callee=Attribute(value=Name(id=holder), name=called), args=args):
                        found[holder][called, len(args)] = None
                    case _:
                        pass
            known = (body, found)
            self._known_method_calls[id(body)] = known
        return known[1]

    def _own_members_set(self, method: FunctionValue) -> set[str]:
        """The members of its own object that a method sets."""
        found: set[str] = set()
        for node in nodes_of(self._program.body(method.function, method.scope.file)):
            match node:
                case Assign(target=Attribute(value=Name(id="this" | "self"), name=name)):
                    found.add(name)
                case Assign(target=Name(id=name)) if self._program.language.implicit_this:
                    found.add(name)
                case _:
                    pass
        return found

    def _changes(self, body: tuple[Statement, ...], parameter: str) -> tuple[Mutation, ...]:
        """What a body does to the object that it is handed as a parameter, found out once."""
        key = (id(body), parameter)
        known = self._known_changes.get(key)
        if known is None:  # keeps the body, so that its identity stays its own
            known = (body, reaching_definitions.changes(body, parameter))
            self._known_changes[key] = known
        return known[1]

    def is_changed_as_any(self, mutation: Mutation, scope: Scope) -> bool:
        """Whether a change is made to what a function gives of the object that it is handed, as a
        value that no compiler checks: `any` is what the function gives, or what it takes it for."""
        call = mutation.value
        if mutation.kind != "through" or not self._program.language.casts_unchecked:
            return False
        scope = self.closure_scope(mutation.inside, scope)
        callee = self.function_called(call, scope) if isinstance(call, Call) else None
        if callee is None or not isinstance(call, Call):
            return False
        parameter = parameter_for(callee, call, mutation.key or "")
        taken = parameter.type if parameter is not None else None
        type = callee.function.returns or taken
        return type is not None and self._containers.is_any(type, callee.scope)

    def _query_result_after_call(
        self, value: ByType | Instance, call: Call, mutation: Mutation, scope: Scope
    ) -> Value:
        """What a query has loaded, after a call that may put more into it."""
        callee = self.function_called(call, scope)
        if callee is None:
            return replace(value, view="") if fills_in(call) else value
        parameter = parameter_for(callee, call, mutation.key or "")
        body = self._program.body(callee.function, callee.scope.file)
        changes = parameter is None or self._changes(body, parameter.name)
        return replace(value, view="") if changes else value

    def function_called(self, call: Call, scope: Scope) -> FunctionValue | None:
        """The function of the project that a call means."""
        meant = self._method_named(call, scope)
        if meant is None or "abstract" not in meant.function.modifiers:
            return meant
        return self._generics.only_implementation(meant, call, scope)

    def _method_named(self, call: Call, scope: Scope) -> FunctionValue | None:
        """The function that a call names, where it is declared."""
        callee, arity = call.callee, len(call.args)
        found: Value | None
        if isinstance(callee, Attribute):
            receiver = self._containers.unwrap(self._evaluate(callee.value, scope))
            if isinstance(receiver, LibrarySymbol | LibraryResult | Unresolved):
                return None
            if isinstance(receiver, ModuleValue):
                found = self._attributes.attribute(
                    receiver, callee.name, scope, call.span, arity=arity
                )
            else:
                found = self._members.member(receiver, callee.name, arity)
        else:
            found = self._evaluate(callee, scope)
        if not isinstance(found, FunctionValue):
            handler = self._program.language.message_handler
            return None if handler is None else handler(self._program, call, scope)
        return called_overload(self._program, found, call, scope, self._evaluate)
