"""The registry: contracts in versions, who implements them, and who did what."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from contract_scan.errors import ContractScanError
from contract_scan.servers.contract_engine.database import Database, Row, Transaction, Value

ContractType: TypeAlias = Literal["openapi", "asyncapi", "json_schema"]
CONTRACT_TYPES: tuple[str, ...] = get_args(ContractType)
STATUSES = ("active", "deprecated", "draft")
LARGEST_PAGE = 100

_VERSION = re.compile(r"(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})")
_LONGEST_NAME = 200
_SUMMARY = "id, service_name, type, name, version, status, spec_hash, build_cycle_id, created_at, updated_at"  # noqa: E501


class RegistryError(ContractScanError):
    """What was asked of the registry cannot be done; the message says why."""


class StoredContract(Struct, frozen=True, kw_only=True):
    """One version of a contract."""

    id: str
    service_name: str
    type: str
    name: str
    version: str
    status: str
    spec_hash: str
    """SHA-256 of the specification as `json.dumps(spec, sort_keys=True)`, in hex."""
    build_cycle_id: str | None
    created_at: str
    updated_at: str
    spec: dict[str, object] | None = None
    """None in lists."""


class Page(Struct, frozen=True, kw_only=True):
    """Some of the contracts that were asked for."""

    items: tuple[StoredContract, ...]
    total: int
    page: int
    page_size: int


class MarkResult(Struct, frozen=True, kw_only=True):
    """What became of marking a contract as implemented."""

    total_implementations: int
    """Services that implement this version."""
    all_implemented: bool
    """Whether the provider of the contract has no active contract left to implement."""


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One thing that was done to a contract."""

    at: str
    actor: str
    action: str
    detail: dict[str, object]


