"""The whole flow on one screen: contracts and code in, a report out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from contract_scan.config import Config
from contract_scan.errors import ContractError, UsageError
from contract_scan.ir.document import ContractDocument, Problem
from contract_scan.ir.promise import Service
from contract_scan.ir.violation import RULE_IDS
from contract_scan.parsers.contracts.comments import YAML_SUFFIXES, comments_of_contract
from contract_scan.parsers.contracts.discover import (
    candidates,
    discover_contracts,
    without_slices,
)
from contract_scan.parsers.contracts.govern import HTTP, Governed, govern
from contract_scan.parsers.contracts.load import Contracts, read_contracts, read_records
from contract_scan.parsers.contracts.positions import Limits
from contract_scan.parsers.source.code import Code, is_below
from contract_scan.parsers.source.discover import (
    MAX_OTHER_BYTES,
    SourceTree,
    is_inside,
    read_regular,
)
from contract_scan.parsers.source.evidence import Evidence
from contract_scan.parsers.source.languages import LANGUAGES, load
from contract_scan.parsers.source.link.program import Program
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import Store, content_key
from contract_scan.parsers.source.version import reader_version
from contract_scan.scanners.elsewhere import is_served_by
from contract_scan.scanners.report import Report
from contract_scan.scanners.rule import Options, Paired
from contract_scan.scanners.rules import RULES
from contract_scan.scanners.scan import scan_units
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


class Compared(NamedTuple):
    """A report, and what it rests on; None where it must not be given again."""

    report: Report
    evidence: Evidence | None


class Assignment(NamedTuple):
    """Contracts with the folders that they govern, what these are called, and what could not be
    read of contracts."""

    governed: tuple[Governed, ...]
    services: tuple[Service, ...]
    problems: tuple[Problem, ...]


class _Found(NamedTuple):
    """Contracts as they were read."""

    documents: list[ContractDocument]
    problems: list[Problem]
    dependencies: dict[str, bytes] | None
    """Digests of the files they were read from; None where that is not known."""
    discovered: bool
    """Whether they were looked for in the tree, since none were named."""


class OpenCode:
    """Code that was opened, ready to be compared with contracts. `reader` gives the files, `code`
    what they do."""

    def __init__(self, reader: SourceReader, code: Code, config: Config) -> None:
        self.reader = reader
        self.code = code
        self._config = config
        self._root = reader.files.root

    def compare(
        self,
        contracts: Sequence[Contract] = (),
        select: Collection[str] = RULE_IDS,
        *,
        allow_empty: bool = False,
        validate: bool = False,
        executor: Executor | None = None,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> Compared:
        """The report of a comparison, and what it rests on. Arguments and errors as for
        `contract_scan.scan`."""
        found = self._contracts(contracts, validate=validate)
        if not found.documents and not found.problems and not allow_empty:
            raise UsageError(
                "no contract was found: name one with --contract, or in the configuration"
                " (looked for openapi, swagger and asyncapi files, JSON Schemas, SVC tables)",
                str(self._root),
            )
        if not self.reader.count and not allow_empty:
            raise UsageError(
                "no source file of TypeScript, JavaScript, Python, C# or Java was found",
                str(self._root),
            )
        self.parse_ahead(executor, jobs, progress)
        units, services = self._units(found)
        report = scan_units(units, select=select, options=self._options(), services=services)
        said = {*report.problems}
        late = [p for p in (*found.problems, *self.code.problems) if p not in said]
        report = msgspec.structs.replace(
            report, problems=(*report.problems, *late), files=self.reader.count
        )
        report = self._without_ignored(report, found.documents, select)
        if found.dependencies is None:
            return Compared(report, None)
        return Compared(report, self.reader.evidence(found.dependencies))

    def paired(self, contracts: Sequence[Contract] = ()) -> tuple[Paired, ...]:
        """The promises of contracts with the code that stands for them, as `compare` pairs them."""
        units, _ = self._units(self._contracts(contracts, validate=False))
        return tuple(Paired(unit, self._options()) for unit in units)

    def governed(self, contracts: Sequence[Contract] = ()) -> Assignment:
        """Which contracts govern which folders, as `compare` takes it."""
        found = self._contracts(contracts, validate=False)
        governed = self._governed(found.documents)
        services = _services(self._config, [each.source for each in governed], self._root)
        return Assignment(tuple(governed), services, tuple(found.problems))

    def parse_ahead(
        self, executor: Executor | None = None, jobs: int = 1, progress: Progress | None = None
    ) -> None:
        """Parse the files that hold a marker, in other processes where there is enough to do."""
        seeds = self.reader.seeds()
        if executor is not None:
            self.reader.parse_ahead(seeds, executor, progress)
        elif jobs > 1 and self.reader.bytes_to_parse(seeds) >= PROCESSES_PAY_ABOVE:
            from contract_scan.clients.workers import workers

            with workers(jobs) as pool:
                self.reader.parse_ahead(seeds, pool, progress)
        elif progress is not None:
            for done, path in enumerate(seeds):
                progress("reading", done, len(seeds))
                self.reader.facts(path)

    def _options(self) -> Options:
        return Options(required_models=frozenset(self._config.required_models))

    def _contracts(self, given: Sequence[Contract], *, validate: bool) -> _Found:
        """The documents to compare with, and what keeps some of them from being read whole."""
        config, root, store = self._config, self._root, self.reader.store
        paths = [contract for contract in given if isinstance(contract, Path)]
        limits = _limits(config)
        records = read_records([c for c in given if not isinstance(c, Path)], root, limits)
        if not given:
            paths = [*config.contracts, *(p for s in config.services for p in s.contracts)]
        discovered = not given and not paths
        if discovered:
            paths = list(discover_contracts(root, self.reader.files.paths(), limits))
        found = read_contracts(
            dict.fromkeys(paths),
            root,
            cache=store,
            cache_version=f"{reader_version()} {limits}",
            limits=limits,
        )
        if len(given) == 1 and found.problems and not found.documents:
            first = found.problems[0]
            raise ContractError(first.reason, first.path, first.line)
        documents = [*records.documents]
        documents += without_slices(found.documents) if discovered else found.documents
        problems = list(found.problems)
        problems.extend(problem for document in documents for problem in document.problems)
        if validate:
            problems.extend(_invalid(found.documents, root, store))
        dependencies = _digests(records, found)
        if discovered and dependencies is not None:
            for path in candidates(self.reader.files.paths()):
                content = read_regular(root / path, MAX_OTHER_BYTES)
                dependencies.setdefault(path, content_key(content or b""))
        return _Found(documents, problems, dependencies, discovered)

    def _units(self, found: _Found) -> tuple[list[Unit], tuple[Service, ...]]:
        """Documents with the code that they govern, as configured, else as their places tell; and
        what the parts of the code are called."""
        code, config, root = self.code, self._config, self._root
        looked_for = tuple(
            f.name for p in code.programs for f in p.language.frameworks if f.operations is not None
        )
        looked_for_events = tuple(
            f.name for p in code.programs for f in p.language.frameworks if f.events is not None
        )
        governed = self._governed(found.documents)
        services = _services(config, [each.source for each in governed], root)
        names = {service.folder: service.name for service in services}
        units = []
        for each in governed:
            whole = not each.source and not each.excluded
            part = code if whole else code.within(each.source, *each.also, without=each.excluded)
            around = None
            if not whole and not config.services and _has_routes(each):
                others = [o.source for o in governed if o.source != each.source and _has_routes(o)]
                beside = code.within("", without=[each.source, *others])
                parts = (part, beside, code.within("", without=others))
                serving = (p for p in parts if is_served_by(each.documents, p.operations))
                around = beside
                part = next(serving, part)
            units.append(
                Unit(
                    name=names[each.source],
                    documents=each.documents,
                    code=part,
                    around=None if part is around else around,
                    looked_for=looked_for,
                    looked_for_events=looked_for_events,
                    discovered=found.discovered,
                )
            )
        return units, services

    def _governed(self, documents: Sequence[ContractDocument]) -> list[Governed]:
        """Documents with the folders that they govern."""
        root = self._root
        left = list(documents)
        governed: list[Governed] = []
        for service in self._config.services:
            own_paths = {_relative(path, root) for path in service.contracts}
            own = [_below(d, service.base_path) for d in left if d.path in own_paths]
            left = [d for d in left if d.path not in own_paths]
            source, *also = (_relative(folder, root) for folder in service.sources)
            # Each apart: routes belong to one service, channels and models to whoever has them.
            for part in (
                [d for d in own if d.kind in HTTP],
                [d for d in own if d.kind not in HTTP],
            ):
                if part:
                    each = Governed(source=source, also=tuple(also), documents=tuple(part))
                    governed.append(each)
        configured = [f for g in governed if _has_routes(g) for f in (g.source, *g.also) if f]
        governed += govern(left, self.reader.files.paths())
        return [_without_others(each, configured) for each in governed]

    def _without_ignored(
        self, report: Report, documents: Sequence[ContractDocument], select: Collection[str]
    ) -> Report:
        """The report without what comments in code and contracts except from it."""
        contracts = {document.path for document in documents}
        contracts |= {finding.contract.path for finding in report.findings if finding.contract}
        comments = self.reader.comments()
        for path in sorted(contracts):
            if path.endswith(YAML_SUFFIXES):
                comments += comments_of_contract(self._root / path, path)
        known = [rule.id for rule in RULES]
        inside = {path for path in contracts if is_inside(path)}
        inside |= {c.origin.path for c in comments if is_inside(c.origin.path)}
        return without_ignored(report, comments, known=known, select=select, inside=inside)


@contextmanager
def open_code(
    tree: SourceTree, store: Store, config: Config, *, prefilter: bool
) -> Iterator[OpenCode]:
    """Everything that reads source code, what it learnt kept at the end."""
    languages = {name: load(name) for name in LANGUAGES if tree.source(name)}
    reader = SourceReader(tree, languages, store, filter=prefilter)
    try:
        naming = _stated_naming(config, tree.root)
        programs = [Program(language, reader, naming) for language in languages.values()]
        yield OpenCode(reader, Code(programs, lambda: reader.problems), config)
    finally:
        store.commit()


def _stated_naming(config: Config, root: Path) -> Callable[[str], str]:
    """The naming that the configuration states for the code in a file: of the innermost service."""
    stated = [
        (_relative(folder, root), service.naming or "")
        for service in config.services
        for folder in service.sources
    ]
    stated.sort(key=lambda each: len(each[0]), reverse=True)

    def of(path: str) -> str:
        return next((naming for folder, naming in stated if is_below(path, folder)), "")

    return of


def _has_routes(governed: Governed) -> bool:
    return any(document.kind in HTTP for document in governed.documents)


def _without_others(governed: Governed, configured: Sequence[str]) -> Governed:
    """Less the folders inside that the configuration gives to other services."""
    if not _has_routes(governed):
        return governed
    own = (governed.source, *governed.also)
    others = (f for f in configured if f not in own and any(is_below(f, folder) for folder in own))
    excluded = tuple(dict.fromkeys((*governed.excluded, *others)))
    return msgspec.structs.replace(governed, excluded=excluded)


def _limits(config: Config) -> Limits:
    return Limits(
        max_bytes=config.limits.contract_bytes,
        max_nodes=config.limits.contract_values,
        max_files=config.limits.contract_files,
    )


def _digests(records: Contracts, found: Contracts) -> dict[str, bytes] | None:
    """Digests of all files that contracts were read from; None where one could not be read, since
    then it is not known what was looked at."""
    if found.problems:
        return None
    both = {**records.dependencies, **found.dependencies}
    return {path: bytes.fromhex(digest) for path, digest in both.items()}


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


def _services(config: Config, folders: Iterable[str], root: Path) -> tuple[Service, ...]:
    """Names of parts of the code: as configured, else of their folders, whole where two agree."""
    configured = {
        _relative(folder, root): service.name
        for service in config.services
        for folder in service.sources
    }
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


def _relative(path: Path, root: Path) -> str:
    relative = Path(os.path.relpath(os.path.realpath(path), root)).as_posix()
    return "" if relative == "." else relative
