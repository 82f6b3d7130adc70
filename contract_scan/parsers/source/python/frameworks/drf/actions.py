"""The actions of views of Django REST framework: what classes of the library bring along."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr, Name
from contract_scan.parsers.source.python.serialization.kinds import library_bases

GENERIC_VIEWS: dict[str, dict[str, str]] = {
    "CreateAPIView": {"post": "create"},
    "ListAPIView": {"get": "list"},
    "RetrieveAPIView": {"get": "retrieve"},
    "DestroyAPIView": {"delete": "destroy"},
    "UpdateAPIView": {"put": "update", "patch": "partial_update"},
    "ListCreateAPIView": {"get": "list", "post": "create"},
    "RetrieveUpdateAPIView": {"get": "retrieve", "put": "update", "patch": "partial_update"},
    "RetrieveDestroyAPIView": {"get": "retrieve", "delete": "destroy"},
    "RetrieveUpdateDestroyAPIView": {
        "get": "retrieve",
        "put": "update",
        "patch": "partial_update",
        "delete": "destroy",
    },
}
"""Generic views -> the action behind each method."""
MIXINS: dict[str, tuple[str, ...]] = {
    "CreateModelMixin": ("create",),
    "ListModelMixin": ("list",),
    "RetrieveModelMixin": ("retrieve",),
    "UpdateModelMixin": ("update", "partial_update"),
    "DestroyModelMixin": ("destroy",),
    "ModelViewSet": ("list", "create", "retrieve", "update", "partial_update", "destroy"),
    "ReadOnlyModelViewSet": ("list", "retrieve"),
}
"""Classes that bring actions along."""
ACTIONS = {
    "list": "GET",
    "create": "POST",
    "retrieve": "GET",
    "update": "PUT",
    "partial_update": "PATCH",
    "destroy": "DELETE",
}
"""Standard actions -> their methods."""


def actions_of(program: Program, symbol: ClassSymbol) -> set[str]:
    """The standard actions that a viewset has, its own and those its library bases bring."""
    found = {name for name in ACTIONS if program.find_method(symbol, name) is not None}
    for base in library_bases(program, symbol):
        found.update(MIXINS.get(base.simple_name, ()))
    return found


def generic_methods(program: Program, symbol: ClassSymbol) -> dict[str, str]:
    """Method (small letters) -> action, for a generic view."""
    found: dict[str, str] = {}
    for base in library_bases(program, symbol):
        for method, action in GENERIC_VIEWS.get(base.simple_name, {}).items():
            found.setdefault(method, action)
    return found


def library_action(
    program: Program, symbol: ClassSymbol | None, expr: Expr, scope: Scope
) -> str | None:
    """The action of the library that a view calls on itself: `self.list(…)` of a view that has it
    from the library, and `super().list(…)` where no class of the project above the one that says so
    has it."""
    match expr:
        case Call(callee=Attribute(value=Name(id="super"), name=name)) if name in ACTIONS:
            return name if _is_above(program, symbol, name, scope) else None
        case Call(callee=Attribute(value=Name(id="this"), name=name)) if name in ACTIONS:
            actions = set() if symbol is None else actions_of(program, symbol)
            return name if name in actions else None
        case _:
            return None


def _is_above(program: Program, symbol: ClassSymbol | None, name: str, scope: Scope) -> bool:
    """Whether the next class in the order of resolution that has an action is the library's."""
    if symbol is None:
        return False
    order = [symbol, *program.bases(symbol)]
    keys = [owner.key for owner in order]
    current = scope.owner.key if scope.owner is not None else symbol.key
    above = order[keys.index(current) + 1 :] if current in keys else order[1:]
    return not any(method.name == name for owner in above for method in owner.decl.methods)
