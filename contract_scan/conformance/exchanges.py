"""A response that came, against what the contract says of its operation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from contract_scan.conformance.values import Case, Deviation, validate_values
from contract_scan.parsers.contracts.exchanges import (
    Exchange,
    HttpContract,
    ResponseSpec,
    is_json,
)
from contract_scan.parsers.contracts.standalone import JsonSchema
from contract_scan.wildcards import Wildcard, fits, joined_by

_PARAMETER = re.compile(r"\{[^{}/]*\}")


class ReceivedResponse(NamedTuple):
    """A response that came."""

    method: str
    path: str
    """A path as it was requested, or the template; with or without the base path."""
    body: object
    status: int | None = 200
    """None: not known; the success response of the contract is meant."""


def deviations_of(
    contract: HttpContract, received: ReceivedResponse, *, timeout: float
) -> tuple[Deviation, ...]:
    """Everything in a response that the contract does not allow; empty where it conforms.

    An operation or a status that the contract lacks is a deviation itself. Raises `ContractError`
    where the body could not be validated, or not within `timeout` seconds.
    """
    exchange = operation_of(contract, received.method, received.path)
    if exchange is None:
        return (_no_operation(contract, received),)
    response = response_of(exchange, received.status)
    if response is None:
        statuses = ", ".join(one.status for one in exchange.responses) or "no status"
        return (Deviation("status", "status", statuses, str(received.status)),)
    schema = _body_schema(response)
    if schema is None:
        if not response.bodies and received.body not in (None, "", {}, []):
            return (Deviation("", "content", "no body", _kind_of(received.body)),)
        return ()
    definitions = {"response": contract.response_definitions}
    cases = [Case("response", schema, received.body)]
    (found,) = validate_values(cases, definitions, timeout=timeout)
    if found is None:
        return (Deviation("", "schema", "a schema that can be applied", "it is not valid"),)
    return found


def operation_of(contract: HttpContract, method: str, path: str) -> Exchange | None:
    """The operation that a path or template belongs to; of several the most specific one."""
    wanted = path.partition("?")[0].partition("#")[0]
    candidates = [wanted]
    base = contract.base_path
    if base and wanted.startswith(base + "/"):
        candidates.insert(0, wanted[len(base) :])
    own = [one for one in contract.exchanges if one.method == method.upper()]
    for candidate in candidates:
        for exchange in own:
            if _same_template(exchange.path, candidate):
                return exchange
        matching = [one for one in own if _matches(one.path, candidate)]
        if matching:
            return min(matching, key=lambda one: len(_PARAMETER.findall(one.path)))
    return None


def response_of(exchange: Exchange, status: int | None) -> ResponseSpec | None:
    """What the contract says of a status: itself, its range, or `default`."""
    by_status = {one.status: one for one in exchange.responses}
    if status is None:
        success = sorted(one for one in by_status if one.startswith("2"))
        return by_status[success[0]] if success else by_status.get("default")
    return (
        by_status.get(str(status))
        or by_status.get(f"{str(status)[:1]}XX")
        or by_status.get("default")
    )


# Private helpers


def _body_schema(response: ResponseSpec) -> JsonSchema | None:
    return next((one.schema for one in response.bodies if is_json(one.content_type)), None)


def _same_template(template: str, given: str) -> bool:
    return _PARAMETER.sub("{}", template) == _PARAMETER.sub("{}", given)


def _matches(template: str, path: str) -> bool:
    parts = _PARAMETER.split(template)
    return fits(joined_by(Wildcard.IN_SEGMENT, parts), path)


def _no_operation(contract: HttpContract, received: ReceivedResponse) -> Deviation:
    method = received.method.upper()
    others = _methods_at(contract.exchanges, received.path)
    if others:
        return Deviation("method", "method", ", ".join(others), method)
    return Deviation("path", "path", "an operation of the contract", f"{method} {received.path}")


def _methods_at(exchanges: Sequence[Exchange], path: str) -> list[str]:
    return sorted({one.method for one in exchanges if _matches(one.path, path)})


def _kind_of(value: object) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return kinds.get(type(value), "object")
