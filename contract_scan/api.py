"""The doors of the engine: contracts and code in, a report out.

`scan` compares, `extract` shows what the code has, `open_code` keeps the code open for one
comparison after the other. All read files below one root, start no process but git (to list files)
and never touch the network. What each of them does step by step stands in `flow.py`, which is
imported only where no answer is kept from last time.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct

from contract_scan import unsaved
from contract_scan.applied_suppressions import apply_suppressions, load_baseline
from contract_scan.cache import open_cache
from contract_scan.clients import git
from contract_scan.clients.git_command import GitRun
from contract_scan.config import Config, Pattern
from contract_scan.config.patterns import Patterns
from contract_scan.config.rules import kinds_named, rules_of
from contract_scan.errors import ContractError, UsageError
from contract_scan.ir.document import NotAnalysed, Resolver
from contract_scan.ir.event import EventUse
from contract_scan.ir.model import Model
from contract_scan.ir.operation import Operation
from contract_scan.ir.violation import RULE_IDS, Finding
from contract_scan.parsers.source.dependencies import get_answer, put_answer, question
from contract_scan.parsers.source.dependency_snapshot import digest_below
from contract_scan.parsers.source.discovery.discover import (
    SourceTree,
    build_folders,
    files_around_root,
    walked_files,
)
from contract_scan.parsers.source.discovery.path_encoding import is_utf8, printable
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.store import Store
from contract_scan.parsers.source.version import reader_version
from contract_scan.scanners.report import Report
from contract_scan.scanners.scope import ScanScope, limit

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from typing import TypeAlias

    from contract_scan.cache import Place
    from contract_scan.code_index.answers import InterfacePart
    from contract_scan.code_index.index import CodeIndex
    from contract_scan.conformance.specifications import SpecificationCheck
    from contract_scan.conformance.values import Deviation
    from contract_scan.flow import Contract, OpenCode, Progress
    from contract_scan.generated_tests.files import Framework
    from contract_scan.ir.contract_changes import ContractChanges
    from contract_scan.ir.schema import Schema
    from contract_scan.parsers.contracts.svc_table import RowReading
    from contract_scan.parsers.source.dependencies import Dependencies
    from contract_scan.revisions import ContractSource

    Resting: TypeAlias = Callable[[Report, git.FileListing | None, Dependencies], None]

SOURCE_SUFFIXES: Final = tuple(SUFFIXES)
"""How the names of files end that hold code which is read."""


class Extraction(Struct, frozen=True, kw_only=True):
    """What the code below a root has, in the common form."""

    endpoints: tuple[Operation, ...]
    models: tuple[Model, ...]
    events: tuple[EventUse, ...]
    resolver: Resolver
    """Resolves the references in the above."""
    problems: tuple[NotAnalysed, ...] = ()
    files: int = 0


def scan(
    root: Path,
    *,
    contracts: Sequence[Contract] = (),
    select: Collection[str] = RULE_IDS,
    scope: ScanScope | None = None,
    config: Config | None = None,
    exclude: Sequence[str] = (),
    executor: Executor | None = None,
    jobs: int = 1,
    cache: Place = True,
    prefilter: bool = True,
    allow_empty: bool = False,
    validate: bool = False,
    baseline: Path | None = None,
    progress: Progress | None = None,
    today: date | None = None,
    resting: Resting | None = None,
) -> Report:
    """Say which promises of the contracts the code below `root` keeps.

    `contracts`: files, folders of JSON Schemas, or contract records; without any, those of the
    configuration, else those found below the root. `select`: ids of rules and names of kinds
    (`CONTRACT-001/missing-field`). `scope` limits the report, not the detection.
    `executor` runs the parsing (any `concurrent.futures.Executor` with picklable work); without
    one, `jobs` processes are used where that pays. `cache=False` neither reads nor writes the
    cache, a folder puts it there (`contract_scan.cache`); with it, the report of last time is given
    again while all that it rests on is as it was.
    `prefilter=False` looks into every file: slower, the same report. Without a contract or without
    source files UsageError is raised, unless `allow_empty`. `validate` also checks every contract
    against its own specification, in a child process (the extra `validate`); what that forbids is
    in `not_analysed` of the report.
    What the configuration excepts, and what the `baseline` file knows, is left out; what is stale
    in them is found. `today` decides which exceptions have expired. Of the configuration `select`,
    `ignore`, `fail-on`, `output-format`, `baseline` and `jobs` are for the command line. `resting`
    is called with the whole report and what it rests on, where it may be given again: what git
    listed, None where more than that decides which files there are, and the evidence of their
    contents.

    Raises ConfigurationError for a baseline that cannot be read, ContractError for the one contract
    that was named and cannot be read, UsageError for a root that is no folder and for a rule or a
    kind that does not exist.
    """
    if validate:
        from contract_scan.parsers.contracts.validate import require_validators

        require_validators()
    config = config or Config()
    root = _folder(root)
    for contract in contracts:
        if isinstance(contract, Path) and not is_utf8(str(contract)):
            raise ContractError("has a name that is not UTF-8; rename it", printable(str(contract)))
    kinds = kinds_named(select)
    rules = rules_of(kinds)
    known = load_baseline(baseline, root)
    with GitRun():
        listed = git.files_with_submodules(root)
        tree = _tree(root, config, exclude, listed)
    with closing(Store(open_cache(str(root), cache))) as store:
        keep = cache and prefilter and not validate and not tree.unreadable
        about = (sorted(rules), contracts, allow_empty)
        asked = _cache_key(tree, config, contracts, about) if keep else b""
        report, evidence = _cached_report(store, asked, root) if keep else (None, None)
        if report is None:
            with _open_with_retained(tree, store, config, prefilter=prefilter) as code:
                report, evidence = code.compare(
                    contracts,
                    rules,
                    allow_empty=allow_empty,
                    validate=validate,
                    executor=executor,
                    jobs=jobs,
                    progress=progress,
                )
                if keep and evidence is not None and not unsaved.is_anything_held():
                    put_answer(store, asked, evidence, msgspec.msgpack.encode(report))
    complete = not contracts  # else some promises were not looked at
    report = apply_suppressions(report, root, config, kinds, known, today=today, complete=complete)
    if keep and resting is not None and evidence is not None:
        alone = build_folders(root)[1] == root
        whole = listed is not None and not listed.unlisted
        resting(report, listed if alone and whole else None, evidence)
    return limit(report, scope, root)


class FixResult(Struct, frozen=True, kw_only=True):
    """What `fix` did."""

    report: Report
    """What is left."""
    files: tuple[str, ...]
    """The files that were changed, relative to the root, sorted."""


def fix(
    root: Path,
    *,
    contracts: Sequence[Contract] = (),
    select: Collection[str] = RULE_IDS,
    config: Config | None = None,
    allow_empty: bool = False,
) -> FixResult:
    """Change code below `root` where that surely makes it keep its contracts, and nothing else.

    What a change would break elsewhere, and what could be mended in another way as well, is left.
    After each round of changes the code is scanned again; changes that bring up new findings are
    taken back. Arguments and errors as for `scan`.
    """
    import time

    from contract_scan.fixes.plan import plan
    from contract_scan.fixes.run import make_fixes

    latest: list[Report] = []

    def scan_after_fixes() -> Sequence[Finding]:
        since = time.time_ns()
        report = scan(
            root,
            contracts=contracts,
            select=select,
            config=config,
            allow_empty=allow_empty,
            cache=False,
        )
        findings = plan(_folder(root), report.findings, since)
        latest.append(msgspec.structs.replace(report, findings=findings))
        return findings

    outcome = make_fixes(_folder(root), scan_after_fixes(), scan_after_fixes, unsafe=False)
    files = {finding.fix.path for finding in outcome.done if finding.fix is not None}
    return FixResult(report=latest[-1], files=tuple(sorted(files)))


def extract(
    root: Path,
    *,
    config: Config | None = None,
    exclude: Sequence[str] = (),
    executor: Executor | None = None,
    jobs: int = 1,
    cache: Place = True,
    prefilter: bool = True,
    models: bool = True,
    framework_routes: bool = False,
    progress: Progress | None = None,
) -> Extraction:
    """Say which endpoints, models and events the code below `root` has. Arguments as for `scan`.

    With `models`, every file is looked into, since any may define a type. With `framework_routes`,
    endpoints are listed, too, that a framework adds by itself.
    """
    with open_code(root, config=config, exclude=exclude, cache=cache, prefilter=prefilter) as code:
        code.parse_ahead(executor, jobs, progress)
        operations, events = code.code.operations_with_answers, code.code.events
        all_models = code.code.all_models() if models else ()
        return Extraction(
            endpoints=tuple(
                each for each in operations if framework_routes or not each.added_by_framework
            ),
            models=all_models,
            events=events,
            resolver=code.code,
            problems=code.code.problems,
            files=code.reader.count,
        )


def compare_contracts(
    base: ContractSource,
    revision: ContractSource,
    *,
    here: Path | None = None,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
    accepted: Path | None = None,
    code: Sequence[Path] = (),
) -> ContractChanges:
    """Say what changed from one revision of contracts to the next, and whom that breaks.

    `base` is what users rely on, `revision` what is to take its place. Each is a file or folder (a
    `Path`, or text as seen from `here`, the working directory), `git:REF:PATH` (a file or folder
    of a revision of the repository around `here`, its path from the top of that), or a document
    itself as a mapping, as a contract store holds it (`$ref`s then stay within the document).
    OpenAPI 2.0 and 3.x, AsyncAPI 2 and 3 and JSON Schema are read. `select` and `ignore` name ids
    of changes, `*` standing for any letters: `request-*`, `*-added`. `accepted` is a file that
    lists changes to leave out (docs/breaking-changes.md). Of what is in the folders `code`, each
    change says what implements or uses it.

    The answer holds `changes` (`ContractChange`: `id`, `level` of `breaking`, `dangerous` and
    `safe`, `message`, `before`, `after`, the places `base` and `revision`, and `subjects`, the
    operations, channels and models that show it), the worst first; `undetermined`, of which
    nothing can be said and why; and `problems`, what could not be read. `is_breaking` and
    `at_least(level)` ask it. A side of which nothing at all can be read raises `ContractError`; a
    missing file, an unknown revision or id, and two kinds of contracts raise `UsageError`.
    """
    from contract_scan.revisions import compare, label_of
    from contract_scan.scanners.impact import CodePairing

    here = here or Path.cwd()

    def pairings(contracts: Sequence[Path]) -> list[CodePairing]:
        found: list[CodePairing] = []
        for folder in code:
            with open_code(folder, cache=False) as opened:
                label = label_of(_folder(folder), here)
                found += (
                    CodePairing(paired, opened.code, label) for paired in opened.pair(contracts)
                )
        return found

    return compare(
        base,
        revision,
        here=here,
        select=select,
        ignore=ignore,
        accepted=accepted,
        pairings=pairings if code else None,
    )


@contextmanager
def open_code_index(
    root: Path,
    *,
    database: Path | None = None,
    config: Config | None = None,
    exclude: Sequence[str] = (),
) -> Iterator[CodeIndex]:
    """Open the index of the code below `root`: symbols, their callers, what imports what.

    It lies in `database`, else in the cache of the root; where there is no cache, it is gone
    afterwards. Nothing is read before `CodeIndex.update`, and then only what changed since last
    time. Test code is part of it, marked as such.

    The index has `update`, `register` (one file), `find_definitions`, `find_callers`,
    `dependencies`, `search`, `interface` (endpoints and events as `extract` finds them),
    `dead_code`, `services` and `summary`. Raises `IndexDatabaseError` where the database cannot be
    used, UsageError for a root that is no folder.
    """
    from contract_scan.cache import INDEX
    from contract_scan.code_index.database import IndexDatabase, temporary_database
    from contract_scan.code_index.index import CodeIndex
    from contract_scan.code_index.interface import interface_of

    config = config or Config()
    root = _folder(root)

    def list_files() -> SourceTree:
        with GitRun():
            return _tree(root, config, exclude, git.files_with_submodules(root), with_tests=True)

    def read_interface() -> list[InterfacePart]:
        with open_code(root, config=config, exclude=exclude) as code:
            code.parse_ahead()
            return interface_of(code.code.operations, code.code.events)

    with ExitStack() as stack:
        if database is None:
            cache = open_cache(str(root))
            if cache is None:
                database = stack.enter_context(temporary_database())
            else:
                stack.callback(cache.close)
                database = Path(cache.path) / INDEX
            opened = IndexDatabase(database, replaceable=True)
        else:
            opened = IndexDatabase(database)
        yield CodeIndex(root, opened, config, list_files, read_interface)


@contextmanager
def open_code(
    root: Path,
    *,
    config: Config | None = None,
    exclude: Sequence[str] = (),
    cache: Place = True,
    prefilter: bool = True,
) -> Iterator[OpenCode]:
    """Open the code below `root` once, to compare it with one contract after the other
    (`OpenCode.compare`). Arguments as for `scan`. What the code is read as stays as it was when it
    was first asked for."""
    config = config or Config()
    root = _folder(root)
    with GitRun():
        tree = _tree(root, config, exclude, git.files_with_submodules(root))
    with (
        closing(Store(open_cache(str(root), cache))) as store,
        _open_with_retained(tree, store, config, prefilter=prefilter) as code,
    ):
        yield code


def answer_about_code(
    root: Path,
    ask: Callable[[OpenCode], tuple[bytes, Dependencies | None]],
    about: object,
    *,
    config: Config,
    cache: Place = True,
) -> bytes:
    """What `ask` says (in msgpack) of the code below `root`: that of last time, while all that it
    rests on is as it was.

    `ask` gives what it says, and what that rests on (`OpenCode.evidence`); None where it must not
    be given again. `about` is everything that it goes by besides `config` and files, as something
    that JSON can say. Raises UsageError for a root that is no folder, and what `ask` raises.
    """
    root = _folder(root)
    with GitRun():
        tree = _tree(root, config, (), git.files_with_submodules(root))
    with closing(Store(open_cache(str(root), cache))) as store:
        keep = cache and not tree.unreadable
        key = _cache_key(tree, config, (), about) if keep else b""
        known = get_answer(store, key, root) if keep else None
        if known is not None:
            return bytes(known[0])
        with _open_with_retained(tree, store, config, prefilter=True) as code:
            answer, evidence = ask(code)
            if keep and evidence is not None and not unsaved.is_anything_held():
                put_answer(store, key, evidence, answer)
        return answer


@contextmanager
def _open_with_retained(
    tree: SourceTree, store: Store, config: Config, *, prefilter: bool
) -> Iterator[OpenCode]:
    """Code that is opened for one run, with what an earlier one read where that is held."""
    from contract_scan.flow import open_code as opened
    from contract_scan.parsers.source.retained_sources import retained_sources

    with (
        retained_sources(str(tree.root)) as retained,
        opened(tree, store, config, prefilter=prefilter, retained=retained) as code,
    ):
        yield code


def _folder(root: Path) -> Path:
    if not root.is_dir():
        raise UsageError("is not a folder", str(root))
    place = os.path.realpath(root)
    if not is_utf8(place):
        message = "is a path that is not UTF-8, which no report can hold; rename the folder"
        raise UsageError(message, printable(place))
    return Path(place)


def _tree(
    root: Path,
    config: Config,
    exclude: Sequence[str],
    listed: git.FileListing | None,
    *,
    with_tests: bool = False,
) -> SourceTree:
    """The files below the root, as git `listed` them, and those around it that belong to the same
    build."""
    unreadable: dict[str, str] = {}
    nearest, project = build_folders(root, unreadable)
    beyond: list[str] = []
    if project != root:
        other = git.files_with_submodules(project)
        lost: dict[str, str] = {}
        names = None if other is None else _paths_of(other, project, lost)
        beyond = files_around_root(root, project, names, lost.items(), unreadable)
    paths = None if listed is None else _paths_of(listed, root, unreadable)
    near = len(root.relative_to(nearest).parts)
    patterns = (*config.exclude, *config.extend_exclude, *map(Pattern, exclude))
    return SourceTree(
        root,
        SUFFIXES,
        listed=paths,
        absent=() if listed is None else listed.absent,
        unreadable=unreadable.items(),
        beyond=beyond,
        near=near,
        exclude=Patterns(patterns, root).match if patterns else None,
        largest=config.limits.source_bytes,
        with_tests=with_tests,
    )


def _paths_of(listed: git.FileListing, folder: Path, unreadable: dict[str, str]) -> list[str]:
    """The files below a folder as git lists them, and all of a submodule where it cannot. What
    nobody could look into goes into `unreadable`, with the reasons."""
    unreadable.update(listed.unreadable)
    paths = listed.names()
    for submodule in listed.unlisted:
        lost: dict[str, str] = {}
        paths += (f"{submodule}/{path}" for path in walked_files(folder / submodule, lost))
        for path, why in lost.items():
            unreadable[submodule if path == "." else f"{submodule}/{path}"] = why
    return paths


def _cache_key(
    tree: SourceTree, config: Config, contracts: Sequence[Contract], about: object
) -> bytes:
    """The key of everything that an answer depends on besides the contents of files: `about` is
    what was asked.

    What is excluded shows in the list of files; the rest of the configuration is applied to the
    answer afterwards.
    """
    asked = (config.contracts, config.services, config.limits, config.required_models)
    named = (*contracts, *config.contracts, *(c for s in config.services for c in s.contracts))
    folders = [str(path) for path in named if isinstance(path, Path) and path.is_dir()]
    inside = [*map(digest_below, folders)]  # git may not list them
    wanted = (about, inside, asked, str(tree.root))
    return question(tree, reader_version(), msgspec.json.encode(wanted, enc_hook=str))


def _cached_report(
    store: Store, asked: bytes, root: Path
) -> tuple[Report, Dependencies] | tuple[None, None]:
    cached = get_answer(store, asked, root)
    if cached is None:
        return None, None
    answer, evidence = cached
    try:
        return msgspec.msgpack.decode(answer, type=Report), evidence
    except (msgspec.DecodeError, RecursionError):
        return None, None


# Contracts that come as values, from a registry


def check_specification(spec: Mapping[str, object], type: str) -> SpecificationCheck:
    """Whether a specification is a valid one of its type: `openapi`, `asyncapi`, `json_schema`.

    It stands alone: references to files are errors. Nothing is raised for what is wrong with it.
    """
    from contract_scan.conformance import specifications

    return specifications.check_specification(spec, type)


def response_deviations(
    spec: Mapping[str, object],
    method: str,
    path: str,
    body: object,
    status: int | None = 200,
    *,
    seconds: float = 20.0,
) -> tuple[Deviation, ...]:
    """In what a response that came deviates from an OpenAPI specification; empty: it conforms.

    `path` is one that was requested, or a template. An operation or a status that the contract
    lacks is a deviation; `status=None` stands for the success of the contract. Raises
    ContractError where the specification cannot be read or the body not be validated in so many
    seconds.
    """
    from contract_scan.conformance.exchanges import ReceivedResponse, deviations_of
    from contract_scan.conformance.specifications import read_http_contract

    received = ReceivedResponse(method, path, body, status)
    return deviations_of(read_http_contract(spec), received, timeout=seconds)


def value_deviations(
    spec: Mapping[str, object], type: str, values: Mapping[str, object], *, seconds: float = 20.0
) -> dict[str, tuple[Deviation, ...]]:
    """In what values deviate from the message (AsyncAPI) or definition (JSON Schema; the empty name
    is the whole schema) that each is named after. Raises ContractError as `response_deviations`."""
    from contract_scan.conformance.payloads import deviations_of_values

    return deviations_of_values(spec, type, values, timeout=seconds)


def generate_tests(
    contract: Mapping[str, object] | Path,
    framework: Framework = "pytest",
    *,
    include_negative: bool = True,
) -> str:
    """A test file for a running server, from an OpenAPI document or the file of one.

    pytest files need httpx and jsonschema, jest files ajv and ajv-formats. `include_negative` also
    sends what the contract forbids, and expects it to be refused. The same contract gives the same
    text. Raises ContractError where the contract cannot be read or its values not be validated.
    """
    from contract_scan.conformance.specifications import read_http_contract, read_http_file
    from contract_scan.generated_tests.files import file_of_tests

    if isinstance(contract, Path):
        return file_of_tests(read_http_file(contract), framework, include_negative=include_negative)
    return file_of_tests(read_http_contract(contract), framework, include_negative=include_negative)


# Types and endpoints that a text for people names


def read_type(text: str, known: Collection[str] = ()) -> Schema:
    """The schema that a type in the notation of SVC tables describes (`{ id: uuid }`, `Order[]`).

    Names of `known` types become references with the name as key; what is not
    understood is `Unknown` with the reason. Never raises."""
    from contract_scan.ir.origin import NOWHERE
    from contract_scan.parsers.contracts import svc_types

    return svc_types.read_type(text, NOWHERE, known)


def read_endpoint_row(
    headings: Sequence[str], cells: Sequence[str], line: int, known: Collection[str] = ()
) -> RowReading | None:
    """The operations that a row of a table with a column of endpoints names, read as rows of SVC
    tables are, and why there is none; None where no heading is one of endpoints."""
    from contract_scan.parsers.contracts import svc_table

    return svc_table.read_row(headings, cells, line, known)


def rule_pages() -> dict[str, str]:
    """The page of every rule, in Markdown, by its id."""
    from contract_scan.scanners.rules import RULES

    return {rule.id: rule.documentation for rule in RULES}
