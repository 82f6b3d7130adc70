"""Spring Security: logins, logouts and the endpoints of its protocols, which it answers itself.

A contract written from a running application lists them; no controller maps them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Scope
from contract_scan.parsers.source.facts.nodes import Expr, Lambda
from contract_scan.parsers.source.java.frameworks.spring.security.configuration import (
    AUTHORIZATION_SERVER,
    OLD_AUTHORIZATION_SERVER,
    configured_operations,
)
from contract_scan.parsers.source.java.frameworks.spring.security.configuration_calls import (
    calls_of_class,
)
from contract_scan.parsers.source.java.frameworks.spring.security.filters import (
    FILTERS,
    filter_operations,
    method_of,
)
from contract_scan.parsers.source.java.frameworks.spring.security.matchers import (
    MatchedPath,
    matched_path,
)
from contract_scan.parsers.source.java.frameworks.spring.security.responses import (
    SecurityEndpoint,
    operation_of,
)
from contract_scan.parsers.source.java.resolution.annotations import has
from contract_scan.parsers.source.java.resolution.dependencies import everywhere
from contract_scan.parsers.source.language import Framework

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

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
        yield from filter_operations(program, symbols, framework.name)


def _authorization_server(
    program: Program, symbol: ClassSymbol, framework: str
) -> Iterator[Operation]:
    """The endpoints of the authorization server that a class sets up."""
    if has(symbol.decl.annotations, "EnableAuthorizationServer"):
        renamed = dict(_path_mappings(program, symbol, "pathMapping"))
        for path in OLD_AUTHORIZATION_SERVER:
            found = renamed.get(path) or MatchedPath(path)
            yield operation_of(program, SecurityEndpoint(found, symbol.origin, framework))
    elif any(method_of(call) in _SERVERS for call, _ in calls_of_class(program, symbol)):
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
        if method_of(call) == name and len(call.args) == 2:
            old = program.text(call.args[0].value, scope)
            yield old or "", matched_path(program, call.args[1].value, scope)


def _server_settings(program: Program) -> dict[str, tuple[Expr, Scope]]:
    """The paths that `AuthorizationServerSettings` gives endpoints."""
    found: dict[str, tuple[Expr, Scope]] = {}
    for path in everywhere(program, *_SETTINGS):
        for symbol in program.classes(program.facts(path)):
            for call, scope in calls_of_class(program, symbol):
                name = method_of(call)
                if name in AUTHORIZATION_SERVER and call.args:
                    is_path = program.text(call.args[0].value, scope) is not None
                    if is_path or not isinstance(call.args[0].value, Lambda):
                        found[name] = (call.args[0].value, scope)
    return found


FRAMEWORK = Framework(
    name="Spring Security",
    markers=(
        _CONFIGURATION,
        *(name.encode() for name in sorted(FILTERS)),
        b"EnableAuthorizationServer",
    ),
    operations=operations,
)
