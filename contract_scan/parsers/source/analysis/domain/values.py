"""What an expression can mean: the abstract values that evaluation yields.

Evaluation runs nothing. It answers what is plain from the text: constants, object literals, values
of a declared type, functions, classes, things made by a library call. Whatever is not plain is
`Unresolved(reason)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.evidence import Evidence
from contract_scan.ir.origin import NO_SPAN, Origin, Span
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import LiteralValue, Nothing, Schema
from contract_scan.parsers.source.analysis.domain.path_facts import Facts
from contract_scan.parsers.source.facts.nodes import (
    Alias,
    Call,
    ClassDecl,
    Expr,
    FileFacts,
    Function,
    New,
    Statement,
    TypeExpr,
)


class ClassSymbol(Struct, frozen=True, eq=False):
    """A class, interface, record, struct or enum of the project."""

    decl: ClassDecl
    file: FileFacts
    outer: tuple[str, ...] = ()
    """Names of the types (or TypeScript namespaces) around it, outermost first."""

    @property
    def qualified_name(self) -> str:
        """Name inside the file: `Outer.Inner`."""
        return ".".join((*self.outer, self.decl.name))

    @property
    def key(self) -> str:
        """Identity in the program: `path#Outer.Inner`."""
        return f"{self.file.path}#{self.qualified_name}"

    @property
    def origin(self) -> Origin:
        """Where its name stands."""
        span = self.decl.name_span if self.decl.name_span != NO_SPAN else self.decl.span
        return Origin(self.file.path, span, "", self.qualified_name)


class AliasSymbol(Struct, frozen=True, eq=False):
    """A type alias of the project."""

    alias: Alias
    file: FileFacts
    outer: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Identity in the program."""
        return f"{self.file.path}#{'.'.join((*self.outer, self.alias.name))}"

    @property
    def origin(self) -> Origin:
        """Where its name stands."""
        span = self.alias.name_span if self.alias.name_span != NO_SPAN else self.alias.span
        return Origin(self.file.path, span, "", self.alias.name)


class BoundType(Struct, frozen=True, eq=False):
    """A type expression together with the scope its names are to be looked up in."""

    type: TypeExpr
    scope: Scope
    shape: Schema | None = None
    """What is known of the values where no type expression says it: a type parameter that an object
    literal fixes."""


class Scope(Struct, frozen=True, eq=False, kw_only=True):
    """A lexical place: which names mean what there. Scopes are made by `Program`."""

    file: FileFacts
    parent: Scope | None = None
    owner: ClassSymbol | None = None
    """The class whose body this is, or whose method this is a part of."""
    function: Function | None = None
    """The function whose parameters and locals are visible."""
    statements: tuple[Statement, ...] | None = None
    """The statements of `function` (or of the module), once lowered."""
    bindings: Mapping[str, Value] = {}
    """Names with a value given from outside: arguments of a call, loop variables."""
    facts: Facts = {}
    """What is known of parameters of `function`, and of members of them, that nothing changes."""
    types: Mapping[str, BoundType] = {}
    """Type parameters with the types they stand for."""
    receiver: Value | None = None
    """What `this` is."""
    depth: int = 0
    """How many calls deep this scope is (calls are followed to a limit)."""

    def bindings_around(self, name: str) -> Value | None:
        """The value that a name is given from outside, by a call of a function around a place."""
        current: Scope | None = self
        while current is not None:
            if name in current.bindings:
                return current.bindings[name]
            if current.function is not None and any(
                p.name == name for p in current.function.params
            ):
                return None
            current = current.parent
        return None

    @property
    def owner_around(self) -> ClassSymbol | None:
        """The class around a place, however deep in functions the place is."""
        current: Scope | None = self
        while current is not None and current.owner is None:
            current = current.parent
        return current.owner if current is not None else None


class Constant(Struct, frozen=True, eq=False):
    """A value written in the code."""

    value: LiteralValue
    span: Span = NO_SPAN
    path: str = ""
    declared_type: ByType | Unresolved | None = None
    """What it is declared as, where it is just what a member begins with, or what a parameter holds
    that a call leaves out."""
    is_default: bool = False
    """Whether it is just what a member begins with, of an object that may hold something else."""
    is_chosen: bool = False
    """Whether a conditional expression gives it (null) where a test holds that does not ask for
    null, or asks what may be null."""


