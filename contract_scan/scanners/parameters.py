"""Comparing the parameters of a contracted operation with those its route reads.

Values of parameters travel as text, so a route that takes text takes every scalar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from contract_scan.ir.document import Resolver
from contract_scan.ir.operation import Operation, Parameter
from contract_scan.ir.origin import NOWHERE, Origin
from contract_scan.ir.schema import Array, LiteralValue, Scalar, Schema
from contract_scan.ir.violation import Severity
from contract_scan.scanners.differences.alternatives import alternatives
from contract_scan.scanners.differences.describe import describe, value_text, values_text
from contract_scan.scanners.differences.names import same_words
from contract_scan.scanners.differences.scalars import type_fits

_NAME = re.compile(r"\{([^{}*]+)\*?\}")


class ParameterDrift(Struct, frozen=True, kw_only=True):
    """One parameter on which contract and route disagree."""

    name: str
    says: str
    """The rest of a sentence that begins with the operation."""
    severity: Severity
    expected: str = ""
    found: str = ""
    contract: Origin = NOWHERE
    code: Origin = NOWHERE
    help: str = ""


_QUERY_IN_ANY_CASE = ("ASP.NET",)
"""Frameworks (by the start of their names) that read query parameters in any letter case."""


class ParameterNotTold(Struct, frozen=True, kw_only=True):
    """A parameter that could not be compared."""

    name: str
    reason: str
    code: Origin = NOWHERE


def compare_parameters(
    contract: Operation, route: Operation, document: Resolver, code: Resolver
) -> Iterator[ParameterDrift | ParameterNotTold]:
    """Everything on which the parameters differ. Headers and cookies that one side alone mentions
    say nothing: security schemes and middleware read them."""
    for ours, theirs in _path_pairs(contract, route):
        yield from _types(ours, theirs, document, code)
    for location in ("query", "header", "cookie"):
        folds = location == "header" or (
            location == "query" and route.framework.startswith(_QUERY_IN_ANY_CASE)
        )
        our = {_key(p, folds): p for p in contract.parameters if p.location == location}
        their = {_key(p, folds): p for p in route.parameters if p.location == location}
        for key in sorted(our.keys() & their.keys()):
            yield from _presence(our[key], their[key])
            yield from _types(our[key], their[key], document, code)
        left, right = our.keys() - their.keys(), their.keys() - our.keys()
        cased = same_words(sorted(left), sorted(right))
        for one, other in cased.items():
            yield _case(our[one], their[other])
        if location == "query":
            for key in sorted(left - cased.keys()):
                yield from _not_read(our[key], route)
            for key in sorted(right - set(cased.values())):
                yield from _not_contracted(their[key])


def _key(parameter: Parameter, folds: bool) -> str:
    return parameter.name.casefold() if folds else parameter.name


def _path_pairs(contract: Operation, route: Operation) -> Iterator[tuple[Parameter, Parameter]]:
    """Path parameters by position, counted from the end: a mount may have added some in front."""
    ours, theirs = _path_parameters(contract), _path_parameters(route)
    for one, other in zip(reversed(ours), reversed(theirs), strict=False):
        if one is not None and other is not None:
            yield one, other


def _path_parameters(operation: Operation) -> list[Parameter | None]:
    by_name = {p.name: p for p in operation.parameters if p.location == "path"}
    return [by_name.get(name) for name in _NAME.findall(operation.path)]


def _presence(ours: Parameter, theirs: Parameter) -> Iterator[ParameterDrift | ParameterNotTold]:
    if ours.required or theirs.has_default or theirs.required is False:
        return
    if theirs.required is None:
        yield ParameterNotTold(
            name=ours.name,
            reason="could not tell whether the code needs the parameter",
            code=theirs.origin,
        )
        return
    yield ParameterDrift(
        name=ours.name,
        says=f"needs the {theirs.location} parameter `{ours.name}`, which is optional in the "
        "contract",
        severity="error",
        expected="optional",
        found="required",
        contract=ours.origin,
        code=theirs.origin,
        help="give the parameter a default, or require it in the contract",
    )


def _case(ours: Parameter, theirs: Parameter) -> ParameterDrift:
    return ParameterDrift(
        name=ours.name,
        says=f"reads the {theirs.location} parameter `{theirs.name}`, which the contract calls "
        f"`{ours.name}`: the same words in another case style",
        severity="error",
        expected=ours.name,
        found=theirs.name,
        contract=ours.origin,
        code=theirs.origin,
        help="read the parameter under the contract's name",
    )


def _not_read(ours: Parameter, route: Operation) -> Iterator[ParameterDrift | ParameterNotTold]:
    if not ours.required:
        return
    if not route.parameters_complete:
        yield ParameterNotTold(
            name=ours.name,
            reason="could not tell whether the code reads the parameter",
            code=route.origin,
        )
        return
    yield ParameterDrift(
        name=ours.name,
        says=f"does not read the query parameter `{ours.name}`, which the contract requires",
        severity="warning",
        expected="required",
        contract=ours.origin,
        code=route.origin,
        help="read the parameter, or remove it from the contract",
    )


def _not_contracted(theirs: Parameter) -> Iterator[ParameterDrift]:
    if theirs.required and not theirs.has_default:
        yield ParameterDrift(
            name=theirs.name,
            says=f"needs the query parameter `{theirs.name}`, which the contract does not mention",
            severity="error",
            found="required",
            code=theirs.origin,
            help="add the parameter to the contract, or give it a default",
        )


def _types(
    ours: Parameter, theirs: Parameter, document: Resolver, code: Resolver
) -> Iterator[ParameterDrift]:
    sent, accepted = _only_scalar(ours.schema, document), _only_scalar(theirs.schema, code)
    if sent is None or accepted is None:
        return
    refused = _refused_values(sent, accepted)
    if _text_fits(sent, accepted) and not refused:
        return
    expected, found = describe(sent), describe(accepted)
    says = (
        f"does not take {values_text(refused)} for the parameter `{ours.name}`"
        if refused
        else f"takes {found} for the parameter `{ours.name}`; the contract says {expected}"
    )
    yield ParameterDrift(
        name=ours.name,
        says=says,
        severity="error",
        expected=expected,
        found=found,
        contract=ours.origin,
        code=theirs.origin,
        help="make the two types the same",
    )


def _only_scalar(schema: Schema, resolver: Resolver) -> Scalar | None:
    """The one scalar a parameter is made of, also where it may be repeated."""
    options = alternatives(schema, resolver).options
    if len(options) == 1 and isinstance(options[0].shape, Array):
        options = alternatives(options[0].shape.items, resolver).options
    if len(options) == 1 and isinstance(options[0].shape, Scalar):
        return options[0].shape
    return None


def _text_fits(sent: Scalar, accepted: Scalar) -> bool:
    if type_fits(sent, accepted):
        return True
    if accepted.type == "string":
        return sent.type != "string" and not accepted.format
    # Text that is limited to values of the other type is as good as that type.
    return sent.values is not None and sent.type == "string"


def _refused_values(sent: Scalar, accepted: Scalar) -> tuple[str, ...]:
    if sent.values is None or accepted.values is None:
        return ()
    taken = {_text(value) for value in accepted.values}
    return tuple(value_text(value) for value in sent.values if _text(value) not in taken)


def _text(value: LiteralValue) -> str:
    return value if isinstance(value, str) else value_text(value)
