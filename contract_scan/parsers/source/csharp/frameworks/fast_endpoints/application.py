"""What `UseFastEndpoints(c => …)` says for all endpoints of an application."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import DYNAMIC_SEGMENT
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope
from contract_scan.parsers.source.csharp.frameworks.fast_endpoints.configurator import (
    Configured,
    configuration_of,
)
from contract_scan.parsers.source.csharp.resolution.callers import method_calls
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.csharp.web.prefixes import constant_text
from contract_scan.parsers.source.facts.dotted_names import dotted_name_of
from contract_scan.parsers.source.facts.nodes import Assign, Branch, Call, Expr, Lambda, Statement

CALLS = (b"UseFastEndpoints(", b"MapFastEndpoints(")


class Application(Struct, frozen=True, kw_only=True):
    """What holds for all endpoints of an application."""

    prefix: str = ""
    version_prefix: str = "v"
    default_version: int = 0
    version_first: bool = False
    """Whether the version stands in front of the route."""
    version_template: str = ""
    """What a version replaces in a route (`{version}`)."""
    unresolved: Reason = NO_REASON
    """Why routes may be other than the endpoints say."""
    changes: Reason = NO_REASON
    """Why bodies may be other than the endpoints give them."""
    own_errors: bool = False
    """Whether errors are not written as the library does by default."""
    configured: Configured = Configured()
    """What is set for every endpoint after it has configured itself."""


def application_of(program: Program, path: str) -> Application:
    """What is configured for the endpoints of a file."""
    sites = _applications_by_folder(program)
    folder = project_of(program, path).folder
    found = [site for home, site in sites if home == folder] or [site for _, site in sites]
    if not found:
        return Application()
    if all(site == found[0] for site in found):
        return found[0]
    reason = Reason("fastendpoints-configured-several-times")
    return replace(found[0], unresolved=reason)


@memoised
def _applications_by_folder(program: Program) -> list[tuple[str, Application]]:
    found = []
    for path in program.files_containing(*CALLS):
        for call, callee, scope in method_calls(program, program.facts(path), *CALLS):
            if callee.name not in ("UseFastEndpoints", "MapFastEndpoints"):
                continue
            folder = project_of(program, path).folder
            found.append((folder, _application_of_call(program, call, scope)))
    return found


def _application_of_call(program: Program, call: Call, scope: Scope) -> Application:
    found = Application()
    if not call.args:
        return found
    action = program.function_value(call.args[0].value, scope)
    if action is None:
        return replace(found, unresolved=Reason("fastendpoints-configuration-not-followed"))
    inside = program.function_scope(action.function, action.scope)
    for name, value, place in _settings(program, inside.statements or (), inside, ""):
        found = _with_setting(program, found, name, value, place)
    return found


def _settings(
    program: Program, statements: tuple[Statement, ...], scope: Scope, outer: str
) -> Iterator[tuple[str, Expr, Scope]]:
    """Names (`Endpoints.RoutePrefix`) and values of what is assigned."""
    for statement in statements:
        if isinstance(statement, Branch):
            for block in statement.blocks:
                yield from _settings(program, block, scope, outer)
        if not isinstance(statement, Assign) or statement.value is None:
            continue
        _, _, own = dotted_name_of(statement.target).partition(".")
        name = ".".join(part for part in (outer, own) if part)
        value = statement.value
        if isinstance(value, Lambda) and name.endswith(("Options", "Endpoints", "Versioning")):
            # Older releases: `c.VersioningOptions = o => o.Prefix = "v"`.
            inside = program.function_scope(value.function, scope)
            yield from _settings(program, inside.statements or (), inside, name)
        else:
            yield name, value, scope


def _with_setting(
    program: Program, found: Application, name: str, value: Expr, scope: Scope
) -> Application:
    group, _, last = name.rpartition(".")
    versions = group.startswith("Version")
    if last == "RoutePrefix" or (last == "Prefix" and group.startswith("Routing")):
        text = constant_text(program, value, scope)
        if text is None:
            reason = Reason("endpoints-prefix-not-constant")
            return replace(found, prefix=DYNAMIC_SEGMENT, unresolved=reason)
        return replace(found, prefix=text.strip("/"))
    if versions and last == "Prefix":
        text = program.text(value, scope)
        if text is None:
            return replace(found, unresolved=Reason("versions-prefix-not-constant"))
        return replace(found, version_prefix=text)
    if versions and last == "RouteTemplate":
        return replace(found, version_template=program.text(value, scope) or "")
    if versions and last in ("DefaultVersion", "PrependToRoute"):
        known = program.evaluate(value, scope)
        said = known.value if isinstance(known, Constant) else None
        if last == "DefaultVersion" and isinstance(said, int):
            return replace(found, default_version=said)
        if last == "PrependToRoute" and isinstance(said, bool):
            return replace(found, version_first=said)
        return replace(found, unresolved=Reason("version-format-not-constant"))
    return _with_hook(program, found, last, value, scope)


def _with_hook(
    program: Program, found: Application, last: str, value: Expr, scope: Scope
) -> Application:
    """Functions that the application runs for every endpoint or every response."""
    if last in ("ResponseSerializer", "GlobalResponseModifier", "GlobalResponseModifierAsync"):
        return replace(found, changes=Reason("application-may-change-response", last=last))
    if last in ("ResponseBuilder", "StatusCode") and not _is_default_status(program, value, scope):
        return replace(found, own_errors=True)
    if last in ("Configurator", "GlobalEndpointOptions"):
        made = configuration_of(program, value, scope, last)
        unresolved = made.unresolved or found.unresolved
        return replace(found, configured=made, unresolved=unresolved)
    return found


def _is_default_status(program: Program, value: Expr, scope: Scope) -> bool:
    known = program.evaluate(value, scope)
    return isinstance(known, Constant) and known.value == 400
