"""What a test leaves of a value that may be one of several: `if (result instanceof Failure)`,
`if (!result.ok)`, `"error" in result`, `Array.isArray(found)`.

Each option is asked by itself whether the test may hold for it. Only what surely fails is taken
away. Where that is everything, not all of the value was known: of `x instanceof Failure` a failure
is left, of any other test all that there was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.ir.schema import Array, LiteralValue, Nothing, Object, Scalar, Schema, Unknown
from contract_scan.ir.schema import Union as UnionSchema
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    ClassValue,
    Constant,
    External,
    Instance,
    Items,
    Made,
    OneOf,
    Record,
    Scope,
    Shaped,
    Template,
    Typed,
    Value,
    is_null,
    one_of,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    ALL,
    ANY,
    NOT,
    NULL_NAMES,
    OTHER,
    SAME,
    conjunction,
)
from contract_scan.parsers.source.analysis.typing.member_narrowing import with_told
from contract_scan.parsers.source.facts import (
    Attribute,
    Call,
    Choice,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    OperationExpr,
    TypeExpr,
    UnionType,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_DEEPEST = 8
"""How many names of types are followed."""
_PRIMITIVES = frozenset({"string", "number", "boolean", "bigint", "symbol", "str", "int", "float"})
_KINDS = {"string": "string", "number": "number", "integer": "number", "numeric": "number"}
"""What JavaScript's `typeof` says of scalars."""


def narrowed(
    program: Program, value: Value, name: str, test: Expr, scope: Scope, *, holds: bool
) -> Value:
    """The options of what `name` holds for which a test may hold (or, with `holds` False, fail)."""
    options = _options(program, value, _DEEPEST)
    asked = _Asked(program, name, scope)
    left = [option for option in options if asked.fits(option, test) is not (not holds)]
    if left:
        value = one_of(tuple(left)) if len(left) < len(options) else value
        return with_told(program, value, name, test, scope, holds=holds)
    match test:
        case OperationExpr(operator="instanceof", operands=(Name(id=id), Name(id=made_by))) if (
            holds and id == name
        ):
            return Typed(NamedType(name=made_by, span=test.span), scope, test.span)
        case _:
            return value


def fits(program: Program, value: Value, name: str, test: Expr, scope: Scope) -> bool | None:
    """Whether a test holds where `name` is a value; None where that is not told."""
    return _Asked(program, name, scope).fits(value, test)


def _options(program: Program, value: Value, depth: int) -> list[Value]:
    """The single values that a value may be, as far as their types are told apart."""
    value = program.evaluator.unwrapped(value)
    if not depth:
        return [value]
    match value:
        case OneOf(options=options):
            return [one for option in options for one in _options(program, option, depth - 1)]
        case Typed(type=UnionType(options=types), scope=scope):
            each = (Typed(type, scope, value.span) for type in types)
            return [one for typed in each for one in _options(program, typed, depth - 1)]
        case Typed(type=NamedType() as type, scope=scope):
            aliased = _aliased(program, type, scope)
            if aliased is not None and isinstance(aliased.type, UnionType | NamedType):
                inner = _options(program, aliased, depth - 1)
                return inner if len(inner) > 1 else [value]
            return [value]
        case Shaped(schema=schema):
            flat = program.types.flat(schema)
            if isinstance(flat, UnionSchema):
                return [Shaped(option) for option in flat.options]
            return [value]
        case _:
            return [value]


def _aliased(program: Program, type: NamedType, scope: Scope) -> Typed | None:
    """The type that an alias of the project stands for."""
    found = program.names.lookup_type(type.name, scope)
    if isinstance(found, BoundType):
        return Typed(found.type, found.scope) if found.shape is None else None
    if not isinstance(found, AliasSymbol):
        return None
    bound = program.names.bind(found.alias.type_params, type, scope)
    module = program.module_scope(found.file)
    return Typed(found.alias.type, Scope(file=found.file, parent=module, types=bound))


