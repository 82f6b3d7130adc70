"""What the tools, resources and the prompt of the Contract Engine server do.

Each tool is a thin door: the registry (`store`) remembers contracts, the engine (`api`) judges
them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from contract_scan import api
from contract_scan.compliance import ScanScope
from contract_scan.config import Config, find_configuration, read_configuration
from contract_scan.errors import UsageError
from contract_scan.explanation import explanation_of, render
from contract_scan.ir.violation import RULE_IDS
from contract_scan.reports import json as json_report
from contract_scan.reports.report import Setting
from contract_scan.servers.contract_engine.store import (
    CONTRACT_TYPES,
    ContractStore,
    RegistryError,
    StoredContract,
)
from contract_scan.servers.path_below import path_below
from contract_scan.servers.tools import client_name

MOST_FINDINGS = 200
"""Findings that one call of `scan` gives."""
VALIDATION_SECONDS = 20.0
"""How long the values of one call may take to be validated: contracts may hold regular expressions
that never come to an end."""
_FRAMEWORKS = ("pytest", "jest")
_SEVERITIES = {"breaking": "error", "dangerous": "warning", "safe": "info"}
"""Levels of changes -> severities, as clients of such servers know them."""


class ContractEngine:
    """The tools. Public methods are offered under their own names."""

    def __init__(
        self,
        open_store: Callable[[], ContractStore],
        root: Path,
        *,
        validation_seconds: float = VALIDATION_SECONDS,
    ) -> None:
        self._open_store = open_store
        self._validation_seconds = validation_seconds
        self._root = Path(os.path.realpath(root))
        self._opened: ContractStore | None = None
        self._opening = Lock()

    @property
    def _store(self) -> ContractStore:
        """The registry. Opened with the first call that needs it, so that a database that is locked
        for a while does not keep the server from starting."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open_store()
            return self._opened

    # The registry

    def create_contract(
        self,
        service_name: str,
        type: str,
        version: str,
        spec: dict[str, Any],
        build_cycle_id: str | None = None,
        name: str = "",
        status: str = "active",
    ) -> dict[str, Any]:
        """Register a version of a contract.

        Args:
            service_name: The service that provides what the contract describes.
            type: openapi, asyncapi or json_schema.
            version: Three numbers, such as 1.0.0. The same version with the same specification is
                found again; with another specification it is refused.
            spec: The whole specification; its references must not lead to files.
            build_cycle_id: Any text by which a build finds its contracts.
            name: Tells several contracts of one type apart that one service has.
            status: active, draft or deprecated. A new active version makes older ones deprecated.

        Returns:
            The contract with its id and spec_hash, or {"error": …}.
        """
        if type in CONTRACT_TYPES:
            check = api.check_specification(spec, type)
            if check.errors:
                raise RegistryError(f"the specification is not valid: {_join_errors(check.errors)}")
        stored = self._store.create(
            service_name=service_name,
            type=type,
            version=version,
            spec=spec,
            name=name,
            status=status,
            build_cycle_id=build_cycle_id,
            actor=client_name(),
        )
        return _record(stored)

    def list_contracts(
        self,
        page: int = 1,
        page_size: int = 20,
        service_name: str | None = None,
        contract_type: str | None = None,
        status: str | None = None,
    ) -> dict[str, Any]:
        """List registered contracts, without their specifications.

        Args:
            page: From 1.
            page_size: At most 100.
            service_name: Only those of this service.
            contract_type: Only openapi, asyncapi or json_schema.
            status: Only active, deprecated or draft.

        Returns:
            {"items": […], "total", "page", "page_size"}, or {"error": …}.
        """
        found = self._store.list(
            page=page,
            page_size=page_size,
            service_name=service_name,
            contract_type=contract_type,
            status=status,
        )
        return {
            "items": [_record(item) for item in found.items],
            "total": found.total,
            "page": found.page,
            "page_size": found.page_size,
        }

    def get_contract(self, contract_id: str) -> dict[str, Any]:
        """Give one version of a contract with its specification, or {"error": …}.

        Args:
            contract_id: Its id.
        """
        return _record(self._store.get(contract_id))

    def get_history(self, contract_id: str) -> dict[str, Any]:
        """Say which versions a contract has, and who did what to this one, or {"error": …}.

        Args:
            contract_id: The id of one version.
        """
        versions = self._store.versions(contract_id)
        return {
            "versions": [
                {"id": one.id, "version": one.version, "status": one.status} for one in versions
            ],
            "audit": [msgspec.to_builtins(entry) for entry in self._store.history(contract_id)],
        }

    def mark_implemented(
        self, contract_id: str, service_name: str, evidence_path: str
    ) -> dict[str, Any]:
        """Say that a service implements a contract.

        Args:
            contract_id: The contract.
            service_name: The service: the provider itself, or one that consumes the contract.
            evidence_path: A file that shows it, below the folder the server was started in.

        Returns:
            {"marked", "total", "total_implementations", "all_implemented", "evidence_exists"}:
            how many services implement this version, and whether its provider has implemented all
            of its active contracts; or {"error": …}.
        """
        evidence = self._path_inside(evidence_path)
        shown = evidence.relative_to(self._root).as_posix()
        marked = self._store.mark_implemented(contract_id, service_name, shown, actor=client_name())
        return {
            "marked": True,
            "total": marked.total_implementations,
            "total_implementations": marked.total_implementations,
            "all_implemented": marked.all_implemented,
            "evidence_exists": evidence.exists(),
        }

    def get_unimplemented_contracts(self, service_name: str | None = None) -> list[dict[str, Any]]:
        """List active contracts that their provider has not been marked to implement.

        Args:
            service_name: Only those of this service.

        Returns:
            A list of {"id", "type", "version", "expected_service", "status"}, or [{"error": …}].
        """
        return [
            {
                "id": one.id,
                "type": one.type,
                "version": one.version,
                "expected_service": one.service_name,
                "status": one.status,
            }
            for one in self._store.unimplemented_contracts(service_name)
        ]

    # Contracts by themselves

    def validate_spec(self, spec: dict[str, Any], type: str) -> dict[str, Any]:
        """Say whether a specification is valid, without registering it.

        Args:
            spec: The specification.
            type: openapi, asyncapi or json_schema.

        Returns:
            {"valid", "errors", "warnings"}, or {"error": …} for an unknown type.
        """
        if type not in CONTRACT_TYPES:
            raise RegistryError(f"type must be one of {', '.join(CONTRACT_TYPES)}, not {type!r}")
        check = api.check_specification(spec, type)
        return {
            "valid": not check.errors,
            "errors": list(check.errors),
            "warnings": list(check.warnings),
        }

    def check_breaking_changes(
        self, contract_id: str, new_spec: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Say what of a contract breaks its users: changes that break them, or may.

        Args:
            contract_id: What users rely on.
            new_spec: The specification that is to replace it. Without one, every version of the
                contract is compared with the one before it.

        Returns:
            A list of {"change_type", "path", "old_value", "new_value", "severity", "is_breaking",
            "affected_consumers", "message"}, the worst first in each version; a place that could
            not be compared has the change_type "undetermined". Or [{"error": …}].
        """
        contract = self._store.get(contract_id)
        owner = contract.service_name
        users = [one for one in self._store.implementers(contract_id) if one != owner]
        if new_spec is not None:
            return _changes(_spec(contract), new_spec, users)
        versions = [_spec(one) for one in self._store.versions(contract_id)]
        return [
            change
            for before, after in pairwise(versions)
            for change in _changes(before, after, users)
        ]

    def generate_tests(
        self, contract_id: str, framework: str = "pytest", include_negative: bool = False
    ) -> str:
        """Write tests of a running server from a contract of type openapi.

        Args:
            contract_id: The contract.
            framework: pytest (with httpx and jsonschema) or jest (with ajv and ajv-formats).
            include_negative: Also send what the contract forbids, and expect it to be refused.

        Returns:
            The text of the test file, or {"error": …} as JSON.
        """
        if framework not in _FRAMEWORKS:
            known = ", ".join(_FRAMEWORKS)
            raise RegistryError(f"framework must be one of {known}, not {framework!r}")
        contract = self._store.get(contract_id)
        if contract.type != "openapi":
            raise RegistryError(f"tests are generated from openapi, not from {contract.type}")
        return api.generate_tests(
            _spec(contract),
            "pytest" if framework == "pytest" else "jest",
            include_negative=include_negative,
        )

    # What really happens

    def check_compliance(
        self, contract_id: str, response_data: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        """Say whether values that were really sent conform to a contract.

        Args:
            contract_id: The contract.
            response_data: For openapi from "METHOD /path" (or "METHOD /path 201") to the response
                body; without a status the success of the contract is meant. For asyncapi from names
                of messages to payloads. For json_schema from names of definitions to values, the
                empty name for the whole schema.

        Returns:
            For each entry {"endpoint_path", "method", "compliant", "violations"}, or
            [{"error": …}].
        """
        contract = self._store.get(contract_id)
        given = response_data or {}
        if contract.type == "openapi":
            return [self._compliance(contract, key, body) for key, body in given.items()]
        found = api.value_deviations(
            _spec(contract), contract.type, given, seconds=self._validation_seconds
        )
        return [
            {
                "endpoint_path": name,
                "method": "",
                "compliant": not deviations,
                "violations": _violations(deviations),
            }
            for name, deviations in found.items()
        ]

    def validate_endpoint(
        self,
        service_name: str,
        method: str,
        path: str,
        response_body: Any,
        status_code: int = 200,
    ) -> dict[str, Any]:
        """Say whether a response that came is what the active OpenAPI contract of a service says.

        Args:
            service_name: The service that answered.
            method: GET, POST, …
            path: The path as it was requested (or the template of the contract).
            response_body: The JSON of the body.
            status_code: The status that came.

        Returns:
            {"valid", "violations": [{"field", "expected", "actual", "severity"}]}, or
            {"error": …} where the service has no active OpenAPI contract.
        """
        contracts = self._store.active(service_name, "openapi")
        if not contracts:
            raise RegistryError(
                f"the service {service_name!r} has no active contract of type openapi; "
                "register one with create_contract"
            )
        best: tuple[Any, ...] | None = None
        for contract in contracts:
            found = api.response_deviations(
                _spec(contract),
                method,
                path,
                response_body,
                status_code,
                seconds=self._validation_seconds,
            )
            if not any(one.keyword in ("path", "method") for one in found):
                best = found
                break
            if best is None or any(one.keyword == "method" for one in found):
                best = found
        return {"valid": not best, "violations": _violations(best or ())}

    def _compliance(self, contract: StoredContract, key: str, body: object) -> dict[str, Any]:
        words = key.split()
        method, path = (words[0], words[1]) if len(words) in (2, 3) else ("", key)
        stated = words[2] if len(words) == 3 else ""
        if not method or (stated and not stated.isdigit()):
            raise RegistryError(f'{key!r} must be "METHOD /path" or "METHOD /path STATUS"')
        status = int(stated) if stated else None
        seconds = self._validation_seconds
        found = api.response_deviations(
            _spec(contract), method, path, body, status, seconds=seconds
        )
        return {
            "endpoint_path": path,
            "method": method.upper(),
            "compliant": not found,
            "violations": _violations(found),
        }

    # Source code

    def scan(
        self,
        path: str = ".",
        contracts: list[str] | None = None,
        contract_ids: list[str] | None = None,
        changed_files: list[str] | None = None,
        rules: list[str] | None = None,
    ) -> dict[str, Any]:
        """Say which promises of contracts source code breaks: does an edit break one?

        Args:
            path: The folder to scan, below the folder the server was started in.
            contracts: Contract files or folders; without any, those configured or found.
            contract_ids: Registered contracts to compare with, too.
            changed_files: Only report what concerns these files, or files below these folders.
            rules: Only these rules (CONTRACT-001 …).

        Returns:
            {"findings", "undetermined", "not_analysed", "summary", "truncated"}; a finding has the
            place in code (path, line, column), the place in the contract, what is expected and what
            was found; or {"error": …}.
        """
        root = self._folder(path)
        files = [self._path_inside(one) for one in contracts or ()]
        records = [_record(self._store.get(one)) for one in contract_ids or ()]
        changed = [self._path_inside(one) for one in changed_files or ()]
        report = api.scan(
            root,
            contracts=[*files, *records],
            select=_rules(rules),
            scope=ScanScope("changed_only", changed) if changed else None,
            config=_configuration(root),
            allow_empty=bool(files or records),
        )
        findings = [json_report.finding_object(item) for item in report.findings]
        undetermined = [json_report.undetermined_object(item) for item in report.undetermined]
        return {
            "summary": json_report.summary(report),
            "findings": findings[:MOST_FINDINGS],
            "undetermined": undetermined[:MOST_FINDINGS],
            "not_analysed": [json_report.not_analysed(item) for item in report.not_analysed],
            "truncated": len(findings) > MOST_FINDINGS or len(undetermined) > MOST_FINDINGS,
        }

    def explain(
        self,
        what: str,
        path: str = ".",
        contracts: list[str] | None = None,
        contract_ids: list[str] | None = None,
    ) -> str:
        """Say how a finding came about, or why something is missing or undetermined, step by step.

        Args:
            what: A fingerprint, a place ("src/app.py:12"), an operation ("GET /orders/{id}"), or
                the name of a channel or model.
            path: The folder that was scanned.
            contracts: As for scan.
            contract_ids: As for scan.

        Returns:
            Text, or {"error": …} as JSON.
        """
        root = self._folder(path)
        files = [self._path_inside(one) for one in contracts or ()]
        records = [_record(self._store.get(one)) for one in contract_ids or ()]
        found = explanation_of(
            what,
            root,
            contracts=[*files, *records],
            select=RULE_IDS,
            config=_configuration(root),
        )
        setting = Setting(root=root, prefix="", repository=None, version="", rules=(), color=False)
        return "".join(render(found, setting))

    def _folder(self, path: str) -> Path:
        folder = self._path_inside(path)
        if not folder.is_dir():
            raise UsageError("is not a folder", path)
        return folder

    def _path_inside(self, path: str) -> Path:
        """A path below the start folder. Raises UsageError for any other."""
        return path_below(self._root, path)

    # Resources and the prompt

    def contract_text(self, contract_id: str) -> str:
        """The record of a contract as JSON."""
        return json.dumps(_record(self._store.get(contract_id)), indent=2)

    def rule_text(self, rule_id: str) -> str:
        """The page of a rule."""
        pages = api.rule_pages()
        if rule_id not in pages:
            raise UsageError(f"there is no rule {rule_id!r}; known are {', '.join(pages)}")
        return pages[rule_id]

    def fix_request(self, finding: str, path: str = ".") -> str:
        """What an agent is asked in order to fix a finding."""
        return (
            "A contract between services is broken in this code. Fix the code so that it keeps the "
            "contract; change the contract only if its owner says so.\n\n"
            f"{self.explain(finding, path)}\n"
            "Make the smallest edit that does it, then call the tool `scan` with the files you "
            "edited as `changed_files` and go on until nothing of this is left."
        )


def _record(contract: StoredContract) -> dict[str, Any]:
    record: dict[str, Any] = msgspec.to_builtins(contract)
    if contract.spec is None:
        del record["spec"]
    return record


def _spec(contract: StoredContract) -> Mapping[str, object]:
    assert contract.spec is not None
    return contract.spec


def _changes(
    before: Mapping[str, object], after: Mapping[str, object], users: list[str]
) -> list[dict[str, Any]]:
    found = api.compare_contracts(before, after)
    changes = [
        {
            "change_type": change.id,
            "path": change.subjects[0].place if change.subjects else change.base.pointer,
            "old_value": change.before,
            "new_value": change.after,
            "severity": _SEVERITIES[change.level],
            "is_breaking": change.level == "breaking",
            "affected_consumers": users,
            "message": change.message,
        }
        for change in found.at_least("dangerous")
    ]
    changes += [
        {
            "change_type": "undetermined",
            "path": one.subject.place,
            "old_value": "",
            "new_value": "",
            "severity": "info",
            "is_breaking": False,
            "affected_consumers": users,
            "message": one.reason,
        }
        for one in found.undetermined
    ]
    return changes


def _violations(deviations: Any) -> list[dict[str, str]]:
    return [
        {
            "field": one.path,
            "expected": one.expected,
            "actual": one.actual,
            "severity": "error",
        }
        for one in deviations
    ]


def _rules(rules: list[str] | None) -> frozenset[str]:
    wanted = frozenset(rules or RULE_IDS)
    unknown = sorted(wanted - RULE_IDS)
    if unknown:
        known = ", ".join(sorted(RULE_IDS))
        raise UsageError(f"there is no rule {unknown[0]!r}; known are {known}")
    return wanted


def _configuration(root: Path) -> Config:
    file = find_configuration(root)
    return Config() if file is None else read_configuration(file)


def _join_errors(errors: tuple[str, ...]) -> str:
    shown = "; ".join(errors[:5])
    return shown if len(errors) <= 5 else f"{shown}; and {len(errors) - 5} more"
