"""Settings of a .NET application: `appsettings.json`, and `local.settings.json` of functions.

Only what holds in every environment counts: `appsettings.Development.json` and kin are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.resolution.projects import project_of
from contract_scan.parsers.source.facts.nodes import Attribute, Branch, Call, Expr, OperationExpr
from contract_scan.parsers.source.facts.visitor import nodes_of

_NAMES = ("appsettings.json", "local.settings.json")
_MAX_BYTES = 1_000_000
_MAX_DEPTH = 40


def configuration(program: Program, path: str) -> Mapping[str, str]:
    """The settings that hold for a source file: lower-case `section:key` -> text.

    They are those of the project around the file; of the only project that has any, where its own
    has none.
    """
    projects = _projects(program)
    own = project_of(program, path).folder
    if own in projects:
        return projects[own]
    return next(iter(projects.values())) if len(projects) == 1 else {}


@memoised
def _projects(program: Program) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name in _NAMES:
        for path in program.files.files_named(name):
            content = program.files.read(path) or b""
            if len(content) <= _MAX_BYTES:
                read = read_settings(content)
                found.setdefault(path.rpartition("/")[0], {}).update(read)
    return found


def read_settings(content: bytes) -> dict[str, str]:
    """The texts of a settings file by `section:key`, in lower case; none of a broken one."""
    import json

    try:
        whole = json.loads(without_comments(content.decode("utf-8-sig", "replace")))
    except (ValueError, RecursionError):
        return {}
    found: dict[str, str] = {}
    for key, value in _leaf_values("", whole, 0):
        # Settings of functions stand below `Values`; their names may be those of environment
        # variables, in which `__` parts sections.
        name = key.lower().removeprefix("values:") if key.lower().startswith("values:") else key
        found[name.lower().replace("__", ":")] = value
    return found


def _leaf_values(key: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaf_values(f"{key}:{name}" if key else str(name), inner, depth + 1)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from _leaf_values(f"{key}:{position}", inner, depth + 1)
    elif isinstance(value, str):
        yield key, value


def without_comments(text: str) -> str:
    """JSON without comments and commas behind the last entry, which settings files may have."""
    output: list[str] = []
    position = 0
    while position < len(text):
        char = text[position]
        if char == '"':
            end = _string_end(text, position)
            output.append(text[position:end])
        elif text.startswith("//", position):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
        elif text.startswith("/*", position):
            end = text.find("*/", position)
            end = len(text) if end < 0 else end + 2
        else:
            end = position + 1
            if char in "}]":
                _drop_comma(output)
            output.append(char)
        position = end
    return "".join(output)


def _string_end(text: str, start: int) -> int:
    position = start + 1
    while position < len(text) and text[position] != '"':
        position += 2 if text[position] == "\\" else 1
    return position + 1


def _drop_comma(output: list[str]) -> None:
    position = len(output) - 1
    while position >= 0 and output[position].isspace():
        position -= 1
    if position >= 0 and output[position] == ",":
        output[position] = ""


@memoised
def is_switched_on(program: Program, setting: bytes) -> bool:
    """Whether code sets a switch of a library in production too: some place that names it does not
    stand below `if (environment.IsDevelopment())`."""
    pattern = re.compile(rb"\b%s\b" % re.escape(setting))
    return any(
        not any(first <= number <= last for first, last in _development_lines(program, path))
        for path in program.files_containing(setting)
        for number, line in enumerate((program.files.read(path) or b"").split(b"\n"), 1)
        if pattern.search(line) is not None
    )


def _development_lines(program: Program, path: str) -> Iterator[tuple[int, int]]:
    """The first and the last line of each block that runs in development alone."""
    file = program.facts(path)
    methods = [*file.functions, *(m for owner in program.classes(file) for m in owner.decl.methods)]
    bodies = (file.statements, *(program.body(method, file) for method in methods))
    for node in nodes_of(bodies):
        match node:
            case Branch(kind="if", condition=test, blocks=(first, *_)) if (
                first and test is not None and _is_development(test)
            ):
                yield first[0].span.line, first[-1].span.end_line
            case _:
                pass


def _is_development(test: Expr) -> bool:
    match test:
        case Call(callee=Attribute(name="IsDevelopment")):
            return True
        case OperationExpr(operator="!", operands=(Call(callee=Attribute(name="IsProduction")),)):
            return True
        case _:
            return False