class _Asked:
    """A name, of whose possible values a test is asked."""

    def __init__(self, program: Program, name: str, scope: Scope) -> None:
        self._program = program
        self._name = name
        self._scope = scope

    def fits(self, option: Value, test: Expr) -> bool | None:
        """Whether a test holds where the name is this value; None where that is not told."""
        match test:
            case OperationExpr(operator=operator, operands=(operand,)) if operator in NOT:
                inner = self.fits(option, operand)
                return None if inner is None else not inner
            case OperationExpr(operator=operator, operands=operands) if operator in ALL:
                return self._joined(option, operands, decisive=False)
            case OperationExpr(operator=operator, operands=operands) if operator in ANY:
                return self._joined(option, operands, decisive=True)
            case Choice(options=options, given=()):
                both = conjunction(options)
                return self._joined(option, both or options, decisive=not both)
            case OperationExpr(operator="instanceof", operands=(Name(id=id), made_by)):
                return self._made_by(option, made_by) if id == self._name else None
            case OperationExpr(operator="in", operands=(LiteralExpr(value=str(key)), Name(id=id))):
                return self._has(option, key) if id == self._name else None
            case OperationExpr(operator=operator, operands=(left, right)) if (
                operator in SAME | OTHER
            ):
                same = self._same(option, left, right)
                return None if same is None else same is (operator in SAME)
            case Call(callee=callee, args=args) if args and self._is_name(args[0].value):
                return self._called(option, callee, tuple(a.value for a in args[1:]))
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

    def _joined(self, option: Value, operands: tuple[Expr, ...], *, decisive: bool) -> bool | None:
        """`a && b`: one that fails decides; `a || b`: one that holds."""
        each = [self.fits(option, operand) for operand in operands]
        if decisive in each:
            return decisive
        return None if None in each else not decisive

    def _called(self, option: Value, callee: Expr, further: tuple[Expr, ...]) -> bool | None:
        match callee:
            case Attribute(value=Name(id="Array"), name="isArray"):
                return self._is_list(option)
            case Name(id="isinstance") if further:
                return self._made_by(option, further[0])
            case _:
                return None

    def _same(self, option: Value, left: Expr, right: Expr) -> bool | None:
        """`x.kind === "a"`, `typeof x === "string"`."""
        if isinstance(left, LiteralExpr):
            left, right = right, left
        match left, right:
            case OperationExpr(operator="typeof", operands=(asked,)), LiteralExpr(value=str(kind)):
                return self._is_kind(option, kind) if self._is_name(asked) else None
            case ((Attribute() | Index()), _) if (member := self._member(left)) is not None:
                if isinstance(right, Name) and right.id in NULL_NAMES:
                    return self._member_is_null(option, member)
                if isinstance(right, LiteralExpr):
                    if right.value is None:
                        return self._member_is_null(option, member)
                    return self._member_is(option, member, right.value)
        return None

    # ------------------------------------------------------------------ classes and kinds

    def _made_by(self, option: Value, made_by: Expr) -> bool | None:
        """Whether a value is an instance of a class."""
        if is_null(option):
            return False
        expected = self._program.evaluate(made_by, self._scope)
        if isinstance(expected, Items):
            return None
        match option:
            case Constant() | Template() | Items() | Record():
                return False
            case Made(name=name) if isinstance(expected, External):
                return True if name == expected.name else None
            case Instance(symbol=symbol, site=site):
                return self._descends(ClassValue(symbol), expected, exact=site is not None)
            case Typed(type=type, scope=scope):
                return self._type_descends(type, scope, expected)
            case Shaped(schema=schema):
                flat = self._program.types.flat(schema)
                return False if isinstance(flat, Scalar | Array) else None
            case _:
                return None

    def _type_descends(self, type: TypeExpr, scope: Scope, expected: Value) -> bool | None:
        if not isinstance(type, NamedType):
            return False if isinstance(expected, External | ClassValue) else None
        if type.name in _PRIMITIVES:
            return False
        found = self._program.names.lookup_type(type.name, scope)
        if isinstance(found, AliasSymbol):
            flat = self._program.types.flat(self._program.types.schema(type, scope))
            return False if isinstance(flat, Object | Array | Scalar) else None
        if isinstance(found, External):
            same = isinstance(expected, External) and expected.name == found.name
            return True if same else None
        return self._descends(found, expected, exact=False)

    def _descends(self, found: object, expected: Value, *, exact: bool) -> bool | None:
        """Whether a class is another one or derived from it. A value that is declared to be of a
        class may be of one derived from that."""
        if not isinstance(found, ClassValue):
            return None
        names = self._program.names
        lineage = [found.symbol, *(base for base, _ in names.ancestors(found.symbol))]
        if isinstance(expected, External):
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
        above = [base.key for base, _ in names.ancestors(expected.symbol)]
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

    def _has(self, option: Value, key: str) -> bool | None:
        if isinstance(option, Record):
            entry = next((e for e in option.entries if e.name == key), None)
            if entry is None:
                return None if option.partial or option.values is not None else False
            return None if entry.optional else True
        flat = self._shape(option)
        shown = flat.fields if isinstance(flat, Object) else ()
        required = next((f.required for f in shown if f.name == key), None)
        return True if required else None

    def _truth_of_member(self, option: Value, name: str) -> bool | None:
        lacks = self._lacks(option, name)
        if lacks:
            return False
        values = self._constants(option, name)
        if values is not None:
            truths = {bool(value) for value in values}
            if lacks is None:
                truths.add(False)
            return truths.pop() if len(truths) == 1 else None
        shape = self._member_shape(option, name)
        surely = isinstance(shape, Object | Array) and shape.nullable is False
        return True if surely and lacks is False else None

    def _member_is(self, option: Value, name: str, wanted: LiteralValue) -> bool | None:
        lacks = self._lacks(option, name)
        if lacks:
            return False
        values = self._constants(option, name)
        if values is None:
            return None
        if wanted not in values:
            return False
        return True if len(values) == 1 and lacks is False else None

    def _member_is_null(self, option: Value, name: str) -> bool | None:
        lacks = self._lacks(option, name)
        if lacks:
            return True
        shape = self._member_shape(option, name)
        if isinstance(shape, Nothing):
            return True
        if shape is None or isinstance(shape, Unknown) or lacks is not False:
            return None
        return False if shape.nullable is False else None

    def _lacks(self, option: Value, name: str) -> bool | None:
        """Whether a value has no such member. An object may have more than its type declares, so
        only what is written out tells."""
        if isinstance(option, Record):
            entry = next((e for e in option.entries if e.name == name), None)
            if entry is None:
                return None if option.partial or option.values is not None else True
            return None if entry.optional or entry.undefined is not False else False
        flat = self._shape(option)
        shown = flat.fields if isinstance(flat, Object) else ()
        required = next((f.required for f in shown if f.name == name), None)
        return False if required else None

    def _constants(self, option: Value, name: str) -> tuple[LiteralValue, ...] | None:
        """All that a member may hold, where it is one of some constants."""
        shape = self._member_shape(option, name)
        if isinstance(shape, Scalar) and shape.values is not None and shape.nullable is False:
            return shape.values
        return None

    def _member_shape(self, option: Value, name: str) -> Schema | None:
        if isinstance(option, Record):
            entry = next((e for e in option.entries if e.name == name), None)
            if entry is None:
                return None
            if isinstance(entry.value, Constant) and entry.value.value is not None:
                value = entry.value.value
                if isinstance(value, bool):
                    return Scalar(type="boolean", values=(value,))
            return self._shape(entry.value)
        flat = self._shape(option)
        shown = flat.fields if isinstance(flat, Object) else ()
        found = next((f.schema for f in shown if f.name == name), None)
        return None if found is None else self._program.types.flat(found)

    def _shape(self, value: Value) -> Schema:
        types = self._program.types
        return types.flat(types.schema_of(self._program.evaluator.unwrapped(value)))
