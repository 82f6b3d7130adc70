"""Spring Security: logins, logouts and the endpoints of its protocols, which it answers itself.

A contract written from a running application lists them; no controller maps them.
"""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    FunctionValue,
    Instance,
    Scope,
    Value,
)
from contract_scan.parsers.source.analysis.evaluation.call_sites import calls_in
from contract_scan.parsers.source.facts.nodes import (
    Attribute,
    Call,
    Expr,
    Function,
    Lambda,
    Name,
    New,
)
from contract_scan.parsers.source.java.frameworks.spring.security.configuration import (
    AUTHORIZATION_SERVER,
    OLD_AUTHORIZATION_SERVER,
    configured_operations,
)
from contract_scan.parsers.source.java.frameworks.spring.security.configuration_calls import (
    calls_of_class,
    calls_of_file,
    instance_of,
)
from contract_scan.parsers.source.java.frameworks.spring.security.matchers import (
    MatchedPath,
    matched_path,
    matched_places,
)
from contract_scan.parsers.source.java.frameworks.spring.security.responses import (
    SecurityEndpoint,
    operation_of,
)
from contract_scan.parsers.source.java.resolution.annotations import has, type_name
from contract_scan.parsers.source.java.resolution.dependencies import everywhere
from contract_scan.parsers.source.java.web.chains import library_type, method
from contract_scan.parsers.source.java.web.walker import arguments
from contract_scan.parsers.source.language import Framework

_BY_NAME = "UsernamePasswordAuthenticationFilter"
_FILTERS = frozenset({_BY_NAME, "AbstractAuthenticationProcessingFilter"})
_SETTERS = frozenset({"setFilterProcessesUrl", "setRequiresAuthenticationRequestMatcher"})
_DEFAULT = MatchedPath("/login", "POST")
_SUCCESS = "successfulAuthentication"


def _filter_operations(
    program: Program, symbols: list[ClassSymbol], framework: str
) -> Iterator[Operation]:
    """The endpoints of every authentication filter among the classes, and of the library's own
    filter where code gives it a path."""
    for symbol in _with_implementations(program, symbols):
        base = _base(program, symbol)
        if base and "abstract" not in symbol.decl.modifiers and not _passes_on(program, symbol):
            yield from _of_class(program, symbol, base, framework)
    for symbol in symbols:
        for call, scope in calls_of_class(program, symbol):
            if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
                continue
            if method(call) in _SETTERS and call.args:
                value = program.evaluate(call.callee.value, scope)
                if library_type(program, value) in _FILTERS:
                    for place in matched_places(program, call.args[0].value, scope):
                        origin = program.origin(call, scope)
                        yield operation_of(program, SecurityEndpoint(place, origin, framework))


def _with_implementations(program: Program, symbols: list[ClassSymbol]) -> list[ClassSymbol]:
    """The classes, and those of other files that extend an abstract filter among them."""
    found = {symbol.key: symbol for symbol in symbols}
    for symbol in symbols:
        if "abstract" in symbol.decl.modifiers and _base(program, symbol):
            found.update(
                (below.key, below) for below in program.names.classes.implementations(symbol)
            )
    return list(found.values())


def _method_of(call: Call | New) -> str:
    """The name of what is called; empty for a construction."""
    return method(call) if isinstance(call, Call) else ""


def _base(program: Program, symbol: ClassSymbol) -> str:
    """The filter of the library that a class extends, through classes of the project."""
    for owner in (symbol, *program.bases(symbol)):
        for base in owner.decl.bases:
            if type_name(base) in _FILTERS:
                return type_name(base)
    return ""


def _passes_on(program: Program, symbol: ClassSymbol) -> bool:
    """Whether a filter lets requests go on once it has told who sends them: it answers none."""
    function = _own_method(program, symbol, _SUCCESS)
    if function is None:
        return False
    scope = program.function_scope(function.function, function.scope)
    return any(
        _method_of(call) == "doFilter"
        for call, _ in calls_in(program, scope.statements or (), scope)
    )


def _own_method(program: Program, symbol: ClassSymbol, name: str) -> FunctionValue | None:
    value = program.evaluator.member(instance_of(symbol), name)
    return value if isinstance(value, FunctionValue) else None


def _of_class(
    program: Program, symbol: ClassSymbol, base: str, framework: str
) -> Iterator[Operation]:
    places = [*_matched_paths(program, symbol)]
    if not places:
        why = Reason("authentication-filter-path-undetermined")
        places = [_DEFAULT if base == _BY_NAME else MatchedPath("", "*", why)]
    success = _own_method(program, symbol, _SUCCESS)
    attempt = _own_method(program, symbol, "attemptAuthentication")
    for place in dict.fromkeys(places):
        given = SecurityEndpoint(
            place, symbol.origin, framework, success, attempt, symbol.qualified_name
        )
        yield operation_of(program, given)


