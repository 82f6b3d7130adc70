"""The whole flow on one screen: contracts and code in, a report out.

`scan` compares, `extract` shows what the code has. Both read files below one root, start no process
but git (to list files) and never touch the network.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.clients import git
from contract_scan.config import Config
from contract_scan.errors import ContractError, UsageError
from contract_scan.ir.document import ContractDocument, Problem
from contract_scan.ir.event import EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Operation
from contract_scan.ir.promise import Service
from contract_scan.parsers.contracts.comments import YAML_SUFFIXES, comments_of_contract
from contract_scan.parsers.contracts.discover import discover_contracts, without_slices
from contract_scan.parsers.contracts.govern import Governed, govern
from contract_scan.parsers.contracts.load import load_records, read_contracts
from contract_scan.parsers.source.code import Code
from contract_scan.parsers.source.discover import SourceTree, around, build_folders, is_inside
from contract_scan.parsers.source.languages import LANGUAGES, SUFFIXES, load
from contract_scan.parsers.source.link.program import Program
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import FOLDER, Store, reader_version
from contract_scan.scanners.baseline import read_baseline, without_known
from contract_scan.scanners.report import Report
from contract_scan.scanners.rule import Options
from contract_scan.scanners.rules import RULES
from contract_scan.scanners.scan import ALL as ALL_RULES
from contract_scan.scanners.scan import scan_units
from contract_scan.scanners.scope import ScanScope, limit
from contract_scan.scanners.suppressions import without_ignored
from contract_scan.scanners.unit import Unit

Contract: TypeAlias = Path | dict[str, object]
"""A contract file (or folder of JSON Schemas), or a contract record of a Contract Engine."""
Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

PROCESSES_PAY_ABOVE = 4_000_000
"""Bytes to parse from which further processes cost less than they save (two cores)."""
VALIDATION_TIMEOUT = 60.0
"""Seconds that one contract may take to be checked against its specification."""


class Extraction(Struct, frozen=True, kw_only=True):
    """What the code below a root has, in the common form."""

    endpoints: tuple[Operation, ...]
    models: tuple[Model, ...]
    events: tuple[EventUse, ...]
    resolver: Code
    """Resolves the references in the above."""
    problems: tuple[Problem, ...] = ()
    files: int = 0


def scan(
    root: Path,
    *,
    contracts: Sequence[Contract] = (),
    select: Collection[str] = ALL_RULES,
    scope: ScanScope | None = None,
    config: Config | None = None,
    exclude: Sequence[str] = (),
    executor: Executor | None = None,
    jobs: int = 1,
    cache: bool = True,
    prefilter: bool = True,
    allow_empty: bool = False,
    validate: bool = False,
    baseline: Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Say which promises of the contracts the code below `root` keeps.

    `contracts`: files, folders of JSON Schemas, or contract records; without any, those of the
    configuration, else those found below the root. `scope` limits the report, not the detection.
    `executor` runs the parsing (any `concurrent.futures.Executor` with picklable work); without
    one, `jobs` processes are used where that pays. `cache=False` neither reads nor writes the cache
    folder. `prefilter=False` looks into every file: slower, the same report. Without a contract or
    without source files UsageError is raised, unless `allow_empty`. `validate` also checks every
    contract against its own specification, in a child process; what that forbids is a problem of
    the report. What the `baseline` file knows is left out, and what is stale in it is found.

    Raises ConfigurationError for a baseline that cannot be read, ContractError for the one contract
    that was named and cannot be read, UsageError for a root that is no folder.
    """
    config = config or Config()
    root = _folder(root)
    known = read_baseline(baseline) if baseline is not None else None
    with _reading(root, config, exclude, cache=cache, prefilter=prefilter) as (reader, code):
        found, problems = _contracts(
            root, reader.files, contracts, config, reader.store, validate=validate
        )
        if not found and not problems and not allow_empty:
            raise UsageError(
                "no contract was found: name one with --contract, or in the configuration"
                " (looked for openapi, swagger and asyncapi files, JSON Schemas, SVC tables)",
                str(root),
            )
        if not reader.count and not allow_empty:
            raise UsageError(
                "no source file of TypeScript, JavaScript, Python, C# or Java was found", str(root)
            )
        _parse_ahead(reader, executor, jobs, progress)
        units, services = _units(found, code, reader.files, config, root)
        report = scan_units(units, select=select, options=Options(), services=services)
        said = {*report.problems}
        late = [p for p in (*problems, *code.problems) if p not in said]
        report = msgspec.structs.replace(
            report, problems=(*report.problems, *late), files=reader.count
        )
        report = _without_ignored(report, reader, found, select)
    if baseline is not None and known is not None:
        path = _relative(baseline, root)
        report = without_known(report, known.baseline, select, path, known.text)
    return limit(report, scope, root)


