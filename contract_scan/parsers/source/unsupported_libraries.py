"""Libraries that are known by their names alone. What code registers with them is not read, so that
whatever they may answer, send or receive is undetermined rather than missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from contract_scan.ir.event import Direction, EventUse
from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.facts.nodes import Import
from contract_scan.parsers.source.language import Framework

_DIRECTIONS: tuple[Direction, ...] = ("send", "receive")


class UnsupportedLibrary(Struct, frozen=True):
    """A library that is known, and not read."""

    name: str
    """As its users call it."""
    modules: tuple[str, ...]
    """What code imports to register something with it: these, and what lies below them."""
    names: tuple[str, ...] = ()
    """Of the modules, the names that tell; none: whatever is imported of them."""


def unsupported_framework(
    routers: Sequence[UnsupportedLibrary],
    brokers: Sequence[UnsupportedLibrary],
    separator: str,
    *forms: str,
) -> Framework:
    """The libraries of a language. `separator` stands between the parts of a module's name; `forms`
    is how sources write an import, such as `import {}`."""
    modules = {module for each in (*routers, *brokers) for module in each.modules}

    def operations(program: Program, framework: Framework) -> Iterator[Operation]:
        for library, origin in _imports(program, framework, routers, separator):
            yield Operation(
                method="*",
                path="/{rest*}",
                parameters_complete=False,
                origin=origin,
                framework=library.name,
                excluded_from_docs=True,
                unresolved=Reason("unsupported-routing-library", library=library.name),
            )

    def events(program: Program, framework: Framework) -> Iterator[EventUse]:
        for library, origin in _imports(program, framework, brokers, separator):
            reason = Reason("unsupported-messaging-library", library=library.name)
            for direction in _DIRECTIONS:
                yield EventUse(
                    direction=direction,
                    address="",
                    payload=Unknown(reason=reason, origin=origin),
                    unresolved=reason,
                    framework=library.name,
                    origin=origin,
                )

    return Framework(
        name="libraries that are not read",
        is_read=False,
        markers=tuple(sorted(form.format(module).encode() for module in modules for form in forms)),
        operations=operations if routers else None,
        events=events if brokers else None,
    )


# Private helpers


def _imports(
    program: Program, framework: Framework, libraries: Sequence[UnsupportedLibrary], separator: str
) -> Iterator[tuple[UnsupportedLibrary, Origin]]:
    """The first import of each library in each file."""
    for file in program.seeds(framework):
        for library in libraries:
            found = next((i for i in file.imports if _is_of(i, library, separator)), None)
            if found is not None:
                yield library, Origin(file.path, found.span)


def _is_of(given: Import, library: UnsupportedLibrary, separator: str) -> bool:
    named = not library.names or given.name in library.names
    return named and any(
        given.module == module or given.module.startswith(module + separator)
        for module in library.modules
    )
