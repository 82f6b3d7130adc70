"""Whether a property that an object literal copies from another object may be undefined.

`{ note: order.note }` has no `note` in JSON where `order` has none. The type of `order` says
whether it may lack one; a test that stands before may have ruled that out. What the code says of
the property in any other place is taken for such a test: then it is not known. Nor has
`{ note: order?.note }` one where there is no `order`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Array, Object
from contract_scan.ir.three_valued import any_of
from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import (
    reaching_definitions,
)
from contract_scan.parsers.source.analysis.domain.arguments import Arguments
from contract_scan.parsers.source.analysis.domain.effects import Definition
from contract_scan.parsers.source.analysis.domain.path_facts import root_of
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import encloses
from contract_scan.parsers.source.analysis.domain.values import (
    AliasSymbol,
    BoundType,
    BySchema,
    ByType,
    ClassSymbol,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Items,
    LibrarySymbol,
    OneOf,
    Record,
    Scope,
    Value,
    is_null,
    is_undefined,
)
from contract_scan.parsers.source.analysis.syntax.null_checks import conjunction, tests
from contract_scan.parsers.source.analysis.typing.constructions import member_as_made
from contract_scan.parsers.source.analysis.typing.member_narrowing import says_not_null
from contract_scan.parsers.source.analysis.typing.types import allows_undefined, may_be_absent
from contract_scan.parsers.source.facts.dotted_names import (
    dotted_name_of,
    first_name,
    is_name,
    links,
)
from contract_scan.parsers.source.facts.nodes import (
    AnnotatedType,
    ArrayLiteral,
    Assign,
    Attribute,
    Branch,
    Call,
    Cast,
    Choice,
    Entry,
    Expr,
    Index,
    LiteralExpr,
    Name,
    NamedType,
    NullType,
    ObjectLiteral,
    ObjectType,
    OperationExpr,
    Param,
    Statement,
    TypeExpr,
    UnionType,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_CHOOSING = frozenset({"filter", "find", "findLast"})
"""Methods of a list after which its items may be known to have something."""
_WRITTEN = (ClassValue, Constant, FunctionValue, Instance, Items, Record)
"""Values that are seen to be there."""
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
    choices: tuple[tuple[Span, frozenset[str]], ...]
    """The conditional expressions, with the names that each one tests."""

    def asks(self, name: str, place: Span) -> bool:
        """Whether a test of a name may stand before a place: that of a conditional expression, if
        the place is in it."""
        return name in self.names or any(
            name in names and encloses(span, place) for span, names in self.choices
        )


class PossiblyUndefined:
    """Tells, of one program, which copied properties may be undefined."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._said: dict[int, _FunctionSummary] = {}

    def may_be_undefined(self, entry: Entry, scope: Scope, value: Value) -> bool | None:
        """Of an entry of an object literal, of which it is known what its `value` gives (what is
        evaluated a second time costs as much again where it is too deep to be kept); None where it
        is undetermined."""
        return self._may_be_undefined(entry, scope, value, _DEEPEST)

    def may_be_nothing(
        self, value: Value, expr: Expr | None = None, scope: Scope | None = None
    ) -> bool:
        """Whether a value may be undefined, as far as is known, and the expression that gives it
        where one does."""
        value = self._program.evaluator.unwrap(value)
        options = value.options if isinstance(value, OneOf) else (value,)
        if any(map(is_undefined, options)) or self._is_declared_undefined(value):
            return True
        if expr is None or scope is None:
            return False
        copied = Entry(value=expr, span=expr.span)
        return self.may_be_undefined(copied, scope, value) is not False

    def _may_be_undefined(
        self, entry: Entry, scope: Scope, value: Value, depth: int
    ) -> bool | None:
        copied = entry.value
        if isinstance(copied, Choice):
            given = self._given_by_choice(copied, scope)
            each = ((replace(entry, value=one, span=one.span), inside) for one, inside in given)
            return self._any_undefined(each, depth)
        if isinstance(copied, Name):
            return self._may_name_be_undefined(entry, copied, scope, value, depth)
        ends = self.ends_early(copied, scope)
        if ends is not False:
            statements = _statements_around(scope)
            if statements is None or _is_asserted_present(entry):
                return None
            if ends and not self._usage_of(statements).asks(first_name(copied), copied.span):
                return True
        if not isinstance(copied, Attribute):
            is_declared = ends is False and self._is_declared_undefined(value)
            return None if ends is not False else is_declared and self._unless_asked(entry, scope)
        lacks = self._may_be_copied_undefined(entry, copied, scope)
        return lacks or (lacks if ends is False else None)

    def _any_undefined(self, given: Iterable[tuple[Entry, Scope]], depth: int) -> bool | None:
        """Whether one of several entries may be undefined, of which one is written."""
        if not depth:
            return None
        evaluate = self._program.evaluate
        return any_of(
            self._may_be_undefined(one, inside, evaluate(one.value, inside), depth - 1)
            for one, inside in given
        )

    def _given_by_choice(self, chosen: Choice, scope: Scope) -> Iterable[tuple[Expr, Scope]]:
        """What a choice may give that may be undefined."""
        both = conjunction(chosen.options)
        if both:
            return [(operand, scope) for operand in both]
        if not chosen.given:  # `a ?? b`, or the default of what is taken out of an object
            return [(chosen.options[-1], scope)]
        tested = {
            id(o) for o, test in zip(chosen.options, chosen.given, strict=False) if tests(test, o)
        }
        return [
            (option, inside)
            for option, inside in self._program.evaluator.choices(chosen, scope)
            if id(option) not in tested and not is_name(option, "undefined")
        ]

    def _may_name_be_undefined(
        self, entry: Entry, name: Name, scope: Scope, held: Value, depth: int
    ) -> bool | None:
        """Whether what a variable holds may be undefined, as its type or what it was given says."""
        value = self._program.evaluator.unwrap(held)
        options = value.options if isinstance(value, OneOf) else (value,)
        if all(
            isinstance(o, _WRITTEN) or says_not_null(getattr(o, "refinements", ())) for o in options
        ):
            return False
        parameter = _unbound_parameter(name.id, scope)
        is_declared = self._is_declared_undefined(value)
        if parameter is not None:
            return None if parameter.optional or is_declared else False
        inside: Scope | None = scope
        given: Sequence[Definition] = ()
        while inside is not None and not given:
            given = self._program.names.locals.reaching(inside.statements or (), name.id, name.span)
            inside = inside.parent if not given else inside
        sources = [
            (replace(entry, value=source, span=one.statement.span), inside)
            for one in given
            if not one.present and inside is not None and (source := _source(one, name.id))
        ]
        if given and all(one.present for one in given):
            return False
        if is_declared and not sources and (bound := _bindings_of(name.id, scope)) is not None:
            return self._may_argument_be_undefined(name.id, bound, value, depth)
        lacks = self._any_undefined(sources, depth) if sources else is_declared
        is_tested = any(one.tests for one in given)
        return lacks and (None if is_tested else self._unless_asked(entry, scope))

    def _may_argument_be_undefined(
        self, name: str, given: Mapping[str, Value], value: Value, depth: int
    ) -> bool | None:
        """Whether what a call gives a parameter may be undefined: what stands before the call may
        have ruled that out."""
        found = given.expression(name) if isinstance(given, Arguments) else None
        if found is None or not depth:
            return None
        argument, caller = found
        copied = Entry(value=argument, span=argument.span)
        return self._may_be_undefined(copied, caller, value, depth - 1)

    def _is_declared_undefined(self, held: Value) -> bool:
        """Whether `undefined` is among the values of the type of what is held."""
        value = self._program.evaluator.unwrap(held)
        return any(
            isinstance(one, ByType)
            and not says_not_null(one.refinements)
            and allows_undefined(self._program, one.type, one.scope)
            for one in (value.options if isinstance(value, OneOf) else (value,))
        )

    def _unless_asked(self, entry: Entry, scope: Scope) -> bool | None:
        """True where no test or call before may have told of the name that an entry begins with."""
        statements = _statements_around(scope)
        if statements is None or _is_asserted_present(entry):
            return None
        name, place = first_name(entry.value), entry.value.span
        return not self._usage_of(statements).asks(name, place) or None

    def _may_be_copied_undefined(
        self, entry: Entry, copied: Attribute, scope: Scope
    ) -> bool | None:
        holder = self._program.evaluate(copied.value, scope)
        declared = self.is_possibly_missing(self._program.evaluator.unwrap(holder), copied.name)
        if declared is not True:
            return declared
        root = root_of(dotted_name_of(copied))
        statements = _statements_around(scope)
        if root in ("", "this") or statements is None or _is_asserted_present(entry):
            return None
        said = self._usage_of(statements)
        here = 1 + (entry.key == copied.name)
        if said.properties[copied.name] > here or said.asks(root, copied.span):
            return None
        return not any(said.properties[method] for method in _CHOOSING) or None

    def _usage_of(self, statements: tuple[Statement, ...]) -> _FunctionSummary:
        known = self._said.get(id(statements))
        if known is None:
            known = _collect_usage(statements)
            self._said[id(statements)] = known
        return known

    # ------------------------------------------------------------------ optional chains

    def ends_early(self, expr: Expr, scope: Scope) -> bool | None:
        """Whether a chain of members is undefined since what stands before a `?.` of it may be
        (https://developer.mozilla.org/docs/Web/JavaScript/Reference/Operators/Optional_chaining);
        None where that is undetermined. Of what a framework hands over nothing is told: what runs
        before may have set it."""
        told: bool | None = False
        for link in links(expr):
            if isinstance(link, Attribute) and link.optional:
                absent = self._may_be_absent(link.value, scope)
                if absent:
                    return True
                told = told if absent is False else None
        return told

    def _may_be_absent(self, expr: Expr, scope: Scope) -> bool | None:
        """Whether what an expression gives may be null or undefined."""
        if self._allows_absence(self._program.evaluate(expr, scope)):
            return True
        match expr:
            case Cast(value=value):
                return self._may_be_absent(value, scope)
            case Index(value=listed):
                return self._may_lack_items(self._program.evaluate(listed, scope))
            case Name(id=name):
                parameter = _unbound_parameter(name, scope)
                if parameter is not None:  # what callers give is told of the whole function
                    return None if parameter.optional and not parameter.annotations else False
                return self._is_taken_from_list(expr, scope)
            case Attribute(value=held, name=name):
                first = first_name(expr)
                if first in ("", "this") or _unbound_parameter(first, scope) is not None:
                    return False
                holder = self._program.evaluator.unwrap(self._program.evaluate(held, scope))
                lacks = self.is_possibly_missing(holder, name)
                return None if lacks and self._is_asked(expr, scope) else lacks
            case _:
                return False

    def _allows_absence(self, value: Value) -> bool:
        value = self._program.evaluator.unwrap(value)
        match value:
            case OneOf(options=options):
                return any(is_null(o) or self._allows_absence(o) for o in options)
            case ByType(type=type, scope=scope) if not says_not_null(value.refinements):
                shape = self._program.types.flat(self._program.types.schema_of(value))
                absent = allows_undefined(self._program, type, scope)
                return absent or shape.nullable is True
            case BySchema(schema=schema):
                return self._program.types.flat(schema).nullable is True
            case _:
                return False

    def _is_asked(self, read: Attribute, scope: Scope) -> bool:
        """Whether the code says more of a member that is read."""
        statements = _statements_around(scope)
        return statements is None or self._usage_of(statements).properties[read.name] > 1

    def _may_lack_items(self, listed: Value) -> bool:
        """Whether a list may have no item at a place, or a map none for a key."""
        if isinstance(listed, Items):
            return listed.repeated
        shape = self._program.types.flat(
            self._program.types.schema_of(self._program.evaluator.unwrap(listed))
        )
        match shape:
            case Array(prefix=()):
                return True
            case Object(fields=(), additional=additional):
                return additional is not None
            case _:
                return False

    def _is_taken_from_list(self, name: Name, scope: Scope) -> bool:
        """Whether all that a name was given is an item of a list (`const first = rows[0]`, `const
        [first] = rows`), of which no test has said that it is there."""
        inside: Scope | None = scope
        given: Sequence[Definition] = ()
        while inside is not None and not given:
            given = reaching_definitions(inside.statements or (), name.id, name.span)
            inside = inside.parent if not given else inside
        for one in given:
            match one.statement:
                case Assign(target=Name(), value=Index(value=listed)):
                    pass
                case Assign(target=ArrayLiteral(), value=listed) if listed is not None:
                    pass
                case _:
                    return False
            if one.present or one.tests or inside is None:
                return False
            if not self._may_lack_items(self._program.evaluate(listed, inside)):
                return False
        return bool(given)

    # ------------------------------------------------------------------ what types say

    def is_possibly_missing(self, holder: Value, name: str) -> bool | None:
        """Whether a value may lack a property; None where that is undetermined."""
        match holder:
            case Record(entries=entries):
                found = next((e for e in entries if e.name == name), None)
                unsure = found is not None and (found.optional or found.undefined is not False)
                return None if unsure else False
            case ByType(assigned=assigned) | Instance(assigned=assigned) if given := [
                one for one in assigned if one.name == name
            ]:
                return given[-1].undefined()
            case Instance(symbol=symbol, site=site):
                if (made := member_as_made(self._program, holder, name)) is not None:
                    return is_undefined(made)
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
            case AliasSymbol(alias=alias) as named:
                inner = self._program.names.classes.scope_in_alias(named, type, scope)
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


