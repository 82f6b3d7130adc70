"""Routes that are only reachable where no other route has their path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.csharp.web.templates import Template

_PARAMETER = re.compile(r"\{[^{}]*\}")


def without_shadowed(operations: Iterable[Operation]) -> Iterator[Operation]:
    """All routes but hidden ones (a template without its optional end, another spelling of a
    version) whose method and path a written route has: that one answers."""
    found = list(operations)
    written = {_key(operation) for operation in found if not operation.excluded_from_docs}
    for operation in found:
        if not operation.excluded_from_docs or _key(operation) not in written:
            yield operation


def with_shorter(operation: Operation, template: Template) -> Iterator[Operation]:
    """A route, and the hidden one without the optional end of its template."""
    yield operation
    shorter = template.shorter
    if shorter is not None:
        reachable = tuple(
            parameter
            for parameter in operation.parameters
            if parameter.location != "path" or "{" + parameter.name + "}" in shorter
        )
        yield replace(operation, path=shorter, parameters=reachable, excluded_from_docs=True)


def _key(operation: Operation) -> tuple[str, str]:
    return (operation.method, _PARAMETER.sub("{}", operation.path).casefold())
