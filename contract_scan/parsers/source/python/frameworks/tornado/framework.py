"""Tornado: handlers of applications, by the regular expressions of their paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import DYNAMIC_PREFIX, Operation, Parameter
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Scalar
from contract_scan.parsers.source.analysis.domain.path_facts import Facts
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    FunctionValue,
    Instance,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Scope,
    Value,
    origin_at,
)
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Name,
    New,
)
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.python.frameworks.django.paths import (
    alternatives,
    from_regular_expression,
)
from contract_scan.parsers.source.python.frameworks.tornado import responses as written
from contract_scan.parsers.source.python.frameworks.tornado.handler_lists import (
    Rule,
    handler_rules,
    unplaced_rules,
)
from contract_scan.parsers.source.python.resolution.program_files import program_files
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.web.bodies import read_body
from contract_scan.parsers.source.python.web.common import (
    VERBS,
    path_names,
    template,
)
from contract_scan.parsers.source.python.web.mounts import all_calls, called_name
from contract_scan.parsers.source.python.web.queries import asked_for
from contract_scan.parsers.source.python.web.raised_errors import with_raised

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

_UNDETERMINED = "undetermined"
"""Stands for a part that is not constant while a regular expression is read."""
_NAMES = (b"tornado",)
_CALLS = (b"Application", b"add_handlers(")
_APPLICATION = "tornado.web.Application"
_GETTERS = frozenset({"get_query_argument"})
_READERS = frozenset({"body"})


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """The methods of every handler that an application is given."""
    if not program_files(program, *_NAMES):
        return
    rules = [
        rule
        for path in program_files(program, *_CALLS)
        for call, scope in all_calls(program, path)
        if (handlers := _handlers(program, call, scope)) is not None
        for rule in handler_rules(program, handlers, scope, call)
    ]
    if any(rule.is_unknown for rule in rules):
        rules.extend(unplaced_rules(program, rules))
    seen: set[tuple[object, ...]] = set()
    for rule in rules:
        for operation in _operations(program, framework, rule):
            key = (operation.method, operation.path, operation.handler, operation.origin)
            if key not in seen:
                seen.add(key)
                yield operation


def _handlers(program: Program, call: Call | New, scope: Scope) -> Expr | None:
    """The list of handlers that a call gives an application."""
    if not isinstance(call, Call):
        return None
    positional = [a.value for a in call.args if not a.name and not a.spread]
    named = next((a.value for a in call.args if a.name in ("handlers", "host_handlers")), None)
    match called_name(call):
        case "__init__" if isinstance(call.callee, Attribute) and _is_own(program, scope):
            explicit = not isinstance(call.callee.value, Name) or call.callee.value.id != "super"
            rest = positional[1:] if explicit and positional else positional
            return named or (rest[0] if rest else None)
        case "add_handlers" if isinstance(call.callee, Attribute):
            value = program.evaluate(call.callee.value, scope)
            if not _is_application(program, value):
                return None
            return named or (positional[1] if positional[1:] else None)
        case _:
            value = program.evaluate(call, scope)
            made_here = isinstance(value, LibraryResult) and value.site.span == call.span
            if made_here and program.evaluator.qualified_name(value) == _APPLICATION:
                return named or (positional[0] if positional else None)
            inherits = isinstance(value, Instance) and value.site is call
            if inherits and _is_application(program, value) and not _constructs(program, value):
                return named or (positional[0] if positional else None)
            return None


def _constructs(program: Program, value: Value) -> bool:
    return isinstance(value, Instance) and program.find_method(value.symbol, "__init__") is not None


def _is_own(program: Program, scope: Scope) -> bool:
    return scope.owner is not None and _is_application(program, Instance(scope.owner))


def _is_application(program: Program, value: Value) -> bool:
    match value:
        case Instance(symbol=symbol):
            return any(base.name == _APPLICATION for base in library_bases(program, symbol))
        case OneOf(options=options):
            return any(_is_application(program, option) for option in options)
        case _:
            return program.evaluator.qualified_name(value) == _APPLICATION


def _path_of_pattern(pattern: str | None) -> str | None:
    """A regular expression with `{}` for what is not constant, as a path with the same."""
    if pattern is None:
        return None
    path = from_regular_expression(pattern.replace("{}", _UNDETERMINED))
    return pattern if path is None else path.replace(_UNDETERMINED, "{}")


def _operations(program: Program, framework: Framework, rule: Rule) -> Iterator[Operation]:
    text = program.evaluator.text(rule.pattern)
    if text is None or not isinstance(rule.handler, ClassValue):
        yield from _operations_on(program, framework, rule, text, {})
        return
    for pattern, chosen in alternatives(text):
        yield from _operations_on(program, framework, rule, pattern, chosen)


def _operations_on(
    program: Program, framework: Framework, rule: Rule, text: str | None, chosen: Facts
) -> Iterator[Operation]:
    """The operations of a rule on one path; `chosen` are the words in it that the pattern lists."""
    path = None if text is None else from_regular_expression(text)
    unresolved = rule.unplaced
    if text is None:
        unresolved = unresolved or Reason("route-path-computed")
        text = _path_of_pattern(program.evaluator.template(rule.pattern)) or "/{path*}"
    elif path is None:
        unresolved = Reason("path-is-regular-expression-text", text=text)
    shown = "/" + (path if path is not None else text).lstrip("/")
    if rule.unplaced:
        shown = DYNAMIC_PREFIX + shown
    match rule.handler:
        case ClassValue(symbol=symbol):
            for verb in VERBS:
                method = program.find_method(symbol, verb)
                if method is not None:
                    if chosen:
                        method = program.evaluator.specialisations.with_facts(method, chosen)
                    yield _operation(program, framework, rule, symbol, method, shown, unresolved)
        case LibrarySymbol(name=name) if name.startswith("tornado."):
            yield Operation(  # static files, redirects
                method="GET",
                path=template(shown),
                parameters_complete=False,
                origin=rule.origin,
                framework=framework.name,
                excluded_from_docs=True,
                unresolved=unresolved,
            )
        case _:
            yield Operation(
                method="*",
                path=template(shown),
                parameters_complete=False,
                origin=rule.origin,
                framework=framework.name,
                excluded_from_docs=bool(unresolved),
                unresolved=unresolved or Reason("listed-handler-not-found"),
            )


def _operation(
    program: Program,
    framework: Framework,
    rule: Rule,
    symbol: ClassSymbol,
    method: FunctionValue,
    path: str,
    unresolved: Reason,
) -> Operation:
    verb = method.function.name.upper()
    bound = FunctionValue(method.function, method.scope, method.owner, Instance(symbol))
    names = [p.name for p in method.function.params if p.kind == "" and p.name != "self"]
    named = _with_names(path, names)
    origin = origin_at(method.scope, method.function.name_span)
    found, complete = written.responses(program, bound, origin)
    reads = verb not in ("GET", "HEAD", "DELETE")
    # What `get_argument` gives may as well come from a form.
    getters = _GETTERS if reads else _GETTERS | {"get_argument"}
    return Operation(
        method=verb,
        path=template(named),
        parameters=tuple(
            Parameter(
                name=name,
                location="path",
                schema=Scalar(type="string", origin=rule.origin),
                required=True,
                origin=rule.origin,
            )
            for name in path_names(template(named))
        )
        + tuple(asked_for(program, bound, getters, raises=True)),
        parameters_complete=False,
        request=read_body(program, bound, _READERS, "application/json") if reads else (),
        responses=with_raised(program, bound, found),
        statuses_complete=complete,
        origin=rule.origin,
        handler=f"{symbol.decl.name}.{method.function.name}",
        framework=framework.name,
        unresolved=unresolved,
    )


def _with_names(path: str, names: list[str]) -> str:
    """Groups without a name go to the parameters of the method in order."""
    for number, name in enumerate(names, 1):
        for mark in ("", "*"):
            path = path.replace(f"{{arg{number}{mark}}}", f"{{{name}{mark}}}")
    return path


FRAMEWORK = Framework(
    name="Tornado", markers=(*_NAMES, *_CALLS), calls=_CALLS, operations=operations
)
