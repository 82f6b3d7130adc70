"""Where the objects of a class are made, and what each of them is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.memo import memoised, memoised_with
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import encloses
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope, Value
from contract_scan.parsers.source.csharp.resolution.arguments import selected_member
from contract_scan.parsers.source.csharp.resolution.callers import calls_of, placed_in
from contract_scan.parsers.source.csharp.resolution.modules import plain_name
from contract_scan.parsers.source.csharp.resolution.partial_classes import parts
from contract_scan.parsers.source.csharp.resolution.source_text import function_text, lines_of
from contract_scan.parsers.source.csharp.resolution.value_classes import symbol_of
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    ArrayType,
    Assign,
    Attribute,
    Call,
    Choice,
    Expr,
    FileFacts,
    Function,
    Name,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_MEMORY = "csharp.constructions"
_MADE = re.compile(rb"\bnew\b([^({\[;)=}]*)")
"""What stands between `new` and the arguments: a type, with what goes before it in a comment."""
_WORD = re.compile(rb"[\w\x80-\xff]+")
_ANY = b"<"
_MOST_FILES = 60
"""In how many files it is looked for what sets a member."""
_SET = re.compile(rb"\.\s{0,9}(\w{1,255})\s{0,9}(?:\?\?)?=(?![=>])")
"""A member that is set on something."""
_SET_TOGETHER = re.compile(rb"\(([^()=;{}]{1,300})\)\s{0,9}=(?![=>])")
"""What is set from a tuple: `(order.Id, order.Name) = (1, name)`."""
_SETTER = re.compile(rb"\b(?:set|init)\s{0,99}(?:\{|=>)")
_UPDATED = re.compile(rb"\bSetProperty\(\s{0,99}\w{1,99}\s{0,9}=>\s{0,9}\w{1,99}\.(\w{1,255})")
_SET_NULL = re.compile(
    rb"\.HasForeignKey\(\s{0,99}\w{1,99}\s{0,9}=>\s{0,9}\w{1,99}\.(\w{1,255})\)[^;]{0,300}SetNull\b"
)
"""The column that refers to a row is set to null when that is deleted."""
_WRITES = frozenset({Assign, Call})
_STORED = ("DbSet", "IDbSet", "EntityTypeBuilder", "Set", "Entity")
"""Classes and methods of Entity Framework that make objects of what is stored, or configure it."""


def gives_always(
    program: Program,
    symbol: ClassSymbol,
    member: str,
    counts: Callable[[Expr, Scope], bool],
) -> bool:
    """Whether the project gives a member a value that counts wherever it makes an object of a class
    (`new Error { Code = code }`) or sets the member later. False where it makes none, or where
    others may make objects too; what a database holds was made by the project, or by an older
    state of it.

    What takes the fewest files is asked first: most members are settled by one construction."""
    if symbol.decl.kind != "class":
        return False
    known = cast("dict[str, _Constructions]", program.memory.setdefault(_MEMORY, {}))
    if symbol.key not in known:
        known[symbol.key] = _Constructions(program, symbol)
    constructions = known[symbol.key]
    given: list[tuple[Expr, Scope]] = []
    for made, scope in constructions.seen():
        value = next((entry.value for entry in made.entries if entry.key == member), None)
        if value is None:
            return False
        given.append((value, scope))
    if not given or not all(_is_loaded(value) or counts(value, scope) for value, scope in given):
        return False
    return constructions.are_all_seen() and _keeps(program, symbol, member, counts)


class Write(Struct, frozen=True):
    """A place that sets a member of an object that is there."""

    owner: Expr | None
    """The object; None for rows, and for an object that sets its own member."""
    value: Expr
    scope: Scope

    def on(self, program: Program) -> Value | None:
        """What the member is set on."""
        if self.owner is None:
            return None
        return program.evaluator.unwrap(program.evaluate(self.owner, self.scope))


@memoised_with(None)
def writes_of(program: Program, name: str) -> list[Write] | None:
    """Where a member of a name is set on something, also by an update of rows
    (`SetProperty(o => o.Name, name)`); None where that is in too many files."""
    written = name.encode()
    paths = [
        path
        for path in program.files_with_word(name)
        if any(written in found_in(program, path, pattern) for pattern in (_SET, _UPDATED))
        or written in _set_together(program, path)
    ]
    return (
        None
        if len(paths) > _MOST_FILES
        else [
            Write(owner, value, scope)
            for path in paths
            for node, scope in placed_in(program, program.facts(path), (written,), _WRITES)
            for owner, value in _values_set(node, name)
        ]
    )


def _values_set(node: Assign | Call, name: str) -> Iterator[tuple[Expr | None, Expr]]:
    match node:
        case Assign(target=Attribute(value=owner, name=member), value=value, operator=operator):
            if member == name and value is not None and operator != "??=":
                yield owner, value
        case Assign(target=ArrayLiteral(items=targets), value=value) if value is not None:
            given = value.items if isinstance(value, ArrayLiteral) else ()
            for position, target in enumerate(targets):
                if isinstance(target, Attribute) and target.name == name:
                    is_paired = len(given) == len(targets)
                    yield target.value, given[position] if is_paired else Name(id="")
        case Call(callee=Attribute(name="SetProperty"), args=(_, given) as args):
            if selected_member(args) == name:
                yield None, given.value
        case _:
            pass


def _keeps(
    program: Program, symbol: ClassSymbol, name: str, counts: Callable[[Expr, Scope], bool]
) -> bool:
    """Whether what sets a member of an object of a class later gives it what counts as well."""
    writes = writes_of(program, name)
    if writes is None or any(sets_own(program, part, name) for part in parts(program, symbol)):
        return False
    for write in writes:
        of = None if (on := write.on(program)) is None else symbol_of(program, on)
        may_be = of is None or of.key == symbol.key or program.bases(symbol)
        if may_be and not _is_loaded(write.value) and not counts(write.value, write.scope):
            return False
    paths = program.files_with_word("SetNull")
    return all(name.encode() not in found_in(program, path, _SET_NULL) for path in paths)


def _is_loaded(value: Expr) -> bool:
    """Whether a value is what a row holds: `reader.IsDBNull(2) ? null : reader.GetGuid(2)`."""
    match value:
        case Choice(given=(Call(callee=Attribute(name="IsDBNull" | "IsDBNullAsync")), *_)):
            return True
        case _:
            return False


def sets_own(program: Program, owner: ClassSymbol, name: str, *, later: bool = False) -> bool:
    """Whether methods of a class seem to set a member; what initialisers of objects set counts for
    these objects alone. `later`: after its constructors have run."""
    written = name.encode()
    sets = re.compile(rb"\b%s\s{0,9}(?:\?\?)?=(?![=>])" % name.encode())

    def may_set(method: Function) -> bool:
        text = function_text(program, owner.file.path, method)
        return bool(sets.search(text)) or (
            written in _set_together(program, owner.file.path)
            and any(written in _WORD.findall(each) for each in _SET_TOGETHER.findall(text))
        )

    return bool(sets.search(_setters(program, owner))) or any(
        isinstance(node, Assign) and _is_own(node.target, name)
        for method in owner.decl.methods
        if not (later and "constructor" in method.modifiers) and may_set(method)
        for node in nodes_of(program.body(method, owner.file))
    )


@memoised
def _setters(program: Program, owner: ClassSymbol) -> bytes:
    """The texts of what runs when a property of a class is set, where it is written out."""
    texts = [
        lines_of(program, owner.file.path, member.span)
        for member in owner.decl.members
        if any(word.endswith(("set", "init")) for word in member.modifiers)
    ]
    return b"\n".join(text[at.end() :] for text in texts if (at := _SETTER.search(text)))


def _is_own(target: Expr, name: str) -> bool:
    """Whether a member of the object itself is set, or of one that a variable holds."""
    match target:
        case Name(id=id) | Attribute(name=id):
            return id == name
        case ArrayLiteral(items=targets):
            return any(_is_own(each, name) for each in targets)
        case _:
            return True


@memoised
def _set_together(program: Program, path: str) -> frozenset[bytes]:
    """The words in what a file sets from tuples."""
    found = found_in(program, path, _SET_TOGETHER)
    return frozenset(word for targets in found for word in _WORD.findall(targets))


@memoised
def found_in(program: Program, path: str, pattern: re.Pattern[bytes]) -> frozenset[bytes]:
    """What a pattern finds in a file, which is asked once for all names."""
    return frozenset(program.files.find(path, pattern))


class _Constructions:
    """Where objects of one class are made, looked for as far as it is asked."""

    def __init__(self, program: Program, symbol: ClassSymbol) -> None:
        self._program = program
        self._symbol = symbol
        self._name = symbol.decl.name
        self._found: dict[str, list[tuple[New, Scope]] | None] = {}
        self._are_all_seen: bool | None = None

    def seen(self) -> Iterator[tuple[New, Scope]]:
        """Every `new` of the class that names it."""
        name = plain_name(self._name).encode()
        for path in self._program.files_with_word(self._name):
            if name in (made := _made_types(self._program, path)) or _ANY in made:
                yield from self._made_in(path) or ()

    def are_all_seen(self) -> bool:
        """Whether these are all: no class derives from it, and neither a library nor a `new()` that
        does not name it makes one."""
        if self._are_all_seen is None:
            self._are_all_seen = self._sees_all()
        return self._are_all_seen

    def _sees_all(self) -> bool:
        program = self._program
        if program.names.classes.implementations(self._symbol):
            return False
        return not any(
            self._made_in(path) is None
            or _is_made_by_others(program, program.facts(path), self._symbol)
            for path in program.files_with_word(self._name)
        )

    def _made_in(self, path: str) -> list[tuple[New, Scope]] | None:
        """Every `new` of the class in a file; None where not all of them are seen."""
        if path not in self._found:
            self._found[path] = self._find(self._program.facts(path))
        return self._found[path]

    def _find(self, file: FileFacts) -> list[tuple[New, Scope]] | None:
        program, symbol = self._program, self._symbol
        found: list[tuple[New, Scope]] = []

        def makes(call: Call | New, scope: Scope) -> bool:
            if isinstance(call, Call):  # `Deserialize<Error>(text)`, `mapper.Map<Error>(row)`
                callee = getattr(call.callee, "name", getattr(call.callee, "id", ""))
                return callee not in _STORED and any(
                    _means(program, type, scope, symbol) for type in call.type_args
                )
            if call.type is None:  # `new()`: of what is told by where it goes
                return _may_make(call, symbol)
            return _means(program, call.type, scope, symbol)

        for call, scope in calls_of(program, file, b"new", self._name.encode(), wanted=makes):
            if makes(call, scope):
                if isinstance(call, Call) or not _names_its_type(call):
                    return None
                found.append((call, scope))
        return found


def _names_its_type(made: New) -> bool:
    """Whether the type stands behind `new`, and is not that of where the object goes."""
    return made.type is not None and encloses(made.span, made.type.span)


@memoised
def _made_types(program: Program, path: str) -> frozenset[bytes]:
    """The words of all types after `new` in a text; `_ANY` where a type may go on behind them."""
    found: set[bytes] = set()
    for type in program.files.find(path, _MADE):
        found.update(_WORD.findall(type))
        if type.count(b"<") > type.count(b">"):
            found.add(_ANY)
    return frozenset(found)


def _is_made_by_others(program: Program, file: FileFacts, symbol: ClassSymbol) -> bool:
    """Whether a file hands a class to what may make objects of it: as the parameter of a handler,
    or as the type argument of a library's class that is a member."""
    for owner in program.classes(file):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            for type in _arguments(member.type):
                if _means(program, type, scope, symbol):
                    return True
        if any(_is_parameter(program, method, scope, symbol) for method in owner.decl.methods):
            return True
    module = program.module_scope(file)
    return any(_is_parameter(program, function, module, symbol) for function in file.functions)


