"""Changes of one query or header parameter of an endpoint."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import TypeAlias

from bench.accuracy.contract_text import Json, at, inlined, resolved
from bench.accuracy.mutant import Expected, Mutant, kinds
from bench.accuracy.mutate_names import renamed
from bench.accuracy.sites import landed, operations

ParameterOperator: TypeAlias = Callable[[Json], tuple[frozenset[str], bool] | None]
"""The parameter (changed in place) -> (kinds of findings, conditional), None: not here."""

_PLACES = ("query", "header")


def parameter_rename(parameter: Json) -> tuple[frozenset[str], bool] | None:
    """Clients send it under a name that the code does not read. Silence is right where the code
    can do without it and nothing in the contract requires it."""
    parameter["name"] = renamed(parameter["name"])
    return kinds("parameter", "name-case"), not parameter.get("required")


def parameter_move(parameter: Json) -> tuple[frozenset[str], bool] | None:
    """Clients send it in a header where the code reads the query."""
    if parameter["in"] != "query":
        return None
    parameter["in"] = "header"
    return kinds("parameter"), not parameter.get("required")


def parameter_retype(parameter: Json) -> tuple[frozenset[str], bool] | None:
    """Clients may send any text where the code reads a number or a truth value. Silence is right
    where it reads text and converts that itself."""
    schema = parameter.get("schema", parameter)
    if schema.get("type") not in ("integer", "number", "boolean"):
        return None
    schema["type"] = "string"
    for word in ("format", "minimum", "maximum", "default", "example"):
        schema.pop(word, None)
    return kinds("parameter", "type"), True


def parameter_optional(parameter: Json) -> tuple[frozenset[str], bool] | None:
    """Clients may leave out what the code may need."""
    if not parameter.get("required"):
        return None
    del parameter["required"]
    return kinds("parameter"), True


def control_parameter_required(parameter: Json) -> tuple[frozenset[str], bool] | None:
    """Clients always send what they could leave out before, and the code read it already."""
    if parameter.get("required"):
        return None
    parameter["required"] = True
    return kinds(), False


def control_parameter_description(parameter: Json) -> tuple[frozenset[str], bool] | None:
    """Only a text changes."""
    parameter["description"] = f"Another text about {parameter['name']}"
    return kinds(), False


PARAMETER_OPERATORS: tuple[ParameterOperator, ...] = (
    parameter_rename,
    parameter_move,
    parameter_retype,
    parameter_optional,
    control_parameter_required,
    control_parameter_description,
)


def parameter_mutants(document: Json, count: int, seed: int) -> Iterator[Mutant]:
    """At most `count` mutants per operator, each of one parameter of one operation."""
    found = [
        (path, method, index)
        for path, method in operations(document)
        for index in range(len(at(document, ("paths", path, method)).get("parameters") or []))
        if _place(document, path, method, index) in _PLACES
    ]
    for operator in PARAMETER_OPERATORS:
        pool = list(found)
        random.Random(f"{seed}/{operator.__name__}").shuffle(pool)
        made = 0
        for path, method, index in pool:
            if made == count:
                break
            changed = copy.deepcopy(document)
            place = inlined(changed, ("paths", path, method, "parameters", str(index)))
            parameter = at(changed, place) if place is not None else None
            if not isinstance(parameter, dict) or "name" not in parameter:
                continue
            if isinstance(parameter.get("schema"), dict):
                inlined(changed, (*(place or ()), "schema"))
            old = parameter["name"]
            made_edit = operator(parameter)
            if made_edit is None:
                continue
            accepted, conditional = made_edit
            made += 1
            names = frozenset({old, parameter["name"]})
            subject = f"{method.upper()} {path}"
            expected = (Expected("CONTRACT-001", accepted, subject, names),) if accepted else ()
            yield Mutant(changed, operator.__name__, expected, names, conditional)


def _place(document: Json, path: str, method: str, index: int) -> str:
    written = ("paths", path, method, "parameters", str(index))
    _, parameter = resolved(document, landed(document, written))
    return str(parameter.get("in")) if isinstance(parameter, dict) else ""
