"""Path prefixes that no mapping shows: settings, and `PathMatchConfigurer.addPathPrefix`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.operation import DYNAMIC_PREFIX
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Lambda,
    LiteralExpr,
    Return,
)
from contract_scan.parsers.source.java.frameworks.spring.annotations import first_merged
from contract_scan.parsers.source.java.messaging.addresses import address
from contract_scan.parsers.source.java.resolution.annotations import (
    class_argument,
    constant_name,
    items,
)
from contract_scan.parsers.source.java.resolution.build import module_of
from contract_scan.parsers.source.java.resolution.dependencies import everywhere
from contract_scan.parsers.source.java.resolution.properties import (
    resolve_placeholders,
    settings,
    settings_module,
)
from contract_scan.parsers.source.java.web.routes import join_paths

CALL = b"addPathPrefix("
_SERVLET = (
    ("server.servlet.contextpath", "server.contextpath"),
    ("spring.mvc.servlet.path", "server.servletpath", "server.servlet.path"),
)
_REACTIVE = (("spring.webflux.basepath",),)


class Prefix(Struct, frozen=True, eq=False):
    """One `addPathPrefix(text, predicate)`."""

    text: str | None
    predicate: Expr | None
    scope: Scope


def configured_prefix(program: Program, path: str) -> tuple[str, Reason]:
    """The prefix that settings put before every route of a file, and why it is undetermined."""
    values = settings(program, path)
    parts: list[str] = []
    for keys in (*_SERVLET, *_REACTIVE):
        written = next((values[key] for key in keys if key in values), "")
        text, missing = resolve_placeholders(written, values)
        if missing:
            return DYNAMIC_PREFIX, Reason("context-path-property-not-set", missing=missing)
        parts.append(text)
    prefix = join_paths(*parts)
    return ("" if prefix == "/" else prefix), NO_REASON


def added_prefix(program: Program, controller: ClassSymbol) -> tuple[str, Reason]:
    """The prefix that code adds for a controller, and why it is undetermined."""
    result = ""
    for prefix in _prefixes(program):
        if not _same_module(program, prefix.scope.file.path, controller.file.path):
            continue
        applies = _applies(program, prefix, controller)
        if applies is None:
            return "", Reason("conditional-path-prefix")
        if applies and prefix.text is None:
            return DYNAMIC_PREFIX, Reason("added-path-prefix-not-constant")
        if applies and prefix.text is not None:
            text, missing = resolve_placeholders(
                prefix.text, settings(program, controller.file.path)
            )
            if missing:
                return DYNAMIC_PREFIX, Reason("path-prefix-property-not-set", missing=missing)
            result = text
    return result, NO_REASON


def _same_module(program: Program, one: str, other: str) -> bool:
    """Whether a configuration class and a controller belong to one application."""
    return settings_module(program, one) == settings_module(program, other) or module_of(
        program, one
    ) == module_of(program, other)


@memoised
def _prefixes(program: Program) -> list[Prefix]:
    return list(_path_prefixes(program))


def _path_prefixes(program: Program) -> Iterator[Prefix]:
    for path in everywhere(program, CALL):
        for call, scope in program.calls(program.facts(path)):
            if not isinstance(call, Call) or constant_name(call.callee) != "addPathPrefix":
                continue
            values = [a.value for a in call.args]
            text = address(program, values[0], scope).text or None if values else None
            yield Prefix(text, values[1] if len(values) > 1 else None, scope)


def _applies(program: Program, prefix: Prefix, controller: ClassSymbol) -> bool | None:
    """Whether a predicate takes a controller; None: undetermined."""
    predicate = prefix.predicate
    match predicate:
        case Call(callee=Attribute(name="forAnnotation"), args=args):
            return any(_has_listed_annotation(program, a.value, controller) for a in args)
        case Call(callee=Attribute(name="forBasePackage"), args=args):
            packages = [program.text(a.value, prefix.scope) for a in args]
            if any(package is None for package in packages):
                return None
            own = controller.file.package
            return any(own == p or own.startswith(f"{p}.") for p in packages)
        case Call(callee=Attribute(name="forAnyHandlerType")):
            return True
        case Lambda(function=function) if function.body and len(function.body) == 1:
            statement = function.body[0]
            return _predicate_outcome(program, statement, controller)
        case _:
            return None


def _predicate_outcome(program: Program, statement: object, controller: ClassSymbol) -> bool | None:
    """The value of `c -> true` and `c -> c.isAnnotationPresent(X.class)`."""
    value = statement.value if isinstance(statement, Return) else None
    match value:
        case LiteralExpr(value=bool(answer)):
            return answer
        case Call(callee=Attribute(name="isAnnotationPresent"), args=(argument,)):
            return _has_listed_annotation(program, argument.value, controller)
        case _:
            return None


def _has_listed_annotation(program: Program, expr: Expr, controller: ClassSymbol) -> bool:
    inside = program.class_scope(controller)
    for item in items(expr):
        type = class_argument(item)
        if type is None:
            continue
        simple = type.name.rpartition(".")[2]
        if any(a.name.rpartition(".")[2] == simple for a in controller.decl.annotations):
            return True
        if first_merged(program, controller.decl.annotations, inside, simple) is not None:
            return True
    return False
