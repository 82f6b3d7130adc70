"""Contracts of gateways that say what is behind each operation: the code of a service below some
prefix, a function, or nothing but the gateway itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Operation
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.pairing.base_path_offset import DocumentMount, find_mounting
from contract_scan.scanners.pairing.paired import PossibleOperation
from contract_scan.scanners.pairing.paths import Segments

Spelled = list[tuple[str, Segments]]
_AUTOMATIC = frozenset({"HEAD", "OPTIONS"})
_VARIABLES = re.compile(r"^(?:/\$\{[^{}]{1,200}\})+")


def mounting_of(
    document: ContractDocument,
    operations: Sequence[Operation],
    telling: Iterable[Operation],
    spelled: Callable[[Iterable[Operation]], Spelled],
    methods: Mapping[Segments, frozenset[str]],
) -> DocumentMount:
    """Where the code mounts what a document describes, which `telling` operations say. The prefix
    that a gateway forwards to counts as declared, also where a variable stands for it."""
    found = find_mounting(
        spelled(telling), document.base_paths, methods, document.base_path_optional
    )
    forwarded = [o for o in operations if o.method not in _AUTOMATIC and _is_forwarded(o)]
    offset = find_mounting(spelled(forwarded), (), methods).offset if forwarded else None
    if offset is None or offset.removed:
        return found
    return replace(
        found,
        prefixes=tuple(dict.fromkeys((offset.added, *found.prefixes))),
        offset=None,
        declared_missing=(),
    )


def answered_elsewhere(
    document: ContractDocument, operation: Operation
) -> PossibleOperation | None:
    """An operation that a function, or the gateway itself, answers as its contract says."""
    behind = operation.integration
    if behind is None or behind.kind == "service":
        return None
    reason = Reason("operation-of-gateway")
    if behind.kind == "function":
        reason = Reason("operation-of-function", function=behind.target or "it")
    return PossibleOperation(document, operation, reason)


def paths_at_service(operation: Operation, normalise: Callable[[str], Segments]) -> list[Segments]:
    """The path that a gateway forwards an operation to, where it says all of it but a variable that
    it begins with."""
    behind = operation.integration
    if behind is None or behind.kind != "service":
        return []
    target = _VARIABLES.sub("", behind.target)
    return [] if "$" in target or not target else [normalise(target)]


def _is_forwarded(operation: Operation) -> bool:
    """Whether a gateway sends requests on to the same path below some prefix."""
    behind = operation.integration
    return (
        behind is not None and behind.kind == "service" and behind.target.endswith(operation.path)
    )
