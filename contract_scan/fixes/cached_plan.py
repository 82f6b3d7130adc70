"""Fixes that were planned before, given again while all that they rest on is as it was.

Planning parses every file with a finding that a program could mend. A plan rests on the findings,
on the text of these files, and on those that Python's classes were followed into. Whether a fix
would break other places of the program is looked at each time, and only where one may.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import msgspec
from msgspec import Struct

from contract_scan import unsaved
from contract_scan.cache import Place, open_cache
from contract_scan.fixes.apply import file_digest
from contract_scan.fixes.uses import UniqueUse
from contract_scan.fixes.withheld import without_breaking_fixes
from contract_scan.ir.fix import Fix
from contract_scan.ir.violation import Finding
from contract_scan.parsers.source.store import Store, content_key
from contract_scan.parsers.source.version import reader_version


class _CachedFixes(Struct, frozen=True, array_like=True):
    fixes: dict[int, Fix]
    """By the index of their findings."""
    unique_uses: dict[int, UniqueUse]
    """What of them must be used nowhere else, by the same; that is looked at each time."""
    files: dict[str, bytes]
    """What the plan rests on: digests by path below the root; empty: there was no such file."""


def plan_from_cache(
    root: Path, findings: Sequence[Finding], since: int, cache: Place = True
) -> tuple[Finding, ...]:
    """The findings, each with what would mend it in the code, as `plan` tells; from the cache of
    the root where that can be."""
    with closing(Store(open_cache(str(root), cache))) as store:
        known = msgspec.msgpack.encode(findings)
        key = content_key(
            known, "fixes", str(root), reader_version(), str(find_spec("libcst") is not None)
        )
        cached = _cached_plan(store, key, root)
        if cached is not None:
            again = tuple(
                msgspec.structs.replace(finding, fix=cached.fixes[index])
                if index in cached.fixes
                else finding
                for index, finding in enumerate(findings)
            )
            return (
                without_breaking_fixes(root, again, cached.unique_uses)
                if cached.unique_uses
                else again
            )
        from contract_scan.fixes.plan import plan_in_code  # what is kept needs none of it

        planned = plan_in_code(root, findings, since)
        if planned.files is not None and not unsaved.is_anything_held():
            fixes = {n: each.fix for n, each in enumerate(planned.findings) if each.fix is not None}
            store.put(
                key, msgspec.msgpack.encode(_CachedFixes(fixes, planned.unique_uses, planned.files))
            )
            store.commit()
        return without_breaking_fixes(root, planned.findings, planned.unique_uses)


def _cached_plan(store: Store, key: bytes, root: Path) -> _CachedFixes | None:
    value = store.get(key)
    try:
        cached = None if value is None else msgspec.msgpack.decode(value, type=_CachedFixes)
    except (msgspec.DecodeError, RecursionError):
        return None
    same = cached is not None and all(
        file_digest(root, path) == known for path, known in cached.files.items()
    )
    return cached if same else None
