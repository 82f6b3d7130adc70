"""What the modules around a file mention."""

from __future__ import annotations

from collections.abc import Iterator

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.java.resolution.build import (
    build_texts,
    module_of,
    related_modules,
)


def related_files_containing(program: Program, near: str, *literals: bytes) -> tuple[str, ...]:
    """Paths of the files that hold one of the literals, in the modules that the file `near` belongs
    to. How names look on the wire is configured anywhere in a module, so its files outside the
    scanned folders count as well."""
    return _files_of_module(program, module_of(program, near), literals)


@memoised
def _files_of_module(program: Program, module: str, literals: tuple[bytes, ...]) -> tuple[str, ...]:
    return tuple(sorted(_files_mentioning(program, related_modules(program, module), literals)))


def is_in_related_files(program: Program, near: str, *literals: bytes) -> bool:
    """Whether one of these files holds one of the literals."""
    return _is_in_module(program, module_of(program, near), literals)


def is_dropwizard(program: Program, near: str) -> bool:
    """Whether the modules of a file are an application of Dropwizard, by their code or builds."""
    builds = build_texts(program, module_of(program, near))
    return is_in_related_files(program, near, *_DROPWIZARD) or any(
        b"dropwizard-core" in build for build in builds
    )


_DROPWIZARD = (b"io.dropwizard.Application", b"io.dropwizard.core.Application")


@memoised
def _is_in_module(program: Program, module: str, literals: tuple[bytes, ...]) -> bool:
    return any(_files_mentioning(program, related_modules(program, module), literals))


@memoised
def everywhere(program: Program, *literals: bytes) -> tuple[str, ...]:
    """Paths of all files that hold one of the literals."""
    return tuple(sorted(_files_mentioning(program, None, literals)))


def _files_mentioning(
    program: Program, modules: frozenset[str] | None, literals: tuple[bytes, ...]
) -> Iterator[str]:
    for path in program.files_containing(*literals):
        if modules is None or module_of(program, path) in modules:
            yield path
    for path in _unscanned_sources(program):
        if modules is None or module_of(program, path) in modules:
            content = program.files.read(path) or b""
            if any(literal in content for literal in literals):
                yield path


@memoised
def _unscanned_sources(program: Program) -> tuple[str, ...]:
    """Source files of the scanned modules that are not among those scanned, tests left out."""
    inside = frozenset(program.files.source("java"))
    modules = {module_of(program, path) for path in inside}
    return tuple(
        path
        for path in program.files.ending(".java")
        if path not in inside and module_of(program, path) in modules and not is_test(path)
    )