def extract(
    root: Path,
    *,
    config: Config | None = None,
    exclude: Sequence[str] = (),
    executor: Executor | None = None,
    jobs: int = 1,
    cache: bool = True,
    prefilter: bool = True,
    models: bool = True,
    progress: Progress | None = None,
) -> Extraction:
    """Say which endpoints, models and events the code below `root` has. Arguments as for `scan`.

    With `models`, every file is looked into, since any may define a type.
    """
    config = config or Config()
    root = _folder(root)
    with _reading(root, config, exclude, cache=cache, prefilter=prefilter) as (reader, code):
        _parse_ahead(reader, executor, jobs, progress)
        operations, events = code.operations, code.events
        all_models = code.all_models() if models else ()
        return Extraction(
            endpoints=operations,
            models=all_models,
            events=events,
            resolver=code,
            problems=code.problems,
            files=reader.count,
        )


# --------------------------------------------------------------------------- the steps


def _folder(root: Path) -> Path:
    if not root.is_dir():
        raise UsageError("is not a folder", str(root))
    return Path(os.path.realpath(root))


@contextmanager
def _reading(
    root: Path, config: Config, exclude: Sequence[str], *, cache: bool, prefilter: bool
) -> Iterator[tuple[SourceReader, Code]]:
    """Everything that reads source code, closed at the end."""
    listed = git.listed_files(root)
    nearest, project = build_folders(root)
    beyond = around(root, project, git.listed_files(project)) if project != root else []
    near = len(root.relative_to(nearest).parts)
    patterns = (*config.exclude, *exclude)
    tree = SourceTree(root, SUFFIXES, listed=listed, beyond=beyond, near=near, exclude=patterns)
    languages = {name: load(name) for name in LANGUAGES if tree.source(name)}
    store = Store(root / FOLDER if cache else None)
    reader = SourceReader(tree, languages, store, filter=prefilter)
    try:
        programs = [Program(language, reader) for language in languages.values()]
        yield reader, Code(programs, lambda: reader.problems)
    finally:
        reader.close()


def _contracts(
    root: Path,
    files: SourceTree,
    given: Sequence[Contract],
    config: Config,
    store: Store,
    *,
    validate: bool,
) -> tuple[list[ContractDocument], list[Problem]]:
    """The documents to compare with, and what keeps some of them from being read whole."""
    paths = [contract for contract in given if isinstance(contract, Path)]
    records = [contract for contract in given if not isinstance(contract, Path)]
    documents = list(load_records(records, root))
    if not given:
        paths = [*config.contracts, *(p for s in config.services for p in s.contracts)]
    discovered = not given and not paths
    if discovered:
        paths = list(discover_contracts(root, files.paths()))
    found = read_contracts(dict.fromkeys(paths), root, cache=store, cache_version=reader_version())
    if len(given) == 1 and found.problems and not found.documents:
        first = found.problems[0]
        raise ContractError(first.reason, first.path, first.line)
    documents.extend(without_slices(found.documents) if discovered else found.documents)
    problems = list(found.problems)
    problems.extend(problem for document in documents for problem in document.problems)
    if validate:
        problems.extend(_invalid(found.documents, root, store))
    return documents, problems


def _invalid(documents: Sequence[ContractDocument], root: Path, store: Store) -> Iterator[Problem]:
    """What the specifications of contract files forbid in them."""
    from contract_scan.clients.processes import run
    from contract_scan.parsers.contracts.validate import validate_contract

    def child(arguments: Sequence[str]) -> bytes:
        return run(arguments, cwd=root, timeout=VALIDATION_TIMEOUT).stdout

    for path in dict.fromkeys(document.path for document in documents):
        try:
            yield from validate_contract(
                root / path, root, child, cache=store, cache_version=reader_version()
            )
        except ContractError as error:
            yield Problem(path=path, line=error.line, reason=error.message)