def _may_make(made: New, symbol: ClassSymbol) -> bool:
    """Whether `new()` may make an object of a class: one without constructors takes no arguments,
    and an initialiser sets members that are there."""
    takes = any("constructor" in method.modifiers for method in symbol.decl.methods)
    members = {member.name for member in symbol.decl.members}
    keys = {entry.key for entry in made.entries if entry.key is not None}
    is_open = bool(symbol.decl.bases) or "partial" in symbol.decl.modifiers
    return is_open or ((takes or not made.args) and keys <= members)


_BEFORE_CALLS = (b".", b"(", b"!", b" = ", b", ", b"=> ", b": ", b"? ", b"return ", b"await ")


def _is_parameter(program: Program, function: Function, scope: Scope, symbol: ClassSymbol) -> bool:
    """Whether a class is that of a parameter which others than the project may give."""
    types = [p.type for p in function.params if _type_name(p.type) not in _STORED]
    if "constructor" in function.modifiers or not any(
        type is not None and _means(program, type, scope, symbol) for type in types
    ):
        return False
    name = function.name.encode()
    called = (before + name + b"(" for before in _BEFORE_CALLS)
    return bool(function.annotations) or not name or not program.any_file_contains(*called)


_LISTS = (
    *_STORED,
    *("List", "IList", "IEnumerable", "IReadOnlyList", "ICollection", "IReadOnlyCollection"),
)


def _arguments(type: TypeExpr | None) -> Iterator[TypeExpr]:
    """The type arguments of a type that is no plain list, and no store."""
    inner = type.item if isinstance(type, NullableType) else type
    if isinstance(inner, NamedType) and _type_name(inner) not in _LISTS:
        yield from inner.args


def _type_name(type: TypeExpr | None) -> str:
    """The last name of a type, without what tells how many arguments it takes."""
    return type.name.rpartition(".")[2].partition("`")[0] if isinstance(type, NamedType) else ""


def _means(program: Program, type: TypeExpr, scope: Scope, symbol: ClassSymbol) -> bool:
    """Whether a type is a class, or a list of it."""
    while isinstance(type, NullableType | ArrayType):
        type = type.item
    if not isinstance(type, NamedType):
        return False
    if any(_means(program, argument, scope, symbol) for argument in type.args):
        return True
    name = _simple(type.name)
    if name != _simple(symbol.decl.name) and all(name != e.local for e in scope.file.imports):
        return False
    found = program.names.declared_class(type, scope)
    return found is not None and found.key == symbol.key


def _simple(name: str) -> str:
    """A name without what qualifies it."""
    return plain_name(name.rpartition(".")[2].rpartition(":")[2])
