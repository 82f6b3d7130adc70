"""What a test leaves of a value that may be one of several: `if (result instanceof Failure)`,
`if (!result.ok)`, `"error" in result`, `Array.isArray(found)`.

Each option is asked by itself whether the test may hold for it. Only what surely fails is taken
away. Where that is everything, not all of the value was known: of `x instanceof Failure` a failure
is left, of any other test all that there was.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Array, LiteralValue, Nothing, Object, Scalar, Schema, Unknown
from contract_scan.ir.schema import Union as UnionSchema
from contract_scan.ir.three_valued import all_of, any_of
from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.path_facts import Typed
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import is_assignable
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
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
    as_checked,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.refinement.conditions import has_attribute
from contract_scan.parsers.source.analysis.refinement.path_conditions import ORDER
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    BOOLEAN_OPERATORS,
    NULL_NAMES,
    OTHER,
    SAME,
    conjunction,
    evaluate_boolean,
    guarding_predicate,
    is_null_literal,
)
from contract_scan.parsers.source.analysis.typing.assigned_members import set_on
from contract_scan.parsers.source.analysis.typing.member_narrowing import (
    refine_members,
    takes_null_away,
)
from contract_scan.parsers.source.analysis.typing.written_values import holds_for_item
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    Loop,
    Name,
    NamedType,
    New,
    OperationExpr,
    Return,
    Statement,
    TypeExpr,
    TypeValue,
    UnionType,
)

_DEEPEST = 8
"""How many names of types are followed."""
_DEEPEST_PREDICATE = 3
"""How many predicates that call one another are looked into."""
_NAMED_PREDICATE = re.compile(r"(is|has|Is|Has)(?=[A-Z_])")
"""How libraries name functions that only ask something."""
_PRIMITIVES = frozenset({"string", "number", "boolean", "bigint", "symbol", "str", "int", "float"})
_KINDS = {"string": "string", "number": "number", "integer": "number", "numeric": "number"}
"""What JavaScript's `typeof` says of scalars."""


def narrow(
    program: Program, value: Value, name: str, test: Expr, scope: Scope, *, holds: bool
) -> Value:
    """The options of what `name` holds for which a test may hold (or, with `holds` False,
    fail)."""
    options = possible_values(program, value)
    asked = _NarrowedName(program, name, scope)
    fits = [(option, asked.fits(option, test)) for option in options]
    remaining = [option for option, fit in fits if fit is not (not holds)]
    predicate = guarding_predicate(test, name, holds)
    if predicate is not None and _is_predicate(program, predicate.callee, scope):
        undecided = [option for option, fit in fits if fit is None]
        checked = [
            _behind_unknown_predicate(program, o, test, scope) if o in undecided else o
            for o in remaining
        ]
        if any(a is not b for a, b in zip(checked, remaining, strict=True)):
            return union_of(tuple(checked))
    if remaining:
        value = union_of(tuple(remaining)) if len(remaining) < len(options) else value
        if holds_for_item(program, name, test, scope, holds=holds):
            value = program.evaluator.without_null(value)
        return refine_members(program, value, name, test, scope, holds=holds)
    match test:
        case OperationExpr(operator="instanceof", operands=(Name(id=id), Name(id=made_by))) if (
            holds and id == name
        ):
            return ByType(NamedType(name=made_by, span=test.span), scope, test.span)
        case _:
            return value


def _is_predicate(program: Program, callee: Expr, scope: Scope) -> bool:
    """Whether a function only asks something of what it is handed, which decides whether what
    follows runs: one of the project that does nothing but return, or a library's `isSomething`."""
    function = program.function_value(callee, scope)
    if function is None:
        name = callee.name if isinstance(callee, Attribute) else dotted_name_of(callee)
        return _NAMED_PREDICATE.match(name) is not None
    if "async" in function.function.modifiers:
        return False
    body = program.body(function.function, function.scope.file)
    return bool(body) and all(
        isinstance(statement, Return | Branch | Loop)
        or (isinstance(statement, Assign) and isinstance(statement.target, Name))
        for statement in reaching_definitions.nested_statements(body)
    )


