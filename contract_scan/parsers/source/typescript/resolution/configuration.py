"""Settings that node-config reads from `config/default.json`, where nothing that is made for one
environment sets another (https://github.com/node-config/node-config/wiki/Configuration-Files)."""

from __future__ import annotations

import posixpath

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import ByType, Constant, Value
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume_default
from contract_scan.parsers.source.facts.nodes import NamedType
from contract_scan.parsers.source.typescript.resolution.projects import read_json

SETTING_CALLS = ("config.get", "config.default.get")
_TYPES = {str: "string", bool: "boolean", int: "number", float: "number"}


def configured_value(site: CallSite) -> Value | None:
    """`config.get("server.path")`: the text, number or truth value of the folder `config` that is
    nearest above the file."""
    name = site.program.text(site.argument(0), site.scope)
    folder = posixpath.dirname(site.scope.file.path)
    held: object = None
    while held is None and name:
        held = read_json(site.program.files, posixpath.join(folder, "config/default.json"))
        if not folder:
            break
        folder = posixpath.dirname(folder)
    for key in name.split(".") if name else ():
        held = held.get(key) if isinstance(held, dict) else None
    if not isinstance(held, str | bool | int | float):
        return None
    declared = NamedType(name=_TYPES[type(held)], span=site.call.span)
    value = Constant(
        held, site.call.span, site.scope.file.path, ByType(declared, site.scope, site.call.span)
    )
    assume_default(site.program, value)
    return value
