"""The methods that map a route."""

from __future__ import annotations

from contract_scan.parsers.source.facts.nodes import Attribute, Call

VERBS = {
    "MapGet": "GET",
    "MapPost": "POST",
    "MapPut": "PUT",
    "MapDelete": "DELETE",
    "MapPatch": "PATCH",
    "Map": "*",
}
"""Method -> the verb that its routes answer."""


def maps(call: Call) -> bool:
    """Whether a call looks as if it maps a route: on something, with a pattern and a handler."""
    callee = call.callee
    if not isinstance(callee, Attribute) or len(call.args) < 2:
        return False
    return callee.name in VERBS or callee.name == "MapMethods"
