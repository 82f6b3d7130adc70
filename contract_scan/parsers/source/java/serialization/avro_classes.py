"""What builds make of Avro schemas (`.avsc`): classes that are not among the sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from contract_scan.errors import ContractError
from contract_scan.ir.schema import Schema
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.java.resolution.build import module_of, related_modules

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program

Found: TypeAlias = Mapping[str, Mapping[str, Schema]]
"""Shapes by the full name of the class and the file that describes it."""


def avro_class(program: Program, near: str, name: str, packages: list[str]) -> Schema | None:
    """The shape of a class that is generated from an Avro schema; None: it is not, or which of
    several schemas of its name it is made of is undetermined. `packages` are those in which the
    name may be declared, and `near` is the file that names it."""
    for package in packages:
        found = _classes(program).get(f"{package}.{name}" if package else name, {})
        if found:
            modules = related_modules(program, module_of(program, near))
            own = [shape for path, shape in found.items() if module_of(program, path) in modules]
            shapes = own or list(found.values())
            return shapes[0] if len(shapes) == 1 else None
    return None


@memoised
def _classes(program: Program) -> Found:
    from contract_scan.parsers.contracts.avro import classes_of
    from contract_scan.parsers.contracts.located_tree import open_text

    found: dict[str, dict[str, Schema]] = {}
    for path in program.files.ending(".avsc"):
        content = program.files.read(path)
        try:
            root = open_text(content or b"", path).root
        except ContractError:
            continue  # a broken schema makes no class
        for name, shape in classes_of(root).items():
            found.setdefault(name, {})[path] = shape
    return found
