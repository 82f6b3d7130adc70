"""The working tree that a scope leaves behind, as git and the engine see it."""

from __future__ import annotations

from pathlib import Path

from contract_scan.api import Extraction, extract
from contract_scan.clients import git
from contract_scan.counted import counted
from contract_scan.errors import UsageError
from contract_scan.scopes.verification import Delivery, endpoints


def delivery_of(root: Path, since: str) -> Delivery:
    """What lies below the root, what of it differs from the commit at which `since` and HEAD
    parted, and which endpoints, channels and types its code has.

    Raises UsageError where git cannot tell.
    """
    files = git.listed_files(root)
    if files is None:
        raise UsageError("is no git repository, so what a scope changed is unknown", str(root))
    top = root.resolve()
    try:
        changed = git.changed_since(root, since, ()).files
    except UsageError as error:
        raise UsageError(error.message, "--since") from error
    return delivery_from(
        extract(root),
        files=frozenset(file for file in files if (root / file).is_file()),
        changed=frozenset(
            path.relative_to(top).as_posix() for path in changed if path.is_relative_to(top)
        ),
    )


def delivery_from(found: Extraction, *, files: frozenset[str], changed: frozenset[str]) -> Delivery:
    """Files, those of them that differ, and what the engine found in them."""
    unread = len({one.path for one in found.problems if one.is_grave})
    unread_reason = f"{counted(unread, 'file')} could not be read" if unread else ""
    return Delivery(
        files=files,
        changed=changed,
        endpoints=endpoints((one.method, one.path) for one in found.endpoints),
        addresses=frozenset(one.address for one in found.events if one.address),
        types=frozenset(one.name for one in found.models),
        unknown_routes=unread_reason or _unknown_routes(found),
        unknown_channels=unread_reason or _unknown_channels(found),
        code_files=found.files,
    )


def _unknown_routes(found: Extraction) -> str:
    if not found.endpoints:
        return "no route at all was recognised in the code"
    unknown = sum(bool(one.unresolved) or one.method == "*" for one in found.endpoints)
    if not unknown:
        return ""
    return f"{counted(unknown, 'route')} {'is' if unknown == 1 else 'are'} not known whole"


def _unknown_channels(found: Extraction) -> str:
    if not found.events:
        return "no use of a channel was recognised in the code"
    unknown = sum(not one.address or one.pattern for one in found.events)
    if not unknown:
        return ""
    return (
        f"{counted(unknown, 'use')} of channels {'is' if unknown == 1 else 'are'} not known whole"
    )
