"""What `app.config` of Flask and Quart holds: the attributes of the classes that it is filled from.

Deployments may set something else, so what is found is taken for the default of a setting.
"""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    ClassValue,
    Constant,
    Instance,
    LibraryResult,
    LibrarySymbol,
    OneOf,
    Value,
    union_of,
)
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume_default
from contract_scan.parsers.source.facts.nodes import Attribute
from contract_scan.parsers.source.python.resolution.calls_by_name import calls_to
from contract_scan.parsers.source.python.web.common import flatten_values

_CONFIGURATIONS = frozenset(
    f"{package}.{holder}.config"
    for package in ("flask", "quart")
    for holder in ("Flask()", "Quart()", "current_app", "app.Flask()")
)


_BLUEPRINT = {"name": 0, "import_name": 1, "url_prefix": -1}
"""Attributes of a blueprint, and where its arguments of these names stand."""


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """`app.config["NAME"]`, where the classes that fill the configuration agree on it; the name and
    the prefix that a blueprint is made with."""
    match value:
        case LibraryResult(name="flask.Blueprint" | "quart.Blueprint", site=site, scope=scope):
            made = CallSite(program, site, scope, value.name)
            return made.value(_BLUEPRINT.get(name, -1), name) if name in _BLUEPRINT else None
        case _:
            pass
    if not isinstance(value, LibrarySymbol) or value.name not in _CONFIGURATIONS:
        return None
    return _setting(program, name)


def _setting(program: Program, name: str) -> Value | None:
    found: list[Value] = []
    for symbol in _sources(program):
        held = program.evaluator.class_member(ClassValue(symbol), name)
        if held is not None:
            found.append(held)
    if not found:
        return None
    value = union_of(tuple(found))
    options = value.options if isinstance(value, OneOf) else (value,)
    if len({option.value for option in options if isinstance(option, Constant)}) != 1:
        return None
    assume_default(program, value)
    return options[0]


@memoised
def _sources(program: Program) -> tuple[ClassSymbol, ...]:
    """The classes that configurations are filled from: `app.config.from_object(Settings)`."""
    known: dict[str, ClassSymbol] = {}
    for call, scope in calls_to(program, "from_object"):
        if not isinstance(call.callee, Attribute) or not call.args:
            continue
        for value in flatten_values(program.evaluate(call.args[0].value, scope)):
            match value:
                case ClassValue(symbol=symbol) | Instance(symbol=symbol):
                    known[symbol.key] = symbol
                case Constant(value=str(path)):
                    named = _class_at(program, path)
                    if named is not None:
                        known[named.key] = named
                case _:
                    continue
    return tuple(known.values())


def _class_at(program: Program, dotted: str) -> ClassSymbol | None:
    """The class that `"app.config.Settings"` names."""
    module, _, name = dotted.rpartition(".")
    found = [
        symbol
        for path in program.files_defining(name)
        for symbol in program.classes(program.facts(path))
        if symbol.decl.name == name and path.removesuffix(".py").endswith(module.replace(".", "/"))
    ]
    return found[0] if len(found) == 1 else None


def _config_get(site: CallSite) -> Value | None:
    """`app.config.get("NAME", "default")`."""
    key = site.argument(0)
    name = None if key is None else site.program.text(key, site.scope)
    found = None if name is None else _setting(site.program, name)
    if found is None and (default := site.value(1)) is not None:
        assume_default(site.program, default)
        return default
    return found


CALL_MODELS = {f"{name}.get": _config_get for name in sorted(_CONFIGURATIONS)}
