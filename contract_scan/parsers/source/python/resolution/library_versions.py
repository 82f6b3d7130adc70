"""Which major version of a library a project is written for, where that changes what is sent."""

from __future__ import annotations

import re
from posixpath import dirname

from contract_scan.parsers.source.analysis.domain.program import Program

_LOCKS = ("poetry.lock", "uv.lock", "pdm.lock")
_REQUIREMENTS = ("pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile")
_LOCKED = re.compile(rb'name = "pydantic"\s+version = "(\d+)\.')
_REQUIRED = re.compile(
    rb"""(?m)^[ \t"'-]*pydantic(?![-_.\w])[^\n#]{0,60}?"""
    rb"""(==|~=|\^|<=?|>=?|~)[ \t]*["']?(\d+)"""
)

_SAYS_2 = (
    b"model_config",
    b"ConfigDict",
    b"field_validator",
    b"model_validator",
    b"model_dump",
    b"model_validate(",
    b"field_serializer",
    b"RootModel",
    b"computed_field",
)
_SAYS_1 = (
    b"orm_mode",
    b"allow_population_by_field_name",
    b"@validator(",
    b"root_validator",
    b"BaseConfig",
    b".parse_obj(",
    b"__root__",
    b"from_orm(",
)


def pydantic_major(program: Program, path: str) -> int:
    """The major version of pydantic that the file `path` is written for: 1 or 2, and 0 where the
    project does not use pydantic.

    Told by the nearest lock file or requirement, else by what the code around the file uses. Code
    that fits both counts as written for version 2.
    """
    folder = dirname(path)
    key = f"python.pydantic_major:{folder}"
    known = program.memory.get(key)
    if isinstance(known, int):
        return known
    major = _from_requirements(program, folder) or _from_code(program, folder)
    program.memory[key] = major
    return major


def _from_requirements(program: Program, folder: str) -> int:
    while True:
        for name in (*_LOCKS, *_REQUIREMENTS):
            content = program.files.read(f"{folder}/{name}" if folder else name)
            major = _major_version(content, locked=name in _LOCKS) if content is not None else 0
            if major:
                return major
        if not folder:
            return 0
        folder = dirname(folder)


def _major_version(content: bytes, *, locked: bool) -> int:
    if locked:
        match = _LOCKED.search(content)
        return min(int(match[1]), 2) if match is not None else 0
    for match in _REQUIRED.finditer(content):
        sign, number = match[1], int(match[2])
        if sign in (b"==", b"~=", b"^", b"~"):
            return 1 if number <= 1 else 2
        if sign == b">=" and number >= 2:
            return 2
        if b"<" in sign and number <= 2 and not (sign == b"<=" and number == 2):
            return 1
        if sign == b">=" and re.match(
            rb"[\d.]*[ \t]*,[ \t]*<[ \t]*2(?!\d)", content[match.end() :]
        ):
            return 1
    return 0


def _from_code(program: Program, folder: str) -> int:
    """Counted over the files nearest around: a repository may hold services of both kinds."""
    for around in _folder_and_ancestors(folder):
        old, new = (
            _count_of_files_with(program, _SAYS_1, around),
            _count_of_files_with(program, _SAYS_2, around),
        )
        if old != new:
            return 1 if old > new else 2
    return 2 if program.any_file_contains(b"pydantic") else 0


def _folder_and_ancestors(folder: str) -> list[str]:
    """The folder and those around it, nearest first."""
    folders = [folder]
    while folders[-1]:
        folders.append(dirname(folders[-1]))
    return folders


def _count_of_files_with(program: Program, literals: tuple[bytes, ...], folder: str) -> int:
    paths = {path for literal in literals for path in program.files_containing(literal)}
    prefix = f"{folder}/" if folder else ""
    return sum(1 for path in paths if path.startswith(prefix))
