"""Schemas that lead back to themselves with nothing in between."""

from __future__ import annotations

from contract_scan.ir.schema import Reference, Schema, Union


def keys_in_cycles(schemas: dict[str, Schema]) -> frozenset[str]:
    """Keys of schemas that lead back to themselves through references and unions alone."""
    leads = {key: _leads_to(schema) & schemas.keys() for key, schema in schemas.items()}
    # Whatever leads only to schemas outside of every ring is outside, too.
    outside: set[str] = set()
    waiting = {key: len(targets) for key, targets in leads.items()}
    sources: dict[str, list[str]] = {}
    for key, targets in leads.items():
        for target in targets:
            sources.setdefault(target, []).append(key)
    ready = [key for key, count in waiting.items() if count == 0]
    while ready:
        target = ready.pop()
        outside.add(target)
        for source in sources.get(target, ()):
            waiting[source] -= 1
            if waiting[source] == 0:
                ready.append(source)
    left = schemas.keys() - outside
    return frozenset(key for key in left if _returns(key, leads))


def _returns(key: str, leads: dict[str, set[str]]) -> bool:
    pending, seen = list(leads[key]), set[str]()
    while pending:
        current = pending.pop()
        if current == key:
            return True
        if current not in seen:
            seen.add(current)
            pending.extend(leads[current])
    return False


def _leads_to(schema: Schema) -> set[str]:
    found: set[str] = set()
    pending = [schema]
    while pending:
        current = pending.pop()
        if isinstance(current, Reference):
            found.add(current.key)
        elif isinstance(current, Union):
            pending.extend(current.options)
    return found
