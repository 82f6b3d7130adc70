"""What the configuration of `HttpSecurity` makes Spring Security answer: logins, logouts, the
endpoints of OAuth 2, SAML and one-time tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Call, Expr
from contract_scan.parsers.source.java.frameworks.spring.security.configuration_calls import (
    calls_given,
    calls_of_class,
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
from contract_scan.parsers.source.java.resolution.annotations import type_name
from contract_scan.parsers.source.java.web.chains import chain, library_type, method
from contract_scan.parsers.source.java.web.endpoints import handler_of
from contract_scan.parsers.source.java.web.routes import join_paths

_ID = "{registrationId}"
_LOGINS = frozenset({"formLogin", "oauth2Login", "oauth2Client", "saml2Login"})
_OTHERS = {
    "saml2Logout": ("/logout/saml2/slo",),
    "saml2Metadata": ("/saml2/metadata", "/saml2/metadata/{registrationId}"),
    "oneTimeTokenLogin": ("/ott/generate", "/login/ott"),
    "webAuthn": (
        *("/webauthn/register", "/webauthn/register/options", "/webauthn/register/{id}"),
        *("/webauthn/authenticate/options", "/login/webauthn"),
    ),
}
_BUILDERS = frozenset({"HttpSecurity", "ServerHttpSecurity"})
_PARTS = frozenset({*_LOGINS, *_OTHERS, "logout"})
_MATCHERS = frozenset({"logoutRequestMatcher", "requiresLogout", "requiresAuthenticationMatcher"})
AUTHORIZATION_SERVER = {
    "authorizationEndpoint": "/oauth2/authorize",
    "tokenEndpoint": "/oauth2/token",
    "jwkSetEndpoint": "/oauth2/jwks",
    "tokenRevocationEndpoint": "/oauth2/revoke",
    "tokenIntrospectionEndpoint": "/oauth2/introspect",
    "deviceAuthorizationEndpoint": "/oauth2/device_authorization",
    "deviceVerificationEndpoint": "/oauth2/device_verification",
    "pushedAuthorizationRequestEndpoint": "/oauth2/par",
    "oidcClientRegistrationEndpoint": "/connect/register",
    "oidcUserInfoEndpoint": "/userinfo",
    "oidcLogoutEndpoint": "/connect/logout",
    "": "/.well-known/{metadata}",
}
"""Endpoints of an authorization server, by the setting that gives them another path."""
OLD_AUTHORIZATION_SERVER = (
    *("/oauth/authorize", "/oauth/token", "/oauth/check_token", "/oauth/confirm_access"),
    *("/oauth/error", "/oauth/token_key"),
)


class ConfigurationCalls(Struct, frozen=True, eq=False):
    """The calls that configure one part, by name; the last of a name counts."""

    calls: Mapping[str, tuple[Call, Scope]]
    followed: bool = True
    """Whether everything that configures the part is seen."""


def configured_operations(
    program: Program, symbol: ClassSymbol, framework: str
) -> Iterator[Operation]:
    """What the configuration in a class makes Spring Security answer."""
    seen: set[object] = set()
    names: set[str] = set()
    for call, scope in calls_of_class(program, symbol):
        if not isinstance(call, Call):
            continue
        whole = chain(call)
        links = whole.calls
        if _PARTS.isdisjoint(whole.names) or not _is_builder(program, whole.base, scope):
            continue
        for position, link in enumerate(links):
            name = method(link)
            key = (scope.file.path, link.span)
            if name not in _PARTS or key in seen:
                continue
            seen.add(key)
            names.add(name)
            said = _settings_of(program, name, link, links[position + 1 :], scope)
            if "disable" in said.calls:
                continue
            for answer in _answers(program, name, said, link, scope, framework):
                yield operation_of(program, answer)
    if "logout" not in names and _is_configuration(symbol):
        yield operation_of(
            program, SecurityEndpoint(MatchedPath("/logout"), symbol.origin, framework)
        )


def _is_builder(program: Program, expr: Expr, scope: Scope) -> bool:
    """Whether a chain of calls configures `HttpSecurity`."""
    return library_type(program, program.evaluate(expr, scope)) in _BUILDERS


def _is_configuration(symbol: ClassSymbol) -> bool:
    """Whether a method of the class is given what it configures: logouts are on by default."""
    return any(
        type_name(param.type) in _BUILDERS
        for function in symbol.decl.methods
        for param in function.params
    )


def _settings_of(
    program: Program, name: str, link: Call, following: tuple[Call, ...], scope: Scope
) -> ConfigurationCalls:
    """What a part is configured with: the calls of the function it is given, or those that follow
    up to `and()`."""
    found: dict[str, tuple[Call, Scope]] = {}
    if link.args:
        given = link.args[0].value
        if isinstance(given, Attribute) and given.name == "disable":
            return ConfigurationCalls({"disable": (link, scope)})
        inner = [
            (call, place)
            for call, place in calls_given(program, given, scope)
            if isinstance(call, Call)
        ]
        for call, place in reversed(inner):
            found[_key(call)] = (call, place)
        is_default = isinstance(given, Call) and method(given) == "withDefaults"
        value = program.evaluate(given, scope)
        return ConfigurationCalls(found, followed=is_default or isinstance(value, FunctionValue))
    for call in following:
        later = method(call)
        if later in _PARTS or (later == "and" and name in ("formLogin", "logout")):
            break
        found[_key(call)] = (call, scope)
    return ConfigurationCalls(found)


def _key(call: Call) -> str:
    """The name of a setting; `baseUri` with the part that it belongs to."""
    name = method(call)
    if name in ("authorizationEndpoint", "redirectionEndpoint") and call.args:
        return name
    if name == "baseUri":
        before = chain(call).names
        around = next((n for n in reversed(before) if n.endswith("Endpoint")), "")
        return f"{around}.baseUri"
    return name


def _base_uri(program: Program, said: ConfigurationCalls, part: str) -> tuple[Expr, Scope] | None:
    """The path that a part of an OAuth 2 login is given."""
    written = said.calls.get(f"{part}.baseUri")
    if written is None and part in said.calls:
        call, scope = said.calls[part]
        inner = calls_given(program, call.args[0].value, scope)
        written = next(
            ((c, s) for c, s in inner if isinstance(c, Call) and method(c) == "baseUri"), None
        )
    if written is None or not written[0].args:
        return None
    return written[0].args[0].value, written[1]


def _argument(said: ConfigurationCalls, *names: str) -> tuple[Expr, Scope] | None:
    for name in names:
        if name in said.calls and said.calls[name][0].args:
            call, scope = said.calls[name]
            return call.args[0].value, scope
    return None


def _answers(
    program: Program, name: str, said: ConfigurationCalls, link: Call, scope: Scope, framework: str
) -> Iterator[SecurityEndpoint]:
    origin = program.origin(link, scope)
    if not said.followed:
        why = Reason("configuration-not-followed", name=name)
        yield SecurityEndpoint(MatchedPath("", "*", why), origin, framework)
        return
    is_own = name in ("formLogin", "logout")
    success = _success(program, said) if is_own else None
    for found in _matched_paths(program, name, said):
        if found.reason and not is_own:
            # Browsers are sent there by a provider; no client calls it by a contract.
            reason = Reason("answers-undetermined", name=name, reason=found.reason)
            problem = NotAnalysed(
                path=origin.path, reason=reason, line=origin.span.line, fatal=False
            )
            program.problems.append(problem)
        else:
            yield SecurityEndpoint(
                found, origin, framework, success if found.method != "GET" else None
            )


def _success(program: Program, said: ConfigurationCalls) -> FunctionValue | None:
    """What is run when a login or logout has succeeded."""
    for setting, own in (
        ("successHandler", "onAuthenticationSuccess"),
        ("logoutSuccessHandler", "onLogoutSuccess"),
    ):
        given = _argument(said, setting)
        if given is not None:
            return handler_of(program, *given, own)
    return None


def _matched_paths(program: Program, name: str, said: ConfigurationCalls) -> Iterator[MatchedPath]:
    if name in _OTHERS:
        yield from (MatchedPath(path) for path in _OTHERS[name])
        return
    matcher = _argument(said, *_MATCHERS)
    if name == "logout":
        url = _argument(said, "logoutUrl")
        if matcher is not None:
            yield from matched_places(program, *matcher)
        else:
            yield matched_path(program, *url) if url is not None else MatchedPath("/logout")
        return
    page = _argument(said, "loginPage")
    if page is None and name != "oauth2Client":
        yield MatchedPath("/login", "GET")
    processing = _argument(said, "loginProcessingUrl") or _base_uri(
        program, said, "redirectionEndpoint"
    )
    if name == "formLogin":
        if matcher is not None:
            yield from matched_places(program, *matcher)
        else:
            given = processing or page
            yield matched_path(program, *given, "POST") if given else MatchedPath("/login", "POST")
    elif name == "saml2Login":
        yield MatchedPath(f"/saml2/authenticate/{_ID}")
        yield MatchedPath("/saml2/authenticate")
        yield (
            matched_path(program, *processing)
            if processing
            else MatchedPath(f"/login/saml2/sso/{_ID}")
        )
    else:
        base = _base_uri(program, said, "authorizationEndpoint")
        found = matched_path(program, *base) if base else MatchedPath("/oauth2/authorization")
        yield MatchedPath(join_paths(found.path, _ID) if found.path else "", "*", found.reason)
        if name == "oauth2Login":
            yield (
                matched_path(program, *processing)
                if processing
                else MatchedPath(f"/login/oauth2/code/{_ID}")
            )
