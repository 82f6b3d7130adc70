"""Whether somebody who is not logged in ever gets into a view.

Django REST framework asks the classes of `permission_classes`, or those of the setting
`DEFAULT_PERMISSION_CLASSES`, before a view runs; all of them have to agree. Django's own views have
decorators and mixins for that.
"""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassValue,
    Constant,
    FunctionValue,
    Items,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr
from contract_scan.parsers.source.python.frameworks.drf.responses import (
    View,
    attribute_of,
)
from contract_scan.parsers.source.python.serialization.drf.settings import setting_classes
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.dispatch_by_method import is_of_request

_OF_USERS = frozenset(
    {
        "IsAuthenticated",
        "IsAdminUser",
        "DjangoModelPermissions",
        "DjangoObjectPermissions",
    }
)
"""Permissions of `rest_framework.permissions` that refuse whoever is not logged in."""
_DECORATORS = frozenset(
    {
        "django.contrib.auth.decorators.login_required",
        "django.contrib.admin.views.decorators.staff_member_required",
    }
)
_MIXINS = frozenset({"LoginRequiredMixin"})


def needs_a_user(program: Program, view: View) -> bool:
    """Whether a view runs only for users who are logged in. False where that is undetermined."""
    if view.symbol is None:
        return view.handler is not None and _function_needs_a_user(program, view.handler)
    bases = library_bases(program, view.symbol)
    if any(base.simple_name in _MIXINS for base in bases):
        return True
    asks_permissions = any(base.name.startswith("rest_framework") for base in bases)
    if not asks_permissions or program.find_method(view.symbol, "get_permissions") is not None:
        return False
    stated = attribute_of(program, view, "permission_classes")
    return _ask_for_users(program, _default(program) if stated is None else _classes(stated))


def _function_needs_a_user(program: Program, handler: FunctionValue) -> bool:
    """A view that is a function: `@api_view` makes it one of the framework."""
    stated, is_of_framework = None, False
    for annotation in handler.function.annotations:
        callee = annotation.callee
        name = "" if callee is None else program.qualified_name(callee, handler.scope)
        if name in _DECORATORS:
            return True
        last = name.rpartition(".")[2]
        is_of_framework = is_of_framework or last == "api_view"
        if last == "permission_classes" and annotation.args:
            stated = _classes(program.evaluate(annotation.args[0].value, handler.scope))
    if not is_of_framework:
        return False
    return _ask_for_users(program, _default(program) if stated is None else stated)


def _default(program: Program) -> list[Value]:
    return setting_classes(program, "DEFAULT_PERMISSION_CLASSES")


def _classes(stated: Value) -> list[Value]:
    return list(stated.values) if isinstance(stated, Items) else []


def _ask_for_users(program: Program, classes: list[Value]) -> bool:
    """Whether one of some permissions, all of which have to agree, refuses anonymous users."""
    return any(_asks_for_users(program, one) for one in classes)


def _asks_for_users(program: Program, permission: Value) -> bool:
    match permission:
        case LibrarySymbol(name=name):
            return name.rpartition(".")[2] in _OF_USERS
        case ClassValue(symbol=symbol) if program.find_method(symbol, "has_permission") is None:
            bases = library_bases(program, symbol)
            return any(base.simple_name in _OF_USERS for base in bases)
        case _:
            return False


def known_of_user(expr: Expr, scope: Scope) -> Value | None:
    """What a view that runs for users only reads: `request.user.is_authenticated`."""
    match expr:
        case Call(callee=Attribute(name="is_authenticated" | "is_anonymous") as asked, args=()):
            return known_of_user(asked, scope)
        case Attribute(value=user, name="is_authenticated" | "is_anonymous" as name):
            asked_user = is_of_request(user, scope, "user")
            return Constant(name == "is_authenticated") if asked_user else None
        case _:
            return None
