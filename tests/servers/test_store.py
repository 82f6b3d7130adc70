"""The registry on both databases: versions, implementations, audit, concurrent processes."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from contract_scan.errors import UsageError
from contract_scan.servers.contract_engine.database import (
    DatabaseError,
    DatabaseLockedError,
    SqliteDatabase,
    open_database,
)
from contract_scan.servers.contract_engine.store import (
    AuditEntry,
    ContractStore,
    MarkResult,
    RegistryError,
)
from tests.servers.postgres import Postgres

ROOT = Path(__file__).parents[2]
SPEC: dict[str, object] = {"openapi": "3.1.0", "info": {"title": "Ä", "version": "1"}, "paths": {}}


class Clock:
    """One second later each time."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


@pytest.fixture
def store(database_url: str, tmp_path: Path) -> Iterator[ContractStore]:
    database = open_database(path=tmp_path / "contracts.db", url=database_url)
    store = ContractStore(database, Clock())
    yield store
    store.close()


def create(store: ContractStore, version: str = "1.0.0", **given: object) -> str:
    wanted: dict[str, object] = {
        "service_name": "orders",
        "type": "openapi",
        "version": version,
        "spec": {**SPEC, "x-version": version},
        "actor": "ann",
        **given,
    }
    return store.create(**wanted).id  # type: ignore[arg-type]


def test_a_contract_is_given_back_as_it_was_registered(store: ContractStore) -> None:
    spec = {"b": 1, "a": {"text": "ä \u0000 \ud83d", "list": [1.5, None, True]}}
    identifier = create(store, spec=spec, build_cycle_id="b-1")
    contract = store.get(identifier)
    assert contract.spec == spec
    assert list(contract.spec or ()) == ["b", "a"]
    canonical = json.dumps(spec, sort_keys=True).encode()
    assert contract.spec_hash == hashlib.sha256(canonical).hexdigest()
    assert (contract.service_name, contract.type, contract.version) == (
        "orders",
        "openapi",
        "1.0.0",
    )
    assert (contract.status, contract.build_cycle_id) == ("active", "b-1")
    assert contract.created_at == contract.updated_at == "2026-01-01T00:00:01.000+00:00"


def test_the_same_version_is_found_again_and_never_overwritten(store: ContractStore) -> None:
    identifier = create(store)
    assert create(store) == identifier
    with pytest.raises(RegistryError) as refused:
        create(store, spec={"openapi": "3.1.0"})
    assert str(refused.value) == (
        "version 1.0.0 of the openapi contract of orders is registered with another "
        "specification; give the new one a version of its own"
    )
    assert store.get(identifier).spec == {**SPEC, "x-version": "1.0.0"}
    assert [entry.action for entry in store.history(identifier)] == ["created"]


def test_versions_count_as_numbers_and_the_newest_is_active(store: ContractStore) -> None:
    nine, ten = create(store, "1.9.0"), create(store, "1.10.0")
    late, draft = create(store, "1.2.0"), create(store, "2.0.0", status="draft")
    versions = [(one.id, one.version, one.status) for one in store.versions(nine)]
    assert versions == [
        (late, "1.2.0", "deprecated"),
        (nine, "1.9.0", "deprecated"),
        (ten, "1.10.0", "active"),
        (draft, "2.0.0", "draft"),
    ]
    assert [one.id for one in store.active("orders", "openapi")] == [ten]
    assert store.history(nine) == (
        AuditEntry(
            at="2026-01-01T00:00:02.000+00:00",
            actor="ann",
            action="created",
            detail={"status": "active", "version": "1.9.0"},
        ),
        AuditEntry(
            at="2026-01-01T00:00:06.000+00:00",
            actor="ann",
            action="deprecated",
            detail={"superseded_by": "1.10.0"},
        ),
    )


def test_contracts_of_one_service_are_told_apart_by_name(store: ContractStore) -> None:
    public, admin = create(store), create(store, name="admin", spec={"openapi": "3.1.0"})
    assert {one.id for one in store.active("orders", "openapi")} == {public, admin}


