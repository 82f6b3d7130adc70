"""One writer of Gson by the chain of calls that makes it, where code shows which one writes."""

from __future__ import annotations

from typing import cast

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    ClassSymbol,
    LibraryResult,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Attribute, Call, New
from contract_scan.parsers.source.java.resolution.annotations import constant_name, type_name
from contract_scan.parsers.source.java.serialization.gson.adapters import register
from contract_scan.parsers.source.java.serialization.jackson.settings import (
    GSON_MAPPER,
    made_mapper_variant,
    wire_variant,
)

_PART = "gson="
_MAX_CHAIN = 60


class GsonWriter(Struct, frozen=True):
    """How a writer was configured."""

    policy: str
    """The naming policy; empty for names as they are."""
    writes_nulls: bool
    needs_expose: bool
    adapters: dict[str, ClassSymbol | None]


def variant_of_writer(program: Program, value: Value) -> str:
    """The variant under which a writer that was evaluated writes; where its making is not seen,
    that of any writer of the project."""
    chain = _chain(value)
    if not chain:
        return GSON_MAPPER
    adapters: dict[str, ClassSymbol | None] = {}
    policy, nulls, expose = "", False, False
    for made in chain:
        if not isinstance(made.site, Call):
            continue
        register(program, made.site, made.scope, adapters)
        match constant_name(made.site.callee):
            case "setFieldNamingPolicy" | "setFieldNamingStrategy" if made.site.args:
                policy = constant_name(made.site.args[0].value) or "a strategy that is computed"
            case "serializeNulls":
                nulls = True
            case "excludeFieldsWithoutExposeAnnotation":
                expose = True
            case _:
                pass
    last = chain[-1]
    key = f"{last.scope.file.path}:{last.site.span.line}:{last.site.span.column}"
    _writers(program)[key] = GsonWriter(policy, nulls, expose, adapters)
    return f"{GSON_MAPPER};{_PART}{key}"


def text_variant(program: Program, call: Call | New, scope: Scope) -> str:
    """The variant of JSON that a call reads or writes: `mapper.readValue(…)`, `gson.toJson(…)`."""
    callee = call.callee if isinstance(call, Call) else None
    mapper = callee.value if isinstance(callee, Attribute) else None
    if mapper is not None and constant_name(callee) in ("fromJson", "toJson"):
        return variant_of_writer(program, program.evaluate(mapper, scope))
    made = made_mapper_variant(program, mapper, scope) if mapper is not None else ""
    return made or wire_variant(program, scope.file.path)


def names_writer(variant: str) -> bool:
    """Whether a variant names the very writer."""
    return any(part.startswith(_PART) for part in variant.split(";"))


def writer_in(program: Program, variant: str) -> GsonWriter | None:
    """The writer that a variant names, if it names one."""
    for part in variant.split(";"):
        if part.startswith(_PART):
            return _writers(program).get(part.removeprefix(_PART))
    return None


def _writers(program: Program) -> dict[str, GsonWriter]:
    return cast("dict[str, GsonWriter]", program.memory.setdefault("java.gson.writers", {}))


def _chain(value: Value) -> list[LibraryResult]:
    """The calls that make a writer, the first first; empty where the first is not seen."""
    chain: list[LibraryResult] = []
    link: Value | None = value
    while isinstance(link, LibraryResult) and len(chain) < _MAX_CHAIN:
        chain.append(link)
        link = link.receiver
    if not chain or link is not None or not isinstance(chain[-1].site, New):
        return []
    made = type_name(chain[-1].site.type)
    return chain[::-1] if made in ("Gson", "GsonBuilder") else []
