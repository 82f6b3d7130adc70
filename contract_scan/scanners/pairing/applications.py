"""Applications beside the service: scripts, tools, examples and mock servers in its repository.

A program with an application object of its own, which implements less of the contracts than another
one does and nothing that this one lacks, is not what the contracts describe. That nothing of it is
contracted would be too much to ask: one path that both have by chance would make it the service.

All routes without such an object count as one application: a mock server of another library, in a
folder of its own beside the service that they make, is not the service either.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Sequence

from contract_scan.ir.operation import Application, Operation
from contract_scan.scanners.pairing.paired import OtherApplication
from contract_scan.scanners.pairing.routes import Route


def other_applications(
    routes: Iterable[Operation],
    claimed: Sequence[tuple[Operation, Sequence[Route]]],
    generated: Sequence[tuple[Operation, Sequence[Route]]] = (),
) -> tuple[OtherApplication, ...]:
    """The applications that implement a strict subset of the operations that another one does, or
    no more than one whose routes a build makes of them, in order of place. `claimed` are the
    operations of contracts with all routes for each, `generated` those with routes that are made
    of them."""
    implemented: dict[Application | None, set[int]] = defaultdict(set)
    files: set[str] = set()
    made = {route.operation.application for _, found in generated for route in found} - {None}
    for contract, candidates in (*claimed, *generated):
        for route in candidates:
            if route.operation.application is None and route.operation.unresolved:
                continue  # it may be any application's
            implemented[route.operation.application].add(id(contract))
            if route.operation.application is None:
                files.add(route.operation.origin.path)
    served: dict[Application, list[Operation]] = defaultdict(list)
    for operation in routes:
        if operation.application is not None and not operation.unresolved:
            served[operation.application].append(operation)
    found = [
        OtherApplication(application, tuple(own))
        for application, own in served.items()
        if any(
            (implemented[application] < theirs or (other in made and application not in made))
            and implemented[application] <= theirs
            and (other is not None or not _is_among(application, files))
            for other, theirs in [*implemented.items()]
        )
    ]
    return tuple(sorted(found, key=_application_key))


def _is_among(application: Application, files: Iterable[str]) -> bool:
    """Whether the folder of an application holds some of the files of routes: the two may be one
    program."""
    folder = posixpath.dirname(application.origin.path)
    return any(path.startswith(f"{folder}/" if folder else "") for path in files)


def _application_key(other: OtherApplication) -> tuple[object, ...]:
    origin = other.application.origin
    return origin.path, origin.span, other.application.instance
