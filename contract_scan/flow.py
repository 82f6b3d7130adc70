"""The whole flow on one screen: contracts and code in, a report out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec

from contract_scan.assignment import Assignment, relative
from contract_scan.config import Config
from contract_scan.config.rules import kinds_named, rules_of
from contract_scan.errors import ContractError, UsageError
from contract_scan.ir.comment import Comment
from contract_scan.ir.document import (
    ContractDocument,
    DocumentKind,
    NotAnalysed,
    UsesOfContracts,
)
from contract_scan.ir.reasons import Reason
from contract_scan.ir.violation import RULE_IDS
from contract_scan.memory_limit import few_collections
from contract_scan.parsers.contracts.comments import YAML_SUFFIXES, comments_of_contract
from contract_scan.parsers.contracts.discover import (
    discover_contracts,
    files_looked_into,
    named_like_contracts,
    newer_versions,
    without_slices,
)
from contract_scan.parsers.contracts.generated_clients import uses_of_contracts
from contract_scan.parsers.contracts.load import Contracts, read_contracts, read_records
from contract_scan.parsers.contracts.located_tree import Limits
from contract_scan.parsers.source.analysis.domain.stack_headroom import with_room
from contract_scan.parsers.source.analysis.session import Session
from contract_scan.parsers.source.dependencies import Dependencies
from contract_scan.parsers.source.discovery.discover import (
    MAX_OTHER_BYTES,
    SourceTree,
    is_inside,
    read_regular,
)
from contract_scan.parsers.source.languages import LANGUAGES, load
from contract_scan.parsers.source.project_model import Code, is_below
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.retained_sources import RetainedSources
from contract_scan.parsers.source.store import Store, content_key, settled_state
from contract_scan.parsers.source.version import reader_version
from contract_scan.scanners.report import Report
from contract_scan.scanners.reporting_limits import within_limits
from contract_scan.scanners.rule import Options, PairedUnit
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


class TrackedReport(NamedTuple):
    """A report, and what it rests on; None where it must not be given again."""

    report: Report
    evidence: Dependencies | None


class PartialComparison(NamedTuple):
    """A comparison with some of the contracts, and what the rest of it needs."""

    report: Report
    units: tuple[Unit, ...]
    """Those of the documents that were not compared."""
    comments: tuple[Comment, ...]
    inside: frozenset[str]
    """Paths of the files below the root whose comments may be complained of."""
    discovered: bool
    dependencies: dict[str, bytes] | None
    """Digests of the files that contracts were read from, as `OpenCode.evidence` takes them."""


class _LoadedContracts(NamedTuple):
    """Contracts as they were read."""

    documents: list[ContractDocument]
    problems: list[NotAnalysed]
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

    @with_room
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
    ) -> TrackedReport:
        """The report of a comparison, and what it rests on. Arguments and errors as for
        `contract_scan.scan`."""
        kinds = kinds_named(select)
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
        assignment = self._assignment(found.documents).by_routes()
        units = assignment.units(discovered=found.discovered, uses=self._uses_of_contracts(found))
        report = self._scan(units, found, assignment, rules_of(kinds))
        comments, inside = self._comments(report, found.documents)
        report = without_ignored(report, comments, select=rules_of(kinds), inside=inside)
        report = within_limits(report, kinds)
        if not (allow_empty or report.promises or report.findings or report.not_analysed):
            reason = Reason("contract-without-promises")
            empty = (NotAnalysed(path=each.path, reason=reason) for each in found.documents)
            report = msgspec.structs.replace(report, not_analysed=tuple(empty))
        return TrackedReport(report, self.evidence(found.dependencies))

    def evidence(self, contracts: dict[str, bytes] | None) -> Dependencies | None:
        """What everything that was asked until now rests on, with the digests of the files that
        `contracts` were read from; None where it must not be given again."""
        if contracts is None or not self.reader.is_all_readable():
            return None
        return self.reader.evidence(contracts)

    @with_room
    def compare_without(
        self, apart: Collection[DocumentKind], contracts: Sequence[Contract] = ()
    ) -> PartialComparison:
        """Compare as `compare`, but for documents of the kinds `apart`, which are to be held
        against further code than this. Nothing is excepted by comments yet, and that there is no
        contract or no code is no error."""
        found = self._contracts(contracts, validate=False)
        self.parse_ahead()
        assignment = self._assignment(found.documents).by_routes()
        units = assignment.units(discovered=found.discovered, uses=self._uses_of_contracts(found))
        own = [each for unit in units if (each := unit.without_kinds(apart)).documents]
        report = self._scan(own, found, assignment, RULE_IDS)
        comments, inside = self._comments(report, found.documents)
        left = tuple(each for unit in units if (each := unit.only_kinds(apart)).documents)
        return PartialComparison(
            report, left, tuple(comments), inside, found.discovered, found.dependencies
        )

    def pair(self, contracts: Sequence[Contract] = ()) -> tuple[PairedUnit, ...]:
        """The promises of contracts with the code that implements them, as `compare` pairs them."""
        found = self._contracts(contracts, validate=False)
        assignment = self._assignment(found.documents).by_routes()
        units = assignment.units(discovered=found.discovered, uses=self._uses_of_contracts(found))
        return tuple(PairedUnit(unit, self._options()) for unit in units)

    def assignment(
        self, contracts: Sequence[Contract] = (), *, by_routes: bool = False
    ) -> tuple[Assignment, tuple[NotAnalysed, ...]]:
        """Which contracts govern which folders, by their places alone or, with `by_routes`, as
        `compare` takes it; and what could not be read of contracts."""
        found = self._contracts(contracts, validate=False)
        assignment = self._assignment(found.documents)
        return assignment.by_routes() if by_routes else assignment, tuple(found.problems)

    def parse_ahead(
        self, executor: Executor | None = None, jobs: int = 1, progress: Progress | None = None
    ) -> None:
        """Parse the files that hold a marker in other processes, where there is enough to do. A
        scan in one process reads what it asks for, which may be half of them."""
        self.reader.progress = progress
        seeds = self.reader.seeds()
        if executor is not None:
            self.reader.parse_ahead(seeds, executor, progress, one_worker=_one_worker)
        elif jobs > 1 and self.reader.bytes_to_parse(seeds) >= PROCESSES_PAY_ABOVE:
            from contract_scan.clients.workers import workers

            with workers(jobs) as pool:
                self.reader.parse_ahead(seeds, pool, progress, one_worker=_one_worker)

    def _options(self) -> Options:
        return Options(required_models=frozenset(self._config.required_models))

    def _contracts(self, given: Sequence[Contract], *, validate: bool) -> _LoadedContracts:
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
            state_of=settled_state,
        )
        if len(given) == 1 and found.problems and not found.documents:
            first = found.problems[0]
            raise ContractError(first.reason, first.path, first.line)
        documents = [*records.documents]
        problems = list(found.problems)
        if discovered:
            newer = newer_versions(found.documents)
            kept = (one for one in found.documents if one.path not in newer)
            documents += without_slices(kept)
            problems.extend(_older_versions(found.documents, newer))
            problems.extend(_unfollowed_links(self.reader.files.links.others))
        else:
            documents += found.documents
        problems.extend(problem for document in documents for problem in document.problems)
        if validate:
            problems.extend(_invalid(found.documents, root, store))
        dependencies = _digests(records, found)
        if discovered and dependencies is not None:
            for path in files_looked_into(self.reader.files.paths()):
                content = read_regular(root / path, MAX_OTHER_BYTES)
                dependencies.setdefault(path, content_key(content or b""))
        return _LoadedContracts(documents, problems, dependencies, discovered)

    def _uses_of_contracts(self, found: _LoadedContracts) -> UsesOfContracts:
        """Of contracts that were looked for, what builds make of them."""
        unused = UsesOfContracts()
        if not found.discovered:
            return unused
        contracts = {
            document.path: [operation.path for operation in document.operations]
            for document in found.documents
            if document.kind == "openapi"
        }
        if not contracts:
            return unused
        reader = self.reader
        files = reader.files
        return uses_of_contracts(
            contracts, files.paths(), files.read, reader.texts.all_files_containing
        )

    def _assignment(self, documents: Sequence[ContractDocument]) -> Assignment:
        return Assignment(self.code, self._config, self._root, self.reader.files.paths(), documents)

    def _scan(
        self,
        units: Sequence[Unit],
        found: _LoadedContracts,
        assignment: Assignment,
        rules: Collection[str],
    ) -> Report:
        """The report of units, with everything that could not be read."""
        report = scan_units(
            units, select=rules, options=self._options(), services=assignment.services
        )
        said = {*report.not_analysed}
        late = [p for p in (*found.problems, *self.code.problems) if p not in said]
        return msgspec.structs.replace(
            report, not_analysed=(*report.not_analysed, *late), files=self.reader.count
        )

    def _comments(
        self, report: Report, documents: Sequence[ContractDocument]
    ) -> tuple[list[Comment], frozenset[str]]:
        """The comments in code and contracts that except something, and the paths of those files
        below the root."""
        contracts = {document.path for document in documents}
        contracts |= {finding.contract.path for finding in report.findings if finding.contract}
        comments = self.reader.comments()
        for path in sorted(contracts):
            if path.endswith(YAML_SUFFIXES):
                comments += comments_of_contract(self._root / path, path)
        inside = {path for path in contracts if is_inside(path)}
        inside |= {c.origin.path for c in comments if is_inside(c.origin.path)}
        return comments, frozenset(inside)


def _one_worker() -> AbstractContextManager[Executor]:
    from contract_scan.clients.workers import workers

    return workers(1)


@contextmanager
def open_code(
    tree: SourceTree,
    store: Store,
    config: Config,
    *,
    prefilter: bool,
    retained: RetainedSources | None = None,
) -> Iterator[OpenCode]:
    """Everything that reads source code, what it learnt kept at the end."""
    with few_collections():
        languages = {name: load(name) for name in LANGUAGES if tree.source(name)}
        reader = SourceReader(tree, languages, store, filter=prefilter, retained=retained)
        try:
            naming = _stated_naming(config, tree.root)
            programs = [Session(language, reader, naming) for language in languages.values()]
            yield OpenCode(reader, Code(programs, reader.all_problems, tree), config)
        finally:
            store.commit()


def _stated_naming(config: Config, root: Path) -> Callable[[str], str]:
    """The naming that the configuration states for the code in a file: of the innermost service."""
    stated = [
        (relative(folder, root), service.naming or "")
        for service in config.services
        for folder in service.sources
    ]
    stated.sort(key=lambda each: len(each[0]), reverse=True)

    def naming_of(path: str) -> str:
        return next((naming for folder, naming in stated if is_below(path, folder)), "")

    return naming_of


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


def _older_versions(
    documents: Iterable[ContractDocument], newer: Mapping[str, ContractDocument]
) -> Iterator[NotAnalysed]:
    """Documents that are not compared, since a newer version of the interface was found."""
    for document in documents:
        if (other := newer.get(document.path)) is not None:
            reason = Reason(
                "newer-version-of-contract",
                version=document.interface_version,
                newer=other.interface_version,
                path=other.path,
            )
            yield NotAnalysed(path=document.path, reason=reason, expected=True)


def _unfollowed_links(links: Mapping[str, str]) -> Iterator[NotAnalysed]:
    """Links that may lead to contracts and are not followed."""
    for link in named_like_contracts(links):
        yield NotAnalysed(path=link, reason=Reason("link-may-be-contract", links=links[link]))


def _invalid(
    documents: Sequence[ContractDocument], root: Path, store: Store
) -> Iterator[NotAnalysed]:
    """What the specifications of contract files forbid in them."""
    from contract_scan.clients.processes import run_program
    from contract_scan.parsers.contracts.validate import validate_contract

    def child(arguments: Sequence[str]) -> bytes:
        return run_program(arguments, cwd=root, timeout=VALIDATION_TIMEOUT).stdout

    for path in dict.fromkeys(document.path for document in documents):
        try:
            yield from validate_contract(
                root / path, root, child, cache=store, cache_version=reader_version()
            )
        except ContractError as error:
            yield NotAnalysed(path=path, line=error.line, reason=error.message)
