"""Flask's URL rules as templates."""

from __future__ import annotations

import re

from contract_scan.ir.operation import Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Scalar, ScalarType

_CONVERTED = re.compile(r"<(?:([A-Za-z_]\w*)(?:\([^<>]*\))?:)?(\w+)>")
_TYPES: dict[str, tuple[ScalarType, str]] = {
    "int": ("integer", ""),
    "float": ("number", ""),
    "uuid": ("string", "uuid"),
}


def template(rule: str) -> str:
    """`/orders/<int:id>/<path:rest>` -> `/orders/{id}/{rest*}`."""
    return _CONVERTED.sub(lambda m: f"{{{m[2]}{'*' if m[1] == 'path' else ''}}}", rule)


def parameters(rule: str, origin: Origin) -> tuple[Parameter, ...]:
    """The path parameters of a rule, typed by their converters."""
    found = []
    for match in _CONVERTED.finditer(rule):
        kind, form = _TYPES.get(match[1] or "", ("string", ""))
        shape = Scalar(type=kind, format=form, origin=origin)
        found.append(
            Parameter(name=match[2], location="path", schema=shape, required=True, origin=origin)
        )
    return tuple(found)


def join_path(prefix: str, rule: str) -> str:
    """A rule below a prefix, with just one slash between."""
    if not prefix:
        path = rule
    elif not rule:
        path = prefix
    else:
        path = prefix.rstrip("/") + "/" + rule.lstrip("/")
    return path if path.startswith("/") else "/" + path