def _units(
    documents: Sequence[ContractDocument],
    code: Code,
    files: SourceTree,
    config: Config,
    root: Path,
) -> tuple[list[Unit], tuple[Service, ...]]:
    """Documents with the code that they govern, as configured, else as their places tell; and what
    the parts of the code are called."""
    looked_for = tuple(
        f.name for p in code.programs for f in p.language.frameworks if f.operations is not None
    )
    looked_for_events = tuple(
        f.name for p in code.programs for f in p.language.frameworks if f.events is not None
    )
    left = list(documents)
    governed: list[Governed] = []
    for service in config.services:
        own_paths = {_relative(path, root) for path in service.contracts}
        own = tuple(_below(d, service.base_path) for d in left if d.path in own_paths)
        left = [d for d in left if d.path not in own_paths]
        if own:
            governed.append(Governed(source=_relative(service.source, root), documents=own))
    configured = tuple(g.source for g in governed)
    for each in govern(left, files.paths()):
        inside = tuple(f for f in configured if f and f != each.source)
        excluded = tuple(dict.fromkeys((*each.excluded, *inside)))
        governed.append(msgspec.structs.replace(each, excluded=excluded))
    services = _services(config, [each.source for each in governed], root)
    names = {service.folder: service.name for service in services}
    units = []
    for each in governed:
        whole = not each.source and not each.excluded
        part = code if whole else code.within(each.source, each.excluded)
        units.append(
            Unit(
                name=names[each.source],
                documents=each.documents,
                code=part,
                looked_for=looked_for,
                looked_for_events=looked_for_events,
            )
        )
    return units, services


def _services(config: Config, folders: Iterable[str], root: Path) -> tuple[Service, ...]:
    """Names of parts of the code: as configured, else of their folders, whole where two agree."""
    configured = {_relative(service.source, root): service.name for service in config.services}
    wanted = sorted({*folders, *configured})
    short = {folder: folder.rpartition("/")[2] or root.name or "/" for folder in wanted}
    counts = Counter(short.values())
    return tuple(
        Service(
            configured.get(folder)
            or (short[folder] if counts[short[folder]] == 1 else folder or short[folder]),
            folder,
        )
        for folder in wanted
    )


def _below(document: ContractDocument, base_path: str) -> ContractDocument:
    """The document with all its paths below a configured base path."""
    if not base_path:
        return document
    operations = tuple(
        msgspec.structs.replace(operation, path=base_path + operation.path)
        for operation in document.operations
    )
    return msgspec.structs.replace(document, operations=operations)


def _without_ignored(
    report: Report,
    reader: SourceReader,
    documents: Sequence[ContractDocument],
    select: Collection[str],
) -> Report:
    """The report without what comments in code and contracts except from it."""
    contracts = {document.path for document in documents}
    contracts |= {finding.contract.path for finding in report.findings if finding.contract}
    comments = reader.comments()
    for path in sorted(contracts):
        if path.endswith(YAML_SUFFIXES):
            comments += comments_of_contract(reader.files.root / path, path)
    known = [rule.id for rule in RULES]
    inside = {path for path in contracts if is_inside(path)}
    inside |= {comment.origin.path for comment in comments if is_inside(comment.origin.path)}
    return without_ignored(report, comments, known=known, select=select, inside=inside)


def _relative(path: Path, root: Path) -> str:
    relative = Path(os.path.relpath(os.path.realpath(path), root)).as_posix()
    return "" if relative == "." else relative


def _parse_ahead(
    reader: SourceReader, executor: Executor | None, jobs: int, progress: Progress | None
) -> None:
    """Parse the files that hold a marker, in other processes where there is enough to do."""
    seeds = reader.seeds()
    if executor is not None:
        reader.parse_ahead(seeds, executor, progress)
    elif jobs > 1 and reader.bytes_to_parse(seeds) >= PROCESSES_PAY_ABOVE:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        method = "forkserver" if os.name == "posix" else "spawn"
        context = multiprocessing.get_context(method)
        with ProcessPoolExecutor(jobs, mp_context=context) as pool:
            reader.parse_ahead(seeds, pool, progress)
    elif progress is not None:
        for done, path in enumerate(seeds):
            progress("reading", done, len(seeds))
            reader.facts(path)
