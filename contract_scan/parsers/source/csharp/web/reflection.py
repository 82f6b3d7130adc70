"""What start-up code does with the types that it finds by reflection.

foreach (var type in types)
{
    var prefix = type.GetProperty(nameof(IGroup.Prefix))?.GetValue(null) as string ?? type.Name;
    type.GetMethod(nameof(IGroup.Map))!.Invoke(null, [app.MapGroup(prefix)]);
}
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    Instance,
    LibraryResult,
    Scope,
)
from contract_scan.parsers.source.csharp.library_calls.table import TYPE_OF
from contract_scan.parsers.source.csharp.lowering.expressions import NOT_NULL
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.facts.nodes import (
    ArrayLiteral,
    Attribute,
    Call,
    Cast,
    Expr,
    Function,
    LiteralExpr,
    Member,
    Name,
)


def invocations(
    program: Program, function: Function, owner: ClassSymbol, position: int
) -> Iterator[tuple[Expr, Scope]]:
    """What calls through reflection hand a parameter of a method that a base class or interface of
    its class declares, each with a scope in which the type that is found is that class."""
    for base in program.bases(owner):
        if all(method.name != function.name for method in base.decl.methods):
            continue
        for path in program.files_containing(f"nameof({base.decl.name}.{function.name})".encode()):
            for call, inside in calls_of(program, program.facts(path), b".Invoke("):
                match call:
                    case Call(
                        callee=Attribute(value=method, name="Invoke"),
                        args=(_, given),
                    ) if isinstance(given.value, ArrayLiteral):
                        found = _of_type(program, method, "GetMethod", inside)
                    case _:
                        continue
                items = given.value.items
                if found is not None and found[1] == function.name and position < len(items):
                    made = LibraryResult(TYPE_OF, call, inside, Instance(owner))
                    bindings = {**inside.bindings, found[0].id: made}
                    yield items[position], replace(inside, bindings=bindings)


def property_value(program: Program, expr: Expr, scope: Scope) -> tuple[bool, str | None]:
    """(whether an expression is a property read through reflection of a class that is known, its
    text; None where the class has none)."""
    while isinstance(expr, Cast):
        expr = expr.value
    match expr:
        case Call(callee=Attribute(value=read, name="GetValue")):
            found = _of_type(program, read, "GetProperty", scope)
        case _:
            return False, None
    value = None if found is None else program.evaluate(found[0], scope)
    if (
        found is None
        or not isinstance(value, LibraryResult)
        or not isinstance(value.receiver, Instance)
    ):
        return False, None
    symbol = value.receiver.symbol
    member = _member(program, symbol, found[1])
    if member is None or _is_null(member.value):
        return True, None
    text = program.text(member.value, program.class_scope(symbol))
    return text is not None, text


def _of_type(program: Program, expr: Expr, reader: str, scope: Scope) -> tuple[Name, str] | None:
    """The variable and the name in `type.GetMethod("Map")`."""
    match expr:
        case Call(callee=Name(id=id), args=(inner,)) if id == NOT_NULL:
            return _of_type(program, inner.value, reader, scope)
        case Call(callee=Attribute(value=Name() as holder, name=name), args=(named, *_)) if (
            name == reader
        ):
            text = program.text(named.value, scope)
            return None if text is None else (holder, text)
        case _:
            return None


def _member(program: Program, symbol: ClassSymbol, name: str) -> Member | None:
    for owner in (symbol, *program.bases(symbol)):
        if owner.decl.kind != "interface":
            for member in owner.decl.members:
                if member.name == name:
                    return member
    return None


def _is_null(expr: Expr | None) -> bool:
    return expr is None or (isinstance(expr, LiteralExpr) and expr.value is None)
