"""Contracts made to exhaust, to escape or to confuse are refused with a line, or read safely."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.reasons import decode_reason, encode_reason
from tests.parsers.contracts.hostile import INPUTS
from tests.parsers.contracts.loading import load_contract

REFUSED = {
    "alias_bomb": "a.yaml:9: holds more than 1,000,000 values once its aliases are written out; ",
    "merge_bomb": "a.yaml:5: holds more than 1,000,000 values once its aliases are written out; ",
    "self_alias": "a.yaml:3: the alias `*p` stands inside what it repeats",
    "deep_flow": "a.yaml:2: is nested more than 200 levels deep; flatten it",
    "deep_flow_mappings": "a.yaml:2: is nested more than 200 levels deep; flatten it",
    "deep_dashes": "a.yaml:1: is nested more than 200 levels deep; flatten it",
    "deep_indent": "a.yaml:201: is nested more than 200 levels deep; flatten it",
    "deep_json": "a.json: is nested more than 200 levels deep; flatten it",
    "deep_json_objects": "a.json: is nested more than 200 levels deep; flatten it",
    "many_values": "a.json:1: holds more than 1,000,000 values; ",
    "utf_16": "a.yaml:1: is encoded in UTF-16 or UTF-32; save it as UTF-8",
    "nul_bytes": "a.yaml:3: is not valid YAML: control characters are not allowed",
    "long_key": "a.yaml:1: is not valid YAML: mapping values are not allowed in this context",
    "unclosed_anchor": "a.yaml:1: is not valid YAML: while scanning an anchor, ",
    "random_bytes": "a.yaml:2: holds bytes that are not UTF-8; save it as UTF-8",
}
"""Input -> how its error begins. All others are read."""

REASONS = {
    "reference_ring": ["$ref `#/components/schemas/B` leads back to itself"],
    "reference_to_itself": ["$ref `#/components/schemas/A` leads back to itself"],
    "all_of_ring": ["the schema consists of nothing but itself"],
    "long_reference_chain": ["$ref `#/components/schemas/S102` begins a chain of over 100"],
}
"""Input -> every problem of a document that is read all the same."""


@pytest.mark.parametrize("name", INPUTS)
def test_hostile_input_is_refused_or_read(tmp_path: Path, name: str) -> None:
    path, make = INPUTS[name]
    (tmp_path / path).write_bytes(make())
    depth = sys.getrecursionlimit()
    try:
        document = load_contract(tmp_path / path, tmp_path)
    except ContractError as error:
        assert str(error).startswith(REFUSED[name])
    else:
        assert name not in REFUSED
        encoded = msgspec.msgpack.encode(document, enc_hook=encode_reason)
        assert (
            msgspec.msgpack.decode(encoded, type=ContractDocument, dec_hook=decode_reason)
            == document
        )
        if name in REASONS:
            assert sorted({one.reason for one in document.problems}) == REASONS[name]
    assert sys.getrecursionlimit() == depth


def test_expectations_name_inputs_that_exist() -> None:
    assert REFUSED.keys() | REASONS.keys() <= INPUTS.keys()


def test_too_many_alternatives_are_unknown(tmp_path: Path) -> None:
    path, make = INPUTS["one_of_product"]
    (tmp_path / path).write_bytes(make())
    (schema,) = load_contract(tmp_path / path, tmp_path).schemas.values()
    assert schema.reason == (  # type: ignore[union-attr]
        "the contract combines too many alternatives to compare"
    )


def test_nothing_is_run_opened_or_fetched_beyond_the_root(tmp_path: Path) -> None:
    opened: list[str] = []
    watching = True

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if not watching:
            return  # a hook stays for as long as the process lives
        if event in ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system"):
            opened.append(event)
        elif event == "open" and str(tmp_path.parent) in str(arguments[0]):
            opened.append(str(arguments[0]))

    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.yaml").write_text("A: {type: string}\n")
    text = "openapi: 3.0.3\npaths:\n"
    for index, reference in enumerate(
        (
            "../secret.yaml#/A",
            "%2e%2e/secret.yaml#/A",
            f"file://{tmp_path}/secret.yaml#/A",
            f"{tmp_path}/secret.yaml#/A",
            "http://127.0.0.1:9/a.yaml#/A",
            "https://169.254.169.254/latest",
            "//127.0.0.1/share/a.yaml",
        )
    ):
        schema = f"{{schema: {{$ref: '{reference}'}}}}"
        text += f"  /{index}: {{get: {{responses: {{200: {{content: {{a/b: {schema}}}}}}}}}}}\n"
    (root / "a.yaml").write_text(text)
    sys.addaudithook(watch)
    document = load_contract(root / "a.yaml", root)
    watching = False
    assert opened == [str(root / "a.yaml")]
    assert [problem.line for problem in document.problems] == [3, 4, 5, 6, 7, 8, 9]