class ContractStore:
    """The registry in a database. Every method raises `RegistryError` or `DatabaseError`."""

    def __init__(
        self, database: Database, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database = database
        self._now = now

    def create(
        self,
        *,
        service_name: str,
        type: str,
        version: str,
        spec: Mapping[str, object],
        name: str = "",
        status: str = "active",
        build_cycle_id: str | None = None,
        actor: str = "",
    ) -> StoredContract:
        """Add a version of a contract. The same specification under the same version is found, not
        added; another specification under it is refused. An active version makes the older active
        ones of the same contract deprecated."""
        service_name = _name(service_name, "service_name")
        name = _name(name, "name") if name else ""
        _require_one_of(type, CONTRACT_TYPES, "type")
        _require_one_of(status, STATUSES, "status")
        order = _version_order(version)
        text = json.dumps(spec)
        digest = hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()
        line = {"service_name": service_name, "type": type, "name": name}
        with self._database.transaction(write=True) as writing:
            known = writing.execute(
                "SELECT * FROM contracts WHERE service_name = :service_name AND type = :type "
                "AND name = :name AND version = :version",
                {**line, "version": version},
            )
            if known:
                if known[0]["spec_hash"] != digest:
                    raise RegistryError(
                        f"version {version} of the {type} contract of {service_name} is registered "
                        "with another specification; give the new one a version of its own"
                    )
                return _contract(known[0])
            identifier, at = str(uuid.uuid4()), self._time()
            newer = writing.execute(
                "SELECT version FROM contracts WHERE service_name = :service_name AND type = :type "
                "AND name = :name AND status = 'active' AND version_order > :version_order",
                {**line, "version_order": order},
            )
            if newer and status == "active":
                status = "deprecated"
            writing.execute(
                "INSERT INTO contracts (id, service_name, type, name, version, version_order, "
                "status, spec, spec_hash, build_cycle_id, created_at, updated_at) VALUES (:id, "
                ":service_name, :type, :name, :version, :version_order, :status, :spec, "
                ":spec_hash, :build_cycle_id, :at, :at)",
                {
                    **line,
                    "id": identifier,
                    "version": version,
                    "version_order": order,
                    "status": status,
                    "spec": text,
                    "spec_hash": digest,
                    "build_cycle_id": build_cycle_id,
                    "at": at,
                },
            )
            detail = {"version": version, "status": status}
            self._record(writing, actor, "created", identifier, detail)
            if status == "active":
                self._deprecate_older(writing, line, order, actor, version)
            rows = writing.execute("SELECT * FROM contracts WHERE id = :id", {"id": identifier})
        return _contract(rows[0])

    def _deprecate_older(
        self,
        writing: Transaction,
        line: Mapping[str, Value],
        order: str,
        actor: str,
        version: str,
    ) -> None:
        older = writing.execute(
            "SELECT id FROM contracts WHERE service_name = :service_name AND type = :type "
            "AND name = :name AND status = 'active' AND version_order < :version_order",
            {**line, "version_order": order},
        )
        for row in older:
            writing.execute(
                "UPDATE contracts SET status = 'deprecated', updated_at = :at WHERE id = :id",
                {"id": row["id"], "at": self._time()},
            )
            self._record(writing, actor, "deprecated", row["id"], {"superseded_by": version})

    def get(self, contract_id: str) -> StoredContract:
        """One version of a contract, with its specification."""
        with self._database.transaction() as reading:
            return _contract(_row(reading, contract_id))

    def list(
        self,
        *,
        page: int = 1,
        page_size: int = 20,
        service_name: str | None = None,
        contract_type: str | None = None,
        status: str | None = None,
    ) -> Page:
        """Contracts by service, type, name and version, the newest version first."""
        if page < 1 or page > 1_000_000:
            raise RegistryError(f"page must be from 1 to 1000000, not {page}")
        if not 1 <= page_size <= LARGEST_PAGE:
            raise RegistryError(f"page_size must be from 1 to {LARGEST_PAGE}, not {page_size}")
        wanted: dict[str, Value] = {}
        if service_name is not None:
            wanted["service_name"] = _name(service_name, "service_name")
        if contract_type is not None:
            wanted["type"] = _require_one_of(contract_type, CONTRACT_TYPES, "contract_type")
        if status is not None:
            wanted["status"] = _require_one_of(status, STATUSES, "status")
        where = " AND ".join(f"{column} = :{column}" for column in wanted) or "1 = 1"
        with self._database.transaction() as reading:
            count = reading.execute(f"SELECT count(*) AS n FROM contracts WHERE {where}", wanted)
            rows = reading.execute(
                f"SELECT {_SUMMARY} FROM contracts WHERE {where} "
                "ORDER BY service_name, type, name, version_order DESC "
                "LIMIT :page_size OFFSET :skipped",
                {**wanted, "page_size": page_size, "skipped": (page - 1) * page_size},
            )
        items = tuple(map(_contract, rows))
        return Page(items=items, total=int(count[0]["n"]), page=page, page_size=page_size)

    def active(self, service_name: str, contract_type: str) -> tuple[StoredContract, ...]:
        """The active contracts of a service, whole, the newest version first."""
        service_name = _name(service_name, "service_name")
        with self._database.transaction() as reading:
            rows = reading.execute(
                "SELECT * FROM contracts WHERE service_name = :service_name AND type = :type "
                "AND status = 'active' ORDER BY name, version_order DESC",
                {"service_name": service_name, "type": contract_type},
            )
        return tuple(map(_contract, rows))

    def versions(self, contract_id: str) -> tuple[StoredContract, ...]:
        """All versions of the contract that `contract_id` is one of, whole, the oldest first."""
        with self._database.transaction() as reading:
            row = _row(reading, contract_id)
            rows = reading.execute(
                "SELECT * FROM contracts WHERE service_name = :service_name AND type = :type "
                "AND name = :name ORDER BY version_order",
                {word: row[word] for word in ("service_name", "type", "name")},
            )
        return tuple(map(_contract, rows))

    def mark_implemented(
        self, contract_id: str, service_name: str, evidence_path: str, *, actor: str = ""
    ) -> MarkResult:
        """Say that a service implements a contract, and where that shows. Saying it again replaces
        the evidence."""
        service_name = _name(service_name, "service_name")
        with self._database.transaction(write=True) as writing:
            row = _row(writing, contract_id)
            given = {
                "contract_id": contract_id,
                "service_name": service_name,
                "evidence_path": evidence_path,
                "at": self._time(),
                "actor": actor,
            }
            writing.execute(
                "INSERT INTO implementations (contract_id, service_name, evidence_path, marked_at, "
                "marked_by) VALUES (:contract_id, :service_name, :evidence_path, :at, :actor) "
                "ON CONFLICT (contract_id, service_name) DO UPDATE SET "
                "evidence_path = :evidence_path, marked_at = :at, marked_by = :actor",
                given,
            )
            detail = {"service_name": service_name, "evidence_path": evidence_path}
            self._record(writing, actor, "implemented", contract_id, detail)
            total = writing.execute(
                "SELECT count(*) AS n FROM implementations WHERE contract_id = :contract_id",
                {"contract_id": contract_id},
            )
            left = _unimplemented_rows(writing, row["service_name"])
        return MarkResult(total_implementations=int(total[0]["n"]), all_implemented=not left)

    def unimplemented_contracts(
        self, service_name: str | None = None
    ) -> tuple[StoredContract, ...]:
        """Active contracts that their own service has not been marked to implement."""
        if service_name is not None:
            service_name = _name(service_name, "service_name")
        with self._database.transaction() as reading:
            return tuple(map(_contract, _unimplemented_rows(reading, service_name)))

    def implementers(self, contract_id: str) -> tuple[str, ...]:
        """Services that were marked to implement a contract, in any of its versions."""
        with self._database.transaction() as reading:
            row = _row(reading, contract_id)
            rows = reading.execute(
                "SELECT DISTINCT i.service_name AS service_name FROM implementations i "
                "JOIN contracts c ON c.id = i.contract_id WHERE c.service_name = :service_name "
                "AND c.type = :type AND c.name = :name ORDER BY 1",
                {word: row[word] for word in ("service_name", "type", "name")},
            )
        return tuple(found["service_name"] for found in rows)

    def history(self, contract_id: str) -> tuple[AuditEntry, ...]:
        """Everything that was done to one version of a contract, the oldest first."""
        with self._database.transaction() as reading:
            _row(reading, contract_id)
            rows = reading.execute(
                "SELECT at, actor, action, detail FROM audit WHERE contract_id = :id ORDER BY id",
                {"id": contract_id},
            )
        return tuple(
            AuditEntry(
                at=row["at"],
                actor=row["actor"],
                action=row["action"],
                detail=json.loads(row["detail"]),
            )
            for row in rows
        )

    def close(self) -> None:
        """Give the database back."""
        self._database.close()

    def _record(
        self,
        writing: Transaction,
        actor: str,
        action: str,
        contract_id: str,
        detail: Mapping[str, object],
    ) -> None:
        writing.execute(
            "INSERT INTO audit (at, actor, action, contract_id, detail) "
            "VALUES (:at, :actor, :action, :contract_id, :detail)",
            {
                "at": self._time(),
                "actor": actor,
                "action": action,
                "contract_id": contract_id,
                "detail": json.dumps(detail, sort_keys=True),
            },
        )

    def _time(self) -> str:
        return self._now().isoformat(timespec="milliseconds")


# Private helpers


def _unimplemented_rows(reading: Transaction, service_name: str | None) -> Sequence[Row]:
    only = "" if service_name is None else "AND c.service_name = :service_name "
    return reading.execute(
        "SELECT c.id, c.service_name, c.type, c.name, c.version, c.status, c.spec_hash, "
        "c.build_cycle_id, c.created_at, c.updated_at FROM contracts c "
        f"WHERE c.status = 'active' {only}AND NOT EXISTS (SELECT 1 FROM implementations i "
        "WHERE i.contract_id = c.id AND i.service_name = c.service_name) "
        "ORDER BY c.service_name, c.type, c.name, c.version_order",
        {} if service_name is None else {"service_name": service_name},
    )


def _row(reading: Transaction, contract_id: str) -> Row:
    known = contract_id.isprintable()  # PostgreSQL takes no NUL
    given = {"id": contract_id}
    rows = reading.execute("SELECT * FROM contracts WHERE id = :id", given) if known else ()
    if not rows:
        raise RegistryError(f"there is no contract with the id {_quote(contract_id)}")
    return rows[0]


def _contract(row: Row) -> StoredContract:
    given = {name: value for name, value in row.items() if name not in ("spec", "version_order")}
    spec = json.loads(row["spec"]) if "spec" in row else None
    return StoredContract(**given, spec=spec)


def _version_order(version: str) -> str:
    found = _VERSION.fullmatch(version)
    if found is None:
        raise RegistryError(f"version must be three numbers such as 1.0.0, not {_quote(version)}")
    return ".".join(part.zfill(9) for part in found.groups())


def _name(text: str, word: str) -> str:
    text = text.strip()
    if not text or len(text) > _LONGEST_NAME or not text.isprintable():
        raise RegistryError(f"{word} must be 1 to {_LONGEST_NAME} printable characters")
    return text


def _require_one_of(value: str, allowed: Sequence[str], word: str) -> str:
    if value not in allowed:
        raise RegistryError(f"{word} must be one of {', '.join(allowed)}, not {_quote(value)}")
    return value


def _quote(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")
