"""Two revisions of contracts in, what changed between them out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.contract_changes import ChangeSubject, ContractChange, UndeterminedChange
from contract_scan.ir.origin import Origin
from contract_scan.ir.wire_contract import (
    ANY_VALUE,
    SchemaKey,
    WireContract,
    WireModel,
    WireSchema,
)
from contract_scan.scanners.changes.channels import compare_channels
from contract_scan.scanners.changes.endpoints import compare_endpoints
from contract_scan.scanners.changes.found import Findings, FoundDifference, judge_differences
from contract_scan.scanners.changes.schemas import Pair, SchemaComparison


class ComparedContracts(Struct, frozen=True):
    """What a comparison of several documents found."""

    changes: tuple[ContractChange, ...]
    undetermined: tuple[UndeterminedChange, ...]
    contracts: int
    """Pairs of documents that were compared."""


def compare_revisions(
    base: Sequence[WireContract],
    revision: Sequence[WireContract],
    folders: tuple[str, str] = ("", ""),
) -> ComparedContracts:
    """Compare the documents that belong together, and say which are gone or new. `folders` are
    those of base and revision, from where equal paths mean the same document."""
    found: list[FoundDifference] = []
    undetermined: list[UndeterminedChange] = []
    pairs = paired_documents(base, revision, folders)
    for old, new in pairs:
        findings = Findings(SchemaComparison(old.schemas, new.schemas))
        match old.kind:
            case "openapi":
                compare_endpoints(old, new, findings)
            case "asyncapi":
                compare_channels(old, new, findings)
            case _:
                _compare_models(old, new, findings)
        found += findings.found
        undetermined += findings.undetermined
    whole = Findings(SchemaComparison({}, {}))
    for one in base:
        if all(one is not old for old, _ in pairs):
            subject = ChangeSubject(contract=one.path)
            place = Origin(one.path)
            whole.add("contract-removed", "", subject, place, Origin(""), before=one.path)
    for one in revision:
        if all(one is not new for _, new in pairs):
            subject = ChangeSubject(contract=one.path)
            whole.add("contract-added", "", subject, Origin(""), Origin(one.path), after=one.path)
    return ComparedContracts(
        tuple(judge_differences([*found, *whole.found])),
        tuple(dict.fromkeys(undetermined)),
        len(pairs),
    )


# Documents


def paired_documents(
    base: Sequence[WireContract],
    revision: Sequence[WireContract],
    folders: tuple[str, str] = ("", ""),
) -> list[tuple[WireContract, WireContract]]:
    """The documents that are revisions of each other: the only two, those under one path, those of
    one published name, those of one title, and then the only ones of their kind that are left."""
    if len(base) == len(revision) == 1 and base[0].kind == revision[0].kind:
        return [(base[0], revision[0])]
    pairs: list[tuple[WireContract, WireContract]] = []
    left, others = list(base), list(revision)
    inside = {one.path: one for one in revision}
    for old in base:
        new = inside.get(folders[1] + old.path.removeprefix(folders[0]))
        if new is not None and new.kind == old.kind:
            pairs.append((old, new))
            left.remove(old)
            others.remove(new)
    for identity in (_published_name, _title, _kind):
        for old in tuple(left):
            name = identity(old)
            alike = [one for one in left if name and identity(one) == name]
            matches = [one for one in others if name and identity(one) == name]
            if len(alike) == len(matches) == 1:
                pairs.append((old, matches[0]))
                left.remove(old)
                others.remove(matches[0])
    return pairs


def _published_name(one: WireContract) -> str:
    return next((model.identity for model in one.models if model.identity), "")


def _title(one: WireContract) -> str:
    return f"{one.kind} {one.title}" if one.title else ""


def _kind(one: WireContract) -> str:
    return "" if one.kind == "json-schema" else one.kind  # of schemas there are always several


# Shared schemas


def _compare_models(base: WireContract, revision: WireContract, findings: Findings) -> None:
    old, new = _shared_schemas(base), _shared_schemas(revision)
    pairs: list[tuple[WireModel, WireModel]] = []
    by_pointer = {_definition_pointer(one): one for one in revision.models}
    for one in old:
        other = by_pointer.get(_definition_pointer(one))
        if other is not None:
            pairs.append((one, other))
    left = [one for one in new if all(one is not other for _, other in pairs)]
    for one in [one for one in old if all(one is not known for known, _ in pairs)]:
        for other in left:
            pair = Pair(one.schema, other.schema)
            if not findings.schemas.effects(pair, "model") - {"none"}:
                pairs.append((one, other))
                left.remove(other)
                break
    document = ChangeSubject(contract=base.path)
    for one in old:
        if all(one is not known for known, _ in pairs):
            subject = replace(document, model=one.name)
            findings.add("model-removed", "", subject, one.origin, Origin(revision.path),
                         before=one.name)  # fmt: skip
    for one in left:
        if by_pointer.get(_definition_pointer(one)) is one and not any(
            _definition_pointer(known) == _definition_pointer(one) for known in base.models
        ):
            subject = replace(document, model=one.name)
            findings.add("model-added", "", subject, Origin(base.path), one.origin,
                         after=one.name)  # fmt: skip
    for one, other in pairs:
        subject = replace(document, model=one.name)
        findings.compare_values(Pair(one.schema, other.schema), "model", subject)


def _definition_pointer(model: WireModel) -> str:
    """The same for the same definition, whether it stands under `definitions` or `$defs`."""
    return model.origin.pointer.replace("/definitions/", "/$defs/")


def _shared_schemas(contract: WireContract) -> list[WireModel]:
    """The schemas that a document shares: its own, and the definitions that are not only parts
    of that one."""
    root = next((one for one in contract.models if not one.origin.pointer), None)
    if root is None:
        return list(contract.models)
    inside = _reachable(root.schema, contract)
    return [one for one in contract.models if one is root or one.schema not in inside]


def _reachable(start: SchemaKey, contract: WireContract) -> set[SchemaKey]:
    seen, pending = {start}, [start]
    while pending:
        for key in _schema_parts(contract.schemas[pending.pop()]):
            if key not in seen:
                seen.add(key)
                pending.append(key)
    return seen


def _schema_parts(schema: WireSchema) -> Iterator[SchemaKey]:
    for one in schema.properties.values():
        yield one.schema
    for choice in schema.alternatives:
        yield from choice.options
    for named in (schema.pattern_properties, schema.conditions, schema.dependent_schemas):
        yield from named.values()
    yield from schema.prefix
    for key in (schema.additional, schema.property_names, schema.items, schema.contains,
                schema.content_schema):  # fmt: skip
        if key is not None and key != ANY_VALUE:
            yield key
