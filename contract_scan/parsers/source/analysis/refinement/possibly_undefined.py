"""Whether a property that an object literal copies from another object may be undefined.

`{ note: order.note }` has no `note` in JSON where `order` has none. The type of `order` says
whether it may lack one; a test that stands before may have ruled that out. What the code says of
the property in any other place is taken for such a test: then it is not known.
"""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from contract_scan.ir.schema import Object
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Instance,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Value,
    is_null,
)
from contract_scan.parsers.source.analysis.typing.types import may_be_absent
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    Attribute,
    Branch,
    Call,
    Choice,
    Entry,
    Expr,
    LiteralExpr,
    Name,
    NamedType,
    NullType,
    ObjectType,
    OperationExpr,
    Statement,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_CHOOSING = frozenset({"filter", "find", "findLast"})
"""Methods of a list after which its items may be known to have something."""
_DEEPEST = 8
"""How many names of types are followed."""


class _FunctionSummary(Struct):
    """What a function says of properties and of names."""

    statements: tuple[Statement, ...]
    """The function's, kept so that they stay the ones that are meant."""
    properties: Counter[str]
    """How often a property is named: read, written, taken apart, given."""
    names: frozenset[str]
    """Names that are tested, or handed to a call that may test or fill what they hold."""


class PossiblyUndefined:
    """Tells, of one program, which copied properties may be undefined."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._said: dict[int, _FunctionSummary] = {}

    def may_be_undefined(self, entry: Entry, scope: Scope) -> bool | None:
        """Of an entry of an object literal; None where it is undetermined."""
        copied = entry.value
        if not isinstance(copied, Attribute):
            return False
        holder = self._program.evaluate(copied.value, scope)
        declared = self.is_possibly_missing(self._program.evaluator.unwrap(holder), copied.name)
        if declared is not True:
            return declared
        root = _root(copied)
        statements = _statements_around(scope)
        if root in ("", "this") or statements is None or _is_asserted_present(entry):
            return None
        said = self._usage_of(statements)
        here = 1 + (entry.key == copied.name)
        if said.properties[copied.name] > here or root in said.names:
            return None
        return not any(said.properties[method] for method in _CHOOSING) or None

    def _usage_of(self, statements: tuple[Statement, ...]) -> _FunctionSummary:
        known = self._said.get(id(statements))
        if known is None:
            known = _collect_usage(statements)
            self._said[id(statements)] = known
        return known

    # ------------------------------------------------------------------ what types say

    def is_possibly_missing(self, holder: Value, name: str) -> bool | None:
        """Whether a value may lack a property; None where that is undetermined."""
        match holder:
            case Record(entries=entries):
                found = next((e for e in entries if e.name == name), None)
                unsure = found is not None and (found.optional or found.undefined is not False)
                return None if unsure else False
            case Instance(symbol=symbol, site=site):
                lacks = self._class_lacks(symbol, name)
                return None if lacks and site is not None else lacks
            case ByType(type=type, scope=scope):
                return self._type_lacks(type, scope, name, _DEEPEST)
            case BySchema(schema=schema):
                flat = self._program.types.flat(schema)
                shown = flat.fields if isinstance(flat, Object) else ()
                required = next((f.required for f in shown if f.name == name), True)
                return None if required is None else not required
            case OneOf(options=options):
                return _common_answer(
                    [
                        self.is_possibly_missing(option, name)
                        for option in options
                        if not is_null(option)
                    ]
                )
            case _:
                return False

    def _class_lacks(self, symbol: ClassSymbol, name: str) -> bool | None:
        names = self._program.names
        for declared in (symbol, *(base for base, _ in names.classes.ancestors(symbol))):
            for part in names.classes.parts(declared):
                for member in part.decl.members:
                    if member.name != name:
                        continue
                    lacks = member.optional or may_be_absent(member.type)
                    # A library that fills the members of a class has its own word in it.
                    plain = not member.annotations and member.value is None
                    return lacks if plain or not lacks else None
        return False

    def _type_lacks(self, type: TypeExpr, scope: Scope, name: str, depth: int) -> bool | None:
        if not depth:
            return None
        match type:
            case NamedType():
                return self._named_lacks(type, scope, name, depth)
            case ObjectType(members=members):
                found = next((m for m in members if m.name == name), None)
                return found is not None and (found.optional or may_be_absent(found.type))
            case AnnotatedType(item=item):
                return self._type_lacks(item, scope, name, depth - 1)
            case UnionType(options=options):
                return _common_answer(
                    [
                        self._type_lacks(option, scope, name, depth - 1)
                        for option in options
                        if not isinstance(option, NullType)
                    ]
                )
            case _:
                schema = self._program.types.schema(type, scope)
                return self.is_possibly_missing(BySchema(schema), name) and None

    def _named_lacks(self, type: NamedType, scope: Scope, name: str, depth: int) -> bool | None:
        match self._program.names.lookup_type(type.name, scope):
            case ClassValue(symbol=symbol):
                return self._class_lacks(symbol, name)
            case AliasSymbol(alias=alias, file=file) as named:
                inside = self._program.names.classes.alias_scope(named)
                types = self._program.names.classes.bind(alias.type_params, type, scope)
                inner = Scope(file=file, parent=inside, types=types)
                return self._type_lacks(alias.type, inner, name, depth - 1)
            case BoundType(shape=shape) if shape is not None:
                return self.is_possibly_missing(BySchema(shape), name)
            case BoundType(type=inner_type, scope=inside):
                return self._type_lacks(inner_type, inside, name, depth - 1)
            case LibrarySymbol() if type.args:  # `Partial<Order>`
                return self.is_possibly_missing(
                    BySchema(self._program.types.schema(type, scope)), name
                )
            case _:
                return False


def _common_answer(answers: list[bool | None]) -> bool | None:
    """What all say; None where they differ: which one it is, a test may have told."""
    return answers[0] if answers and len(set(answers)) == 1 else (None if answers else False)


def _root(expr: Expr) -> str:
    """The name that a chain of attributes begins with; empty for any other expression."""
    while isinstance(expr, Attribute):
        expr = expr.value
    return expr.id if isinstance(expr, Name) else ""


def _is_asserted_present(entry: Entry) -> bool:
    """Whether the value is asserted to be there: in `a: x.a!` something is written after it."""
    value, whole = entry.value.span, entry.span
    return (value.end_line, value.end_column) != (whole.end_line, whole.end_column)


def _statements_around(scope: Scope) -> tuple[Statement, ...] | None:
    """The statements of the outermost function around a place; None outside of functions."""
    found: tuple[Statement, ...] | None = None
    current: Scope | None = scope
    while current is not None:
        if current.function is not None:
            found = current.statements
        current = current.parent
    return found


def _collect_usage(statements: tuple[Statement, ...]) -> _FunctionSummary:
    properties: Counter[str] = Counter()
    asked: set[str] = set()
    for node in nodes_of(statements):
        match node:
            case Attribute(name=name):
                properties[name] += 1
            case Entry(key=str(key)):
                properties[key] += 1
            case LiteralExpr(value=str(text)):
                properties[text] += 1
            case Call(args=args):
                asked.update(a.value.id for a in args if isinstance(a.value, Name))
            case Branch(condition=condition) if condition is not None:
                asked.update(_names(condition))
            case Choice(given=given, options=options):
                asked.update(*map(_names, given))
                asked.update(*(_names(o) for o in options if isinstance(o, OperationExpr)))
            case _:
                pass
    return _FunctionSummary(statements, properties, frozenset(asked))


def _names(expr: Expr) -> frozenset[str]:
    """Every name in an expression."""
    return frozenset(node.id for node in nodes_of(expr) if isinstance(node, Name))
