"""Controllers of OData: their routes by convention, and that OData itself writes what they answer.

https://learn.microsoft.com/odata/webapi-8/fundamentals/entityset-routing: `Get()` of
`ProductsController` answers `/prefix/Products`, `Get(int key)` `/prefix/Products({key})` and
`/prefix/Products/{key}`. Bodies have an envelope (`value`), and the names of the entity model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from contract_scan.ir.operation import Response
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.csharp.frameworks.aspnet.controllers import Action
from contract_scan.parsers.source.csharp.resolution.callers import calls_of
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import Attribute, Call, NamedType

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.analysis.domain.values import ClassSymbol

_COMPONENTS = b"AddRouteComponents("
_VERBS = ("Get", "Post", "Put", "Patch", "Delete")
_KEY = "key"


def is_odata(program: Program, symbol: ClassSymbol) -> bool:
    """Whether OData routes a controller and writes what it answers."""
    if not program.any_file_contains(_COMPONENTS):
        return False
    return any(
        isinstance(base, NamedType) and unqualified_name(base.name) == "ODataController"
        for owner in (symbol, *program.bases(symbol))
        for base in owner.decl.bases
    )


def odata_routes(
    program: Program, symbol: ClassSymbol, action: Action
) -> tuple[tuple[str, ...], str, Reason]:
    """(templates, verb, why they are undetermined) of an action without a route of its own."""
    name = symbol.decl.name.removesuffix("Controller")
    prefix = _prefix(program)
    verb = next((v for v in _VERBS if action.method.name.startswith(v)), "")
    rest = action.method.name.removeprefix(verb)
    if prefix is None or not verb or (rest and rest not in (name, f"From{name}")):
        return ("{computed}",), verb.upper() or "*", Reason("odata-routes-by-model")
    whole = f"{prefix}/{name}".strip("/")
    if any(p.name.lower().startswith(_KEY) for p in action.method.params):
        return (f"{whole}({{{_KEY}}})", f"{whole}/{{{_KEY}}}"), verb.upper(), NO_REASON
    return (whole,), verb.upper(), NO_REASON


@memoised
def _prefix(program: Program) -> str | None:
    """The prefix of all OData routes; None where there are several, or it is not constant."""
    found: set[str | None] = set()
    for path in program.files_containing(_COMPONENTS):
        for call, scope in calls_of(program, program.facts(path), _COMPONENTS):
            if not isinstance(call, Call) or not isinstance(call.callee, Attribute):
                continue
            if call.callee.name == "AddRouteComponents" and call.args:
                only = len(call.args) == 1
                found.add("" if only else program.text(call.args[0].value, scope))
    return found.pop() if len(found) == 1 else None


def written_by_odata(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """Responses whose bodies OData writes."""
    return tuple(
        replace(
            response,
            bodies=tuple(
                replace(body, schema=Unknown(reason=Reason("odata-writes-it"), origin=body.origin))
                for body in response.bodies
            ),
        )
        for response in responses
    )
