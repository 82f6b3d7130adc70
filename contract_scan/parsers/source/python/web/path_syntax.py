"""How libraries write the parameters of paths: `/orders/<int:id>`, `/orders/{id:int}`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct

from contract_scan.ir.operation import Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Scalar, ScalarType


class PathSyntax(Struct, frozen=True):
    """The parameters in paths of one library, typed by their converters."""

    parameter: re.Pattern[str]
    """One parameter: the group `name`, and `type` for its converter. That of several segments is
    called `path` by all of them."""
    types: Mapping[str, tuple[ScalarType, str]] = {}
    """By converter; a parameter with another one, or with none, is a text."""

    def template(self, path: str) -> str:
        """`/orders/<int:id>/<path:rest>` -> `/orders/{id}/{rest*}`."""
        return self.parameter.sub(
            lambda m: f"{{{m['name']}{'*' if m['type'] == 'path' else ''}}}", path
        )

    def parameters(self, path: str, origin: Origin) -> tuple[Parameter, ...]:
        """The parameters of a path as it is written."""
        return tuple(
            path_parameter(m["name"], origin, *self.types.get(m["type"] or "", ("string", "")))
            for m in self.parameter.finditer(path)
        )


WERKZEUG = PathSyntax(
    re.compile(r"<(?:(?P<type>[A-Za-z_]\w*)(?:\([^<>]*\))?:)?(?P<name>\w+)>"),
    {"int": ("integer", ""), "float": ("number", ""), "uuid": ("string", "uuid")},
)
"""URL rules of Flask and its kin."""
STARLETTE = PathSyntax(re.compile(r"\{(?P<name>\w+)(?::(?P<type>[^{}]*))?\}"))


def path_parameter(
    name: str, origin: Origin, type: ScalarType = "string", format: str = ""
) -> Parameter:
    """A parameter that is a part of the path."""
    shape = Scalar(type=type, format=format, origin=origin)
    return Parameter(name=name, location="path", schema=shape, required=True, origin=origin)


def path_names(path: str) -> list[str]:
    """The names of the parameters in a template."""
    return [name.rstrip("*") for name in re.findall(r"\{([^{}]*)\}", path)]


def join_path(prefix: str, rule: str) -> str:
    """A rule below a prefix, with just one slash between."""
    if not prefix:
        path = rule
    elif not rule:
        path = prefix
    else:
        path = prefix.rstrip("/") + "/" + rule.lstrip("/")
    return path if path.startswith("/") else "/" + path