def _behind_unknown_predicate(program: Program, value: Value, test: Expr, scope: Scope) -> Value:
    """A value that is reached only where an unknown predicate holds for it. A value that is
    known by its type alone stays: some values of the type satisfy the predicate. Of a record
    that is written out, one of the two branches never runs."""
    match value:
        case OneOf(options=options):
            return union_of(
                tuple(_behind_unknown_predicate(program, o, test, scope) for o in options)
            )
        case Record(partial="", values=None, entries=entries) if entries:
            reason = Reason("test-outcome-undetermined")
            return Unresolved(reason, test.span, scope.file.path)
        case _:
            return value


def fits(program: Program, value: Value, name: str, test: Expr, scope: Scope) -> bool | None:
    """Whether a test holds where `name` is a value; None where that is undetermined."""
    return _NarrowedName(program, name, scope).fits(value, test)


def is_of_class(program: Program, fact: Typed, written: TypeValue, scope: Scope) -> bool | None:
    """Whether a value of which the type is known is of a class that is written in a scope."""
    return _NarrowedName(program, "", scope).is_of_class(fact.value, written)


_MAPPINGS = frozenset({"dict", "Mapping", "MutableMapping", "Object"})
_LISTS = frozenset({"list", "Sequence", "Iterable", "Array", "Collection", "tuple"})
_NUMBERS = frozenset({"int", "float", "complex", "bool", "number", "boolean", "bigint"})
_TEXTS = frozenset({"str", "string", "String"})


def _numbers(values: tuple[LiteralValue, ...]) -> tuple[float, ...]:
    """The values, if each is a number."""
    found = tuple(v for v in values if isinstance(v, int | float) and not isinstance(v, bool))
    return found if len(found) == len(values) else ()


def _simple(external: LibrarySymbol) -> str:
    return external.name.rpartition(".")[2]


def _may_be_of(primitive: str, expected: LibrarySymbol) -> bool:
    """Whether a value that is declared as a primitive type may be of a class of the language."""
    name = _simple(expected)
    return name == "object" or any({primitive, name} <= same for same in (_NUMBERS, _TEXTS))


def _may_be_shaped(shape: Schema, expected: LibrarySymbol) -> bool:
    """Whether what is written like this may be of a class of the language, or of a library."""
    match shape:
        case Scalar(type=type, format=""):
            return _may_be_of("str" if type == "string" else "int", expected)
        case Scalar():
            return True  # a date, an address, a decimal
        case Array():
            return _simple(expected) in _LISTS | {"object", "set", "frozenset"}
        case _:
            return False


def possible_values(program: Program, value: Value, depth: int = _DEEPEST) -> list[Value]:
    """The single values that a value may be, as far as their types are told apart."""
    value = program.evaluator.unwrap(value)
    if not depth:
        return [value]
    match value:
        case OneOf(options=options):
            return [
                one for option in options for one in possible_values(program, option, depth - 1)
            ]
        case ByType(type=UnionType(options=types), scope=scope):
            each = (as_checked(ByType(type, scope, value.span), value) for type in types)
            return [one for typed in each for one in possible_values(program, typed, depth - 1)]
        case ByType(type=NamedType() as type, scope=scope):
            aliased = _alias_target(program, type, scope)
            if aliased is not None and isinstance(aliased.type, UnionType | NamedType):
                inner = possible_values(program, as_checked(aliased, value), depth - 1)
                return inner if len(inner) > 1 else [value]
            return [value]
        case BySchema(schema=schema):
            flat = program.types.flat(schema)
            if isinstance(flat, UnionSchema):
                return [BySchema(option) for option in flat.options]
            return [value]
        case _:
            return [value]


def _alias_target(program: Program, type: NamedType, scope: Scope) -> ByType | None:
    """The type behind an alias of the project."""
    found = program.names.lookup_type(type.name, scope)
    if isinstance(found, BoundType):
        return ByType(found.type, found.scope) if found.shape is None else None
    if not isinstance(found, AliasSymbol):
        return None
    bound = program.names.classes.bind(found.alias.type_params, type, scope)
    module = program.module_scope(found.file)
    return ByType(found.alias.type, Scope(file=found.file, parent=module, types=bound))


