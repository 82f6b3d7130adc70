"""Which options a call to a serializer is given: where they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.dataflow import reaching_definitions
from contract_scan.parsers.source.analysis.domain.values import ClassValue, Instance, Scope
from contract_scan.parsers.source.csharp.serialization.settings.application import kept_inline
from contract_scan.parsers.source.csharp.serialization.settings.steps import start
from contract_scan.parsers.source.facts.nodes import (
    Argument,
    Assign,
    Attribute,
    Call,
    Expr,
    Name,
    NamedType,
    New,
)

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_OPTIONS = NamedType(name="JsonSerializerOptions")


def options_variant(
    program: Program, args: tuple[Argument, ...], scope: Scope, *, newtonsoft: bool = False
) -> str:
    """The variant that the options of a call to a serializer ask for: of System.Text.Json, or of
    Newtonsoft.Json."""
    for argument in args:
        place = _options_place(program, argument.value, scope) or _made_inline(
            program, argument.value, scope
        )
        if place:
            return f"bare@{place}"
    bare = "newtonsoft" if newtonsoft else "bare"
    if args and not isinstance(args[0].value, Attribute | Name | Call | New):
        return bare
    return "bare@?" if args and _may_be_options(args) else bare


def _may_be_options(args: tuple[Argument, ...]) -> bool:
    """Cancellation tokens and types are passed behind the value as well."""
    texts = [getattr(a.value, "id", getattr(a.value, "name", "")).lower() for a in args]
    return any("option" in text or "setting" in text or "json" in text for text in texts)


def _options_place(program: Program, expr: Expr, scope: Scope) -> str:
    """Where the options are made: `path#Class.member`."""
    match expr:
        case Attribute(value=holder, name="Web") if getattr(holder, "id", "") == (
            "JsonSerializerOptions"
        ):
            return "web"
        case Call(callee=callee):
            function = program.function_value(callee, scope)
            if function is None or function.owner is None:
                return ""
            owner = function.owner
            return f"{owner.file.path}#{owner.qualified_name}.{function.function.name}"
        case Attribute(value=holder, name=name):
            found = program.evaluate(holder, scope)
            if isinstance(found, ClassValue | Instance):
                return f"{found.symbol.file.path}#{found.symbol.qualified_name}.{name}"
            return ""
        case Name(id=id):
            return _named_options(program, id, expr, scope)
        case _:
            return ""


def _made_inline(program: Program, expr: Expr, scope: Scope) -> str:
    """Options that are made where they are passed: `new JsonSerializerOptions { … }`."""
    if not isinstance(expr, New):
        return ""
    made = start(program, expr, _OPTIONS, scope, 0)
    return "" if made is None else kept_inline(program, scope.file.path, expr.span, made.settings)


def _named_options(program: Program, id: str, expr: Name, scope: Scope) -> str:
    definitions = reaching_definitions.reaching_definitions(scope.statements or (), id, expr.span)
    for definition in definitions:
        made = definition.statement
        if isinstance(made, Assign) and isinstance(made.value, New):
            owner, function = scope.owner, _named_function(scope)
            if owner is not None and function:
                return f"{scope.file.path}#{owner.qualified_name}.{function}"
        elif isinstance(made, Assign) and made.value is not None:
            return _options_place(program, made.value, scope)
    owner = scope.owner_around
    if owner is not None and any(m.name == id for m in owner.decl.members):
        return f"{owner.file.path}#{owner.qualified_name}.{id}"
    return ""


def _named_function(scope: Scope) -> str:
    current: Scope | None = scope
    while current is not None:
        if current.function is not None and current.function.name:
            return current.function.name
        current = current.parent
    return ""
