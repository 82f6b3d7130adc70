"""What a function gives: its declared type, or what its body is seen to return."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.program import Typing
from contract_scan.parsers.source.analysis.domain.values import (
    NOT_NULL,
    BoundType,
    BySchema,
    ByType,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibraryResult,
    OneOf,
    Record,
    RecordEntry,
    Scope,
    Value,
    as_checked,
    is_null,
    is_untyped,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.bodies import Bodies
from contract_scan.parsers.source.analysis.evaluation.containers import Containers, is_bare
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.evaluation.declared_join import DeclaredJoin
from contract_scan.parsers.source.analysis.evaluation.members import Members
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_function
from contract_scan.parsers.source.analysis.typing.loaded_values import loaded_as
from contract_scan.parsers.source.analysis.typing.object_shapes import (
    is_never_null,
    is_of_one_class,
)
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Call,
    Choice,
    Expr,
    Function,
    LiteralExpr,
    Name,
    NamedType,
    New,
    Throw,
    TupleType,
)

_NULL_DEPTH = 4
"""How many calls deep a null that a body returns is looked for."""
_ROW_DEPTH = 4
"""How deep the objects in rows are looked into for null that a declared type allows."""
_MEMBER_DEPTH = 2
"""How deep an object is looked into for members that are of one of several types."""
_NULL_STEPS = 60
"""How far what a function returns is followed to tell that it is never null."""
_STATUSES = frozenset({"status", "statusCode", "httpStatus", "httpCode", "code"})
"""What members are called that hold the status of a response."""
_FINAL = frozenset({"private", "static", "final"})
"""Modifiers of functions that no class below has one of its own for."""


class Results:
    """The part of the evaluator that weighs declared types and bodies."""

    def __init__(
        self,
        context: Context,
        containers: Containers,
        members: Members,
        declared_join: DeclaredJoin,
        bodies: Bodies,
    ) -> None:
        self._program = context.program
        self._containers = containers
        self._members = members
        self._declared_join = declared_join
        self._bodies = bodies
        self._budget = context.budget
        self._whole: dict[tuple[str, Span], Value | None] = {}
        self._closed: set[str] = set()  # keys of types that leave nothing open
        self._null_returned: dict[tuple[str, Span], bool] = {}
        self._null_excluded: dict[tuple[str, Span], bool] = {}
        self._decorated: dict[int, Function] = {}
        """Functions of which it is being asked what their decorators do."""

    def seen_or_declared(
        self, seen: Value, typed: ByType, callee: FunctionValue | None = None
    ) -> Value:
        """The object literals that a body returns, or lists of them, where these are all it
        returns: they tell which optional fields are there. Else the declared type."""
        if callee is not None and self._gives_unknown_any(callee, seen):
            return seen
        options = seen.options if isinstance(seen, OneOf) else (seen,)
        inner = self._containers.unwrap(typed)
        literals = all(_is_written_out(o) or is_null(o) for o in options)
        given: list[Value] = [
            o for o in options if isinstance(o, Record) or (isinstance(o, Items) and o.values)
        ]
        if isinstance(inner, ByType) and (viewed := loaded_as(self._program.types, seen, inner)):
            return viewed
        if self._containers.lacks_optional(seen, typed):
            return seen  # `delete order.note; return order`
        if not literals or not given or not isinstance(inner, ByType):
            there = tuple(o for o in options if not is_null(o))
            made = union_of(there)
            is_list = inner is typed or not isinstance(made, Items)  # not what gives one
            if isinstance(inner, ByType) and is_list and self._is_made_of(made, inner):
                made = self._with_type_arguments(made, inner)
                # Whether a null beside it is ever given, callers know.
                is_whole = len(there) == len(options)
                return made if is_whole else union_of((made, BySchema(Nothing(nullable=None))))
            rows = _rows_with_less_null(self._program.types, seen, inner)
            if rows is not None:
                return rows
            if isinstance(seen, Items) and isinstance(item := self._containers.item(inner), ByType):
                each = tuple(self._declared_join.as_assigned(item, one) for one in seen.values)
                if any(one.assigned or one.view for one in each):
                    return replace(seen, values=each)
            typed = self._declared_join.as_assigned(typed, seen)
            of_library = self._program.language.structural and self._of_library(options)
            return replace(typed, of_library=True) if of_library else typed
        if self._program.types.schema_of(inner).nullable is True:
            given += [o for o in options if is_null(o)]
        # Where the type knows no null, `return;` ends the request some other way. An empty list
        # says nothing of the items of the others.
        seen = union_of(tuple(o for o in options if o in given))
        return self._declared_join.join_with_declared(seen, inner)

    def _is_made_of(self, seen: Value, declared: ByType) -> bool:
        """Whether what a body returns is constructed there, of the very class that it declares."""
        types = self._program.types
        if isinstance(seen, LibraryResult) and isinstance(declared.type, NamedType):
            if self._program.language.structural:
                return False
            if isinstance(types.flat(types.schema_of(declared)), Union):
                # Of a class of alternatives, what was handed to its constructor tells which.
                made = seen.site.type if isinstance(seen.site, New) else None
                return isinstance(made, NamedType) and made.name == declared.type.name
            return is_of_one_class(types, types.schema_of(seen), types.schema_of(declared))
        if isinstance(seen, Items):
            if not isinstance(types.flat(types.schema_of(declared)), Array):
                return False  # a page, which is more than its items
            item = self._containers.unwrap(self._containers.item(declared))
            return (
                bool(seen.values)
                and isinstance(item, ByType)
                and all(self._is_made_of(self._containers.unwrap(one), item) for one in seen.values)
            )
        if isinstance(seen, OneOf):
            # An empty list says nothing of the items of others.
            options = [o for o in seen.options if not isinstance(o, Items) or o.values]
            return bool(options) and all(self._is_made_of(option, declared) for option in options)
        if not isinstance(declared.type, NamedType):
            return False
        bound = self._program.names.lookup_type(declared.type.name, declared.scope)
        if isinstance(bound, BoundType) and bound.type != declared.type:
            return self._is_made_of(seen, ByType(bound.type, bound.scope))
        found = self._program.names.declared_class(declared.type, declared.scope)
        if found is None or not isinstance(seen, Instance):
            return False
        # Of an abstract class there are objects of the classes below it alone.
        above = self._program.bases(seen.symbol) if "abstract" in found.decl.modifiers else ()
        is_known = seen.site is not None or bool(seen.assigned)
        return is_known and found.key in {one.key for one in (seen.symbol, *above)}

    def _with_type_arguments(self, made: Value, declared: ByType) -> Value:
        """What is constructed of a generic class, with the type arguments of the declared type."""
        if isinstance(made, OneOf):
            each = tuple(self._with_type_arguments(option, declared) for option in made.options)
            return union_of(each)
        if not isinstance(made, Instance) or not isinstance(declared.type, NamedType):
            return made
        found = self._program.names.declared_class(declared.type, declared.scope)
        if found is not None and found.key != made.symbol.key:
            return made  # its own parameters are others
        pairs = zip(made.symbol.decl.type_params, declared.type.args, strict=False)
        types = {param.name: BoundType(argument, declared.scope) for param, argument in pairs}
        return replace(made, types={**made.types, **types}) if types else made

    def _of_library(self, options: tuple[Value, ...]) -> bool:
        """Whether libraries give all of what a body returns but null, and nothing is known of
        it."""
        types = self._program.types
        given = [o for o in options if not (isinstance(o, Constant) and o.value is None)]
        return bool(given) and all(
            (isinstance(one, LibraryResult) and types.is_unknown(types.schema_of(one)))
            or (isinstance(one, ByType) and one.of_library)
            for one in given
        )

    def altered_result(self, callee: FunctionValue, expr: Call, scope: Scope) -> Value | None:
        """What a decorated function gives, where a decorator makes something else of its result.
        What is handed a function, as a decorator is, has it as it is written."""
        alters, key = self._program.language.altered_result, id(callee.function)
        if alters is None or not callee.function.annotations or key in self._decorated:
            return None
        if isinstance(expr.callee, Name) and scope.bindings_around(expr.callee.id) is not None:
            return None
        self._decorated[key] = callee.function  # kept, so that its identity stays its own
        try:
            return alters(self._program, callee)
        finally:
            del self._decorated[key]

    def only_throws(self, callee: FunctionValue) -> bool:
        """Whether a call of a function never ends."""
        body = self._program.body(callee.function, callee.scope.file)
        return any(ends_function(statement) for statement in body) and all(
            isinstance(n, Throw) for n in reaching_definitions.returns(body)
        )

    def returned_value(self, callee: FunctionValue) -> Value:
        """What a function gives whoever calls it: its declared type, or the object literals that it
        is seen to return where the type leaves open which fields are there."""
        declared = callee.function.returns
        if declared is None or self._containers.says_nothing(declared, callee.scope):
            untyped = replace(callee, function=replace(callee.function, returns=None))
            return self._program.evaluator.apply(untyped, (), callee.scope)
        typed = ByType(declared, callee.scope, declared.span)
        if not self.leaves_open(typed):
            return self.whole_value(callee, typed)
        seen = self._containers.unwrap(self._bodies.body_value(callee, {}, callee.scope, {}))
        return self.seen_or_declared(seen, typed, callee)

    def whole_value(self, callee: FunctionValue, typed: ByType) -> Value:
        """A declared type in full, or what the body gives where that has more fields or null."""
        inner = self._containers.unwrap(typed)
        is_generic = callee.function.type_params or callee.scope.types
        if not self._program.language.structural or is_generic or not isinstance(inner, ByType):
            return self.with_returned_null(callee, typed)
        key = (callee.scope.file.path, callee.function.span)
        if key not in self._whole:
            self._whole[key] = None  # a function that calls itself has what it declares
            seen = self._containers.unwrap(self._bodies.body_value(callee, {}, callee.scope, {}))
            is_other = isinstance(seen, Record) and seen.untyped and not seen.partial
            whole = (
                (seen if is_other else None)
                or self._constants(seen, inner)
                or _wider_value(self._program.types, seen, inner, self._members.member)
                or _rows_with_less_null(self._program.types, seen, inner)
            )
            is_empty = isinstance(seen, Record) and is_bare(seen)
            if is_empty and not self._returns_declared_variable(callee):
                # `const found = {}; fill(found); return found`: `{}` is taken for any map.
                whole = replace(typed, unchecked=True)
            is_literal = _is_one_literal(seen) and self._is_one_of_objects(inner)
            if whole is None and (is_literal or self._tells_members(seen, inner)):
                whole = self.seen_or_declared(seen, typed)  # it tells which alternative is given
            if whole is None and self._gives_unknown_any(callee, seen):
                whole = seen  # nobody holds it against what is declared here
            if whole is None:
                whole = self._declared_join.as_assigned(typed, seen)
            if whole is typed and isinstance(seen, ByType):
                whole = as_checked(typed, seen)  # declared here, and a mere cast gives it
            self._whole[key] = whole
        return self._whole[key] or typed

    def _gives_unknown_any(self, callee: FunctionValue, seen: Value) -> bool:
        """Whether a function gives what another one of the project is declared to give as `any`
        (`serialize(rows): Promise<any>`), and of which nothing says what it is."""
        if not self._program.language.casts_unchecked:
            return False
        scope = self._program.function_scope(callee.function, callee.scope)
        given_back = [end.value for end in reaching_definitions.returns(scope.statements or ())]
        calls = [value for value in given_back if isinstance(value, Call)]
        types = self._program.types
        if len(calls) < max(len(given_back), 1) or not types.is_unknown(types.schema_of(seen)):
            return False
        for call in calls:
            called = self._program.evaluator.function_called(call, scope)
            if called is None or called.function.returns is None:
                return False
            given = self._containers.unwrap(ByType(called.function.returns, called.scope))
            if not self._containers.may_be_any(given):
                return False
        return True

    def _is_one_of_objects(self, declared: ByType) -> bool:
        """Whether a type has several objects as alternatives."""
        types = self._program.types
        flat = types.flat(types.schema_of(declared))
        options = flat.options if isinstance(flat, Union) else ()
        return any(isinstance(types.flat(option), Object) for option in options)

    def _tells_members(self, seen: Value, declared: ByType) -> bool:
        """Whether an object that is written out, or a list of some, tells which of several types a
        member is of, where the declared type says that it may be of each."""
        if not _is_written_out(seen):
            return False
        types = self._program.types
        whole = types.schema_of(declared)
        if isinstance(seen, Record):
            return self._has_alternatives(whole, _MEMBER_DEPTH)
        if not isinstance(seen, Items) or not seen.values:
            return False
        return self._has_alternatives(types.schema_of(self._containers.item(declared)), 1)

    def _has_alternatives(self, schema: Schema, depth: int) -> bool:
        """Whether a member of an object, or of objects in it, is of one of several types."""
        types = self._program.types
        flat = types.flat(schema)
        if isinstance(flat, Array):
            flat = types.flat(flat.items)
        if not isinstance(flat, Object) or not depth:
            return False
        return any(
            isinstance(types.flat(field.schema), Union)
            or self._has_alternatives(field.schema, depth - 1)
            for field in flat.fields
        )

    def _constants(self, seen: Value, declared: ByType) -> Value | None:
        """The constants of which a body gives one, also in the positions of a tuple (`[500,
        message]`): they tell more than their declared type. None where it gives anything else, or
        the same constant always, as a body does that stands for another."""
        options = seen.options if isinstance(seen, OneOf) else (seen,)
        constants = {o.value for o in options if isinstance(o, Constant) and o.value is not None}
        if 1 < len(constants) == len(options):
            return seen
        if not isinstance(declared.type, TupleType):
            return None
        if not all(isinstance(option, Items) and not option.repeated for option in options):
            return None
        return self._declared_join.join_with_declared(seen, declared)

    def _returns_declared_variable(self, callee: FunctionValue) -> bool:
        """Whether a function returns a variable whose declaration says of what type it is."""
        body = self._program.body(callee.function, callee.scope.file)
        declared = {
            statement.target.id
            for statement in reaching_definitions.nested_statements(body)
            if isinstance(statement, Assign) and statement.type is not None
            if isinstance(statement.target, Name)
        }
        given = (end.value for end in reaching_definitions.returns(body))
        return any(isinstance(value, Name) and value.id in declared for value in given)

    def with_returned_null(self, callee: FunctionValue, typed: ByType) -> Value:
        """A declared result, and null beside it where nothing checks what is declared and a
        statement of the body gives null: whether it does in a call is undetermined. Where types
        let null pass, it is none where no statement gives null."""
        language = self._program.language
        if language.excludes_null is not None and self._never_returns_null(callee):
            return replace(typed, refinements=(NOT_NULL,))
        if language.excludes_null is not None and self._returns_literal_null(callee):
            return replace(typed, null_returned=True)
        if not language.results_unchecked:
            return typed
        if not self._may_return_null(callee, _NULL_DEPTH):
            return typed
        reason = Reason("null-despite-result", name=callee.function.name)
        return self._containers.with_unchecked_null(typed, reason)

    def _never_returns_null(self, callee: FunctionValue) -> bool:
        """Whether every statement of a function gives what is never null. What a class below may
        have in its place is not asked."""
        key = (callee.scope.file.path, callee.function.span)
        if key not in self._null_excluded:
            self._null_excluded[key] = False  # in a ring of calls nothing is told
            cuts = self._budget.cuts_so_far
            with self._budget.count_anew(), self._budget.limit_steps(_NULL_STEPS):
                found = self._is_final(callee) and self._gives_no_null(callee)
            is_whole = not self._budget.take_back(cuts)
            self._null_excluded[key] = found and is_whole
        return self._null_excluded[key]

    def _gives_no_null(self, callee: FunctionValue) -> bool:
        given = [one for one in self._bodies.function_exits(callee) if not one.thrown]
        return bool(given) and all(
            one.value is not None
            and not one.generator
            and is_never_null(self._program, self._program.evaluate(one.value, one.scope))
            for one in given
        )

    def _is_final(self, callee: FunctionValue) -> bool:
        """Whether a call of a function runs it, and none of a class below that has its name."""
        if not _FINAL.isdisjoint(callee.function.modifiers) or callee.owner is None:
            return True
        return not self._program.names.classes.implementations(callee.owner)

    def _returns_literal_null(self, callee: FunctionValue) -> bool:
        """Whether a statement of a function gives null, itself or as an option of what it gives."""
        body = self._program.body(callee.function, callee.scope.file)
        for end in reaching_definitions.returns(body):
            options = end.value.options if isinstance(end.value, Choice) else (end.value,)
            if any(isinstance(one, LiteralExpr) and one.value is None for one in options):
                return True
        return False

    def _may_return_null(self, callee: FunctionValue, depth: int) -> bool:
        """Whether a statement of a function gives null, or what a function gives that declares no
        result and does so itself."""
        key = (callee.scope.file.path, callee.function.span)
        if key not in self._null_returned:
            self._null_returned[key] = False  # in a ring of calls the others decide
            exits = self._bodies.function_exits(callee)
            given = [one for one in exits if not one.thrown]
            self._null_returned[key] = not any(one.generator for one in given) and any(
                one.value is None or self._may_be_null(one.value, one.scope, depth) for one in given
            )
        return self._null_returned[key]

    def _may_be_null(self, expr: Expr, scope: Scope, depth: int) -> bool:
        match expr:
            case LiteralExpr(value=value):
                return value is None
            case Choice(options=options, fallback=fallback):
                last = options[-1:] if fallback else options
                return any(self._may_be_null(option, scope, depth) for option in last)
            case Call(callee=called) if depth:
                callee = self._program.evaluate(called, scope)
                if isinstance(callee, FunctionValue) and callee.function.returns is None:
                    return self._may_return_null(callee, depth - 1)
            case Name() if depth:
                pass
            case _:
                return False
        types = self._program.types
        return types.flat(types.schema_of(self._program.evaluate(expr, scope))).nullable is True

    def leaves_open(self, typed: ByType) -> bool:
        """Whether a declared type leaves open which fields are sent or what they hold."""
        types = self._program.types
        schema = types.schema_of(self._containers.unwrap(typed))
        if isinstance(types.flat(schema), Union):
            # A class of alternatives in a language of classes: the body says which it holds.
            return not self._program.language.structural
        met: set[str] = set()
        is_open = self._open_fields(schema, met)
        self._closed.update(() if is_open else met)
        return is_open

    def _open_fields(self, schema: Schema, met: set[str]) -> bool:
        types = self._program.types
        if isinstance(schema, Reference):
            if schema.key in met or schema.key in self._closed:
                return False
            met.add(schema.key)
        flat = types.flat(schema)
        if isinstance(flat, Array):
            return self._open_fields(flat.items, met)
        return isinstance(flat, Object) and any(
            f.required is not True
            or types.is_unknown(f.schema)
            or self._is_told_by_body(f)
            or self._open_fields(f.schema, met)
            for f in flat.fields
        )

    def _is_told_by_body(self, field: Field) -> bool:
        """Whether a field holds one of several constants, or may hold null: which one, and whether
        it does, only the body says. In TypeScript the declared type does, as far as a compiler can
        tell; but which number a status is, no type says."""
        language = self._program.language
        flat = self._program.types.flat(field.schema)
        if language.structural:
            is_number = isinstance(flat, Scalar) and flat.type in ("numeric", "integer", "number")
            return is_number and field.name in _STATUSES
        is_unchecked = flat.null_known == "declared" and language.declares_not_null_unchecked
        if is_unchecked or (flat.nullable is None and language.null_if_unset is not None):
            return True
        return flat.nullable is True or (isinstance(flat, Scalar) and len(flat.values or ()) > 1)


def _is_one_literal(value: Value) -> bool:
    """Whether a value is always the same object literal, which is not empty, or null."""
    options = value.options if isinstance(value, OneOf) else (value,)
    given = [option for option in options if not is_null(option)]
    [only] = given if len(given) == 1 else [None]
    return isinstance(only, Record) and not is_bare(only)


def _is_written_out(value: Value) -> bool:
    """Whether a value is an object literal of which all is seen, or a list of such."""
    match value:
        case Record(partial=partial, values=values):
            return not partial and values is None
        case Items(values=values, is_tuple=False):
            return all(
                _is_written_out(option)
                for item in values
                for option in (item.options if isinstance(item, OneOf) else (item,))
            )
        case _:
            return False


# --------------------------------------------------------------------------- structural types
# `one(): Promise<UserDto> { return this.users.findOne(…) }` compiles where the entity has what the
# DTO names, and JSON then holds every field of the entity. Where the body tells of such a value,
# the value counts.


def _wider_value(
    types: Typing, seen: Value, declared: ByType, member: Callable[[ByType, str], Value | None]
) -> Value | None:
    """What a body gives, where it has more than the declared type names; None where it has not, or
    where that is undetermined. `member` gives a member of a type by its name."""
    options = seen.options if isinstance(seen, OneOf) else (seen,)
    objects = [o for o in options if not (isinstance(o, Constant) and o.value is None)]
    if objects and all(_has_more(types, option, declared) for option in objects):
        return seen
    [only] = objects if len(objects) == 1 else [None]
    if not isinstance(only, Record) or only.partial or only.values is not None:
        return None
    return _literal(types, only, declared, member)


def _rows_with_less_null(types: Typing, seen: Value, declared: Value) -> Value | None:
    """What a declared type says of rows whose columns are known, without the null that it allows
    and the query never gives; None where it allows no such null."""
    if not isinstance(seen, BySchema | LibraryResult) or not isinstance(declared, ByType):
        return None
    whole, rows = types.schema_of(declared), types.flat(types.schema_of(seen))
    if types.is_unknown(rows.items if isinstance(rows, Array) else rows):
        return None
    narrowed = _with_less_null(types, whole, rows, _ROW_DEPTH)
    return None if narrowed is whole else BySchema(narrowed)


def _with_less_null(types: Typing, declared: Schema, given: Schema, depth: int) -> Schema:
    """A schema with null only where what is given may have it. Whether null is in what an
    expression of SQL gives is undetermined: `any` fits every type."""
    shape, known = types.flat(declared), types.flat(given)
    is_open = types.is_unknown(known)
    if shape.nullable and known.nullable is not True:
        shape = replace(shape, nullable=None if is_open else known.nullable)
        declared = replace(shape, null_reason=known.null_reason or Reason("null-in-column"))
    match shape:
        case Array(items=items) if depth and (is_open or isinstance(known, Array)):
            rows = known.items if isinstance(known, Array) else known
            narrowed = _with_less_null(types, items, rows, depth - 1)
            return declared if narrowed is items else replace(shape, items=narrowed)
        case Object(fields=fields) if depth and (is_open or isinstance(known, Object)):
            named = known.fields if isinstance(known, Object) else ()
            columns = {field.name: field.schema for field in named}
            narrowed_fields = [
                replace(f, schema=_with_less_null(types, f.schema, column, depth - 1))
                for f in fields
                for column in (columns.get(f.name, known if is_open else f.schema),)
            ]
            pairs = zip(narrowed_fields, fields, strict=True)
            same = all(narrow.schema is field.schema for narrow, field in pairs)
            return declared if same else replace(shape, fields=tuple(narrowed_fields))
        case _:
            return declared


def _literal(
    types: Typing, record: Record, declared: ByType, member: Callable[[ByType, str], Value | None]
) -> Value | None:
    """An object literal in which some field holds more than is declared; what the others hold is as
    their types say."""
    if _fields(types, declared) - {entry.name for entry in record.entries}:
        return None
    entries: list[RecordEntry] = []
    has_more = False
    for entry in record.entries:
        own = member(declared, entry.name)
        if own is None:
            return None
        is_unchanged = entry.is_replacement and is_untyped(entry.value)
        if is_unchanged or (isinstance(own, ByType) and _has_more(types, entry.value, own)):
            entries.append(entry)
            has_more = True
        elif isinstance(own, ByType) and is_untyped(entry.value):
            entries.append(replace(entry, value=replace(own, unchecked=True)))
            has_more = True
        else:
            entries.append(replace(entry, value=own))
    return replace(record, entries=tuple(entries)) if has_more else None


def _has_more(types: Typing, value: Value, declared: ByType) -> bool:
    """Whether objects of a value have every field of a declared type, and others for certain: an
    optional member of a type may never be given."""
    items = value.values if isinstance(value, Items) else (value,)
    if not items or not all(isinstance(item, ByType | BySchema) for item in items):
        return False
    named = _fields(types, declared)
    more = _fields(types, value, certain=True) - named
    return bool(named) and bool(more) and named < _fields(types, value)


def _fields(types: Typing, value: Value, *, certain: bool = False) -> frozenset[str]:
    """Names of the fields that objects of a value have (with `certain`, always), or the items of
    its lists; none where they could not all be told."""
    schema: Schema = types.flat(types.schema_of(value))
    if isinstance(schema, Array):
        schema = types.flat(schema.items)
    if not isinstance(schema, Object) or schema.incomplete_reason:
        return frozenset()
    fields = schema.fields
    if certain:  # what is of any type may be `undefined`
        fields = tuple(f for f in fields if f.required is True and not _is_any(f.schema))
    return frozenset(field.name for field in fields)


def _is_any(schema: Schema) -> bool:
    return isinstance(schema, Unknown) and schema.accepts_any
