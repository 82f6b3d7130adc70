"""Which methods are HTTP functions, and under which route."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec import Struct

from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.values import Scope
from contract_scan.parsers.source.csharp.resolution.annotations import argument, find, text
from contract_scan.parsers.source.facts.nodes import Annotation, Function, LiteralExpr, Param

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program


class Trigger(Struct, frozen=True, kw_only=True):
    """What a function and its trigger say."""

    name: str
    isolated: bool
    methods: tuple[str, ...]
    template: str
    unresolved: Reason
    request: Param
    """The parameter that stands for the request."""


def trigger_of(program: Program, method: Function, scope: Scope) -> Trigger | None:
    """The HTTP trigger of a method; None where it has none."""
    for param in method.params:
        marked = find(param.annotations, "HttpTrigger")
        if marked is not None:
            return _trigger(program, method, param, marked, scope)
    return None


def _trigger(
    program: Program, method: Function, param: Param, marked: Annotation, scope: Scope
) -> Trigger | None:
    named = find(method.annotations, "FunctionName", "Function")
    if named is None:
        return None
    name = text(program, named, scope, 0, "name") or ""
    isolated = named.name.rsplit(".", 1)[-1].removesuffix("Attribute") == "Function"
    prefix, unresolved = _prefix(program, scope.file.path)
    written = argument(marked, -1, "Route")
    template: str | None = name
    if written is not None and not _is_null(written):
        template = program.text(written, scope)
        if template is None:
            unresolved = unresolved or Reason("route-not-constant")
            template = program.template(written, scope)
    elif not name:
        unresolved = unresolved or Reason("name-computed")
    whole = "/".join(part.strip("/") for part in (prefix, template or "") if part.strip("/"))
    return Trigger(
        name=name,
        isolated=isolated,
        methods=_methods(program, marked, scope),
        template=whole,
        unresolved=unresolved,
        request=param,
    )


def _is_null(value: object) -> bool:
    return isinstance(value, LiteralExpr) and value.value is None


def _methods(program: Program, marked: Annotation, scope: Scope) -> tuple[str, ...]:
    """The methods listed; a trigger that lists none takes them all."""
    found: list[str] = []
    for given in marked.args:
        if given.name in ("", "Methods", "methods"):
            texts = program.texts(given.value, scope)
            found.extend(t.upper() for t in texts if t and t.isalpha())
    return tuple(dict.fromkeys(found)) or ("*",)


# --------------------------------------------------------------------------- host.json


def _prefix(program: Program, path: str) -> tuple[str, Reason]:
    """(prefix of all routes, why undetermined): what the nearest `host.json` says, or `api`."""
    hosts = _hosts(program)
    folder = path.rpartition("/")[0]
    while True:
        if folder in hosts:
            return hosts[folder]
        if not folder:
            return "api", NO_REASON
        folder = folder.rpartition("/")[0]


@memoised
def _hosts(program: Program) -> dict[str, tuple[str, Reason]]:
    """What every `host.json` says, by its folder."""
    return {
        path.rpartition("/")[0]: _parse_route_prefix(program.files.read(path) or b"")
        for path in program.files.files_named("host.json")
    }


def _parse_route_prefix(content: bytes) -> tuple[str, Reason]:
    try:
        host = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return "api", Reason("host-json-unreadable")
    for holder in (host, host.get("extensions") if isinstance(host, dict) else None):
        http = holder.get("http") if isinstance(holder, dict) else None
        prefix = http.get("routePrefix") if isinstance(http, dict) else None
        if isinstance(prefix, str):
            return prefix.strip("/"), NO_REASON
    return "api", NO_REASON
