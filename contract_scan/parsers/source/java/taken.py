"""What handlers take, whatever the framework."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from contract_scan.ir.operation import Body, Parameter
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Scalar


class Taken(Struct):
    """What a handler takes."""

    parameters: list[Parameter]
    bodies: list[Body]
    complete: bool = True
    """False where it may read parameters that nothing declares."""


def variables(path: str) -> Iterator[str]:
    """Names of the path variables of a template, in order."""
    for part in path.split("{")[1:]:
        yield part.partition("}")[0].rstrip("*")


def with_path_variables(
    parameters: Iterable[Parameter], path: str, origin: Origin
) -> tuple[Parameter, ...]:
    """The parameters, with variables of the path that nothing reads, and without those that this
    path does not have."""
    names = list(variables(path))
    kept = [p for p in parameters if p.location != "path" or p.name in names]
    declared = {p.name for p in kept if p.location == "path"}
    for name in names:
        if name not in declared and name not in ("any", "path"):
            schema = Scalar(type="string", origin=origin)
            kept.append(
                Parameter(name=name, location="path", schema=schema, required=True, origin=origin)
            )
    return tuple(kept)
