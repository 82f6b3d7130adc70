"""Validation by the specifications themselves."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest

from contract_scan.errors import ContractError, ContractScanError
from contract_scan.parsers.contracts.validate import validate_contract


class Runner:
    """Runs the child for real and counts how often."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, arguments: Sequence[str]) -> bytes:
        self.runs += 1
        return subprocess.run(arguments, check=True, capture_output=True, timeout=60).stdout


class Memory(dict[bytes, bytes]):
    def put(self, key: bytes, value: bytes) -> None:
        self[key] = value


def validate(folder: Path, text: str, name: str = "contract.yaml") -> list[tuple[int, str]]:
    path = folder / name
    path.write_text(dedent(text))
    return [(one.line, one.reason) for one in validate_contract(path, folder, Runner())]


def test_a_valid_contract_in_several_files(tmp_path: Path) -> None:
    (tmp_path / "parts.yaml").write_text("A: {type: string}\n")
    assert (
        validate(
            tmp_path,
            """
            openapi: 3.0.3
            info: {title: Orders, version: '1'}
            paths:
              /a:
                get:
                  responses:
                    200:
                      description: fine
                      content: {application/json: {schema: {$ref: 'parts.yaml#/A'}}}
            """,
        )
        == []
    )


def test_what_the_specification_forbids_has_its_line(tmp_path: Path) -> None:
    assert validate(
        tmp_path,
        """\
        openapi: 3.1.0
        info: {title: Orders}
        paths:
          /a/{id}:
            get:
              operationId: 5
              responses: {200: {description: fine}}
        """,
    ) == [
        (2, "is not valid: 'version' is a required property"),
        (6, "is not valid: 5 is not of type 'string'"),
        (1, "is not valid: Path parameter 'id' for 'get' operation in '/a/{id}' was not resolved"),
    ]


def test_of_several_alternatives_the_one_that_was_meant_is_explained(tmp_path: Path) -> None:
    assert validate(
        tmp_path,
        """\
        openapi: 3.0.3
        info: {title: Orders, version: '1'}
        paths:
          /a: {get: {responses: {200: {content: {}}}}}
        """,
    ) == [(4, "is not valid: 'description' is a required property")]


def test_json_schemas_are_checked_against_their_dialect(tmp_path: Path) -> None:
    assert validate(
        tmp_path,
        """\
        $schema: https://json-schema.org/draft/2020-12/schema
        type: object
        required: id
        """,
    ) == [(3, "is not valid: 'id' is not of type 'array'")]


def test_the_parts_of_an_asyncapi_document_must_fit_together(tmp_path: Path) -> None:
    old = """\
        asyncapi: 2.6.0
        info: {title: Orders}
        servers: {broker: {url: x, protocol: amqp}}
        channels:
          orders/{id}:
            servers: [broker, gone]
            publish: {operationId: same}
          b:
            parameters: {extra: {}}
            publish: {operationId: same}
        """
    new = """\
        asyncapi: 3.0.0
        channels:
          a: {address: 'a/{id}', messages: {M: {payload: {}}}}
          b: {address: b, messages: {N: {payload: {}}}}
        operations:
          x:
            action: send
            channel: {$ref: '#/channels/a'}
            messages: [{$ref: '#/channels/b/messages/N'}]
          y: {action: send}
        """
    assert validate(tmp_path, old) == [
        (2, "is not valid: `version` is missing"),
        (5, "is not valid: the parameter `id` of the address is not declared"),
        (6, "is not valid: there is no server `gone` for `orders/{id}`"),
        (9, "is not valid: the address has no parameter `extra`"),
        (10, "is not valid: the operationId `same` is also in line 7"),
    ]
    assert validate(tmp_path, new) == [
        (1, "is not valid: `info` is missing"),
        (3, "is not valid: the parameter `id` of the address is not declared"),
        (9, "is not valid: a message of `x` is none of its channel's messages"),
        (10, "is not valid: the operation `y` names no channel"),
    ]


def test_results_are_kept_by_content(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"type": "object", "properties": {"a": {}}, "required": "a"}))
    run, cache = Runner(), Memory()
    first = validate_contract(path, tmp_path, run, cache=cache)
    second = validate_contract(path, tmp_path, run, cache=cache)
    assert first == second
    assert len(first) == 1
    assert run.runs == 1


def test_a_check_that_does_not_end_says_so(tmp_path: Path) -> None:
    def too_slow(_: Sequence[str]) -> bytes:
        raise ContractScanError("took longer than 5 seconds")

    path = tmp_path / "a.json"
    path.write_text('{"type": "object", "properties": {}}')
    with pytest.raises(ContractError) as caught:
        validate_contract(path, tmp_path, too_slow)
    assert str(caught.value) == "a.json: could not be validated: took longer than 5 seconds"


def test_remote_and_escaping_references_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("A: {type: secret-value}\n")
    root = tmp_path / "root"
    root.mkdir()
    found = validate(
        root,
        """\
        openapi: 3.0.3
        info: {title: Orders, version: '1'}
        paths:
          /a:
            get:
              responses:
                200:
                  description: fine
                  content: {application/json: {schema: {$ref: '../secret.yaml#/A'}}}
        """,
    )
    assert found != []
    assert all("secret-value" not in reason for _, reason in found)
