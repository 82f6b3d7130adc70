"""A typed client of the Contract Engine server."""

from __future__ import annotations

import asyncio
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from contract_scan.clients.mcp.calls import Sleep, ToolCaller, ToolSession, log_failure
from contract_scan.clients.mcp.decoding import (
    convert,
    extract_json,
    extract_text,
    object_list,
    object_value,
    text_value,
)
from contract_scan.clients.mcp.faults import (
    MalformedResultError,
    ToolCallError,
    ToolReportedError,
)

_PAGE_SIZE: Final = 100
"""The most contracts that the server gives at once."""


@dataclass(frozen=True)
class ContractValidation:
    """Whether a response keeps its contract. `error` says why that is not known."""

    valid: bool = False
    violations: list[dict[str, str]] = field(default_factory=list)
    """`{field, expected, actual}` each; a server may add more."""
    error: str = ""


@dataclass(frozen=True)
class ContractInfo:
    """A contract as the Contract Engine stores it."""

    id: str = ""
    type: str = ""
    """`openapi`, `asyncapi` or `json_schema`."""
    version: str = ""
    service_name: str = ""
    spec: dict[str, Any] = field(default_factory=dict)
    spec_hash: str = ""
    status: str = ""


@dataclass(frozen=True)
class ContractListing:
    """All contracts of an engine, and which of them lack an implementation."""

    contracts: tuple[ContractInfo, ...]
    unimplemented: frozenset[str]
    """Ids."""


