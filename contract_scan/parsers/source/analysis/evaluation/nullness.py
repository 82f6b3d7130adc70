"""What is left of values where a test has said that they are, or are not, null."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Anything,
    Array,
    Nothing,
    Scalar,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.path_facts import path_of
from contract_scan.parsers.source.analysis.domain.values import (
    NOT_NULL,
    BySchema,
    ByType,
    Constant,
    Instance,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Refinement,
    Scope,
    Value,
    is_falsy,
    is_null,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.context import Context
from contract_scan.parsers.source.analysis.refinement.possibly_undefined import PossiblyUndefined
from contract_scan.parsers.source.analysis.syntax.null_checks import (
    NOT,
    OTHER,
    SAME,
    is_null_or_falsy,
)
from contract_scan.parsers.source.analysis.typing.assigned_members import set_on
from contract_scan.parsers.source.analysis.typing.member_narrowing import says_not_null
from contract_scan.parsers.source.analysis.typing.object_shapes import is_never_null
from contract_scan.parsers.source.facts.dotted_names import links
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Branch,
    Call,
    Choice,
    Expr,
    LiteralExpr,
    Member,
    Name,
    NamedType,
    NullableType,
    NullType,
    OperationExpr,
    Statement,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_FALSY = BySchema(Scalar(type="string", values=("", 0, False)))
"""The constants that count as false."""


class Nulls:
    """The part of the evaluator that takes nulls away, or leaves nothing else."""

    def __init__(self, context: Context) -> None:
        self._program = context.program
        self._evaluate = context.evaluate
        self.absences = PossiblyUndefined(context.program)

    def without_null(self, value: Value) -> Value:
        """The value where a test has said that it is not null."""
        match value:
            case OneOf(options=options):
                left = tuple(o for o in options if not is_null(o))
                return union_of(tuple(self.without_null(o) for o in left)) if left else value
            case ByType(type=type, scope=scope):
                left_type = self._type_without_null(type, scope)
                tells_null = self._program.language.excludes_null is None
                told = () if tells_null or says_not_null(value.refinements) else (NOT_NULL,)
                return replace(value, type=left_type, refinements=(*value.refinements, *told))
            case BySchema(schema=schema):
                return replace(value, schema=with_nullable(schema, False))
            case LibraryResult() if not self._program.language.structural:
                # What a column holds; in TypeScript it is a schema that is looked at as a value.
                shape = self._program.types.flat(self._program.types.schema_of(value))
                is_column = isinstance(shape, Scalar) and shape.nullable is not False
                return BySchema(with_nullable(shape, False)) if is_column else value
            case _:
                return value

    def as_stored(self, made: Instance, member: Member, held: Value) -> Value:
        """What a column holds in a row that is made here: not null where it is given something
        else."""
        is_row = self._program.language.is_row
        if is_row is None or not isinstance(made.site, Call) or made.scope is None:
            return held
        given = next((a.value for a in made.site.args if a.name == member.name), None)
        if given is None or not is_row(self._program, made.symbol):
            return held
        shape = self._program.schema_of(self._evaluate(given, made.scope))
        is_told = shape.nullable is False and not self._program.types.is_unknown(shape)
        return self.without_null(held) if is_told else held

    def present_value(self, value: Value, definition: Definition) -> Value:
        """What is left of a value of which tests have said that it is there."""
        left = self.without_null(value)
        if isinstance(left, ByType) and not says_not_null(left.refinements):
            left = replace(left, refinements=(*left.refinements, NOT_NULL))
        return self.without_falsy(left) if definition.truthy else left

    def without_falsy(self, value: Value) -> Value:
        """The value where a test has said that it does not count as false: constants of its type
        that do (`""`, 0, false) are no longer among those that it may be."""
        match value:
            case OneOf(options=options):
                left = tuple(o for o in options if not is_falsy(o))
                return union_of(tuple(map(self.without_falsy, left))) if left else value
            case ByType() | BySchema() if self._may_be_falsy_constant(value):
                truthy = Refinement("", False, _FALSY)
                return replace(value, refinements=(*value.refinements, truthy))
            case _:
                return value

    def _may_be_falsy_constant(self, value: ByType | BySchema) -> bool:
        types = self._program.types
        flat = types.flat(types.schema_of(value))
        options = flat.options if isinstance(flat, Union) else (flat,)
        scalars = [one for one in map(types.flat, options) if isinstance(one, Scalar)]
        return any(not all(one.values) for one in scalars if one.values is not None)

    def null_of(self, value: Value) -> Value:
        """What is left of a value where a test has said that it is null, or counts as false. A
        value that is never null is left as it is: `""`, `0` and `[]` count as false too."""
        shape = self._program.types.flat(self._program.types.schema_of(value))
        if shape.nullable is False or (isinstance(shape, Scalar) and shape.type == "boolean"):
            return value
        null_reason = shape.null_reason
        return BySchema(
            Nothing(nullable=shape.nullable, null_reason=null_reason, origin=shape.origin)
        )

    def of_asked_chain(self, value: Value, expr: Expr, scope: Scope) -> Value:
        """What `a?.B.C` gives: null where `a` is null, beside the member; in TypeScript
        `undefined`. Where nothing says whether it may be, it is taken for one that is not."""
        language = self._program.language
        if language.structural:
            ends = not is_null(value) and self.absences.ends_early(expr, scope) is not False
            return union_of((value, LibrarySymbol("undefined"))) if ends else value
        if language.excludes_null is None or is_null(value):
            return value
        for link in links(expr):
            if isinstance(link, Attribute) and link.optional:
                if not self._allows_null(self._evaluate(link.value, scope)):
                    continue
                null: Value = Constant(None, link.span, scope.file.path)
                if path_of(link.value) in _asked_paths(scope.statements or ()):
                    reason = Reason("null-by-guard", name=path_of(link.value))
                    null = BySchema(Nothing(nullable=None, null_reason=reason))
                return union_of((value, null))
        return value

    def _allows_null(self, value: Value) -> bool:
        """Whether a value may be null by what is known of it: asked of its type as it is written,
        for the shape of a class may lead back to where this is asked."""
        match value:
            case OneOf(options=options):
                return any(is_null(o) or self._allows_null(o) for o in options)
            case ByType(type=NullableType(item=item), scope=scope):
                adds_null = self._program.language.adds_null
                if says_not_null(value.refinements):
                    return False
                return adds_null is None or adds_null(self._program, item, scope)
            case BySchema(schema=schema):
                return schema.nullable is True
            case _:
                return False

    def null_where(self, test: Expr, holds: bool, null: Value, scope: Scope) -> Value | None:
        """The null that a function gives where a test of its own parameter holds (or fails): `if
        row is None: return None`. The test proves it of an argument that may be null; of one that
        is not known to be, it is undetermined, and there is none of one that never is."""
        left = self._excluded_null(test, null, scope)
        if left is not null:
            return left
        if self._is_precaution(test, scope):
            return BySchema(Nothing(nullable=None))
        asked = (p.name for p in scope.function.params) if scope.function else ()
        name = next((n for n in asked if is_null_or_falsy(test, n, holds)), "")
        if not name or name not in scope.bindings:
            return null
        value = self._program.evaluator.unwrap(self._evaluate(Name(id=name, span=test.span), scope))
        shape = self._program.types.flat(self._program.types.schema_of(value))
        may_be_empty = isinstance(shape, Scalar | Array) and not _is_comparison(test)
        if shape.nullable is True or may_be_empty:
            return null
        is_open = isinstance(shape, Unknown | Anything) or isinstance(value, ByType)
        if shape.nullable is False and not is_open:
            return None
        return BySchema(Nothing(nullable=None, null_reason=Reason("null-by-guard", name=name)))

    def _excluded_null(self, test: Expr, null: Value, scope: Scope) -> Value | None:
        """What is left of a null where a test holds that asks for null what is never null: none of
        a member that code has set, or that a test before has asked for; of one that is just
        declared so (`order.Owner == null`) it is undetermined, for it may not be loaded."""
        asked = _null_subject(test)
        if self._program.language.excludes_null is None or not isinstance(asked, Attribute):
            return null
        value = self._program.evaluator.unwrap(self._evaluate(asked, scope))
        holder = self._program.evaluator.unwrap(self._evaluate(asked.value, scope))
        if self._is_always_given(holder, asked.name):
            reason = Reason("null-never-given", name=asked.name)
            return BySchema(Nothing(nullable=None, null_reason=reason))
        if not is_never_null(self._program, value):
            return null
        is_declared = isinstance(value, ByType) and not says_not_null(value.refinements)
        if is_declared and set_on(self._program, holder, asked.name) is None:
            reason = Reason("null-by-guard", name=asked.name)
            return BySchema(Nothing(nullable=None, null_reason=reason))
        return None

    def _is_always_given(self, holder: Value, name: str) -> bool:
        """Whether all that makes objects of a class gives a member something that is not null."""
        is_always_given = self._program.language.is_always_given
        match holder:
            case ByType(type=NamedType() as type, scope=scope) if is_always_given is not None:
                symbol = self._program.names.declared_class(type, scope)
                return symbol is not None and is_always_given(self._program, symbol, name)
            case _:
                return False

    def _is_precaution(self, test: Expr, scope: Scope) -> bool:
        """Whether a test asks for null where nothing says that it may be, in a language whose types
        mostly let null pass."""
        if self._program.language.annotated_null is None:
            return False
        for each in nodes_of(test):
            asked = _null_subject(each) if isinstance(each, OperationExpr | Call) else None
            if asked is not None:
                value = self._program.evaluator.unwrap(self._evaluate(asked, scope))
                shape = self._program.types.flat(self._program.types.schema_of(value))
                if shape.nullable is not True:
                    return True
        return False

    def _type_without_null(self, type: TypeExpr, scope: Scope) -> TypeExpr:
        match type:
            case NullableType(item=item):
                return self._type_without_null(item, scope)
            case UnionType(options=options):
                left = tuple(
                    self._type_without_null(option, scope)
                    for option in options
                    if not isinstance(option, NullType)
                )
                return left[0] if len(left) == 1 else replace(type, options=left)
            case NamedType(args=args) if args:
                # `await` has been looked through by now, but its type has not.
                position = self.library_index(type, scope, self._program.language.transparent)
                if position is None or position >= len(args):
                    return type
                inner = self._type_without_null(args[position], scope)
                return replace(type, args=(*args[:position], inner, *args[position + 1 :]))
            case _:
                return type

    def library_index(self, type: NamedType, scope: Scope, table: Mapping[str, int]) -> int | None:
        simple = type.name.rsplit(".", 1)[-1]
        found = self._program.names.lookup_type(type.name, scope)
        if not isinstance(found, LibrarySymbol):
            return None
        position = table.get(found.name)
        return position if position is not None else table.get(simple)


def _is_comparison(test: Expr) -> bool:
    """Whether a test compares with null: what counts as false too does not pass it."""
    while isinstance(test, OperationExpr) and test.operator in NOT:
        (test,) = test.operands
    return isinstance(test, OperationExpr) and test.operator in SAME | OTHER


def _null_subject(test: Expr) -> Expr | None:
    """What a test compares with null, or Java's `Objects.isNull` and `nonNull` do."""
    while isinstance(test, OperationExpr) and test.operator in NOT:
        (test,) = test.operands
    match test:
        case Call(callee=Name(id="isNull" | "nonNull") | Attribute(name="isNull" | "nonNull")):
            return test.args[0].value if len(test.args) == 1 else None
        case _:
            pass
    if not isinstance(test, OperationExpr) or test.operator not in SAME | OTHER:
        return None
    one, other = test.operands
    for asked, null in ((one, other), (other, one)):
        if isinstance(null, LiteralExpr) and null.value is None:
            return asked
    return None


def _asked_paths(statements: tuple[Statement, ...]) -> frozenset[str]:
    """The paths that tests in statements look at: what they find may stand where it is not null."""
    found: set[str] = set()
    pending: tuple[Expr, ...]
    for node in nodes_of(statements):
        match node:
            case Branch(condition=test) if test is not None:
                pending = (test,)
            case Choice(given=given) if given:
                pending = given
            case _:
                continue
        found.update(
            path_of(each) for each in nodes_of(pending) if isinstance(each, Attribute | Name)
        )
    return frozenset(found)
