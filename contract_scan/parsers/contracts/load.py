"""Contract files, folders and records -> `ContractDocument`s.

What makes a whole file unreadable raises `ContractError`. What is wrong in one place only (a `$ref`
that leads nowhere, a response that is no mapping) becomes a `NotAnalysed` with its line and an
`Unknown` in its place, so that everything else can still be checked.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Mapping as AnyMapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from stat import S_ISREG
from typing import Protocol

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument, NotAnalysed
from contract_scan.ir.reasons import Reason, decode_reason, encode_reason
from contract_scan.ir.schema import Schema
from contract_scan.parsers.contracts.contract_record import (
    Record,
    file_of_record,
    is_record_file,
    records,
)
from contract_scan.parsers.contracts.kinds import (
    is_contract,
    kind_of,
    looks_like_schema,
    read_document,
)
from contract_scan.parsers.contracts.known_state import (
    KnownState,
    ReadStates,
    StateOf,
    decode_state,
    encode_state,
    names_beside,
    state_key,
)
from contract_scan.parsers.contracts.located_tree import (
    DEFAULT_LIMITS,
    File,
    Limits,
    decode,
    hash_of,
    shortened_text,
)
from contract_scan.parsers.contracts.refs import Documents, read_regular_file, shown_path
from contract_scan.parsers.contracts.svc_table import has_svc_table, read_svc_table

_MARKDOWN = (".md", ".markdown")
_SUFFIXES = (".json", ".yaml", ".yml")


class Contracts(Struct, frozen=True, kw_only=True):
    """Everything that could be read of several contracts, and why the rest could not."""

    documents: tuple[ContractDocument, ...] = ()
    problems: tuple[NotAnalysed, ...] = ()
    """Files that say nothing at all; what is wrong inside a document stands in the document."""
    dependencies: dict[str, str] = {}
    """Path and content hash of every file that was opened; an empty hash: looked for, not there."""


def read_contracts(
    paths: Iterable[Path],
    root: Path,
    *,
    cache: Cache | None = None,
    cache_version: str = "",
    limits: Limits = DEFAULT_LIMITS,
    state_of: StateOf = lambda _: None,
) -> Contracts:
    """Read several contracts, files or folders; one that cannot be read does not stop the rest.
    Files whose state, as `state_of` gives it, is as it was are taken from the cache unread."""
    root = _real(root)
    documents: list[ContractDocument] = []
    problems: list[NotAnalysed] = []
    files: list[Path] = []
    named: list[Path] = []
    dependencies: dict[str, str] = {}
    for path in paths:
        if path.is_dir():
            named.append(path)
            paths_inside, unreadable = _files_below(path, root)
            problems += unreadable
            inside = list(_contract_files(path, paths_inside, limits, root, dependencies))
            if not inside and not unreadable:
                problems.append(
                    NotAnalysed(path=shown_path(path, root), reason=Reason("no-contract-document"))
                )
            files.extend(inside)
        else:
            files.append(path)
    parsed: dict[Path, File] = {}
    listed: dict[Path, tuple[str, ...]] = {}
    library = [path for path in files if path.suffix in _SUFFIXES]
    for path in dict.fromkeys(files):
        sources = Documents(
            root, limits, parsed=parsed, listed=listed, library=library, named=named
        )
        try:
            with _no_garbage():
                found, opened = _load_cached(path, sources, cache, cache_version, state_of)
            documents.extend(found)
            dependencies.update(opened)
        except ContractError as error:
            problems.append(
                NotAnalysed(path=error.path, line=error.line, reason=error.message, fatal=True)
            )
    return Contracts(
        documents=tuple(documents), problems=tuple(problems), dependencies=dependencies
    )


def read_records(
    given: Iterable[AnyMapping[str, object]], root: Path, limits: Limits = DEFAULT_LIMITS
) -> Contracts:
    """Read contract records that came over the wire rather than from a file.

    Their `$ref`s may lead to files below `root`. Raises `ContractError`.
    """
    found: list[ContractDocument] = []
    dependencies: dict[str, str] = {}
    for index, record in enumerate(given):
        name = str(record.get("id") or record.get("contract_id") or index)
        file = file_of_record(record, f"contract:{shortened_text(name)}", limits)
        sources = Documents(root, limits)
        sources.adopt(sources.root / file.path, file)
        found.extend(_read_file(file, sources))
        opened = dict(sources.dependencies)
        opened.pop(file.path, None)
        dependencies.update(opened)
    return Contracts(documents=tuple(found), dependencies=dependencies)


# Private helpers


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Reading makes many values and no garbage: looking for some triples the time it takes."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _files_below(folder: Path, root: Path) -> tuple[list[Path], list[NotAnalysed]]:
    """The regular files below a folder that may hold a contract, in a fixed order, and what below
    it cannot be looked at."""
    found: list[Path] = []
    problems: list[NotAnalysed] = []

    def note(path: str, reason: Reason) -> None:
        problems.append(NotAnalysed(path=shown_path(_real(Path(path)), root), reason=reason))

    def note_folder(error: OSError) -> None:
        why = error.strerror or "unknown error"
        note(error.filename, Reason("folder-content-unreadable", strerror=why))

    for above, _, names in os.walk(folder, onerror=note_folder):
        for path in (Path(above, name) for name in names):
            if path.suffix not in _SUFFIXES:
                continue
            try:
                if S_ISREG(path.lstat().st_mode):
                    found.append(path)
            except OSError as error:
                note(str(path), Reason("unreadable", why=error.strerror or "unknown error"))
    return sorted(found), sorted(problems, key=lambda problem: problem.path)


def _contract_files(
    folder: Path, paths: Iterable[Path], limits: Limits, root: Path, looked_at: dict[str, str]
) -> Iterator[Path]:
    """Contracts among the files of a folder that somebody named; other files are no matter.
    `looked_at` takes up the path, as seen from `root`, and the hash of everything that was read."""
    for path in paths:
        try:
            file = Documents(folder, limits).add(path)
        except ContractError:
            yield path  # reading it again says what is wrong with it
            continue
        looked_at[shown_path(_real(path), root)] = file.content_hash
        if is_contract(file.root) or looks_like_schema(file.root):
            yield path


def _load_cached(
    path: Path, sources: Documents, cache: Cache | None, version: str, state_of: StateOf
) -> tuple[tuple[ContractDocument, ...], tuple[tuple[str, str], ...]]:
    """The documents of a file, and the files that they were read from."""
    real = _real(path)
    shown = shown_path(real, sources.root)
    if path.suffix.lower() in _MARKDOWN:
        content = read_regular_file(path, shown, sources.limits)
        return (_read_markdown(content, shown),), ((shown, hash_of(content)),)
    if cache is None:
        documents = tuple(_read_file(sources.add(path), sources))
        return documents, sources.dependencies
    place = state_key(shown, version, sources.root, sources.limits)
    known = decode_state(cache.get(place), real, state_of)
    if known is not None:
        hashed = {shown: known.content_hash}
        entry = _valid_entry(cache, known.key, sources.root, sources.limits, hashed)
        if entry is not None:
            return entry.documents, entry.dependencies
    states, beside = ReadStates(state_of), names_beside(real)
    states.note(real)
    content = read_regular_file(path, shown, sources.limits)
    hashed = {shown: hash_of(content)}
    sources.before_reading = states.note
    parts = sources.part_files(real, content.decode("utf-8", "replace"))
    settled = None if parts.looked_beyond else states.all_states()
    version = " ".join((version, *map(str, (*parts.files, *parts.ambiguous))))
    key = _key_of(hashed[shown], shown, version, sources.root)
    entry = _valid_entry(cache, key, sources.root, sources.limits, hashed)
    if entry is None:
        documents = tuple(_read_file(sources.add(path), sources))
        entry = _Entry(sources.dependencies, documents)
        _put_entry(cache, key, entry)
    if settled is not None:
        cache.put(place, encode_state(KnownState(hashed[shown], key, beside, tuple(settled))))
    return entry.documents, entry.dependencies


def _read_markdown(content: bytes, shown: str) -> ContractDocument:
    text = decode(content, shown)
    if not has_svc_table(text):
        raise ContractError(
            "holds no table with SVC-… rows; its header must name the columns", shown
        )
    return read_svc_table(text, shown)


def _read_file(file: File, sources: Documents) -> Iterator[ContractDocument]:
    duplicates = file.duplicate_key_problems()
    root = file.root
    if kind_of(root) == "" and is_record_file(root):
        for record in records(root):
            document = _read_record(record, sources)
            yield replace(document, problems=(*duplicates, *document.problems))
        return
    document = read_document(root, sources)
    problems = {
        problem: None for opened in sources.files for problem in opened.duplicate_key_problems()
    }
    yield replace(document, problems=(*problems, *document.problems))


def _read_record(record: Record, sources: Documents) -> ContractDocument:
    spec = record.spec
    if spec.pointer == "":
        sources.adopt(sources.root / spec.file.path, spec.file)
    else:
        sources.embed(spec)
    document = read_document(spec, sources, record.type)
    return replace(
        document,
        service=record.service,
        title=document.title or record.name,
    )


# ----------------------------------------------------------------------------------------- cache
# Documents that were read before, kept by the content of every file they were read from.


class Cache(Protocol):
    """Keeps what was read, by content."""

    def get(self, key: bytes) -> bytes | None:
        """The value kept under a key."""
        ...

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value."""
        ...


