"""Functions of the project that zod and valibot run on what a schema accepts: they may reject what
lacks an optional member."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.schema import Object
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import with_peers
from contract_scan.parsers.source.analysis.domain.values import LibraryResult, Value
from contract_scan.parsers.source.facts.nodes import Argument, Call
from contract_scan.parsers.source.typescript.serialization.refinements import (
    takes_undefined,
    with_predicate,
)
from contract_scan.parsers.source.typescript.serialization.zod.parts import SchemaPart
from contract_scan.parsers.source.typescript.serialization.zod.valibot import is_valibot

_RETURNING = frozenset({"refine", "check", "custom"})
"""Calls whose function returns whether a value is valid."""
_REPORTING = frozenset({"superRefine", "transform"})
"""Calls whose function tells its second parameter what is wrong."""
_PARTIAL = frozenset({"partialCheck"})
"""As the first, after the paths of the members that have to be valid for it to run."""
_RAW = frozenset({"rawCheck", "rawTransform"})
"""Calls whose function takes value and report in one object."""


def checked_part(program: Program, part: SchemaPart, made: LibraryResult) -> SchemaPart:
    """A part that a call makes to be validated by functions too; the same for other calls."""
    name = made.name.rpartition(".")[2].removesuffix("()").removesuffix("Async")
    args = [program.evaluate(argument.value, made.scope) for argument in _args(made)]
    if name == "forward" or (name == "check" and any(_is_check(each) for each in args)):
        for each in args:
            if isinstance(each, LibraryResult):
                part = checked_part(program, part, each)
        return part
    first, second = (*args, None, None)[:2]
    if name in _RETURNING | _REPORTING:
        is_context = name == "check" and not is_valibot(made.name)  # zod: `{ value, issues }`
        predicate, reports = None if is_context else first, name in _REPORTING
    elif name in _PARTIAL | _RAW:
        predicate, reports = second if name in _PARTIAL else None, False
    else:
        return part
    schema = with_predicate(program, part.schema, predicate, reports=reports)
    if part.optional:
        takes = takes_undefined(program, predicate, reports=reports)
        return replace(part, schema=schema, optional=takes)
    return replace(part, schema=schema)


def piped_part(part: SchemaPart, target: SchemaPart) -> SchemaPart:
    """A part whose values another schema checks, as they are or transformed."""
    if not isinstance(part.schema, Object) or not isinstance(target.schema, Object):
        return part
    needed = {f.name for f in target.schema.fields if f.required is not False and not f.has_default}
    return replace(part, schema=with_peers(part.schema, needed))


def _args(made: LibraryResult) -> tuple[Argument, ...]:
    return made.site.args if isinstance(made.site, Call) else ()


def _is_check(value: Value) -> bool:
    return isinstance(value, LibraryResult)