class ContractEngineClient:
    """Calls the tools of the Contract Engine.

    A transient fault is followed by three further tries, after 1, 2 and 4 seconds. A call that
    still fails logs a warning and gives what its docstring says; only cancellation is raised.
    """

    _extract_json = staticmethod(extract_json)
    _extract_text = staticmethod(extract_text)

    def __init__(self, session: ToolSession, *, sleep: Sleep = asyncio.sleep) -> None:
        self._tools = ToolCaller(session, sleep)

    async def get_contract(self, contract_id: str) -> ContractInfo | None:
        """A contract; None when there is none of this id, and on any other error."""
        return await self._tools.call_or_default(
            None, "get_contract", {"contract_id": contract_id}, _contract_info
        )

    async def validate_endpoint(
        self,
        service_name: str,
        method: str,
        path: str,
        response_body: dict[str, Any],
        status_code: int = 200,
    ) -> ContractValidation:
        """Whether a response keeps the service's contract; on an error, one that says so."""
        try:
            return await self._tools.call(
                "validate_endpoint",
                {
                    "service_name": service_name,
                    "method": method,
                    "path": path,
                    "response_body": response_body,
                    "status_code": status_code,
                },
                _validation,
            )
        except ToolCallError as error:
            log_failure(error)
            return ContractValidation(error=str(error))

    async def generate_tests(
        self, contract_id: str, framework: str = "pytest", include_negative: bool = True
    ) -> str:
        """The text of a test file, for pytest or jest; empty on an error."""
        return await self._tools.call_or_default(
            "",
            "generate_tests",
            {
                "contract_id": contract_id,
                "framework": framework,
                "include_negative": include_negative,
            },
            text_value,
        )

    async def check_breaking_changes(
        self, contract_id: str, new_spec: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """What a new specification would break; empty when nothing, and on an error."""
        return await self._tools.call_or_default(
            [],
            "check_breaking_changes",
            {"contract_id": contract_id, "new_spec": new_spec},
            object_list,
        )

    async def mark_implemented(
        self, contract_id: str, service_name: str, evidence_path: str
    ) -> dict[str, Any]:
        """`{marked, total, all_implemented}`; `{"marked": False}` on an error.

        A try after a time-out may mark twice, which leaves the same.
        """
        return await self._tools.call_or_default(
            {"marked": False},
            "mark_implemented",
            {
                "contract_id": contract_id,
                "service_name": service_name,
                "evidence_path": evidence_path,
            },
            _mark_result,
        )

    async def get_unimplemented_contracts(
        self, service_name: str | None = None
    ) -> list[dict[str, Any]]:
        """The contracts, of one service or of all, that nothing implements; empty on an error."""
        return await self._tools.call_or_default(
            [], "get_unimplemented_contracts", {"service_name": service_name}, object_list
        )

    async def list_contracts(self) -> ContractListing:
        """All contracts of the engine.

        Unlike the six tools above this raises ToolCallError: whoever loads contracts must know an
        engine without any from one that cannot be reached.
        """
        listed = await self._list_all()
        contracts = [
            contract
            for contract_id, entry in listed.items()
            if (contract := entry or await self._with_specification(contract_id)) is not None
        ]
        unimplemented = await self._tools.call("get_unimplemented_contracts", {}, _ids)
        return ContractListing(contracts=tuple(contracts), unimplemented=unimplemented)

    async def _list_all(self) -> dict[str, ContractInfo | None]:
        """What the engine lists, page by page, by id; None if the entry has no specification.
        Ends at a page that has nothing new."""
        listed: dict[str, ContractInfo | None] = {}
        number, total = 1, 1
        while len(listed) < total:
            page = await self._tools.call(
                "list_contracts", {"page": number, "page_size": _PAGE_SIZE}, _page
            )
            if page.contracts.keys() <= listed.keys():
                break
            listed |= page.contracts
            number, total = number + 1, page.total
        return listed

    async def _with_specification(self, contract_id: str) -> ContractInfo | None:
        """A listed contract with its specification; None if it has just been removed."""
        try:
            return await self._tools.call(
                "get_contract", {"contract_id": contract_id}, _contract_info
            )
        except ToolCallError as error:
            if not isinstance(error.__cause__, ToolReportedError):
                raise
            log_failure(error)
            return None


def spec_hash(spec: dict[str, Any]) -> str:
    """The SHA-256 of a specification as JSON with sorted keys, in the digits of the engine."""
    return hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()


class _RawPage(msgspec.Struct, frozen=True):
    items: list[dict[str, Any]]
    total: int


class _Identified(msgspec.Struct, frozen=True):
    id: str


@dataclass(frozen=True)
class _Page:
    contracts: dict[str, ContractInfo | None]
    total: int


def _page(result: Any) -> _Page:
    raw = convert(object_value(result), _RawPage)
    contracts = {
        convert(item, _Identified).id: (
            _contract_info_of(item) if item.get("spec") is not None else None
        )
        for item in raw.items
    }
    return _Page(contracts, raw.total)


def _ids(result: Any) -> frozenset[str]:
    return frozenset(convert(entry, _Identified).id for entry in object_list(result))


def _contract_info(result: Any) -> ContractInfo:
    return _contract_info_of(object_value(result))


def _contract_info_of(value: dict[str, Any]) -> ContractInfo:
    present = {name: given for name, given in value.items() if given is not None}
    contract = convert(present, ContractInfo)
    if not contract.id or "spec" not in present:
        raise MalformedResultError("expected a contract, got an object without id or spec")
    if contract.spec_hash:
        return contract
    return convert({**present, "spec_hash": spec_hash(contract.spec)}, ContractInfo)


def _validation(result: Any) -> ContractValidation:
    value = object_value(result)
    valid, violations = value.get("valid"), value.get("violations", [])
    if not isinstance(valid, bool) or not isinstance(violations, list):
        raise MalformedResultError("expected {valid: boolean, violations: array}")
    if not all(isinstance(violation, dict) for violation in violations):
        raise MalformedResultError("expected an array of objects as violations")
    return ContractValidation(valid=valid, violations=[_texts(one) for one in violations])


def _texts(violation: dict[str, Any]) -> dict[str, str]:
    """Values as text: what is expected or found may be any JSON."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in violation.items()
    }


def _mark_result(result: Any) -> dict[str, Any]:
    value = object_value(result)
    if not isinstance(value.get("marked"), bool):
        raise MalformedResultError("expected an object with a boolean `marked`")
    if "total_implementations" in value:
        # What known engines call the document's `total`.
        return {"total": value["total_implementations"], **value}
    return value