class _Entry(Struct, frozen=True, array_like=True):
    """A cache entry: valid while every file it was read from is what it was."""

    dependencies: tuple[tuple[str, str], ...]
    documents: tuple[ContractDocument, ...]


class _WrittenEntry(Struct, frozen=True, array_like=True):
    """An entry as it is kept: the named schemas stand beside the documents."""

    dependencies: tuple[tuple[str, str], ...]
    documents: tuple[ContractDocument, ...]
    schemas: tuple[dict[str, Raw], ...]


class _WrittenSchemas(Mapping[str, Schema]):
    """Named schemas, each decoded when it is first asked for: of a large document, few are."""

    def __init__(self, written: dict[str, Raw]) -> None:
        self._written = written
        self._decoded: dict[str, Schema] = {}

    def __getitem__(self, key: str) -> Schema:
        found = self._decoded.get(key)
        if found is None:
            found = self._decoded[key] = _SCHEMA.decode(self._written[key])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


_ENCODER = msgspec.msgpack.Encoder(enc_hook=encode_reason)
_SCHEMA: msgspec.msgpack.Decoder[Schema] = msgspec.msgpack.Decoder(Schema, dec_hook=decode_reason)


def _key_of(content_hash: str, shown: str, version: str, root: Path) -> bytes:
    """What the documents of a file are kept under, by the hash of its bytes (`hash_of`). `version`
    is that of the code that reads."""
    return blake2b(
        content_hash.encode(), digest_size=16, person=b"contract", salt=_salt(shown, version, root)
    ).digest()


