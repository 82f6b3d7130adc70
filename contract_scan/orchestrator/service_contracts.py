"""The contracts that a build has to keep: from the Contract Engine, or from a file when it is
not there.

The file, `CONTRACTS.json`, is a mapping of ids to records, which `contract-scan check --contract`
reads, too.
"""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from contract_scan.atomic import replace_file
from contract_scan.clients.mcp import (
    ContractEngineClient,
    ContractInfo,
    ContractValidation,
    ToolCallError,
)
from contract_scan.regular_file import read_regular

logger = logging.getLogger(__name__)

_VERSION: Final = "1.0"
"""Of the form of the file."""

_LARGEST: Final = 100_000_000
"""Bytes of a file of contracts."""

_SECRETS: Final = (("components", "securitySchemes"), ("securityDefinitions",))
"""Where OpenAPI 3 and AsyncAPI, and OpenAPI 2, describe how to authenticate."""

Source = Literal["mcp", "local", "none"]
"""Where contracts were loaded from."""


@dataclass(frozen=True)
class ServiceContract:
    """A contract between the service that provides something and one that uses it."""

    contract_id: str
    contract_type: str
    """`openapi`, `asyncapi` or `json_schema`."""
    provider_service: str
    consumer_service: str
    """Empty where the engine does not name one."""
    version: str
    spec_hash: str
    """Of the specification as the engine has it, with its security schemes."""
    spec: dict[str, Any] = field(default_factory=dict)
    implemented: bool = False
    evidence_path: str = ""

    def as_record(self) -> dict[str, Any]:
        """The record that the compliance scans take."""
        return {
            "id": self.contract_id,
            "type": self.contract_type,
            "version": self.version,
            "service_name": self.provider_service,
            "spec": self.spec,
        }


class ServiceContractRegistry:
    """The contracts at hand, by id."""

    def __init__(self, contracts: Iterable[ServiceContract] = ()) -> None:
        self._contracts = {contract.contract_id: contract for contract in contracts}

    @property
    def contracts(self) -> Mapping[str, ServiceContract]:
        """All contracts by their ids."""
        return self._contracts

    async def load_from_mcp(
        self, client: ContractEngineClient, cache: Path | None = None
    ) -> Source:
        """Take the contracts of a Contract Engine, or those of the cache when it fails.

        Says where they came from; with "none" the registry is as it was. What was marked here
        keeps its evidence.
        """
        try:
            listing = await client.list_contracts()
        except ToolCallError as error:
            logger.warning("Cannot load contracts from the Contract Engine: %s", error)
            return "local" if cache is not None and self.load_from_local(cache) else "none"
        self._contracts = {
            info.id: self._from_engine(info, info.id not in listing.unimplemented)
            for info in listing.contracts
        }
        return "mcp"

    def load_from_local(self, path: Path) -> bool:
        """Take the contracts of a file that `save_local_cache` wrote.

        Where it is not there or cannot be used, a warning says why, and the registry is as it was.
        """
        try:
            cache = msgspec.json.decode(read_regular(path, _LARGEST), type=_Cache)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            logger.warning("%s: cannot read the contracts: %s", path, error)
            return False
        self._contracts = {
            contract_id: ServiceContract(contract_id=contract_id, **msgspec.structs.asdict(entry))
            for contract_id, entry in cache.contracts.items()
        }
        return True

    def save_local_cache(self, path: Path) -> None:
        """Write the contracts into a file, whole or not at all, without what describes secrets.

        Makes the folder. Raises OSError.
        """
        contracts = {
            contract.contract_id: _cache_entry(contract) for contract in self._contracts.values()
        }
        text = json.dumps(
            {"version": _VERSION, "contracts": contracts}, indent=2, ensure_ascii=False
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, f"{text}\n".encode())

    async def validate_endpoint(
        self,
        client: ContractEngineClient,
        service_name: str,
        method: str,
        path: str,
        response_body: dict[str, Any],
        status_code: int = 200,
    ) -> ContractValidation:
        """Whether a response keeps the service's contract, as the Contract Engine judges."""
        return await client.validate_endpoint(
            service_name, method, path, response_body, status_code
        )

    async def mark_implemented(
        self,
        client: ContractEngineClient,
        contract_id: str,
        service_name: str,
        evidence_path: str = "",
    ) -> dict[str, Any]:
        """Mark a contract as implemented in the Contract Engine and, when it has, here."""
        result = await client.mark_implemented(contract_id, service_name, evidence_path)
        known = self._contracts.get(contract_id)
        if result["marked"] and known is not None:
            self._contracts[contract_id] = replace(
                known, implemented=True, evidence_path=evidence_path
            )
        return result

    def get_unimplemented(self, service_name: str | None = None) -> list[ServiceContract]:
        """The contracts that nothing implements yet, of one provider or of all."""
        return [
            contract
            for contract in self._contracts.values()
            if not contract.implemented and service_name in (None, contract.provider_service)
        ]

    def _from_engine(self, info: ContractInfo, implemented: bool) -> ServiceContract:
        known = self._contracts.get(info.id)
        return ServiceContract(
            contract_id=info.id,
            contract_type=info.type,
            provider_service=info.service_name,
            consumer_service=known.consumer_service if known else "",
            version=info.version,
            spec_hash=info.spec_hash,
            spec=info.spec,
            implemented=implemented,
            evidence_path=known.evidence_path if known and implemented else "",
        )


class _CacheEntry(msgspec.Struct, frozen=True):
    contract_type: str
    provider_service: str
    version: str
    spec: dict[str, Any]
    consumer_service: str = ""
    spec_hash: str = ""
    implemented: bool = False
    evidence_path: str = ""


class _Cache(msgspec.Struct, frozen=True):
    contracts: dict[str, _CacheEntry]


def _cache_entry(contract: ServiceContract) -> dict[str, Any]:
    entry = asdict(contract)
    del entry["contract_id"]
    return {**entry, "spec": _without_secrets(contract.spec)}


def _without_secrets(spec: dict[str, Any]) -> dict[str, Any]:
    stripped = copy.deepcopy(spec)
    for *way, last in _SECRETS:
        holder: Any = stripped
        for name in way:
            holder = holder.get(name) if isinstance(holder, dict) else None
        if isinstance(holder, dict):
            holder.pop(last, None)
    return stripped
