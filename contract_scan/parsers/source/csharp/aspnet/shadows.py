"""Routes that are only reachable where no other route has their path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from contract_scan.ir.operation import Operation

_PARAMETER = re.compile(r"\{[^{}]*\}")


def without_shadowed(operations: Iterable[Operation]) -> Iterator[Operation]:
    """All routes but hidden ones (a template without its optional end, another spelling of a
    version) whose method and path a written route has: that one answers."""
    found = list(operations)
    written = {_key(operation) for operation in found if not operation.hidden}
    for operation in found:
        if not operation.hidden or _key(operation) not in written:
            yield operation


def _key(operation: Operation) -> tuple[str, str]:
    return (operation.method, _PARAMETER.sub("{}", operation.path).casefold())
