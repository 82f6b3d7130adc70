"""Where the objects of a class are made, and what each of them is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.span_order import encloses
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.resolution.modules import plain_name
from contract_scan.parsers.source.facts.nodes import (
    ArrayType,
    Call,
    Expr,
    FileFacts,
    Function,
    NamedType,
    New,
    NullableType,
    TypeExpr,
)

_MEMORY = "csharp.constructions"
_MADE = re.compile(rb"\bnew\b([^({\[;)=}]*)")
"""What stands between `new` and the arguments: a type, with what goes before it in a comment."""
_WORD = re.compile(rb"[\w\x80-\xff]+")
_ANY = b"<"


def is_always_given(
    program: Program,
    symbol: ClassSymbol,
    member: str,
    counts: Callable[[Expr, Scope], bool],
) -> bool:
    """Whether the project gives a member a value that counts wherever it makes an object of a class
    (`new Error { Code = code }`). False where it makes none, where others may make objects too, or
    may set the member later.

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
    if not given or program.any_file_contains(f".{member} = ".encode(), f".{member} ??= ".encode()):
        return False
    return all(counts(value, scope) for value, scope in given) and constructions.are_all_seen()


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
                return any(_means(program, type, scope, symbol) for type in call.type_args)
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
    or as the type argument of a library's class that is a member (`DbSet<Error>`)."""
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


def _is_parameter(program: Program, function: Function, scope: Scope, symbol: ClassSymbol) -> bool:
    """Whether a class is that of a parameter which others than the project may give."""
    if "constructor" in function.modifiers or not any(
        parameter.type is not None and _means(program, parameter.type, scope, symbol)
        for parameter in function.params
    ):
        return False
    name = function.name.encode()
    called = (before + name + b"(" for before in (b".", b" = ", b"return ", b"await "))
    return bool(function.annotations) or not name or not program.any_file_contains(*called)


_LISTS = ("List", "IList", "IEnumerable", "IReadOnlyList", "ICollection", "IReadOnlyCollection")


def _arguments(type: TypeExpr | None) -> Iterator[TypeExpr]:
    """The type arguments of a type that is no plain list."""
    inner = type.item if isinstance(type, NullableType) else type
    if isinstance(inner, NamedType) and inner.name.rpartition(".")[2].partition("`")[0] not in (
        _LISTS
    ):
        yield from inner.args


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
