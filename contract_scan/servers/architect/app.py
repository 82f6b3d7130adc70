"""The Architect server: its tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from contract_scan.config import Config, find_configuration, read_configuration
from contract_scan.errors import UsageError
from contract_scan.listing import listing
from contract_scan.servers.architect.decomposition import decomposition_of
from contract_scan.servers.architect.grouping import checked_limits, checked_strategy
from contract_scan.servers.architect.names import key_of
from contract_scan.servers.architect.prd import read_prd
from contract_scan.servers.architect.records import ContractAtHand
from contract_scan.servers.architect.store import ProjectStore
from contract_scan.servers.tools import add_tools

INSTRUCTIONS = """\
Derives services, a domain model and contract stubs from a requirements document, by rules and
without a model: the same text gives the same answer. Everything names the line that it rests on.
`validation_issues` says what is wrong or missing in the document, `interview_questions` what a
person has to decide. A result with the key `error` says what to do differently.
"""


class Architect:
    """The tools. Public methods are offered under their own names."""

    def __init__(self, store: ProjectStore, root: Path) -> None:
        self._store = store
        self._root = root

    def decompose(
        self,
        prd_text: str,
        decomposition_strategy: str | None = None,
        max_services: int | None = None,
        min_entities_per_service: int | None = None,
    ) -> dict[str, Any]:
        """Derive services, a domain model and contract stubs from a requirements document.

        Args:
            prd_text: The document, in Markdown; its first heading names the project.
            decomposition_strategy: auto (the default), named (the services that the document
                names), aggregate (one for each entity with its parts) or endpoint_prefix (one for
                each first segment of paths).
            max_services: How many services there may be; by default 20. Services that the document
                names are never merged.
            min_entities_per_service: How many entities each should own; by default 1.

        Returns:
            {"service_map", "domain_model", "contract_stubs", "validation_issues",
            "interview_questions"}, or {"error": …}.
        """
        strategy = checked_strategy(decomposition_strategy)
        limits = checked_limits(max_services, min_entities_per_service)
        prd = read_prd(prd_text)
        contracts, problems = contracts_at_hand(self._root)
        answer = decomposition_of(prd, strategy, limits, contracts, problems)
        self._store.put(answer["service_map"]["project_name"], answer)
        return answer

    def get_service_map(self, project_name: str | None = None) -> dict[str, Any]:
        """Give the services of a project and how they depend on each other, or {"error": …}.

        Args:
            project_name: The project; without it the one that was decomposed last.
        """
        found: dict[str, Any] = self._store.get(project_name)["service_map"]
        return found

    def get_domain_model(self, project_name: str | None = None) -> dict[str, Any]:
        """Give the entities of a project, their fields and relations, or {"error": …}.

        Args:
            project_name: The project; without it the one that was decomposed last.
        """
        found: dict[str, Any] = self._store.get(project_name)["domain_model"]
        return found

    def get_contracts_for_service(self, service_name: str) -> list[dict[str, Any]]:
        """Give the contracts that a service provides or consumes, or [{"error": …}].

        Args:
            service_name: A service, in any spelling; of the project that was decomposed last among
                those that have it.

        Returns:
            [{"service_name", "role": "provider" or "consumer", "type", "version", "source", "path",
            "spec"}]: stubs have a spec, contract files below the root a path.
        """
        wanted = key_of(service_name)
        known: dict[str, None] = {}
        for answer in self._store.all():
            for service in answer["service_map"]["services"]:
                known[service["name"]] = None
                names = (service["name"], service["original_name"])
                if wanted and wanted in map(key_of, names):
                    return [*_contracts_of(answer, service)]
        shown = f"; known are {', '.join([*known][:20])}" if known else "; call decompose first"
        raise UsageError(f"there is no service {service_name!r:.80}{shown}")


def build_server(server_class: Callable[..., Any], architect: Architect) -> Any:
    """The server of the MCP SDK (either major) with everything in it, ready to `run("stdio")`."""
    server = server_class("architect", instructions=INSTRUCTIONS)
    add_tools(
        server,
        (
            architect.decompose,
            architect.get_service_map,
            architect.get_contracts_for_service,
            architect.get_domain_model,
        ),
    )
    return server


def contracts_at_hand(root: Path) -> tuple[tuple[ContractAtHand, ...], tuple[tuple[str, str], ...]]:
    """The contracts below a root, and those that cannot be read (path and reason)."""
    file = find_configuration(root)
    config = Config() if file is None else read_configuration(file)
    found = listing(root, config=config, cache=False)
    contracts: dict[str, ContractAtHand] = {}
    for part in found.parts:
        for document in part.documents:
            contracts.setdefault(
                document.path,
                ContractAtHand(
                    document.path,
                    document.kind,
                    document.title,
                    document.service or part.service,
                    tuple((one.method, one.path) for one in document.operations),
                    tuple(one.address for one in document.channels),
                ),
            )
    problems = tuple((one.path, one.reason) for one in found.problems if one.fatal)
    return tuple(contracts[path] for path in sorted(contracts)), problems


# Private helpers


def _contracts_of(answer: dict[str, Any], service: dict[str, Any]) -> Iterator[dict[str, Any]]:
    provided = [*_provided_contracts(answer, service)]
    yield from ({**one, "role": "provider"} for one in provided)
    needed = dict.fromkeys(one["service"] for one in service["depends_on"])
    for other in answer["service_map"]["services"]:
        if other["name"] in needed:
            yield from ({**one, "role": "consumer"} for one in _provided_contracts(answer, other))


def _provided_contracts(
    answer: dict[str, Any], service: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    for stub in answer["contract_stubs"]:
        if stub["service_name"] == service["name"]:
            yield {**stub, "source": "stub", "path": ""}
    for contract in service["contracts"]:
        yield {
            "service_name": service["name"],
            "type": contract["type"],
            "version": "",
            "source": "file",
            "path": contract["path"],
            "spec": None,
        }