class Template(Struct, frozen=True, eq=False):
    """A string of which only some parts are known."""

    parts: tuple[Value, ...]


class Refinement(Struct, frozen=True, eq=False):
    """What a test has said of a member of a value, or (without a name) of the value itself."""

    member: str
    """Its name, or the names that lead to it: `owner.name`."""
    keeps: bool
    """Whether it is this constant, or anything else."""
    value: Value


NOT_NULL = Refinement("", keeps=False, value=Constant(None))
"""That a value itself is not null."""


class AssignedMember(Struct, frozen=True, eq=False):
    """A member that code has set on a value, whichever way it took since."""

    name: str
    later: Callable[[], Value]
    """Evaluates what it was set to. Most members that code sets are never asked for."""
    undefined: Callable[[], bool | None] = lambda: False
    """Evaluates whether that may be TypeScript's `undefined` (see `RecordEntry`)."""

    @property
    def value(self) -> Value:
        """What it was set to."""
        return self.later()


Copied: TypeAlias = Literal["", "any", "required"]


class ByType(Struct, frozen=True, eq=False):
    """Some value of a declared type."""

    type: TypeExpr
    scope: Scope
    span: Span = NO_SPAN
    view: str = ""
    """Which parts of it a query has loaded (see `views`); empty: that is undetermined."""
    refinements: tuple[Refinement, ...] = ()
    """What tests have said of it before (see `told_members`)."""
    assigned: tuple[AssignedMember, ...] = ()
    """Members that code has set on it."""
    unchecked: bool = False
    """Whether nobody holds the value against the type: neither the compiler nor the run time
    (TypeScript's `as T`)."""
    copied: Copied = ""
    """Whether a library fills it with what it finds in another object: which members it sets is
    undetermined, or (`required`) whether those that its type requires hold null."""
    null_returned: bool = False
    """Whether the function that gives it is seen to return null on one of its ways."""
    of_library: bool = False
    """Whether a library gives the value, of which nothing is known but that it fits the type: the
    type may let fields be left out that are always there."""


class Instance(Struct, frozen=True, eq=False):
    """An instance of a project class, made here or of that declared type."""

    symbol: ClassSymbol
    types: Mapping[str, BoundType] = {}
    site: Call | New | None = None
    """The construction, where it is seen."""
    scope: Scope | None = None
    """Scope of `site`."""
    view: str = ""
    """As in `ByType`."""
    constant: str = ""
    """Of a constant of an enum: its name."""
    refinements: tuple[Refinement, ...] = ()
    """As in `ByType`."""
    assigned: tuple[AssignedMember, ...] = ()
    """Members that code has set on it since."""
    may_be_assigned: frozenset[str] | None = frozenset()
    """Members that code may have set on it besides; None: any, since code that is not followed was
    handed it."""


class BySchema(Struct, frozen=True, eq=False):
    """A value of which just the shape on the wire is known."""

    schema: Schema
    refinements: tuple[Refinement, ...] = ()
    keeps_shape: bool = False
    """Whether it is an object of a library that converts what is set on it to its shape, and writes
    nothing else (a document of Mongoose), or a part of one."""
    keyed: bool = False
    """Whether it is data that code changes by its keys, whatever class it was made of (a tree that
    Jackson makes), or a part of such data."""


class RecordEntry(Struct, frozen=True, eq=False):
    """One property of a `Record`."""

    name: str
    value: Value
    origin: Origin
    optional: bool = False
    """Set only on some paths."""
    undefined: bool | None = False
    """Whether its value may be TypeScript's `undefined`, which JSON leaves out; None where that
    is undetermined."""
    is_replacement: bool = False
    """An assignment has put it in the place of another value."""
    evidence: Evidence | None = None
    """How it is known what is said of the property itself, where it comes from another object."""
    doubt: Reason = NO_REASON
    """Why it is undetermined whether that object has it."""


