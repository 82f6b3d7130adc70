"""From what is asked to what to write."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

import libcst as cst

from contract_scan.fixes.python_child import declared
from contract_scan.fixes.python_child.fields import add_field, set_nullable, set_optional, set_type
from contract_scan.fixes.python_child.imports import dotted_name, imported_names
from contract_scan.fixes.python_child.names import rename, with_argument
from contract_scan.fixes.python_child.source import Edit, Source
from contract_scan.fixes.python_child.values import set_values

_ROUTES = ("get", "post", "put", "patch", "delete", "api_route")
_KEYWORDS = {"rest_framework": "status", "django": "status", "flask": "status", "quart": "status"}
_KEYWORDS |= {"fastapi": "status_code", "starlette": "status_code"}
"""By library: the keyword that gives the status of an answer."""
_TUPLES = frozenset({"flask", "quart", "flask_restful", "flask_restx", "flask_openapi3"})
"""Libraries whose handlers return a body and a status side by side."""
_BODIES = frozenset({"jsonify"})
_CONSTANT = re.compile(r"HTTP_(\d{3})_\w+")

_Found = tuple[str, bool, list[Edit]]


def _set_status(change: dict[str, Any], source: Source) -> _Found | None:
    """`status_code` of a decorator of FastAPI, or the status of what is returned."""
    node = source.enclosing_node(change["span"], (cst.FunctionDef, cst.Return))
    edits: list[Edit] | None = None
    match node:
        case cst.Return(value=value) if value is not None:
            edits = _return_edits(value, change, source)
        case cst.FunctionDef():
            edits = _decorator_edits(node, change, source)
    return None if edits is None else (f"answer with status {change['wanted']}", True, edits)


def _decorator_edits(
    node: cst.FunctionDef, change: dict[str, Any], source: Source
) -> list[Edit] | None:
    origins = imported_names(source).values()
    if not any(origin.split(".")[0] == "fastapi" for origin in origins):
        return None
    wanted = change["wanted"]
    if wanted in ("204", "205") and not _sends_nothing(node, source):
        return None
    routes = [
        decorator.decorator
        for decorator in node.decorators
        if isinstance(decorator.decorator, cst.Call)
        and dotted_name(decorator.decorator.func).rpartition(".")[2] in _ROUTES
    ]
    if len(routes) != 1:
        return None
    for argument in routes[0].args:
        if argument.keyword is not None and argument.keyword.value == "status_code":
            new = _rewritten_status(argument.value, change, source)
            return None if new is None else [source.replace(argument.value, new)]
        if argument.star:
            return None
    return with_argument(routes[0], "status_code", wanted, source)


def _sends_nothing(node: cst.FunctionDef, source: Source) -> bool:
    returned = node.returns.annotation if node.returns is not None else None
    if returned is None or source.code(returned) != "None":
        return False
    return "response_model" not in "".join(source.code(d) for d in node.decorators)


def _return_edits(
    value: cst.BaseExpression, change: dict[str, Any], source: Source
) -> list[Edit] | None:
    """Edits of what a function returns that set another status: `body, 200` or `Response(body,
    status=200)`."""
    if change["wanted"] in ("204", "205"):
        return None  # a body would have to go
    origins = imported_names(source)
    libraries = {origin.split(".")[0] for origin in origins.values()}
    if isinstance(value, cst.Tuple):
        if not libraries & _TUPLES or len(value.elements) < 2:
            return None
        return _status_edit(value.elements[1].value, change, source)
    if isinstance(value, cst.Dict) or _is_body(value, origins):
        plain = change["found"] == "200" and libraries & _TUPLES
        return [source.after(value, f", {change['wanted']}")] if plain else None
    if not isinstance(value, cst.Call):
        return None
    library = origins.get(dotted_name(value.func).split(".")[0], "").split(".")[0]
    if library not in _KEYWORDS or any(argument.star for argument in value.args):
        return None
    for argument in value.args:
        if argument.keyword is not None and argument.keyword.value == _KEYWORDS[library]:
            return _status_edit(argument.value, change, source)
    positional = [argument for argument in value.args if argument.keyword is None]
    name = dotted_name(value.func).rpartition(".")[2]
    if len(positional) > 1:
        second = library == "rest_framework" and name == "Response"
        return _status_edit(positional[1].value, change, source) if second else None
    named = name.endswith("Response") and change["found"] == "200"
    return with_argument(value, _KEYWORDS[library], change["wanted"], source) if named else None


def _is_body(value: cst.BaseExpression, origins: dict[str, str]) -> bool:
    if not isinstance(value, cst.Call):
        return False
    first, _, rest = dotted_name(value.func).partition(".")
    origin = f"{origins.get(first, '')}.{rest}".rstrip(".")
    return origin.split(".")[0] in _TUPLES and origin.rpartition(".")[2] in _BODIES


def _status_edit(
    value: cst.BaseExpression, change: dict[str, Any], source: Source
) -> list[Edit] | None:
    new = _rewritten_status(value, change, source)
    return None if new is None else [source.replace(value, new)]


def _rewritten_status(
    value: cst.BaseExpression, change: dict[str, Any], source: Source
) -> str | None:
    """A status written in the way of another: a number, or the constant of a library."""
    found, wanted = change["found"], change["wanted"]
    code = source.code(value)
    if code == found:
        return str(wanted)
    before, _, name = dotted_name(value).rpartition(".")
    try:
        old, new = HTTPStatus(int(found)), HTTPStatus(int(wanted))
    except ValueError:
        return None
    if before.rpartition(".")[2] == "HTTPStatus" and name == old.name:
        return f"{before}.{new.name}"
    constant = _CONSTANT.fullmatch(name)
    if constant is not None and constant[1] == found and before:
        return f"{before}.HTTP_{wanted}_{new.name}"
    return None


def _set_values(change: dict[str, Any], source: Source) -> tuple[str, bool, list[Edit]] | None:
    field = declared.declared_at(change, source)
    return (
        set_values(change, source) if field is None else declared.set_values(field, change, source)
    )


_ASKED = {
    "Rename": rename,
    "SetOptional": set_optional,
    "SetNullable": set_nullable,
    "SetType": set_type,
    "SetValues": _set_values,
    "AddField": add_field,
    "SetStatus": _set_status,
}


def answer(change: dict[str, Any], source: Source) -> dict[str, Any] | None:
    """What to write where for one change; None where it is not for a program to decide."""
    found: tuple[str, bool, list[Edit]] | None = _ASKED[change["kind"]](change, source)
    if found is None or not found[2]:
        return None
    title, safe, edits = found
    return {"title": title, "safe": safe, "edits": edits}
