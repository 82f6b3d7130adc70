"""A program over a few Python files, linked without any library knowledge."""

from __future__ import annotations

from pathlib import Path

from contract_scan.ir.schema import Array, Scalar, Schema, Unknown
from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.schemas import describe
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol, FunctionValue
from contract_scan.parsers.source.language import Framework, Language
from contract_scan.parsers.source.python.lowering import lower
from contract_scan.parsers.source.python.resolution import modules
from tests.parsers.source.project import read

EVERYTHING = Framework(name="everything", markers=(b"import",))


def _library_type(use: TypeUse) -> Schema | None:
    scalars = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}
    if use.name in scalars:
        return Scalar(type=scalars[use.name])  # type: ignore[arg-type]
    if use.name == "list":
        return Array(items=use.arg(0))
    if use.name in ("dict", "Any"):
        return Unknown(reason=f"declared as {use.name}")
    return None


def _class_schema(use: TypeUse, symbol: ClassSymbol) -> Schema:
    from contract_scan.ir.schema import Field, Object

    fields = [
        Field(name=member.name, schema=use.schema(member.type, scope))
        for owner, scope in use.chain(symbol)
        for member in owner.decl.members
        if member.type is not None
    ]
    return Object(fields=tuple(fields), name=symbol.decl.name)


BARE_PYTHON = Language(
    name="python",
    suffixes=(".py",),
    lower=lower.lower,
    lower_body=lower.lower_body,
    definitions=rb"class\s+(\w+)",
    find_module=modules.find_module,
    calls=(),
    implicit=lambda program, file, name: (),
    library_type=_library_type,
    class_schema=_class_schema,
    transparent={"Awaitable": 0},
    containers={"list": 0},
    call_models={},
    frameworks=(EVERYTHING,),
)


def program(root: Path, files: dict[str, str]) -> Program:
    """Write the files below `root` and link them."""
    linked, _ = read(root, files, BARE_PYTHON)
    return linked


def function(program: Program, path: str, name: str) -> FunctionValue:
    """A function that a file declares."""
    file = program.facts(path)
    found = program.names.lookup(name, program.module_scope(file))
    assert isinstance(found, FunctionValue)
    return found


def returned(root: Path, source: str, name: str = "f", **others: str) -> list[str]:
    """Descriptions of what each return of a function gives. `others` are further modules."""
    files = {"app.py": source} | {f"{module}.py": text for module, text in others.items()}
    linked = program(root, files)
    results = linked.function_exits(function(linked, "app.py", name))
    shapes = []
    for result in results:
        assert result.value is not None
        shape = linked.infer(result.value, result.scope)
        shapes.append(describe(linked.types.flat(shape)))
    return shapes
