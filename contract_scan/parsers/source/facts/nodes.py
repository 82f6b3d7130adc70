"""The neutral form of one source file: what every language front end lowers to.

Facts of a file depend on the bytes of that file alone (so they are cached by content). They keep
syntax, not meaning: a decorator is a call expression on a class, whatever library it comes from.
Names are as written; `link` resolves them. Frameworks read facts and never see a syntax tree.

Two levels. Declarations are always lowered. The statements of a function are lowered with them only
where its text holds a marker that an extractor declares; otherwise `Function.body` is None and
`Program.body(function)` reads it on demand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import NO_SPAN, Span
from contract_scan.ir.schema import LiteralValue

# --------------------------------------------------------------------------- expressions


class Syntax(Struct, frozen=True, kw_only=True, tag_field="$", omit_defaults=True):
    """Base of everything that stands at a place in the file."""

    span: Span = NO_SPAN


class LiteralExpr(Syntax, frozen=True, tag="lit"):
    """A string, number, boolean or null written out."""

    value: LiteralValue


class Text(Syntax, frozen=True, tag="text"):
    """String made of parts: interpolation and `+` between strings."""

    parts: tuple[Expr, ...]


class Name(Syntax, frozen=True, tag="name"):
    """An identifier. `self`, `this`, `super` / `base` are the names `this` and `super` in every
    language."""

    id: str
    is_method: bool = False
    """Java: what a call without a receiver names, which is never a variable."""


class Attribute(Syntax, frozen=True, tag="attr"):
    """`value.name` (also `?.`, `!.`, Java's `Class::method` and `Class.class` as name `class`)."""

    value: Expr
    name: str
    optional: bool = False
    """TypeScript's `value?.name`, which asks nothing of a value that is not there."""


class Index(Syntax, frozen=True, tag="index"):
    value: Expr
    index: Expr


class Argument(Struct, frozen=True, kw_only=True):
    value: Expr
    name: str = ""
    """Keyword (Python), named argument (C#), element name (Java annotations)."""
    spread: Literal["", "*", "**"] = ""
    """`*` for positional spreads, `**` for keyword spreads."""


class Call(Syntax, frozen=True, tag="call"):
    callee: Expr
    args: tuple[Argument, ...] = ()
    type_args: tuple[TypeExpr, ...] = ()


class New(Syntax, frozen=True, tag="new"):
    """Construction with `new` (TypeScript, C#, Java). Python's constructor calls are `Call`s."""

    type: TypeExpr | None
    """None for C#'s target-typed `new()`."""
    args: tuple[Argument, ...] = ()
    entries: tuple[Entry, ...] = ()
    """Object or collection initialiser; Java's `new HashMap<>() {{ put("a", b); }}`."""
    members: ClassDecl | None = None
    """Body of an anonymous class (Java), where it has one."""


class Entry(Struct, frozen=True, kw_only=True):
    """One entry of an object literal, dict display or initialiser."""

    value: Expr
    key: str | None = None
    """The key where it is written as a constant."""
    key_expression: Expr | None = None
    """The key where it is an expression."""
    spread: bool = False
    """`...value` / `**value`: all entries of it."""
    default: Expr | None = None
    """In the pattern of a parameter: what the name is where nothing is given."""
    span: Span = NO_SPAN


class ObjectLiteral(Syntax, frozen=True, tag="object"):
    """TypeScript object literal, Python dict display or `dict(a=1)`-free braces, C# anonymous
    type."""

    entries: tuple[Entry, ...] = ()


class ArrayLiteral(Syntax, frozen=True, tag="array"):
    """Array, list, tuple, set displays. Spread items are `Spread`."""

    items: tuple[Expr, ...] = ()
    is_tuple: bool = False
    """Python tuples (`return body, 201`) and C# tuple literals."""


class Spread(Syntax, frozen=True, tag="spread"):
    value: Expr


class Lambda(Syntax, frozen=True, tag="lambda"):
    """Arrow function, function expression, lambda; an expression body is one `Return`."""

    function: Function


class Choice(Syntax, frozen=True, tag="choice"):
    """One of several values: conditional expressions, `a ?? b`, `a || b`, `a or b`, switch
    expressions."""

    options: tuple[Expr, ...]
    given: tuple[Expr, ...] = ()
    """Conditional expressions: for each option a test that holds where it is chosen."""
    fallback: bool = False
    """`a ?? b`, `a || b`, `a or b`: an option that is null gives way to the next."""
    falsy: bool = False
    """`a || b`, `a or b`: so does one that counts as false, such as an empty text or 0."""


class Cast(Syntax, frozen=True, tag="cast"):
    """`value as T`, `(T) value`, `<T>value`, `cast(T, value)`; `satisfies` when `checks_only`."""

    type: TypeExpr
    value: Expr
    checks_only: bool = False


class Comprehension(Syntax, frozen=True, tag="each"):
    """A list built from another: Python comprehensions. `element` sees `variable`."""

    element: Expr
    variable: Expr
    source: Expr
    key: Expr | None = None
    """Dict comprehensions: the key, with `element` the value."""
    given: Expr | None = None
    """A test that each item has passed (`if item.number`)."""


class OperationExpr(Syntax, frozen=True, tag="op"):
    """Arithmetic, comparison and logic that yields a new value (`a + b` of which no side is seen to
    be a string, `a == b`, `not a`, `typeof x`). TypeScript's `call()!` is `present`; what C#'s
    `call(out var x)` gives `x` is `out`, of the call and the position of the parameter."""

    operator: str
    operands: tuple[Expr, ...]


class TypeValue(Syntax, frozen=True, tag="typeval"):
    """A type used as a value where the syntax says so: `typeof(T)` (C#), `T.class` (Java),
    subscripted generics in Python calls (`Page[Order]`)."""

    type: TypeExpr


class UnsupportedSyntax(Syntax, frozen=True, tag="opaque"):
    """Syntax that the neutral form has no word for. `what` names it for a reason text."""

    description: str
    parts: tuple[Expr, ...] = ()
    """Expressions that are known to be in it: of a slice."""


Expr: TypeAlias = (
    LiteralExpr
    | Text
    | Name
    | Attribute
    | Index
    | Call
    | New
    | ObjectLiteral
    | ArrayLiteral
    | Spread
    | Lambda
    | Choice
    | Cast
    | Comprehension
    | OperationExpr
    | TypeValue
    | UnsupportedSyntax
)

# --------------------------------------------------------------------------- type expressions


class NamedType(Syntax, frozen=True, tag="t"):
    """A type by (dotted) name with its arguments: `List<Order>`, `schemas.Order`, `list[int]`.

    Predefined types keep the name they have in the language (`int`, `string`, `str`, `boolean`).
    Python's and TypeScript's `None` / `null` / `undefined` are `NullType`.
    """

    name: str
    args: tuple[TypeExpr, ...] = ()


class NullType(Syntax, frozen=True, tag="t_null"):
    """JSON null's type; `undefined` (and `void`) when `absent`."""

    absent: bool = False


class UnionType(Syntax, frozen=True, tag="t_union"):
    """`A | B`, `Union[A, B]`, `Optional[A]` (= A | null)."""

    options: tuple[TypeExpr, ...]


class IntersectionType(Syntax, frozen=True, tag="t_inter"):
    options: tuple[TypeExpr, ...]


class NullableType(Syntax, frozen=True, tag="t_nullable"):
    """C#'s `T?`, Java's `@Nullable T` where the annotation is a type annotation."""

    item: TypeExpr


class ArrayType(Syntax, frozen=True, tag="t_array"):
    """`T[]`."""

    item: TypeExpr


class TupleType(Syntax, frozen=True, tag="t_tuple"):
    items: tuple[TypeExpr, ...]
    names: tuple[str, ...] = ()
    """C#: what the items are called (`(bool Ok, string Text)`), empty for one without a name."""


class ObjectType(Syntax, frozen=True, tag="t_object"):
    """TypeScript's `{ a: string; b?: number; [k: string]: T }`."""

    members: tuple[Member, ...]
    index: TypeExpr | None = None


class LiteralType(Syntax, frozen=True, tag="t_lit"):
    """`"a"`, `1`, `true` as types; `Literal["a"]`."""

    value: LiteralValue


class AnnotatedType(Syntax, frozen=True, tag="t_annot"):
    """`Annotated[T, …]`: a type with metadata expressions."""

    item: TypeExpr
    metadata: tuple[Expr, ...]


class IndexedType(Syntax, frozen=True, tag="t_indexed"):
    """TypeScript's `T["key"]`, `T[number]`, `T[keyof T]`."""

    item: TypeExpr
    index: TypeExpr


class KeyOfType(Syntax, frozen=True, tag="t_keyof"):
    item: TypeExpr


class TypeOfType(Syntax, frozen=True, tag="t_typeof"):
    """TypeScript's `typeof value` in a type; Python's `Literal[NAMES]`, of the items of a tuple."""

    value: Expr


class MappedType(Syntax, frozen=True, tag="t_mapped"):
    """TypeScript's `{ [K in C]?: T }`; `optional` is "+", "-" or "", and "?" of what a function
    gives of any object: its statements say which members are kept."""

    variable: str
    constraint: TypeExpr
    item: TypeExpr
    optional: str = ""


class FunctionType(Syntax, frozen=True, tag="t_func"):
    params: tuple[Param, ...] = ()
    returns: TypeExpr | None = None


class UnsupportedType(Syntax, frozen=True, tag="t_opaque"):
    """A type that the neutral form has no word for (conditional types, template literals)."""

    description: str


TypeExpr: TypeAlias = (
    NamedType
    | NullType
    | UnionType
    | IntersectionType
    | NullableType
    | ArrayType
    | TupleType
    | ObjectType
    | LiteralType
    | AnnotatedType
    | IndexedType
    | KeyOfType
    | TypeOfType
    | MappedType
    | FunctionType
    | UnsupportedType
)

# --------------------------------------------------------------------------- statements


class Assign(Syntax, frozen=True, tag="assign"):
    """`target = value`, declarations of locals, augmented assignment (`operator` set)."""

    target: Expr
    """`Name`, `Attribute`, `Index`, or a pattern: `ArrayLiteral` / `ObjectLiteral` of targets."""
    value: Expr | None
    type: TypeExpr | None = None
    operator: str = ""
    declares: bool = False
    """TypeScript, C#: a declaration, whatever a variable of that name around the function is."""
    scoped: bool = False
    """A declaration that is seen in its block alone: `let` and `const`, locals of C#."""


class Return(Syntax, frozen=True, tag="return"):
    """`return value`; `yield value` when `generator`."""

    value: Expr | None
    generator: bool = False


class Throw(Syntax, frozen=True, tag="throw"):
    value: Expr | None


class Jump(Syntax, frozen=True, tag="jump"):
    """`continue` (in Python `break` too): what follows in its block is not reached."""


class Evaluate(Syntax, frozen=True, tag="eval"):
    """An expression for its effect: calls."""

    value: Expr


CAUGHT = "<error>"
"""TypeScript: the name under which a `catch` block is given what was thrown."""


class Branch(Syntax, frozen=True, tag="branch"):
    """`if` / `switch` / `try`: one of several blocks runs (or, unless `exhaustive`, none)."""

    blocks: tuple[tuple[Statement, ...], ...]
    condition: Expr | None = None
    exhaustive: bool = False
    cases: tuple[Expr, ...] = ()
    """`switch`: the constants of the blocks, in order."""
    kind: Literal["if", "switch", "try"] = "if"


class Loop(Syntax, frozen=True, tag="loop"):
    """`for variable in iterable` (None for `while` and three-part loops)."""

    body: tuple[Statement, ...]
    variable: Expr | None = None
    iterable: Expr | None = None


class Define(Syntax, frozen=True, tag="define"):
    """A function or class declared inside a body."""

    declaration: Function | ClassDecl


Statement: TypeAlias = Assign | Return | Throw | Jump | Evaluate | Branch | Loop | Define

# --------------------------------------------------------------------------- declarations


class Annotation(Syntax, frozen=True, kw_only=True):
    """Decorator, annotation or attribute: `@Get("x")`, `[HttpGet("x")]`, `@app.get("/x")`.

    `name` is dotted as written (`app.get`, `HttpGet`, `pydantic.validator`), without C#'s optional
    `Attribute` suffix removed. `callee` is the expression of the name, for resolving it.
    """

    name: str
    args: tuple[Argument, ...] = ()
    has_parentheses: bool = True
    """False where it is written without parentheses."""
    callee: Expr | None = None
    type_args: tuple[TypeExpr, ...] = ()
    target: str = ""
    """C#'s `[return: …]`, `[property: …]`."""


class Param(Syntax, frozen=True, kw_only=True):
    name: str
    type: TypeExpr | None = None
    default: Expr | None = None
    annotations: tuple[Annotation, ...] = ()
    kind: Literal["", "*", "**", "keyword", "pattern"] = ""
    """`*` / `**` variadic, `keyword` keyword-only, `pattern` destructured (see `pattern`)."""
    optional: bool = False
    modifiers: tuple[str, ...] = ()
    """TypeScript parameter properties (`private`, `readonly`), C# `this`, `ref` …"""
    pattern: Expr | None = None
    """Destructuring pattern: an `ObjectLiteral` or `ArrayLiteral` of `Name`s."""
    name_span: Span = NO_SPAN

    @property
    def place(self) -> Span:
        """Where its name stands; the whole parameter where it has none."""
        return self.span if self.name_span == NO_SPAN else self.name_span


class Function(Syntax, frozen=True, tag="function"):
    """Function, method, constructor, arrow function or accessor."""

    name: str
    params: tuple[Param, ...] = ()
    returns: TypeExpr | None = None
    annotations: tuple[Annotation, ...] = ()
    modifiers: tuple[str, ...] = ()
    """As written, in lower case: `static`, `async`, `abstract`, `private`, `export`, `default`,
    `generator`, `get`, `set`, `property`, `classmethod`, `staticmethod`, `constructor` …"""
    type_params: tuple[TypeParam, ...] = ()
    body: tuple[Statement, ...] | None = None
    """None: not lowered (see `Program.body`) or, with `abstract`, there is none."""
    name_span: Span = NO_SPAN
    doc: str = ""


class TypeParam(Struct, frozen=True, kw_only=True):
    name: str
    bound: TypeExpr | None = None
    default: TypeExpr | None = None


MemberKind: TypeAlias = Literal[
    "field", "property", "getter", "setter", "constant", "enum", "parameter"
]


class Member(Syntax, frozen=True, tag="member"):
    """A data member: field, property, accessor, enum constant, record component, parameter
    property, or attribute assigned in a constructor."""

    name: str
    kind: MemberKind = "field"
    type: TypeExpr | None = None
    value: Expr | None = None
    """Default or initial value; an enum constant's value."""
    args: tuple[Argument, ...] = ()
    """Java enum constants: constructor arguments."""
    annotations: tuple[Annotation, ...] = ()
    modifiers: tuple[str, ...] = ()
    """As written, in lower case: `static`, `readonly`, `private`, `required`, `init`, `final`, …"""
    optional: bool = False
    """TypeScript's `name?: T`."""
    doc: str = ""
    name_span: Span = NO_SPAN
    accessors: tuple[Function, ...] = ()
    """C#: the accessors whose statements are lowered together with the declaration, and that
    `value` does not stand for; modifiers tell `get` from `set` and `init`."""


ClassKind: TypeAlias = Literal["class", "interface", "record", "struct", "enum", "annotation"]


class ClassDecl(Syntax, frozen=True, tag="class"):
    """Class, interface, record, struct, enum or annotation type."""

    name: str
    kind: ClassKind = "class"
    type_params: tuple[TypeParam, ...] = ()
    bases: tuple[TypeExpr, ...] = ()
    """Base classes and interfaces, in order as written (TypeScript: `extends` before
    `implements`)."""
    keywords: tuple[Argument, ...] = ()
    """Python class keywords (`metaclass=`, msgspec's `rename=`)."""
    base_args: tuple[Argument, ...] = ()
    """C# primary-constructor base arguments."""
    annotations: tuple[Annotation, ...] = ()
    modifiers: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    methods: tuple[Function, ...] = ()
    classes: tuple[ClassDecl, ...] = ()
    """Nested types."""
    aliases: tuple[Alias, ...] = ()
    name_span: Span = NO_SPAN
    doc: str = ""


class Alias(Syntax, frozen=True, tag="alias"):
    """`type X<T> = …`; Python's `X: TypeAlias = …` and `type X = …`."""

    name: str
    type: TypeExpr
    type_params: tuple[TypeParam, ...] = ()
    modifiers: tuple[str, ...] = ()
    name_span: Span = NO_SPAN


class Import(Syntax, frozen=True, kw_only=True):
    """One imported name, one whole module, or a star import.

    Python `from a.b import c as d`: module `a.b`, name `c`, local `d`. `import a.b as x`: module
    `a.b`, name "", local `x`. `import a.b`: local `a` and module `a.b`, name "". `from x import *`:
    name `*`. Relative modules keep their dots. TypeScript `import d, {a as b} from "./m"`: name
    `default` / `a`; `import * as ns` and `require()`: name "" . Java `import a.b.C;`: module `a.b`,
    name `C`; `import a.b.*;`: name `*`; `static` in modifiers. C# `using A.B;`: module `A.B`, name
    `*`; `using X = A.B.C;`: module `A.B`, name `C`, local `X`; `global` in modifiers.
    """

    module: str
    name: str = ""
    local: str = ""
    modifiers: tuple[str, ...] = ()


class Export(Syntax, frozen=True, kw_only=True):
    """TypeScript exports other than on a declaration: `export {a as b} from "./m"`, `export *`,
    `export default expr`, `module.exports = expr` (exported `default`; with `name` "" and `value`),
    `exports.a = expr`."""

    exported: str
    """Name seen from outside; `*` for `export * from` (with `exported` "*", `name` "*")."""
    name: str = ""
    module: str = ""
    value: Expr | None = None


class FileFacts(Struct, frozen=True, kw_only=True):
    """Everything one file says."""

    path: str
    language: str
    package: str = ""
    """Java package, C# namespace (file-scoped or the only one); empty otherwise."""
    imports: tuple[Import, ...] = ()
    exports: tuple[Export, ...] = ()
    classes: tuple[ClassDecl, ...] = ()
    functions: tuple[Function, ...] = ()
    aliases: tuple[Alias, ...] = ()
    statements: tuple[Statement, ...] = ()
    """Top-level statements in order, module variables among them as `Assign` (C# Program.cs and
    scripts too). Functions and classes are not repeated here."""
    namespaces: dict[str, str] = {}
    """Qualified class name -> namespace, where a file has several (C#); TypeScript namespaces."""
    errors: tuple[Span, ...] = ()
    """Places that the grammar could not parse."""
    unread: str = ""
    """Why nothing was taken from the file, where parsing it was given up."""
    stated_source: str = ""
    """The schema that the comments at the head name as what the file was generated from, by the
    last part of its path."""
    nullability: tuple[tuple[int, str], ...] = ()
    """C#: lines of `#nullable` directives, each with `enable`, `disable` or `restore`."""


def declared_functions(facts: FileFacts) -> Iterator[Function]:
    """The functions and methods that a file declares outside of other functions, but for
    constructors: what these assign belongs to the declaration of their class."""
    yield from facts.functions
    pending = [*facts.classes]
    while pending:
        declared = pending.pop()
        pending.extend(declared.classes)
        for method in declared.methods:
            if "constructor" not in method.modifiers and method.name != "constructor":
                yield method