class Record(Struct, frozen=True, eq=False):
    """An object literal, dict, map or anonymous object with the keys that are known."""

    entries: tuple[RecordEntry, ...]
    partial: Reason = NO_REASON
    """Why there may be further keys; empty: these are all."""
    values: Value | None = None
    """Value of the keys that are not constant, where there are such."""
    origin: Origin | None = None
    evidence: Evidence | None = None
    """How its keys are known, where it comes from an object of a known shape."""
    keys: Value | None = None
    """What the keys are that are not constant, where that is known."""
    missing: Value | None = None
    """What is read under a key that it lacks (Python's `defaultdict`)."""
    untyped: bool = False
    """Whether something is spread into it that the language takes for any type, which makes it
    such a value itself."""


class Items(Struct, frozen=True, eq=False):
    """A list of which every item is known, or (with `repeated`) the kinds of its items."""

    values: tuple[Value, ...]
    repeated: bool = False
    is_tuple: bool = False
    origin: Origin | None = None


class FunctionValue(Struct, frozen=True, eq=False):
    """A function, method or lambda of the project."""

    function: Function
    scope: Scope
    """Where it is defined."""
    owner: ClassSymbol | None = None
    receiver: Value | None = None


class ClassValue(Struct, frozen=True, eq=False):
    """A class of the project itself (not an instance)."""

    symbol: ClassSymbol
    types: Mapping[str, BoundType] = {}


class ModuleValue(Struct, frozen=True, eq=False):
    """A file of the project as a namespace."""

    path: str


class LibrarySymbol(Struct, frozen=True, eq=False):
    """Something from a library, by its qualified name: `fastapi.APIRouter`, `express`,
    `express().get` (the attribute `get` of what calling `express` gives)."""

    name: str
    receiver: Value | None = None
    """What it is an attribute of, when that is a value made in the project."""
    declared_type: ByType | None = None
    """What the code says that it is, of what was caught."""


class LibraryResult(Struct, frozen=True, eq=False):
    """What a library call gives. Its identity is the place of the call, `(path, span)`."""

    name: str
    """Qualified name of what was called."""
    site: Call | New
    scope: Scope
    receiver: Value | None = None
    """For a method call: what it was called on."""
    declared_type: BoundType | None = None
    """The type of the variable that holds it, for what the call itself does not tell."""
    assigned: tuple[RecordEntry, ...] = ()
    """What statements have set on it since: members, items and, with a dot, what lies in a member
    (`headers.Content-Type`). Optional: where a branch is taken."""
    construction: tuple[New, Scope] | None = None
    """Where it is an instance of the class that the call gives (`new Order()` of `const Order =
    model("Order", schema)`): the construction, and its scope."""

    @property
    def identity(self) -> tuple[str, Span]:
        """Equal for the same object seen from two places."""
        return (self.scope.file.path, self.site.span)


def known_keys(record: Record) -> Items | None:
    """The keys of a dict or map one by one; None where not all are known."""
    if record.values is not None or record.partial or any(e.optional for e in record.entries):
        return None
    return Items(tuple(Constant(entry.name) for entry in record.entries))


def readable_name(name: str) -> str:
    """The name of an external value in a text for people. What a framework hands to a handler has a
    marker as the start of its name (`<request>.body`): people read `request.body`."""
    marker, closed, rest = name.removeprefix("<").partition(">")
    return marker + rest if name.startswith("<") and closed else name


def provider(name: str) -> str:
    """Who makes an external value, in a text for people."""
    return "a library" if readable_name(name) == name else "the framework"


class OneOf(Struct, frozen=True, eq=False):
    """One of several values, depending on the path taken."""

    options: tuple[Value, ...]


class Unresolved(Struct, frozen=True, eq=False):
    """A value that is undetermined; the reason is for the user."""

    reason: Reason
    span: Span = NO_SPAN
    path: str = ""
    untyped: bool = False
    """The language takes it for any type: what it is assigned to tells nothing of it."""
    parameter: str = ""
    """The name of the parameter without a declared type that it comes from; empty: none."""


Following: TypeAlias = frozenset[tuple[str, str, int, int]]
"""Definitions that are being followed, so that `x = f(x)` does not loop."""


