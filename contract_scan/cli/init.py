"""`contract-scan init`: look at a repository and write a configuration for it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import caching, option
from contract_scan.cli.settings import CacheOptions, cache_place
from contract_scan.config.effective import BASELINE
from contract_scan.counted import counted
from contract_scan.errors import UsageError
from contract_scan.reports.rule_url import RAW

if TYPE_CHECKING:
    from contract_scan.ir.document import ContractDocument
    from contract_scan.listing import ListedService, Listing, UsedLibrary

SCHEMA = f"{RAW}/docs/schema/config.schema.json"
"""By which editors complete and check the file (Even Better TOML, taplo)."""
HTTP = ("openapi", "svc-table")
"""Kinds of contracts that promise routes."""


@click.command("init")
@click.argument("folder", metavar="[FOLDER]", default=".", shell_complete=complete_files)
@option("--dry-run", is_flag=True, help="Print the configuration instead of writing it.")
@option("--force", is_flag=True, help="Replace the configuration that is there.")
@caching
def command(folder: str, dry_run: bool, force: bool, no_cache: bool, cache_dir: str | None) -> int:
    """Write a contract-scan.toml for FOLDER, and say what was found.

    Looks for contracts and for the libraries in use. A configuration that is there is never
    replaced, unless --force is given.

    Exit status: 0 written, 2 nothing to configure, or there is a configuration already.
    """
    from contract_scan.cli.target import prefix
    from contract_scan.listing import listing

    here = Path.cwd()
    root = (here / folder).resolve()
    if not root.is_dir():
        raise UsageError("is no folder", folder)
    file = _configuration_path(root, force=force or dry_run)
    options: CacheOptions = {"no_cache": no_cache or dry_run, "cache_dir": cache_dir}
    found = listing(root, cache=cache_place(options, root), used=True)
    if not found.parts:
        raise UsageError(
            "no contract was found, so that there is nothing to configure (looked for openapi,"
            " swagger and asyncapi files, JSON Schemas, SVC tables)",
            str(root),
        )
    text = configuration_text(found)
    _check(text, file)
    if dry_run:
        click.echo(text, nl=False)
    else:
        from contract_scan.cli.outputs import write

        write([text], file)
    for line in _summary(found, prefix(root, here), file, here, written=not dry_run):
        click.echo(line, err=dry_run)
    return status.CLEAN


def _configuration_path(root: Path, *, force: bool) -> Path:
    """Where to write. Raises UsageError where a configuration is there already."""
    from contract_scan.config.find import OWN_NAMES, PYPROJECT, find_configuration

    there = next((root / name for name in OWN_NAMES if os.path.lexists(root / name)), None)
    if there is None:
        if not force and find_configuration(root) == root / PYPROJECT:
            message = "configures contract-scan already; --force writes a contract-scan.toml beside"
            raise UsageError(message, str(root / PYPROJECT))
        return root / OWN_NAMES[0]
    if not force:
        raise UsageError("exists already; --force replaces it", str(there))
    if there.is_symlink() or not there.is_file():
        raise UsageError("is no regular file and is not replaced", str(there))
    return there


def _check(text: str, file: Path) -> None:
    """Read what is about to be written, so that nothing is that cannot be read."""
    from contract_scan.config import resolve
    from contract_scan.config.configuration_sources import Layer
    from contract_scan.config.toml import parse

    layer = Layer(values=parse(text, str(file)), name=str(file), base=file.parent, file=file)
    resolve([layer])


def configuration_text(found: Listing) -> str:
    """A commented configuration that checks what is checked without one."""
    return "\n".join([*_head(), *_shared_contracts(found), *_services(found), *_hints()]) + "\n"


def _head() -> Iterator[str]:
    yield f"#:schema {SCHEMA}"
    yield "# Configuration of contract-scan, made by `contract-scan init`."
    yield "# `contract-scan config` lists all keys, `contract-scan config KEY` explains one."
    yield ""
    yield "# The mildest severity that makes the exit status 1: error, warning, note; or never."
    yield 'fail-on = "error"'
    yield ""
    yield "# What is known already and left out. The file of this name beside this one is used by"
    yield "# itself, as soon as `contract-scan baseline create` has written it."
    yield f'# baseline = "{BASELINE}"'


def _shared_contracts(found: Listing) -> Iterator[str]:
    """Contracts that belong to no service alone."""
    own = {path for part in found.parts for path in _own_contracts(part, found)}
    documents = {d.path: d for part in found.parts for d in part.documents if d.path not in own}
    if not documents:
        return
    from contract_scan.cli.settings_dump import describe

    yield ""
    yield "# Contracts that several services have a part in: each counts for the code around it."
    yield "contracts = ["
    for path, document in sorted(documents.items()):
        yield f"    {_toml_text(path)},  # {describe(document)}"
    yield "]"


def _services(found: Listing) -> Iterator[str]:
    from contract_scan.cli.settings_dump import describe

    names: set[str] = set()
    for part in found.parts:
        own = _own_contracts(part, found)
        if not own:
            continue
        yield ""
        yield "[[services]]"
        yield f"name = {_toml_text(_unused_name(part.service, names))}"
        yield f"source = {_toml_text(part.folders[0] or '.')}{_remark(part.used)}"
        yield "contracts = ["
        yield from (f"    {_toml_text(path)},  # {describe(d)}" for path, d in own.items())
        yield "]"


def _hints() -> Iterator[str]:
    yield ""
    yield "# What to leave out, as in .gitignore. Test code is left out anyway."
    yield '# exclude = ["legacy/"]'
    yield ""
    yield "# An exception: counted in the report, back again after its last day."
    yield "# [[exceptions]]"
    yield '# rules = ["CONTRACT-002"]'
    yield '# operation = "GET /internal/*"'
    yield '# reason = "not for clients"'
    yield '# owner = "team"'
    yield "# expires = 2027-12-31"


def _own_contracts(part: ListedService, found: Listing) -> dict[str, ContractDocument]:
    """The files that promise routes of one service, and nothing else."""
    others = {d.path for other in found.parts if other is not part for d in other.documents}
    return {d.path: d for d in part.documents if d.kind in HTTP and d.path not in others}


def _in_use(part: ListedService) -> list[UsedLibrary]:
    """The libraries that have to do with what a part promises."""
    kinds = {document.kind for document in part.documents}
    return [
        each
        for each in part.used
        if (each.endpoints and kinds & set(HTTP)) or (each.events and "asyncapi" in kinds)
    ]


def _unused_name(name: str, names: set[str]) -> str:
    wanted, number = name, 2
    while wanted in names:
        wanted, number = f"{name} {number}", number + 1
    names.add(wanted)
    return wanted


def _remark(used: Sequence[UsedLibrary]) -> str:
    return f"  # {_libraries(used)}" if used else ""


def _libraries(used: Sequence[UsedLibrary]) -> str:

    return ", ".join(
        f"{each.name} ("
        + ", ".join(
            counted(number, noun)
            for number, noun in ((each.endpoints, "endpoint"), (each.events, "event"))
            if number
        )
        + ")"
        for each in used
    )


def _in_words(part: ListedService) -> str:
    if all(document.kind == "json-schema" for document in part.documents):
        return ""
    used = _libraries(_in_use(part))
    return f": {used or 'no library of routes or events was recognised'}"


def _toml_text(text: str) -> str:
    from contract_scan.config.toml_text import toml_of

    return toml_of(text)


def _summary(
    found: Listing, before: str, file: Path, here: Path, *, written: bool
) -> Iterator[str]:
    from contract_scan.cli.settings_dump import describe
    from contract_scan.reports.display import display

    documents = {d.path: d for part in found.parts for d in part.documents}
    shown = file.relative_to(here) if file.is_relative_to(here) else file
    yield display(f"{'Wrote' if written else 'Would write'} {shown}.")
    files = counted(len(found.read), "source file")
    yield f"Found {counted(len(documents), 'contract')} and {files}:"
    for part in found.parts:
        folder = (before + part.folders[0]).rstrip("/") or "."
        yield display(f"  {part.service} ({folder}){_in_words(part)}")
        for path, document in {d.path: d for d in part.documents}.items():
            yield display(f"    {before}{path}: {describe(document)}")
    for problem in found.problems:
        line = f":{problem.line}" if problem.line else ""
        yield display(f"  {before}{problem.path}{line}: not read: {problem.reason}")
    yield "`contract-scan check` compares them; with --show-files it says what it reads."