def test_lists_have_pages_and_filters(store: ContractStore) -> None:
    for number in range(5):
        create(store, service_name=f"s{number}")
    create(store, service_name="s0", type="asyncapi", status="draft")
    page = store.list(page=2, page_size=4)
    assert [(one.service_name, one.type) for one in page.items] == [
        ("s3", "openapi"),
        ("s4", "openapi"),
    ]
    assert (page.total, page.page, page.page_size) == (6, 2, 4)
    assert all(one.spec is None for one in page.items)
    assert store.list(service_name="s0", status="draft").total == 1
    assert store.list(contract_type="asyncapi").total == 1
    assert store.list(service_name="nobody").items == ()


def test_marking_is_counted_replaced_and_recorded(store: ContractStore) -> None:
    api, events = create(store), create(store, type="asyncapi")
    assert [one.id for one in store.unimplemented_contracts()] == [events, api]
    first = store.mark_implemented(api, "shop", "shop/client.py", actor="bob")
    assert first == MarkResult(total_implementations=1, all_implemented=False)
    assert [one.id for one in store.unimplemented_contracts("orders")] == [events, api]
    second = store.mark_implemented(api, "orders", "a.py", actor="cid")
    assert second == MarkResult(total_implementations=2, all_implemented=False)
    again = store.mark_implemented(api, "orders", "b.py", actor="cid")
    assert again == MarkResult(total_implementations=2, all_implemented=False)
    last = store.mark_implemented(events, "orders", "c.py")
    assert last == MarkResult(total_implementations=1, all_implemented=True)
    assert store.unimplemented_contracts() == ()
    assert store.implementers(api) == ("orders", "shop")
    assert [(one.actor, one.detail) for one in store.history(api)[1:]] == [
        ("bob", {"service_name": "shop", "evidence_path": "shop/client.py"}),
        ("cid", {"service_name": "orders", "evidence_path": "a.py"}),
        ("cid", {"service_name": "orders", "evidence_path": "b.py"}),
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"version": "1.0"}, "version must be three numbers such as 1.0.0, not '1.0'"),
        ({"version": "01.0.0"}, "version must be three numbers such as 1.0.0, not '01.0.0'"),
        ({"type": "soap"}, "type must be one of openapi, asyncapi, json_schema, not 'soap'"),
        ({"status": "old"}, "status must be one of active, deprecated, draft, not 'old'"),
        ({"service_name": " "}, "service_name must be 1 to 200 printable characters"),
        ({"service_name": "a\0b"}, "service_name must be 1 to 200 printable characters"),
        ({"name": "x" * 201}, "name must be 1 to 200 printable characters"),
    ],
)
def test_what_cannot_be_registered(
    store: ContractStore, given: dict[str, object], message: str
) -> None:
    with pytest.raises(RegistryError) as refused:
        create(store, **given)  # type: ignore[arg-type]
    assert str(refused.value) == message
    assert store.list().total == 0


@pytest.mark.parametrize("identifier", ["nothing", "a\0b", "' OR 1=1 --", ""])
def test_unknown_ids(store: ContractStore, identifier: str) -> None:
    create(store)
    for ask in (store.get, store.versions, store.history, store.implementers):
        with pytest.raises(RegistryError) as refused:
            ask(identifier)
        assert str(refused.value) == f"there is no contract with the id {identifier!r}"
    with pytest.raises(RegistryError):
        store.mark_implemented(identifier, "orders", "a.py")


@pytest.mark.parametrize(("page", "page_size"), [(0, 20), (1, 0), (1, 101), (-1, 5)])
def test_pages_out_of_range(store: ContractStore, page: int, page_size: int) -> None:
    with pytest.raises(RegistryError):
        store.list(page=page, page_size=page_size)


WRITER = """
import sys
from pathlib import Path
from contract_scan.servers.contract_engine.database import open_database
from contract_scan.servers.contract_engine.store import ContractStore
path, url, name = sys.argv[1:]
store = ContractStore(open_database(path=Path(path), url=url))
for number in range(15):
    spec = {"openapi": "3.1.0", "info": {"title": "t", "version": str(number)}, "paths": {}}
    made = store.create(
        service_name="shared", type="openapi", version=f"1.{number}.0", spec=spec, actor=name
    )
    store.mark_implemented(made.id, name, "a.py", actor=name)
    store.create(service_name=name, type="openapi", version=f"1.{number}.0", spec=spec, actor=name)
"""


