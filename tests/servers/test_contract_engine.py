"""A real client of the SDK drives the Contract Engine over stdio, on both databases."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.forked import forked_python
from tests.servers.harness import MODULE, ROOT, Session, drive, plain, running_server

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

ORDER = {
    "type": "object",
    "required": ["id", "total"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string"},
        "total": {"type": "integer", "minimum": 0},
        "status": {"type": "string", "enum": ["open", "paid"]},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["sku"],
                "properties": {"sku": {"type": "string"}},
            },
        },
    },
}
SPEC: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Orders", "version": "1.0.0"},
    "servers": [{"url": "https://shop.test/v1"}],
    "paths": {
        "/orders/{id}": {
            "get": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "responses": {
                    "200": {
                        "description": "found",
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                        },
                    },
                    "404": {"description": "none"},
                },
            }
        }
    },
    "components": {"schemas": {"Order": ORDER}},
}
EVENTS: dict[str, Any] = {
    "asyncapi": "3.0.0",
    "info": {"title": "Events", "version": "1.0.0"},
    "channels": {
        "order.placed": {
            "address": "order.placed",
            "messages": {
                "OrderPlaced": {
                    "payload": {
                        "type": "object",
                        "required": ["id"],
                        "properties": {"id": {"type": "string"}},
                    }
                }
            },
        }
    },
}
MODEL: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Money",
    "type": "object",
    "required": ["amount"],
    "properties": {"amount": {"$ref": "#/$defs/Cents"}},
    "$defs": {"Cents": {"type": "integer"}},
}
TOOLS = {
    "check_breaking_changes": {"contract_id", "new_spec"},
    "generate_tests": {"contract_id", "framework", "include_negative"},
    "check_compliance": {"contract_id", "response_data"},
    "create_contract": {
        "service_name",
        "type",
        "version",
        "spec",
        "build_cycle_id",
        "name",
        "status",
    },
    "explain": {"what", "path", "contracts", "contract_ids"},
    "get_contract": {"contract_id"},
    "get_history": {"contract_id"},
    "get_unimplemented_contracts": {"service_name"},
    "list_contracts": {"page", "page_size", "service_name", "contract_type", "status"},
    "mark_implemented": {"contract_id", "service_name", "evidence_path"},
    "scan": {"path", "contracts", "contract_ids", "changed_files", "rules"},
    "validate_endpoint": {"service_name", "method", "path", "response_body", "status_code"},
    "validate_spec": {"spec", "type"},
}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00")


async def register(session: Session, **given: Any) -> dict[str, Any]:
    wanted = {"service_name": "orders", "type": "openapi", "version": "1.0.0", "spec": SPEC}
    answer = await session.call("create_contract", **{**wanted, **given})
    assert not answer.is_error
    record: dict[str, Any] = answer.value
    return record


Drive = Callable[[Callable[[Session], Awaitable[Any]]], Any]


@pytest.fixture(scope="module")
def empty_registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drive]:
    """One server for all tests that register nothing."""
    folder = tmp_path_factory.mktemp("registry")
    with running_server(cwd=folder, arguments=MODULE) as drive_steps:
        yield drive_steps


def test_the_tools_and_their_arguments(empty_registry: Drive) -> None:
    async def steps(session: Session) -> Any:
        return session.introduced, await session.tools()

    introduced, tools = empty_registry(steps)
    assert introduced["serverInfo"]["name"] == "contract-engine"
    arguments = {name: set(tool["inputSchema"]["properties"]) for name, tool in tools.items()}
    assert arguments == TOOLS
    assert all(tool["description"] for tool in tools.values())


@pytest.mark.requirement("SVC-001", "SVC-005", "SVC-006")
def test_a_contract_from_registration_to_implementation(
    tmp_path: Path, database_environment: dict[str, str]
) -> None:
    (tmp_path / "app.py").write_text("")

    async def steps(session: Session) -> None:
        record = await register(session, build_cycle_id="b-7")
        assert UUID.fullmatch(record["id"])
        assert TIME.fullmatch(record.pop("created_at"))
        assert TIME.fullmatch(record.pop("updated_at"))
        spec_hash = record["spec_hash"]
        identifier = record["id"]
        assert record == {
            "id": identifier,
            "service_name": "orders",
            "type": "openapi",
            "name": "",
            "version": "1.0.0",
            "status": "active",
            "spec_hash": spec_hash,
            "build_cycle_id": "b-7",
            "spec": SPEC,
        }
        found = (await session.call("get_contract", contract_id=identifier)).value
        assert {**found, "created_at": "", "updated_at": ""} == {
            **record,
            "created_at": "",
            "updated_at": "",
        }
        listed = (await session.call("list_contracts", contract_type="openapi")).value
        assert [item["id"] for item in listed.pop("items")] == [identifier]
        assert listed == {"total": 1, "page": 1, "page_size": 20}

        waiting = await session.call("get_unimplemented_contracts", service_name="orders")
        assert waiting.value == [
            {
                "id": identifier,
                "type": "openapi",
                "version": "1.0.0",
                "expected_service": "orders",
                "status": "active",
            }
        ]
        assert [json.loads(block) for block in waiting.blocks] == waiting.value
        marked = await session.call(
            "mark_implemented",
            contract_id=identifier,
            service_name="orders",
            evidence_path="app.py",
        )
        assert marked.value == {
            "marked": True,
            "total": 1,
            "total_implementations": 1,
            "all_implemented": True,
            "evidence_exists": True,
        }
        assert (await session.call("get_unimplemented_contracts")).value == []

        newer = {**SPEC, "info": {"title": "Orders", "version": "2.0.0"}}
        second = await register(session, version="2.0.0", spec=newer)
        history = (await session.call("get_history", contract_id=identifier)).value
        assert history["versions"] == [
            {"id": identifier, "version": "1.0.0", "status": "deprecated"},
            {"id": second["id"], "version": "2.0.0", "status": "active"},
        ]
        assert [(one["action"], one["detail"]) for one in history["audit"]] == [
            ("created", {"status": "active", "version": "1.0.0"}),
            ("implemented", {"evidence_path": "app.py", "service_name": "orders"}),
            ("deprecated", {"superseded_by": "2.0.0"}),
        ]
        assert {one["actor"] for one in history["audit"]} == {"mcp 0.1.0"}

    drive(steps, cwd=tmp_path, environment=database_environment)


@pytest.mark.requirement("INT-004", "SVC-002")
def test_responses_against_the_contract(tmp_path: Path) -> None:
    async def steps(session: Session) -> None:
        identifier = (await register(session))["id"]

        async def violations(path: str, body: Any, **given: Any) -> Any:
            wanted = {"service_name": "orders", "method": "GET", **given}
            answer = await session.call(
                "validate_endpoint", path=path, response_body=body, **wanted
            )
            assert set(answer.value) == {"valid", "violations"}
            assert answer.value["valid"] is (not answer.value["violations"])
            assert {one.pop("severity") for one in answer.value["violations"]} <= {"error"}
            return [
                (one["field"], one["expected"], one["actual"]) for one in answer.value["violations"]
            ]

        good = {"id": "a", "total": 3, "status": "open", "lines": [{"sku": "x"}]}
        assert await violations("/orders/12", good) == []
        assert await violations("/orders/{orderId}", good) == []
        assert await violations("/v1/orders/12?x=1", good, method="get") == []
        bad = {"total": -1, "status": "lost", "lines": [{"sku": 5}, {}], "extra": None}
        assert await violations("/orders/12", bad) == [
            ("extra", "absent", "null"),
            ("id", "present", "missing"),
            ("lines[0].sku", "string", "integer 5"),
            ("lines[1].sku", "present", "missing"),
            ("status", 'one of "open", "paid"', 'string "lost"'),
            ("total", "at least 0", "integer -1"),
        ]
        assert await violations("/orders/12", [], status_code=200) == [("", "object", "array")]
        assert await violations("/orders/12", {}, status_code=500) == [
            ("status", "200, 404", "500")
        ]
        assert await violations("/orders/12", {"a": 1}, status_code=404) == [
            ("", "no body", "object")
        ]
        assert await violations("/orders/12", {}, method="DELETE") == [("method", "GET", "DELETE")]
        assert await violations("/people", {}) == [
            ("path", "an operation of the contract", "GET /people")
        ]
        unknown = await session.call(
            "validate_endpoint", service_name="x", method="GET", path="/", response_body={}
        )
        assert (unknown.is_error, unknown.value) == (
            False,
            {
                "error": "the service 'x' has no active contract of type openapi; "
                "register one with create_contract"
            },
        )
        checked = await session.call(
            "check_compliance",
            contract_id=identifier,
            response_data={"GET /orders/1": good, "GET /orders/1 404": None, "get /orders/2": 1},
        )
        violation = {"field": "", "expected": "object", "actual": "integer 1", "severity": "error"}
        assert checked.value == [
            {"endpoint_path": "/orders/1", "method": "GET", "compliant": True, "violations": []},
            {"endpoint_path": "/orders/1", "method": "GET", "compliant": True, "violations": []},
            {
                "endpoint_path": "/orders/2",
                "method": "GET",
                "compliant": False,
                "violations": [violation],
            },
        ]

    drive(steps, cwd=tmp_path)


def test_messages_and_models_against_their_contracts(tmp_path: Path) -> None:
    async def steps(session: Session) -> None:
        events = (await register(session, type="asyncapi", spec=EVENTS))["id"]
        model = (await register(session, type="json_schema", spec=MODEL))["id"]
        checked = await session.call(
            "check_compliance",
            contract_id=events,
            response_data={"OrderPlaced": {"id": 1}, "OrderLost": {}},
        )
        assert [(one["compliant"], one["violations"]) for one in checked.value] == [
            (
                False,
                [
                    {
                        "field": "id",
                        "expected": "string",
                        "actual": "integer 1",
                        "severity": "error",
                    }
                ],
            ),
            (
                False,
                [
                    {
                        "field": "",
                        "expected": "one of OrderPlaced",
                        "actual": "OrderLost",
                        "severity": "error",
                    }
                ],
            ),
        ]
        checked = await session.call(
            "check_compliance",
            contract_id=model,
            response_data={"": {"amount": "1"}, "Cents": 5},
        )
        assert [one["violations"] for one in checked.value] == [
            [
                {
                    "field": "amount",
                    "expected": "integer",
                    "actual": 'string "1"',
                    "severity": "error",
                }
            ],
            [],
        ]

    drive(steps, cwd=tmp_path)


def test_specifications_are_validated(empty_registry: Drive) -> None:
    async def steps(session: Session) -> None:
        async def check(spec: Any, type: str) -> Any:
            return (await session.call("validate_spec", spec=spec, type=type)).value

        valid = {"valid": True, "errors": [], "warnings": []}
        assert await check(SPEC, "openapi") == valid
        assert await check(EVENTS, "asyncapi") == valid
        assert await check(MODEL, "json_schema") == valid
        no_info = {"openapi": "3.1.0", "paths": {}}
        assert await check(no_info, "openapi") == {
            "valid": False,
            "errors": ["is not valid: 'info' is a required property"],
            "warnings": [],
        }
        assert (await check({"type": "strin"}, "json_schema"))["valid"] is False
        assert await check(SPEC, "asyncapi") == {
            "valid": False,
            "errors": ["it is of type openapi, not asyncapi"],
            "warnings": [],
        }
        assert await check({}, "soap") == {
            "error": "type must be one of openapi, asyncapi, json_schema, not 'soap'"
        }
        refused = await session.call(
            "create_contract", service_name="s", type="openapi", version="1.0.0", spec=no_info
        )
        assert refused.value == {
            "error": "the specification is not valid: is not valid: 'info' is a required property"
        }
        assert (await session.call("list_contracts")).value["total"] == 0

    empty_registry(steps)


def test_specifications_that_attack(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"type": "string", "const": "hidden"}')
    deep: dict[str, Any] = {}
    for _ in range(150):
        deep = {"not": deep}
    remote = {"$ref": "http://127.0.0.1:9/x.json"}
    to_file = {"$ref": "secret.json"}
    absolute = {"$ref": "file:///etc/passwd"}
    slow = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}

    def spec(schema: Any) -> dict[str, Any]:
        return {**MODEL, "properties": {"amount": schema}, "required": []}

    async def steps(session: Session) -> None:
        for schema in (deep, remote, to_file, absolute):
            answer = await session.call("validate_spec", spec=spec(schema), type="json_schema")
            assert answer.value["valid"] is False or answer.value["warnings"], schema
            assert "hidden" not in str(answer.value)
            assert "root:" not in str(answer.value)
        large = {**MODEL, "description": "x" * 6_000_000}
        answer = await session.call("validate_spec", spec=large, type="json_schema")
        assert answer.value["errors"] == ["is larger than 5 MB; raise the limit to read it"]
        identifier = (await register(session, type="json_schema", spec=slow))["id"]
        hung = session.call(
            "check_compliance",
            contract_id=identifier,
            response_data={"": {"a": "a" * 40 + "!"}},
        )
        waiting = asyncio.create_task(hung)
        fine = await session.call(
            "check_compliance", contract_id=identifier, response_data={"": {"a": "a"}}
        )
        assert fine.value[0]["compliant"] is True
        assert not waiting.done()
        (error,) = (await waiting).value
        assert error["error"].startswith("the values could not be validated: ")
        assert error["error"].endswith(" took longer than 10 seconds")

    drive(steps, cwd=tmp_path, environment={"VALIDATION_TIMEOUT": "10"})


@pytest.mark.requirement("SVC-003", "SVC-004")
def test_changes_and_tests_of_a_contract(tmp_path: Path) -> None:
    newer = json.loads(json.dumps(SPEC))
    del newer["components"]["schemas"]["Order"]["properties"]["total"]
    newer["components"]["schemas"]["Order"]["required"] = ["id"]
    change = {
        "path": "GET /orders/{id} response 200 (application/json) total",
        "severity": "error",
        "is_breaking": True,
        "affected_consumers": ["shop"],
    }

    async def steps(session: Session) -> None:
        first = (await register(session))["id"]
        mark = {"contract_id": first, "service_name": "shop", "evidence_path": "a.py"}
        await session.call("mark_implemented", **mark)
        same = await session.call("check_breaking_changes", contract_id=first, new_spec=SPEC)
        assert (same.is_error, same.value) == (False, [])
        given = await session.call("check_breaking_changes", contract_id=first, new_spec=newer)
        assert [{word: one[word] for word in change} for one in given.value] == [change]
        assert set(given.value[0]) - set(change) == {
            "change_type",
            "old_value",
            "new_value",
            "message",
        }
        assert (await session.call("check_breaking_changes", contract_id=first)).value == []
        second = (await register(session, version="2.0.0", spec=newer))["id"]
        stored = await session.call("check_breaking_changes", contract_id=second)
        assert stored.value == given.value

        pytest_file = await session.call("generate_tests", contract_id=first)
        compile(pytest_file.value, "test_file.py", "exec")
        assert "def test_get_orders_id(client, case):" in pytest_file.value
        assert "'kind': 'not_found'" not in pytest_file.value
        more = await session.call("generate_tests", contract_id=first, include_negative=True)
        assert "'kind': 'not_found'" in more.value
        jest_file = await session.call("generate_tests", contract_id=first, framework="jest")
        assert jest_file.value.startswith('"use strict";')
        events = (await register(session, type="asyncapi", spec=EVENTS))["id"]
        for arguments, message in (
            ({"contract_id": "x"}, "there is no contract with the id 'x'"),
            (
                {"contract_id": first, "framework": "mocha"},
                "framework must be one of pytest, jest, not 'mocha'",
            ),
            ({"contract_id": events}, "tests are generated from openapi, not from asyncapi"),
        ):
            refused = await session.call("generate_tests", **arguments)
            assert (refused.is_error, json.loads(refused.value)) == (False, {"error": message})

    drive(steps, cwd=tmp_path)


SHOP = """
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Order(BaseModel):
    id: str
    total: str


