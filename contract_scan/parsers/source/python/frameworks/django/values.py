"""What values of a URL configuration are: routers, the views behind decorators and `as_view`."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Value,
)
from contract_scan.parsers.source.python.serialization.kinds import library_bases


def is_router(program: Program, value: LibraryResult | Instance) -> bool:
    """Whether a value is a router of DRF, or of a library that nests them."""
    if isinstance(value, LibraryResult):
        return value.name.rpartition(".")[2].endswith("Router")
    return any(b.simple_name.endswith("Router") for b in library_bases(program, value.symbol))


def urls_of(program: Program, value: Value) -> Value | None:
    """`.urls` of a router class of the project."""
    if isinstance(value, Instance) and is_router(program, value):
        return LibrarySymbol("rest_framework.routers.DefaultRouter().urls", value)
    if isinstance(value, Instance) and value.site is not None:
        bases = library_bases(program, value.symbol)
        if any(base.name.startswith("ninja") for base in bases):
            return LibrarySymbol("ninja.NinjaAPI().urls", value)
    return None


def undecorated_view(program: Program, value: Value) -> Value:
    """The view behind decorators that are applied in the URL configuration."""
    if not isinstance(value, LibraryResult) or value.name.endswith(".as_view"):
        return value
    for argument in value.site.args:
        inner = undecorated_view(program, program.evaluate(argument.value, value.scope))
        if isinstance(inner, FunctionValue):
            return inner
        if isinstance(inner, LibraryResult) and inner.name.endswith(".as_view"):
            return inner
    return value


def class_of(view: Value) -> ClassValue | None:
    """The project class behind `X.as_view(…)`."""
    if isinstance(view, LibraryResult) and isinstance(view.receiver, ClassValue):
        return view.receiver
    return None
