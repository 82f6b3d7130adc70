"""Whether Hapi refuses keys of a payload that a schema does not name: by the options of the route,
or of the server (https://hapi.dev/api, `route.options.validate`)."""

from __future__ import annotations

from collections.abc import Mapping

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Schema, Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibraryResult,
    Record,
    RecordEntry,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, New, Return, Throw
from contract_scan.parsers.source.typescript.resolution import walker
from contract_scan.parsers.source.typescript.serialization import joi

_MODULES = ("@hapi/hapi", "hapi")
MAKERS = frozenset(
    f"{module}{part}.{name}"
    for module in _MODULES
    for part in ("", ".default")
    for name in ("server", "Server")
)
"""Calls that make a server."""
MARKERS = (b"@hapi/hapi", b"'hapi'", b'"hapi"')
"""What a project that uses Hapi holds somewhere."""
_MANIFESTS = b"@hapi/glue"
_OPENING = ("allowUnknown", "stripUnknown")
_UNDETERMINED = Reason("joi-options-undetermined")


def payload_schema(
    program: Program, value: Value, validate: Mapping[str, RecordEntry]
) -> Schema | None:
    """What a validator takes for a payload; None for `true`, `false` and functions. `validate` are
    the settings that it stands in."""
    refused = _refuses_unlisted_keys(program, validate)
    schema = schema_of(program, value, "" if refused is False else joi.CLOSED)
    if schema is None or refused is not None:
        return schema
    return joi.with_further_keys(program.types.flat(schema), Unknown(reason=_UNDETERMINED))


def schema_of(program: Program, value: Value, variant: str = "") -> Schema | None:
    """What a validator says of the shape; None for `true`, `false` and functions."""
    if isinstance(value, Record):
        return joi.of_keys(program, value, variant)
    return program.schema_of(value, variant) if isinstance(value, LibraryResult) else None


def _refuses_unlisted_keys(program: Program, validate: Mapping[str, RecordEntry]) -> bool | None:
    """Whether unlisted keys are refused; None where that is undetermined."""
    servers = _server_settings(program)
    if servers is None:
        return None
    found = [_refuses(program, {**server, **validate}) for server in servers or ({},)]
    return found[0] if all(each is found[0] for each in found) else None


@memoised
def _server_settings(program: Program) -> tuple[Mapping[str, RecordEntry], ...] | None:
    """`routes: { validate: { … } }` of each server; None where one is undetermined."""
    if program.any_file_contains(_MANIFESTS):
        return None
    found: list[Mapping[str, RecordEntry]] = []
    for path in program.files_containing(*MARKERS):
        for node, scope in walker.nodes_of(program, program.facts(path)):
            if not isinstance(node, Call | New):
                continue
            made = program.evaluate(node, scope)
            if not isinstance(made, LibraryResult) or made.name not in MAKERS:
                continue
            if made.site is not node or not node.args:
                continue
            given = program.evaluate(node.args[0].value, scope)
            for name in ("routes", "validate"):
                if not isinstance(given, Record) or given.partial:
                    return None
                entry = walker.entries(given).get(name)
                given = entry.value if entry is not None else Record(())
            if not isinstance(given, Record) or given.partial:
                return None
            found.append(walker.entries(given))
    return tuple(found)


def _refuses(program: Program, validate: Mapping[str, RecordEntry]) -> bool | None:
    fails = _fails(program, validate.get("failAction"))
    options = validate.get("options")
    if options is None or fails is not True:
        return fails
    if not isinstance(options.value, Record) or options.value.partial:
        return None
    entries = walker.entries(options.value)
    opening = [entries[name].value for name in _OPENING if name in entries]
    if all(isinstance(value, Constant) and value.value is False for value in opening):
        return True
    known = all(isinstance(value, Constant | Record) for value in opening)
    return False if known else None


def _fails(program: Program, entry: RecordEntry | None) -> bool | None:
    """Whether a request that a schema refuses fails; None where that is undetermined."""
    match entry.value if entry is not None else Constant("error"):
        case Constant(value="error"):
            return True
        case Constant(value="ignore" | "log"):
            return False
        case FunctionValue(function=function, scope=scope):
            statements = program.body(function, scope.file)
            match statements[-1] if statements else None:
                case Throw():
                    return True
                case Return(value=value) if any(
                    isinstance(node, Attribute) and node.name == "takeover"
                    for node in walker.nested_nodes(value)
                ):
                    return True
                case _:
                    return None
        case _:
            return None