def test_several_processes_write_at_once(database_url: str, tmp_path: Path) -> None:
    path = tmp_path / "contracts.db"
    names = ["p0", "p1", "p2", "p3"]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), database_url, name],
            env={"PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    assert [process.communicate(timeout=120)[1] for process in running] == [""] * 4
    store = ContractStore(open_database(path=path, url=database_url))
    assert store.list(service_name="shared").total == 15
    assert store.list().total == 15 * 5
    shared = store.list(service_name="shared", page_size=100).items
    assert [one.status for one in shared] == ["active", *["deprecated"] * 14]
    for contract in shared:
        actions = [entry.action for entry in store.history(contract.id)]
        assert actions.count("created") == 1
        assert actions.count("implemented") == 4
    assert store.implementers(shared[0].id) == tuple(names)
    store.close()


def test_a_transaction_that_fails_leaves_nothing(store: ContractStore, tmp_path: Path) -> None:
    database = store._database  # the seam below the store
    with pytest.raises(KeyError), database.transaction(write=True) as writing:
        writing.execute(
            "INSERT INTO audit (at, actor, action, contract_id, detail) "
            "SELECT 'a', 'b', 'c', id, '{}' FROM contracts"
        )
        raise KeyError
    assert store.list().total == 0


# SQLite files


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "contracts.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(DatabaseError) as refused:
        open_database(path=path)
    message = "is damaged (file is not a database); restore a copy of it"
    assert str(refused.value) == f"{path}: {message}"
    assert path.read_bytes() == b"not a database at all" * 100


def test_a_database_with_a_damaged_page(tmp_path: Path) -> None:
    path = tmp_path / "contracts.db"
    store = ContractStore(open_database(path=path))
    for number in range(40):
        create(store, f"1.{number}.0", spec={"text": "x" * 2000, "n": number})
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 12] = b"\xff" * 4096 * 10
    path.write_bytes(content)
    with pytest.raises(DatabaseError) as refused:
        open_database(path=path)
    assert "is damaged (" in str(refused.value)


def test_a_database_of_a_later_version(tmp_path: Path) -> None:
    path = tmp_path / "contracts.db"
    open_database(path=path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(DatabaseError) as refused:
        open_database(path=path)
    assert str(refused.value) == (
        f"{path}: was written by a later version of contract-scan (tables of version 99, "
        "known is 1); update contract-scan"
    )


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DatabaseError):
        open_database(path=tmp_path / "file" / "contracts.db")


def test_a_locked_database(tmp_path: Path) -> None:
    path = tmp_path / "contracts.db"
    store = ContractStore(SqliteDatabase(path, busy_seconds=0.05))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseLockedError) as refused:
        create(store)
    assert str(refused.value) == (
        f"{path}: is locked by another process for more than 0.05 seconds; try again"
    )
    assert store.list().total == 0  # readers do not wait
    holder.execute("COMMIT")
    holder.close()
    create(store)
    assert store.list().total == 1


# PostgreSQL


def test_no_password_in_the_url(tmp_path: Path) -> None:
    for url in ("postgresql://ann:secret@h/db", "postgresql://ann@h/db?password=secret"):
        with pytest.raises(UsageError) as refused:
            open_database(path=tmp_path / "x", url=url)
        assert str(refused.value) == (
            "the URL of the database holds a password; put it into a pass file (PGPASSFILE)"
        )


def test_no_password_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "secret")
    with pytest.raises(UsageError) as refused:
        open_database(path=tmp_path / "x", url="postgresql://ann@h/db")
    assert str(refused.value) == (
        "PGPASSWORD is set; put the password into a pass file (PGPASSFILE)"
    )


@pytest.mark.parametrize("url", ["mysql://h/db", "postgresql://h:port/db", "nonsense"])
def test_urls_that_cannot_be_used(tmp_path: Path, url: str) -> None:
    with pytest.raises(UsageError):
        open_database(path=tmp_path / "x", url=url)


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError) as refused:
        open_database(path=tmp_path, url=f"postgresql://ann@/db?host={tmp_path}")
    assert str(refused.value).startswith("postgresql:///db: cannot be used: ")


def test_tables_of_a_later_version(postgres_server: Postgres, tmp_path: Path) -> None:
    url = postgres_server.new_database()
    open_database(path=tmp_path, url=url).close()
    postgres_server.execute(url, "UPDATE contract_scan_version SET number = 99")
    with pytest.raises(DatabaseError) as refused:
        open_database(path=tmp_path, url=url)
    assert "was written by a later version of contract-scan" in str(refused.value)
