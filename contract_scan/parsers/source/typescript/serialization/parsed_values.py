"""Members of what a schema has let through: `Order.parse(x).id`, `Order.safeParse(x).data`."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import BySchema, LibraryResult, Value
from contract_scan.parsers.source.typescript.serialization import joi
from contract_scan.parsers.source.typescript.serialization.zod import schemas as zod

_GIVES_VALUE = frozenset({"parse", "parseAsync"})
_GIVES_RESULT = frozenset({"safeParse", "safeParseAsync", "spa"})
_DATA = frozenset({"data", "output"})
"""Where a result holds the value (https://zod.dev, https://valibot.dev/guides/parse-data)."""


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """A member of the value that zod, valibot or Joi has checked, by the schema; None for anything
    else."""
    if not isinstance(value, LibraryResult):
        return None
    method = value.name.rpartition(".")[2]
    if zod.is_zod(value.name):
        if method in _GIVES_VALUE:
            return program.evaluator.member(BySchema(program.schema_of(value)), name)
        if method in _GIVES_RESULT and name in _DATA:
            return BySchema(program.schema_of(value))
        return None
    if joi.is_joi(value.name) and method == "validate" and name == "value":
        return BySchema(program.schema_of(value.receiver)) if value.receiver else None
    return None