def _valid_entry(
    cache: Cache, key: bytes, root: Path, limits: Limits, hashed: Mapping[str, str]
) -> _Entry | None:
    """The cached entry of a key, if its files are unchanged. `hashed` are the hashes of files that
    were read just now, by path."""
    known = cache.get(key)
    entry = None if known is None else _decode_entry(known)
    return entry if entry is not None and _is_unchanged(entry, root, limits, hashed) else None


def _put_entry(cache: Cache, key: bytes, entry: _Entry) -> None:
    """Keep what was read, unless it had problems."""
    if any(document.problems for document in entry.documents):
        return
    schemas = tuple(
        {name: Raw(_ENCODER.encode(schema)) for name, schema in document.schemas.items()}
        for document in entry.documents
    )
    documents = tuple(replace(document, schemas={}) for document in entry.documents)
    cache.put(key, _ENCODER.encode(_WrittenEntry(entry.dependencies, documents, schemas)))


def _salt(shown: str, version: str, root: Path) -> bytes:
    text = f"{shown}\0{version}\0{root}"
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).digest()


def _decode_entry(content: bytes) -> _Entry | None:
    try:
        found = msgspec.msgpack.decode(content, type=_WrittenEntry, dec_hook=decode_reason)
    except (msgspec.DecodeError, RecursionError):
        return None  # damaged, or of another version: read the files again
    pairs = zip(found.documents, found.schemas, strict=True)
    documents = tuple(replace(each, schemas=_WrittenSchemas(named)) for each, named in pairs)
    return _Entry(found.dependencies, documents)


def _is_unchanged(entry: _Entry, root: Path, limits: Limits, hashed: Mapping[str, str]) -> bool:
    for shown, known in entry.dependencies:
        path = root / shown
        if not known:
            if path.exists():
                return False
            continue
        try:
            found = hashed.get(shown) or hash_of(read_regular_file(path, shown, limits))
        except ContractError:
            return False
        if found != known:
            return False
    return True
