"""What is measured: a copy of a folder under git, and a contract that its code keeps in part."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import contract_scan
from contract_scan.api import extract, scan
from contract_scan.clients import git
from contract_scan.ir.operation import Operation
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.discovery.surface_fingerprint import names_in
from contract_scan.parsers.source.facts.nodes import FileFacts
from contract_scan.parsers.source.languages import LANGUAGES, SUFFIXES, load
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.scanners.report import Report

COMMAND = "contract-scan"
_SCRIPT = """\
import sys
from contract_scan.__main__ import program
if __name__ == "__main__":
    sys.argv[0] = sys.argv[0].removesuffix(".exe")
    sys.exit(program())
"""
"""What pip (26) makes of the entry point; pip 23 imports `re` as well, which takes 4 ms."""
_LEFT_OUT = shutil.ignore_patterns(".git", ".contract_scan_cache")
MODELS = 60
SEED = 5
_TRANSFERRED = re.compile(
    r"\w(Dto|DTO|Request|Response|Model|Input|Output|Payload|Schema|Resource)$"
)


class Subject(NamedTuple):
    """A folder ready to be measured."""

    root: Path
    contracts: tuple[Path, ...]
    read: tuple[str, ...]
    """Every source file that a scan reads."""
    parsed: tuple[str, ...]
    """Those that it parses."""
    handlers: tuple[tuple[str, int], ...]
    """Files and lines of routes."""
    same_unfiltered: bool
    """Whether a scan with the filter off finds the same."""

    def size(self, paths: Sequence[str]) -> int:
        """Bytes of some of the files."""
        return sum((self.root / path).stat().st_size for path in paths)


def prepare(folder: Path, work: Path) -> Subject:
    """Copy a folder below `work`, put it under git, write its contract, see what a scan parses."""
    root = work / "code"
    shutil.copytree(folder, root, symlinks=True, ignore=_LEFT_OUT)
    _git(root, "init", "--quiet")
    _git(root, "add", "--all", "--force")
    tree = SourceTree(root, SUFFIXES, listed=git.listed_files(root))
    read = tuple(path for language in LANGUAGES for path in tree.source(language))
    endpoints = extract(root, cache=False, models=False).endpoints
    contracts = (_routes(endpoints, work / "openapi.json"), _models(tree, work / "models"))
    handlers = tuple((each.origin.path, each.origin.span.line) for each in endpoints)
    parsed, report = _parsed(root, contracts)
    same = _scanned(root, contracts, prefilter=False).findings == report.findings
    return Subject(root, contracts, read, parsed, handlers, same)


def installed(folder: Path) -> Path:
    """The package as an installer leaves it in `folder`: with the list of its files, and the script
    that is its command."""
    package = Path(contract_scan.__file__).parent
    shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    record = folder / f"contract_scan-{contract_scan.__version__}.dist-info" / "RECORD"
    record.parent.mkdir()
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    record.write_text("".join(f"{path},,\n" for path in files))
    (folder / COMMAND).write_text(_SCRIPT)
    return folder


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(root), *words], check=True)


def _routes(endpoints: Sequence[Operation], file: Path) -> Path:
    """An OpenAPI document of every route that is found."""
    paths: dict[str, dict[str, object]] = {}
    body = {"application/json": {"schema": {"type": "object"}}}
    for operation in endpoints:
        if not operation.unresolved and operation.method.isalpha():
            responses = {"200": {"description": "ok", "content": body}}
            item = paths.setdefault(operation.path, {})
            item[operation.method.lower()] = {"responses": responses}
    document = {"openapi": "3.1.0", "info": {"title": "Code", "version": "1"}, "paths": paths}
    file.write_text(json.dumps(document))
    return file


def _models(tree: SourceTree, folder: Path) -> Path:
    """JSON Schemas with the names of types that the code transfers."""
    names: set[str] = set()
    for language in LANGUAGES:
        paths = tree.source(language)
        definitions = re.compile(load(language).definitions) if paths else None
        for path in paths:
            found = names_in(tree.read(path) or b"", definitions) if definitions else ()
            names.update(name for name in found if _TRANSFERRED.search(name))
    folder.mkdir()
    for name in random.Random(SEED).sample(sorted(names), min(MODELS, len(names))):
        schema = {"title": name, "type": "object", "properties": {"id": {"type": "string"}}}
        (folder / f"{name}.schema.json").write_text(json.dumps(schema))
    return folder


def _parsed(root: Path, contracts: tuple[Path, ...]) -> tuple[tuple[str, ...], Report]:
    """Which files a scan parses, and what it finds."""
    seen: set[str] = set()
    lowered = SourceReader._lowered

    def noted(reader: SourceReader, path: str) -> FileFacts:
        seen.add(path)
        return lowered(reader, path)

    with mock.patch.object(SourceReader, "_lowered", noted):
        report = _scanned(root, contracts)
    return tuple(sorted(seen)), report


def _scanned(root: Path, contracts: tuple[Path, ...], *, prefilter: bool = True) -> Report:
    held = [c for c in contracts if c.is_file() or any(c.iterdir())]
    return scan(root, contracts=held, cache=False, prefilter=prefilter)
