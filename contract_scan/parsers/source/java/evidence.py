"""What the modules around a file mention."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from contract_scan.parsers.source.discover import is_test
from contract_scan.parsers.source.java.build import module_of, related

if TYPE_CHECKING:
    from contract_scan.parsers.source.link.program import Program


def holding(program: Program, near: str, *literals: bytes) -> tuple[str, ...]:
    """Paths of the files that hold one of the literals, in the modules that the file `near` belongs
    to. How names look on the wire is configured anywhere in a module, so its files outside the
    scanned folders count as well."""
    modules = related(program, module_of(near))
    return tuple(path for path in everywhere(program, *literals) if module_of(path) in modules)


def mentions(program: Program, near: str, *literals: bytes) -> bool:
    """Whether one of these files holds one of the literals."""
    return bool(holding(program, near, *literals))


def everywhere(program: Program, *literals: bytes) -> tuple[str, ...]:
    """Paths of all files that hold one of the literals."""
    known = cast(
        "dict[tuple[bytes, ...], tuple[str, ...]]",
        program.memory.setdefault("java.everywhere", {}),
    )
    if literals not in known:
        found = {p for p in program.holding(*literals) if _holds(program, p, literals)}
        found.update(p for p in _outside(program) if _holds(program, p, literals))
        known[literals] = tuple(sorted(found))
    return known[literals]


def _outside(program: Program) -> tuple[str, ...]:
    """Source files of the scanned modules that are not among those scanned, tests left out."""
    known = cast("tuple[str, ...] | None", program.memory.get("java.outside"))
    if known is None:
        inside = frozenset(program.files.source("java"))
        modules = {module_of(path) for path in inside}
        known = tuple(
            path
            for path in program.files.ending(".java")
            if path not in inside and module_of(path) in modules and not is_test(path)
        )
        program.memory["java.outside"] = known
    return known


def _holds(program: Program, path: str, literals: tuple[bytes, ...]) -> bool:
    # An unfiltered program names every file as one that may hold a literal.
    content = program.files.read(path) or b""
    return any(literal in content for literal in literals)