def _source(definition: Definition, name: str) -> Expr | None:
    """What a definition gives a name: the member of that name where it takes an object apart."""
    match definition.statement:
        case Assign(target=Name(), value=value, operator=""):
            return value
        case Assign(target=ObjectLiteral(entries=entries), value=value) if value is not None:
            for one in entries:
                if is_name(one.value, name) and one.key is not None and not one.spread:
                    return Attribute(value=value, name=one.key, span=value.span)
    return None


def _common_answer(answers: list[bool | None]) -> bool | None:
    """What all say; None where they differ: which one it is, a test may have told."""
    return answers[0] if answers and len(set(answers)) == 1 else (None if answers else False)


def _unbound_parameter(name: str, scope: Scope) -> Param | None:
    """The parameter that a name stands for, where nothing says what a caller gives it."""
    inside: Scope | None = scope
    while inside is not None and name not in inside.bindings:
        for parameter in inside.function.params if inside.function is not None else ():
            if parameter.name == name:
                return parameter
        inside = inside.parent
    return None


def _bindings_of(name: str, scope: Scope) -> Mapping[str, Value] | None:
    """What a call gives the parameters of the function around a place, among them one of a name."""
    inside: Scope | None = scope
    while inside is not None and name not in inside.bindings:
        inside = inside.parent
    return inside.bindings if inside is not None else None


def _is_asserted_present(entry: Entry) -> bool:
    """Whether the value is asserted to be there: in `a: x.a!` something is written after it."""
    value, whole = entry.value.span, entry.span
    if isinstance(entry.value, OperationExpr):
        return entry.value.operator == "present"
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
    choices: list[tuple[Span, frozenset[str]]] = []
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
                tested = (*given, *(o for o in options if isinstance(o, OperationExpr)))
                choices.append((node.span, frozenset().union(*map(_names, tested))))
            case _:
                pass
    return _FunctionSummary(statements, properties, frozenset(asked), tuple(choices))


def _names(expr: Expr) -> frozenset[str]:
    """Every name in an expression."""
    return frozenset(node.id for node in nodes_of(expr) if isinstance(node, Name))
