"""Comparing one route with the operation it implements: statuses, bodies and parameters."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.ir.operation import Operation
from contract_scan.ir.violation import RuleId
from contract_scan.scanners.direction import Comparers, Said
from contract_scan.scanners.requests import Requests
from contract_scan.scanners.responses import Responses


def compare_endpoint(
    contract: Operation, route: Operation, tools: Comparers, rule: RuleId
) -> Iterator[Said]:
    """Everything on which a route and its contract differ, or that is undetermined."""
    requests = Requests(contract, route, tools, rule)
    yield from requests.parameters()
    yield from requests.request()
    yield from Responses(contract, route, tools, rule).responses()