Value: TypeAlias = (
    Constant
    | Template
    | ByType
    | Instance
    | BySchema
    | Record
    | Items
    | FunctionValue
    | ClassValue
    | ModuleValue
    | LibrarySymbol
    | LibraryResult
    | OneOf
    | Unresolved
)


Found: TypeAlias = Value | AliasSymbol | BoundType
"""What looking a name up gives: a value, a type alias, or what a type parameter stands for."""


class ReturnedValue(Struct, frozen=True, eq=False):
    """One `return` (or `throw`) of a function, with the scope to evaluate its value in."""

    value: Expr | None
    scope: Scope
    span: Span
    thrown: bool = False
    generator: bool = False


def is_itself(value: Value) -> bool:
    """Whether a value is what a name held before, in an expression that gives the name its value:
    it is of the kind that the expression gives otherwise."""
    return isinstance(value, Unresolved) and value.reason.code == "recursive-definition"


def without_itself(value: Value) -> Value:
    """The values that are left of several where one of them is what the name held before."""
    if not isinstance(value, OneOf):
        return value
    left = tuple(option for option in value.options if not is_itself(option))
    return union_of(left) if left else value.options[0]


def is_untyped(value: Value) -> bool:
    """Whether a value may be one that the language takes for any type."""
    options = value.options if isinstance(value, OneOf) else (value,)
    return any(isinstance(option, Unresolved) and option.untyped for option in options)


def union_of(values: tuple[Value, ...]) -> Value:
    """The union of values: flat, and the value itself when there is just one."""
    options = (o for v in values for o in (v.options if isinstance(v, OneOf) else (v,)))
    flat = tuple({id(option): option for option in options}.values())
    return flat[0] if len(flat) == 1 else OneOf(flat)


def is_null(value: Value) -> bool:
    """Whether a value is null or absent, and never anything else."""
    match value:
        case Constant(value=None) | LibrarySymbol(name="undefined") | BySchema(schema=Nothing()):
            return True
        case _:
            return False


def is_undefined(value: Value) -> bool:
    """Whether a value is JavaScript's `undefined`."""
    return isinstance(value, LibrarySymbol) and value.name == "undefined"


def is_always_there(value: Value, undefined: bool | None) -> bool | None:
    """Whether JSON has a property that is given a value. One that may be `undefined` on some path
    may be guarded by a test that is not seen."""
    if undefined is not False:
        return False if undefined else None
    sometimes = isinstance(value, OneOf) and any(map(is_undefined, value.options))
    return None if sometimes else True


def is_falsy(value: Value) -> bool:
    """Whether a value is null, or a constant that counts as false."""
    return is_null(value) or (isinstance(value, Constant) and not value.value)


def symbol_name(scope: Scope) -> str:
    """Qualified name of the declaration that a scope lies in: `OrderController.get`."""
    names: list[str] = []
    current: Scope | None = scope
    while current is not None:
        if current.function is not None and current.function.name:
            names.append(current.function.name)
        if current.owner is not None and (
            current.parent is None or current.parent.owner is not current.owner
        ):
            names.append(current.owner.qualified_name)
            break
        current = current.parent
    return ".".join(reversed(names))


def origin_at(scope: Scope, span: Span) -> Origin:
    """A place in the file of a scope, with the name of the declaration that the scope lies in."""
    return Origin(scope.file.path, span, "", symbol_name(scope))


def named_function_scope(scope: Scope) -> Scope | None:
    """The scope of the named function around another; lambdas inside it (callbacks) are passed
    over."""
    current: Scope | None = scope
    while current is not None and (current.function is None or not current.function.name):
        current = current.parent
    return current


PartT = TypeVar("PartT", bound="Value | None")


def as_checked(part: PartT, whole: ByType) -> PartT:
    """A part of a value of a declared type: known no better than the value is."""
    if isinstance(part, ByType) and (whole.unchecked or whole.of_library or whole.copied):
        return replace(
            part,
            copied=part.copied or whole.copied,
            unchecked=part.unchecked or whole.unchecked,
            of_library=part.of_library or whole.of_library,
        )
    return part
