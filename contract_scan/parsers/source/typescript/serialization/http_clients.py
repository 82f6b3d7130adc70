"""What answers of other services hold, where the call says it: `axios.get<Order>(url)`."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ByType, LibraryResult, Value
from contract_scan.parsers.source.facts.nodes import Call

_CLIENTS = ("axios.", "axios().", "@nestjs/axios.HttpService.")


def data(program: Program, value: Value) -> Value | None:
    """`response.data`: of the type that the call was given; None for anything else."""
    del program
    if not isinstance(value, LibraryResult) or not value.name.startswith(_CLIENTS):
        return None
    types = value.site.type_args if isinstance(value.site, Call) else ()
    return ByType(types[0], value.scope, value.site.span, unchecked=True) if types else None
