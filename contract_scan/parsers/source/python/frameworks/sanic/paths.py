"""Paths of Sanic's routes: versions and prefixes of every level."""

from __future__ import annotations

import re

from contract_scan.ir.operation import DYNAMIC_PREFIX
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import Constant, Scope
from contract_scan.parsers.source.facts.nodes import Argument, Attribute
from contract_scan.parsers.source.python.frameworks.sanic.applications import (
    BLUEPRINTS,
    GROUPS,
    Route,
)
from contract_scan.parsers.source.python.web.common import call_argument, text
from contract_scan.parsers.source.python.web.mounts import Graph, Reached
from contract_scan.parsers.source.python.web.path_syntax import PathSyntax
from contract_scan.parsers.source.web.route_graph import RouterId

PATHS = PathSyntax(
    re.compile(r"<(?P<name>\w+)(?::(?P<type>(?:[^<>]|<[^<>]*>)*))?>"),
    {
        "int": ("integer", ""),
        "float": ("number", ""),
        "number": ("number", ""),
        "uuid": ("string", "uuid"),
        "ymd": ("string", "date"),
    },
)


def full_path(
    program: Program, graph: Graph, router: RouterId, reached: Reached, route: Route | None
) -> tuple[str, Reason]:
    """Version, prefixes and path of a route, and why one of them is undetermined."""
    levels = _levels(graph, router, reached)
    prefixes: list[str | None] = []
    versions: list[_Setting] = []
    if route is not None:
        versions.append(_Setting(program, route.args, route.scope))
    inside_group = any(maker in GROUPS for maker, _, _ in levels)
    for maker, args, scope in levels:
        named = call_argument(args, "url_prefix", 1 if maker in BLUEPRINTS else -1)
        literal = "" if named is None else text(program, named, scope)
        if maker == "" and named is not None and not inside_group:
            prefixes = []  # a prefix of the registration stands instead of the blueprint's own
        prefixes.append(literal)
        versions.append(_Setting(program, args, scope))
    reason = Reason("blueprint-prefix-not-constant") if None in prefixes else NO_REASON
    shown = (DYNAMIC_PREFIX if prefix is None else prefix for prefix in reversed(prefixes))
    parts = [prefix.strip("/") for prefix in shown if prefix]
    version, prefix = _version(versions, direct=not inside_group)
    if version is None or prefix is None:
        reason = reason or Reason("route-version-not-constant")
    path = "".join(f"/{part}" for part in parts if part)
    own = route.path if route is not None else ""
    path += own if own.startswith("/") or not own else f"/{own}"
    if version:
        path = f"/{(prefix or '').strip('/')}{version}{path}" if prefix else f"/{version}{path}"
    return reached.prefix + path or "/", reason


class _Setting:
    """The version that one level gives."""

    def __init__(self, program: Program, args: tuple[Argument, ...], scope: Scope) -> None:
        self.version = _option_text(program, args, "version", scope)
        self.prefix = _option_text(program, args, "version_prefix", scope)


def _option_text(
    program: Program, args: tuple[Argument, ...], name: str, scope: Scope
) -> str | None:
    """The text of an option; empty if the option is missing, None if it is not constant."""
    expr = call_argument(args, name, -1)
    if expr is None:
        return ""
    value = program.evaluate(expr, scope)
    if isinstance(value, Constant):
        return "" if value.value is None else str(value.value)
    return program.evaluator.text(value)


def _version(levels: list[_Setting], *, direct: bool) -> tuple[str | None, str | None]:
    """The version that the nearest level gives, without the letter it is written with."""
    ordered = levels
    if direct and len(levels) == 3:
        # The registration of a blueprint goes before what the blueprint says itself.
        ordered = [levels[0], levels[2], levels[1]]
    version = next((level.version for level in ordered if level.version != ""), "")
    prefix = next((level.prefix for level in ordered if level.prefix not in ("", "/v")), "/v")
    return (None if version is None else version.strip("/").lstrip("v")), prefix


def _levels(
    graph: Graph, router: RouterId, reached: Reached
) -> list[tuple[str, tuple[Argument, ...], Scope]]:
    """Everything that may give a prefix, from the route's blueprint out: what was made, and (with
    an empty maker) what registered it with the application."""
    found: list[tuple[str, tuple[Argument, ...], Scope]] = []
    below = graph.routers[router]
    found.append((below.maker, below.site.args, below.scope))
    for mount in reversed(reached.mounts):
        holder = next(
            (r for r in graph.routers.values() if r.site is mount.call and r.maker in GROUPS),
            None,
        )
        if holder is not None:
            found.append((holder.maker, holder.site.args, holder.scope))
        elif isinstance(mount.call.callee, Attribute) and mount.call.callee.name == "blueprint":
            found.append(("", mount.call.args, mount.scope))
    return found