def _matched_paths(program: Program, symbol: ClassSymbol) -> Iterator[MatchedPath]:
    """The places that the class, or code that makes or configures its filters, says."""
    made: list[tuple[New, Scope]] = []
    for path in program.files_with_word(symbol.decl.name):
        for call, scope in calls_of_file(program, program.facts(path)):
            if isinstance(call, New):
                if type_name(call.type) == symbol.decl.name and call.members is None:
                    made.append((call, scope))
            elif method(call) in _SETTERS and call.args and isinstance(call.callee, Attribute):
                value = program.evaluate(call.callee.value, scope)
                if _is_one(value, symbol) and call.callee.value != Name(id="this"):
                    yield from matched_places(program, call.args[0].value, scope)
    inside = program.class_scope(symbol)
    for function in symbol.decl.methods:
        if "constructor" not in function.modifiers:
            continue
        fitting = [m for m in made if len(m[0].args) == len(function.params)]
        for bound in [_constructor_bindings(program, symbol, function, *m) for m in fitting] or [
            {}
        ]:
            scope = program.function_scope(function, inside, bound)
            yield from _in_constructor(program, scope)


def _constructor_bindings(
    program: Program, symbol: ClassSymbol, function: Function, new: New, scope: Scope
) -> dict[str, Value]:
    inside = program.class_scope(symbol)
    value = FunctionValue(function, inside, symbol, instance_of(symbol))
    return arguments(program, value, new, scope)


def _is_one(value: Value, symbol: ClassSymbol) -> bool:
    return isinstance(value, Instance) and value.symbol.key == symbol.key


def _in_constructor(program: Program, scope: Scope) -> Iterator[MatchedPath]:
    for call, place in calls_in(program, scope.statements or (), scope):
        if not isinstance(call, Call) or not call.args:
            continue
        first = call.args[0].value
        if call.callee == Name(id="super", span=call.callee.span):
            if _says_place(program, first, place):
                yield from matched_places(program, first, place)
        elif method(call) in _SETTERS and _is_own_call(call):
            yield from matched_places(program, first, place)


def _is_own_call(call: Call) -> bool:
    """Whether a method of the object itself is called: `setX(…)`, `this.setX(…)`."""
    match call.callee:
        case Name():
            return True
        case Attribute(value=Name(id="this" | "super")):
            return True
        case _:
            return False


def _says_place(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether the first argument of a filter's constructor is a path or a matcher, rather than who
    tells users apart."""
    value = program.evaluate(expr, scope)
    return "AuthenticationManager" not in library_type(program, value)


_CONFIGURATION = b"HttpSecurity"
_SETTINGS = (b"AuthorizationServerSettings", b"ProviderSettings")
_SERVERS = frozenset(
    {"applyDefaultSecurity", "authorizationServer", "OAuth2AuthorizationServerConfigurer"}
)


def operations(program: Program, framework: Framework) -> Iterator[Operation]:
    """What every configuration and every filter of the library answers."""
    for file in program.seeds(framework):
        symbols = list(program.classes(file))
        content = program.files.read(file.path) or b""
        if _CONFIGURATION in content:
            for symbol in symbols:
                yield from configured_operations(program, symbol, framework.name)
        for symbol in symbols:
            yield from _authorization_server(program, symbol, framework.name)
        yield from _filter_operations(program, symbols, framework.name)


def _authorization_server(
    program: Program, symbol: ClassSymbol, framework: str
) -> Iterator[Operation]:
    """The endpoints of the authorization server that a class sets up."""
    if has(symbol.decl.annotations, "EnableAuthorizationServer"):
        renamed = dict(_path_mappings(program, symbol, "pathMapping"))
        for path in OLD_AUTHORIZATION_SERVER:
            found = renamed.get(path) or MatchedPath(path)
            yield operation_of(program, SecurityEndpoint(found, symbol.origin, framework))
    elif any(_method_of(call) in _SERVERS for call, _ in calls_of_class(program, symbol)):
        settings = _server_settings(program)
        for name, path in AUTHORIZATION_SERVER.items():
            found = (
                matched_path(program, *settings[name]) if name in settings else MatchedPath(path)
            )
            yield operation_of(program, SecurityEndpoint(found, symbol.origin, framework))


def _path_mappings(
    program: Program, symbol: ClassSymbol, name: str
) -> Iterator[tuple[str, MatchedPath]]:
    for call, scope in calls_of_class(program, symbol):
        if _method_of(call) == name and len(call.args) == 2:
            old = program.text(call.args[0].value, scope)
            yield old or "", matched_path(program, call.args[1].value, scope)


def _server_settings(program: Program) -> dict[str, tuple[Expr, Scope]]:
    """The paths that `AuthorizationServerSettings` gives endpoints."""
    found: dict[str, tuple[Expr, Scope]] = {}
    for path in everywhere(program, *_SETTINGS):
        for symbol in program.classes(program.facts(path)):
            for call, scope in calls_of_class(program, symbol):
                name = _method_of(call)
                if name in AUTHORIZATION_SERVER and call.args:
                    is_path = program.text(call.args[0].value, scope) is not None
                    if is_path or not isinstance(call.args[0].value, Lambda):
                        found[name] = (call.args[0].value, scope)
    return found


FRAMEWORK = Framework(
    name="Spring Security",
    markers=(
        _CONFIGURATION,
        *(name.encode() for name in sorted(_FILTERS)),
        b"EnableAuthorizationServer",
    ),
    operations=operations,
)
