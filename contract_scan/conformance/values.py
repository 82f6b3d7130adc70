"""Values against JSON Schemas, in a child process under a time limit.

Schemas come from contracts, which may hold regular expressions and references that take forever to
apply; a thread could not be stopped.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from contract_scan.clients.processes import ProcessError, run_program
from contract_scan.errors import ContractError
from contract_scan.parsers.contracts.standalone import JsonSchema
from contract_scan.parsers.contracts.validate import require_validators

_CHILD = Path(__file__).with_name("validate_values_child.py")


class Case(NamedTuple):
    """A value and the schema that it should conform to."""

    definitions: str
    """Name of the table of definitions that `#/$defs/…` leads into."""
    schema: JsonSchema
    value: object


class Deviation(Struct, frozen=True):
    """One way in which a value does not conform."""

    path: str
    """Place in the value: `items[0].price`; empty for the whole."""
    keyword: str
    expected: str
    actual: str


def validate_values(
    cases: Sequence[Case],
    definitions: Mapping[str, Mapping[str, JsonSchema]],
    *,
    timeout: float,
) -> list[tuple[Deviation, ...] | None]:
    """For each case what deviates, at most about 50; None where its schema cannot be applied.

    Raises `ContractError` where the check does not come to an end within `timeout` seconds,
    UsageError without the extra `validate`.
    """
    if not cases:
        return []
    require_validators()
    try:
        given = json.dumps({"definitions": definitions, "cases": cases}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ContractError(f"the value is no JSON: {error}") from error
    with tempfile.TemporaryDirectory(prefix="contract-scan-") as folder:
        handed = Path(folder) / "cases.json"
        handed.write_bytes(given.encode("utf-8", "replace"))
        try:
            arguments = (sys.executable, "-P", str(_CHILD), str(handed))
            printed = run_program(arguments, cwd=Path(folder), timeout=timeout).stdout
        except ProcessError as error:
            raise ContractError(f"the values could not be validated: {error.message}") from error
    try:
        return msgspec.json.decode(printed, type=list[tuple[Deviation, ...] | None])
    except msgspec.DecodeError as error:
        raise ContractError("the values could not be validated: the answer is damaged") from error