@app.get("/orders/{id}")
def read(id: str) -> Order: ...
"""


def test_source_code_is_scanned_and_findings_explained(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "app.py").write_text(SHOP)
    (tmp_path / "other").mkdir()
    (tmp_path / "openapi.json").write_text(json.dumps(SPEC))

    async def steps(session: Session) -> None:
        identifier = (await register(session))["id"]
        by_file = (await session.call("scan", path="shop", contracts=["openapi.json"])).value
        by_id = (await session.call("scan", path="shop", contract_ids=[identifier])).value
        for found in (by_file, by_id):
            assert [one["field"] for one in found["findings"]] == ["total", ""]
            assert found["findings"][1]["kind"] == "base-path"
            finding = found["findings"][0]
            assert (finding["rule"], finding["kind"], finding["field"]) == (
                "CONTRACT-001",
                "type",
                "total",
            )
            assert (finding["path"], finding["line"]) == ("app.py", 10)
            assert found["truncated"] is False
        contracts = [found["findings"][0]["contract"] for found in (by_file, by_id)]
        assert [one["path"] for one in contracts] == [
            "../openapi.json",
            f"contract:{identifier}",
        ]
        assert [one["pointer"] for one in contracts] == [
            "/components/schemas/Order/properties/total",
            "/spec/components/schemas/Order/properties/total",
        ]
        changed = await session.call("scan", changed_files=["other"])
        assert changed.value["findings"] == []
        assert changed.value["summary"]["elsewhere"] == 2
        only = await session.call("scan", rules=["CONTRACT-002"])
        assert [one["kind"] for one in only.value["findings"]] == ["base-path"]

        whole = (await session.call("scan")).value["findings"]
        explained = await session.call("explain", what=whole[0]["fingerprint"])
        assert "shop/app.py:10" in explained.value
        assert "openapi.json:1" in explained.value
        prompt = plain(
            await session.session.get_prompt("fix-finding", {"finding": "shop/app.py:10"})
        )
        (message,) = prompt["messages"]
        assert message["role"] == "user"
        assert "shop/app.py:10" in message["content"]["text"]

    drive(steps, cwd=tmp_path)


def test_resources(tmp_path: Path) -> None:
    async def steps(session: Session) -> None:
        record = await register(session)
        listed = plain(await session.session.list_resources())["resources"]
        assert sorted(one["uri"] for one in listed) == [
            *(f"rule://CONTRACT-00{number}" for number in range(5)),
            *(f"rule://SCOPE-00{number}" for number in range(1, 6)),
        ]
        templates = plain(await session.session.list_resource_templates())["resourceTemplates"]
        assert [one["uriTemplate"] for one in templates] == ["contract://{contract_id}"]

        async def read(uri: str) -> Any:
            return plain(await session.session.read_resource(_address(uri)))["contents"][0]

        contract = await read(f"contract://{record['id']}")
        assert contract["mimeType"] == "application/json"
        assert json.loads(contract["text"]) == record
        rule = await read("rule://CONTRACT-002")
        assert rule["mimeType"] == "text/markdown"
        assert rule["text"].startswith("# CONTRACT-002")
        with pytest.raises(Exception, match="nothing"):
            await read("contract://nothing")
        assert (await session.call("list_contracts")).value["total"] == 1

    drive(steps, cwd=tmp_path)


def _address(uri: str) -> Any:
    """The older SDK takes an address where the newer takes text."""
    from importlib.metadata import version

    if version("mcp").startswith("2"):
        return uri
    from pydantic import AnyUrl

    return AnyUrl(uri)


MENDABLE: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("get_contract", {"contract_id": "x"}, "there is no contract with the id 'x'"),
    ("get_history", {"contract_id": "x"}, "there is no contract with the id 'x'"),
    ("check_compliance", {"contract_id": "x"}, "there is no contract with the id 'x'"),
    ("scan", {"contract_ids": ["x"]}, "there is no contract with the id 'x'"),
    ("scan", {"rules": ["R"]}, "there is no rule 'R'; known are CONTRACT-000, CONTRACT-001, "
     "CONTRACT-002, CONTRACT-003, CONTRACT-004"),
    ("scan", {"path": "nowhere"}, "nowhere: is not a folder"),
    ("list_contracts", {"page_size": 1000}, "page_size must be from 1 to 100, not 1000"),
    ("list_contracts", {"status": "x"}, "status must be one of active, deprecated, draft, "
     "not 'x'"),
)  # fmt: skip


def test_what_a_caller_can_mend_is_an_answer(empty_registry: Drive) -> None:
    async def steps(session: Session) -> Any:
        return [await session.call(tool, **arguments) for tool, arguments, _ in MENDABLE]

    answers = empty_registry(steps)
    assert [one.is_error for one in answers] == [False] * len(MENDABLE)
    said = [one.value[0] if isinstance(one.value, list) else one.value for one in answers]
    assert said == [{"error": expected} for _, _, expected in MENDABLE]


def test_arguments_of_the_wrong_type_are_protocol_errors(empty_registry: Drive) -> None:
    async def steps(session: Session) -> Any:
        return [
            await session.call("create_contract", service_name="s"),
            await session.call("list_contracts", page="first"),
            await session.call("nothing"),
            await session.call("list_contracts"),
        ]

    *wrong, right = empty_registry(steps)
    assert [one.is_error for one in wrong] == [True, True, True]
    assert right.value["total"] == 0


def test_no_path_leads_out_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    outside = ("..", "../x", "/etc/passwd", "link/x", "a/../../b")
    unreadable = ("a\0b", "", "a/" * 50_000)
    long_name = "x" * 300

    async def steps(session: Session) -> Any:
        identifier = (await register(session))["id"]
        mark = {"contract_id": identifier, "service_name": "orders"}
        answers = {}
        for path in (*outside, *unreadable, long_name):
            explained = await session.call("explain", what="GET /x", path=path)
            marked = await session.call("mark_implemented", **mark, evidence_path=path)
            answers[path] = [
                marked.value,
                (await session.call("scan", path=path)).value,
                (await session.call("scan", contracts=[path])).value,
                (await session.call("scan", changed_files=[path])).value,
                json.loads(explained.value),
            ]
        return answers, (await session.call("get_unimplemented_contracts")).value

    answers, left = drive(steps, cwd=root)
    leads_out = "leads outside of the folder the server was started in"
    no_path = "a path must be printable text of 1 to 4096 letters"
    assert answers == {
        **{path: [{"error": f"{path}: {leads_out}"}] * 5 for path in outside},
        **{path: [{"error": no_path}] * 5 for path in unreadable},
        long_name: [{"error": f"{long_name}: is no path"}] * 5,
    }
    assert len(left) == 1


def test_a_locked_database_holds_up_writers_only(tmp_path: Path) -> None:
    path = tmp_path / ".contract-scan" / "contracts.db"

    async def steps(session: Session) -> None:
        await register(session)
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(register(session, version="1.1.0", spec={**SPEC, "x-n": 1}))
        assert (await session.call("list_contracts")).value["total"] == 1
        assert (await session.call("validate_spec", spec=MODEL, type="json_schema")).value["valid"]
        assert not waiting.done()
        holder.execute("ROLLBACK")
        assert (await waiting)["version"] == "1.1.0"
        holder.close()

    drive(steps, cwd=tmp_path)


def test_a_database_damaged_while_the_server_runs(tmp_path: Path) -> None:
    path = tmp_path / "c.db"

    async def steps(session: Session) -> Any:
        await register(session)
        for name in ("c.db-wal", "c.db-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        path.write_bytes(b"damaged" * 1000)
        return (await session.call("list_contracts")).value

    answer = drive(steps, cwd=tmp_path, environment={"DATABASE_PATH": "c.db"})
    assert list(answer) == ["error"]
    assert "is damaged (" in answer["error"]


def _run(
    *arguments: str, cwd: Path, python: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return subprocess.run(
        [python or forked_python(), *arguments],
        cwd=cwd,
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("arguments", [MODULE, ("-m", "contract_scan", "mcp", "contract-engine")])
def test_a_server_that_cannot_start_says_why(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "c.db").write_text("no database" * 1000)
    done = _run(*arguments, cwd=tmp_path, DATABASE_PATH="c.db")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("contract-scan: ")
    assert line.endswith("c.db: is damaged (file is not a database); restore a copy of it")

    done = _run(*arguments, cwd=tmp_path, VALIDATION_TIMEOUT="soon")
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "contract-scan: VALIDATION_TIMEOUT must be a number of seconds, not 'soon'\n",
    )

    url = "postgresql://ann:secret@/db"
    for name in ("DATABASE_URL", "DATABASE_PATH"):
        done = _run(*arguments, cwd=tmp_path, **{name: url})
        assert (done.returncode, done.stdout, done.stderr) == (
            2,
            "",
            "contract-scan: the URL of the database holds a password; put it into a pass file "
            "(PGPASSFILE)\n",
        )


def test_the_entry_in_the_documentation_starts_the_server(tmp_path: Path) -> None:
    whole = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    page = whole.partition("## The Contract Engine server")[2].partition("\n## ")[0]
    blocks = re.findall(r"```json\n(.*?)```", page, flags=re.DOTALL)
    (entry,) = [json.loads(block)["mcpServers"]["contract-engine"] for block in blocks]
    assert (entry["type"], entry["command"]) == ("stdio", "contract-scan")

    async def steps(session: Session) -> Any:
        return await session.tools()

    tools = drive(steps, cwd=tmp_path, arguments=("-m", "contract_scan", *entry["args"]))
    documented = set(re.findall(r"^\| `(\w+)\([^`]*\)` \|", page, flags=re.MULTILINE))
    assert {*tools} == documented


def test_the_verb_serves_another_folder(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "shop").mkdir(parents=True)
    arguments = ("-m", "contract_scan", "mcp", "contract-engine", "--root", str(root))

    async def steps(session: Session) -> Any:
        await register(session)
        return (await session.call("scan", path="shop")).value

    assert list(drive(steps, cwd=tmp_path, arguments=arguments)) == ["error"]
    assert (root / ".contract-scan" / "contracts.db").is_file()


def test_a_server_without_the_sdk_names_the_extra(tmp_path: Path) -> None:
    blocked = tmp_path / "mcp.py"
    blocked.write_text("raise ImportError('blocked')")
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    done = _run(*MODULE, cwd=ROOT, python=sys.executable, PYTHONPATH=path)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "contract-scan: MCP servers need an extra: pip install 'contract-scan[mcp]'\n",
    )
