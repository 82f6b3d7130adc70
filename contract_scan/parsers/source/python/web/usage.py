"""Whether anything may use what a file makes: a router that no other file uses cannot serve."""

from __future__ import annotations

import io
import tokenize
from posixpath import basename
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.facts.nodes import Import

_LOADERS = (
    b"import_module",
    b"__import__(",
    b"import_string",
    b"entry_points",
    b"pkgutil",
    b"find_modules",
    b"exec_module",
    b"load_module",
    b"runpy",
    b"auto_discover",
    b"autodiscover",
)
"""What loads modules by names that the code makes up."""


def may_be_used(program: Program, path: str) -> bool:
    """Whether what a file makes may be used elsewhere, or the file be run by itself."""
    key = f"python.used:{path}"
    known = program.memory.get(key)
    if not isinstance(known, bool):
        known = _may_be_used(program, path)
        program.memory[key] = known
    return known


def _may_be_used(program: Program, path: str) -> bool:
    name = basename(path).removesuffix(".py")
    if name.startswith("__"):  # A package is loaded with whatever is in it.
        return True
    if path in program.files_containing(b"__main__") or program.any_file_contains(*_LOADERS):
        return True
    return _is_named_in_text(program, name) or any(
        _uses(program, other, path, name)
        for other in program.files_with_word(name)
        if other != path
    )


def _is_named_in_text(program: Program, name: str) -> bool:
    """`"shop.orders"`, `"shop.orders:router"`: a library may load what a text names."""
    ends = [f".{name}{end}".encode() for end in ('"', "'", ":")]
    whole = [f"{quote}{name}:".encode() for quote in ('"', "'")]
    return program.any_file_contains(*ends, *whole)


def _uses(program: Program, importer: str, path: str, name: str) -> bool:
    """Whether a file imports the other one and does something with it."""
    for entry in program.facts(importer).imports:
        if not _may_mean(program, importer, entry, path, name):
            continue
        local = entry.local.partition("@")[0]
        if entry.name == "*" or _is_mentioned(program, importer, {local, name}):
            return True
        if local and _is_handed_on(program, importer, local):
            return True
    return False


def _may_mean(program: Program, importer: str, entry: Import, path: str, name: str) -> bool:
    """Whether an import may bring the file: its name stands in it, and no other file is meant."""
    if name not in (entry.name, *entry.module.split(".")):
        return False
    found = program.language.find_module(program.files, importer, entry)
    # The file of a package is what is found of `from package import module` where it has one.
    return found is None or found == path or basename(found) == "__init__.py"


def _is_handed_on(program: Program, importer: str, local: str) -> bool:
    """Whether other files take the imported name out of the file that imports it."""
    for other in program.files_with_word(local):
        for entry in program.facts(other).imports if other != importer else ():
            if program.language.find_module(program.files, other, entry) != importer:
                continue
            if entry.name in (local, "*") or (
                not entry.name and _is_mentioned(program, other, {local})
            ):
                return True
    return False


def _is_mentioned(program: Program, path: str, names: set[str]) -> bool:
    """Whether a name stands in a file other than in its imports, or as a text (`__all__`)."""
    source = program.files.read(path)
    if source is None:
        return True
    texts = {quoted for name in names for quoted in (f'"{name}"', f"'{name}'")}
    first = True
    imports = False
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type == tokenize.NAME and first:
                imports = token.string in ("import", "from")
            if token.type in (tokenize.NAME, tokenize.STRING):
                if not imports and token.string in names | texts:
                    return True
                first = False
            elif token.type == tokenize.NEWLINE:
                first, imports = True, False
            elif token.type == tokenize.OP:
                first = False
    except (tokenize.TokenError, SyntaxError):
        return True
    return False