class _NarrowedName:
    """A name, of whose possible values a test is asked."""

    def __init__(self, program: Program, name: str, scope: Scope, depth: int = 0) -> None:
        self._depth = depth
        self._program = program
        self._name = name
        self._scope = scope

    def fits(self, option: Value, test: Expr) -> bool | None:
        """Whether a test holds where the name is this value; None where that is undetermined."""
        match test:
            case OperationExpr(operator=operator, operands=operands) if (
                operator in BOOLEAN_OPERATORS
            ):
                return evaluate_boolean(operator, (self.fits(option, each) for each in operands))
            case Choice(options=options, given=()):
                both = conjunction(options)
                each = (self.fits(option, operand) for operand in both or options)
                return all_of(each) if both else any_of(each)
            case OperationExpr(
                operator="is" | "instanceof", operands=(Name(id=id), TypeValue() as written)
            ):
                return self.is_of_class(option, written) if id == self._name else None
            case OperationExpr(operator="instanceof", operands=(Name(id=id), made_by)):
                return self._made_by(option, made_by) if id == self._name else None
            case OperationExpr(operator="in", operands=(LiteralExpr(value=str(key)), Name(id=id))):
                return self._has_key(option, key) if id == self._name else None
            case OperationExpr(operator=operator, operands=(left, right)) if (
                operator in SAME | OTHER
            ):
                same = self._is_same(option, left, right)
                return None if same is None else same is (operator in SAME)
            case OperationExpr(operator=operator, operands=(left, right)) if operator in ORDER:
                return self._is_ordered(option, ORDER[operator], left, right)
            case Call(callee=callee, args=args) if args and self._is_name(args[0].value):
                return self._fits_call(option, callee, tuple(a.value for a in args[1:]))
            case Attribute() | Index() if (member := self._member(test)) is not None:
                return self._truth_of_member(option, member)
            case Name(id=id) if id == self._name:
                return False if is_null(option) else None
            case _:
                return None

    def _member(self, expr: Expr) -> str | None:
        """The member of what the name holds that an expression reads: `x.ok`, `x["ok"]`."""
        match expr:
            case Attribute(value=Name(id=id), name=member) if id == self._name:
                return member
            case Index(value=Name(id=id), index=LiteralExpr(value=str(member))) if id == self._name:
                return member
            case _:
                return None

    def _is_name(self, expr: Expr) -> bool:
        return isinstance(expr, Name) and expr.id == self._name

    def _fits_call(self, option: Value, callee: Expr, further: tuple[Expr, ...]) -> bool | None:
        match callee:
            case Attribute(value=Name(id="Array"), name="isArray"):
                return self._is_list(option)
            case Name(id="isinstance") if further:
                return self._made_by(option, further[0])
            case Name(id="hasattr") if further and isinstance(further[0], LiteralExpr):
                return has_attribute(self._program, option, further[0].value)
            case Name() | Attribute() if not further:
                return self._predicate(option, callee)
            case _:
                return None

    def _predicate(self, option: Value, callee: Expr) -> bool | None:
        """What a function of the project says of a value that it is handed alone."""
        function = self._program.function_value(callee, self._scope)
        if function is None or self._depth > _DEEPEST_PREDICATE:
            return None
        params = [p for p in function.function.params if p.name not in ("self", "cls")]
        if len(params) != 1 or not params[0].name:
            return None
        body = self._program.body(function.function, function.scope.file)
        inner = _NarrowedName(self._program, params[0].name, function.scope, self._depth + 1)
        answer = inner.outcome(option, body, ())
        match function.function.returns:
            case NamedType(name="boolean", args=(asked,)) if answer is None:  # `data is Failure`
                types = self._program.types
                expected = types.schema(asked, function.scope)
                return is_assignable(self._shape(option), expected, types.flat, _DEEPEST)
            case _:
                return answer

    def outcome(
        self, option: Value, body: tuple[Statement, ...], after: tuple[Statement, ...]
    ) -> bool | None:
        """What statements return, and those after them, where the name is this value."""
        match body:
            case ():
                return self.outcome(option, after, ()) if after else None
            case (Return(value=LiteralExpr(value=bool(given))), *_):
                return given
            case (Return(value=test), *_) if test is not None:
                return self.fits(option, test)
            case (Branch(kind="if", condition=test, blocks=blocks), *rest) if test is not None:
                rest_of = (*rest, *after)
                others = blocks[1] if len(blocks) > 1 else ()
                held = self.fits(option, test)
                if held is not None:
                    return self.outcome(option, blocks[0] if held else others, rest_of)
                each = {self.outcome(option, block, rest_of) for block in (blocks[0], others)}
                return each.pop() if len(each) == 1 else None
            case _:
                return None

    def _is_same(self, option: Value, left: Expr, right: Expr) -> bool | None:
        """`x.kind === "a"`, `typeof x === "string"`."""
        if isinstance(left, LiteralExpr):
            left, right = right, left
        match left, right:
            case OperationExpr(operator="typeof", operands=(asked,)), LiteralExpr(value=str(kind)):
                return self._is_kind(option, kind) if self._is_name(asked) else None
            case ((Attribute() | Index()), _) if (member := self._member(left)) is not None:
                if is_null_literal(right) or (isinstance(right, Name) and right.id in NULL_NAMES):
                    return self._member_is_null(option, member)
                if isinstance(right, LiteralExpr):
                    return self._member_is(option, member, right.value)
            case _, LiteralExpr(value=wanted) if self._is_name(left):
                if wanted is None:
                    flat = self._shape(option)
                    is_there = isinstance(flat, Object | Array) and flat.nullable is False
                    return False if is_there else None
                if isinstance(option, Constant) and option.declared_type is None:
                    return type(option.value) is type(wanted) and option.value == wanted
        return None

    def _is_ordered(
        self, option: Value, compare: Callable[[float, float], bool], left: Expr, right: Expr
    ) -> bool | None:
        """`x.status >= 400`, `400 <= x.status`."""
        is_left = isinstance(right, LiteralExpr)
        member, limit = (self._member(left), right) if is_left else (self._member(right), left)
        if member is None or not isinstance(limit, LiteralExpr) or self._is_missing(option, member):
            return None
        limits, values = _numbers((limit.value,)), _numbers(self._constants(option, member) or ())
        pairs = ((one, other) if is_left else (other, one) for one in values for other in limits)
        answers = {compare(one, other) for one, other in pairs}
        is_there = self._is_missing(option, member) is False
        return answers.pop() if len(answers) == 1 and is_there else None

    # ------------------------------------------------------------------ classes and kinds

    def _made_by(self, option: Value, made_by: Expr) -> bool | None:
        """Whether a value is an instance of a class."""
        if is_null(option):
            return False
        expected = self._program.evaluate(made_by, self._scope)
        if isinstance(expected, Items) or (
            isinstance(made_by, OperationExpr) and made_by.operator == "|"
        ):
            return self._made_by_one(option, made_by)
        match option:
            case Record() if isinstance(expected, LibrarySymbol) and _simple(expected) in _MAPPINGS:
                return True
            case Items(is_tuple=is_tuple) if (
                isinstance(expected, LibrarySymbol) and _simple(expected) in _LISTS
            ):
                kind = _simple(expected)
                return is_tuple is (kind == "tuple") if kind in ("list", "tuple") else True
            case Constant() | Template() if isinstance(expected, LibrarySymbol):
                return None if _simple(expected) in _PRIMITIVES | {"object", "String"} else False
            case Constant() | Template() | Items() | Record():
                return False
            case LibraryResult(name=name) if isinstance(expected, LibrarySymbol):
                return True if name == expected.name else None
            case Instance(symbol=symbol, site=site):
                return self._descends(ClassValue(symbol), expected, exact=site is not None)
            case ByType(type=type, scope=scope):
                return self._type_descends(type, scope, expected)
            case BySchema(schema=schema):
                flat = self._program.types.flat(schema)
                if isinstance(expected, LibrarySymbol) and _may_be_shaped(flat, expected):
                    return None
                return False if isinstance(flat, Scalar | Array) else None
            case _:
                return None

    def is_of_class(self, option: object, written: TypeValue) -> bool | None:
        """Whether a value is an instance of a class of the project that a type names."""
        if not isinstance(written.type, NamedType):
            return None
        expected = self._program.names.lookup_type(written.type.name, self._scope)
        if not isinstance(expected, ClassValue):
            return None
        match option:
            case Instance(symbol=symbol, site=site):
                return self._descends(ClassValue(symbol), expected, exact=site is not None)
            case ByType(type=NamedType(name=name), scope=scope):
                found = self._program.names.lookup_type(name, scope)
                if isinstance(found, LibrarySymbol):
                    return None if self._may_derive(expected.symbol, found) else False
                return self._descends(found, expected, exact=False)
            case _:
                return None

    def _may_derive(self, symbol: ClassSymbol, base: LibrarySymbol) -> bool:
        """Whether objects of a class of the project, or of one derived from it, may be of a type of
        a library."""
        if _simple(base).lower() in ("object", "dynamic"):
            return True
        classes = self._program.names.classes
        pending, seen = [symbol], {symbol.key}
        while pending:
            one = pending.pop()
            derived = [d for d in classes.implementations(one) if d.key not in seen]
            seen.update(each.key for each in derived)
            pending.extend(derived)
            lineage = [one, *(above for above, _ in classes.ancestors(one))]
            project = {each.decl.name for each in lineage}
            written = {b.name for e in lineage for b in e.decl.bases if isinstance(b, NamedType)}
            if not written <= project:
                return True
        return False

    def _made_by_one(self, option: Value, classes: Expr) -> bool | None:
        """Whether a value is an instance of one of several classes: `(A, B)`, `A | B`."""
        match classes:
            case ArrayLiteral(items=each) | OperationExpr(operands=each):
                return any_of(self._made_by(option, one) for one in each)
            case _:
                return None

    def _type_descends(self, type: TypeExpr, scope: Scope, expected: Value) -> bool | None:
        if not isinstance(type, NamedType):
            return False if isinstance(expected, LibrarySymbol | ClassValue) else None
        if type.name in _PRIMITIVES:
            is_own = isinstance(expected, LibrarySymbol) and _may_be_of(type.name, expected)
            return None if is_own else False
        found = self._program.names.lookup_type(type.name, scope)
        if isinstance(found, AliasSymbol):
            flat = self._program.types.flat(self._program.types.schema(type, scope))
            return False if isinstance(flat, Object | Array | Scalar) else None
        if isinstance(found, LibrarySymbol):
            same = isinstance(expected, LibrarySymbol) and expected.name == found.name
            return True if same else None
        return self._descends(found, expected, exact=False)

    def _descends(self, found: object, expected: Value, *, exact: bool) -> bool | None:
        """Whether a class is another one or derived from it. A value that is declared to be of a
        class may be of one derived from that."""
        if not isinstance(found, ClassValue):
            return None
        names = self._program.names
        lineage = [found.symbol, *(base for base, _ in names.classes.ancestors(found.symbol))]
        if isinstance(expected, LibrarySymbol):
            written = {
                base.name
                for symbol in lineage
                for base in symbol.decl.bases
                if isinstance(base, NamedType)
            }
            if expected.name in written:
                return True
            project = {symbol.decl.name for symbol in lineage}
            return False if written <= project else None
        if not isinstance(expected, ClassValue):
            return None
        if any(symbol.key == expected.symbol.key for symbol in lineage):
            return True
        above = [base.key for base, _ in names.classes.ancestors(expected.symbol)]
        return None if not exact and found.symbol.key in above else False

    def _is_list(self, option: Value) -> bool | None:
        match option:
            case Items():
                return True
            case Record() | Constant() | Template():
                return False
            case _:
                flat = self._shape(option)
                if isinstance(flat, Array):
                    return True
                return False if isinstance(flat, Scalar | Object | Nothing) else None

    def _is_kind(self, option: Value, kind: str) -> bool | None:
        if is_null(option):
            return None  # `typeof null` is an object, `typeof undefined` is not
        flat = self._shape(option)
        match flat:
            case Scalar(type="boolean", nullable=False):
                return kind == "boolean"
            case Scalar(type=type, format="", nullable=False) if type in _KINDS:
                return kind == _KINDS[type]
            case Array(nullable=False) | Object(nullable=False):
                return kind == "object"
            case _:
                return None

    # ------------------------------------------------------------------ members

    def _has_key(self, option: Value, key: str) -> bool | None:
        if isinstance(option, Record):
            entry = next((e for e in option.entries if e.name == key), None)
            if entry is None:
                return None if option.partial or option.values is not None else False
            return None if entry.optional else True
        return True if self._declared_member(option, key)[1] else None

    def _truth_of_member(self, option: Value, name: str) -> bool | None:
        lacks = self._is_missing(option, name)
        if lacks:
            return False
        values = self._constants(option, name)
        if values is not None:
            truths = {bool(value) for value in values}
            if lacks is None:
                truths.add(False)
            return truths.pop() if len(truths) == 1 else None
        shape, given = self._member_shape(option, name), set_on(self._program, option, name)
        is_made = isinstance(given, LibraryResult) and isinstance(given.site, New)
        surely = is_made or (isinstance(shape, Object | Array) and shape.nullable is False)
        return True if surely and lacks is False else None

    def _member_is(self, option: Value, name: str, wanted: LiteralValue) -> bool | None:
        lacks = self._is_missing(option, name)
        if lacks:
            return False
        values = self._constants(option, name)
        if values is None:
            return None
        if wanted not in values:
            return False
        return True if len(values) == 1 and lacks is False else None

    def _member_is_null(self, option: Value, name: str) -> bool | None:
        lacks = self._is_missing(option, name)
        if lacks:
            return True
        shape = self._member_shape(option, name)
        if isinstance(shape, Nothing):
            return True
        if shape is None or isinstance(shape, Unknown) or lacks is not False:
            return None
        return False if shape.nullable is False else None

    def _is_missing(self, option: Value, name: str) -> bool | None:
        """Whether a value has no such member. An object may have more than its type
        declares, so only a written record decides."""
        if isinstance(option, Record):
            entry = next((e for e in option.entries if e.name == name), None)
            if entry is None:
                return None if option.partial or option.values is not None else True
            return None if entry.optional or entry.undefined is not False else False
        if isinstance(option, Instance) and set_on(self._program, option, name) is not None:
            return False
        return False if self._declared_member(option, name)[1] else None

    def _constants(self, option: Value, name: str) -> tuple[LiteralValue, ...] | None:
        """All that a member may hold, where it is one of some constants."""
        given = set_on(self._program, option, name)
        if isinstance(given, Constant) and given.value is not None:
            return (given.value,)
        shape = self._member_shape(option, name)
        if isinstance(shape, Scalar) and shape.values is not None and shape.nullable is False:
            return shape.values
        return None

    def _member_shape(self, option: Value, name: str) -> Schema | None:
        if isinstance(option, Record):
            entry = next((e for e in option.entries if e.name == name), None)
            return None if entry is None else self._shape(entry.value)
        found = self._declared_member(option, name)[0]
        return None if found is None else self._program.types.flat(found)

    def _declared_member(self, option: Value, name: str) -> tuple[Schema | None, bool | None]:
        """The shape of a member of a value that is known by its shape, and whether it is needed."""
        flat = self._shape_about(option, name)
        shown = flat.fields if isinstance(flat, Object) else ()
        return next(((f.schema, f.required) for f in shown if f.name == name), (None, None))

    def _shape_about(self, value: Value, name: str) -> Schema:
        """The shape of a value, right about one member: that others are not null changes nothing
        there, and after n tests it would be said n times of every further one."""
        value = self._program.evaluator.unwrap(value)
        if isinstance(value, ByType | Instance | BySchema):
            about = tuple(
                one
                for one in value.refinements
                if one.member in ("", name) or not takes_null_away(one)
            )
            if len(about) < len(value.refinements):
                value = replace(value, refinements=about)
        return self._shape(value)

    def _shape(self, value: Value) -> Schema:
        types = self._program.types
        return types.flat(types.schema_of(self._program.evaluator.unwrap(value)))
