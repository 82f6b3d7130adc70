"""Calls of a `TypedDict` of the project, which make plain dictionaries."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.hooks import CallSite
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, Value
from contract_scan.parsers.source.python.library_calls.containers import CONTAINERS
from contract_scan.parsers.source.python.serialization.kinds import library_bases


def typed_dict_call(site: CallSite, symbol: ClassSymbol) -> Value | None:
    """The dictionary that `Point(x=1)` makes; None for a class that is no `TypedDict`."""
    if all(base.simple_name != "TypedDict" for base in library_bases(site.program, symbol)):
        return None
    return CONTAINERS["dict"](site)
