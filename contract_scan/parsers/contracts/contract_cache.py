"""Documents that were read before, kept by the content of every file they were read from."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from contract_scan.errors import ContractError
from contract_scan.ir.document import ContractDocument
from contract_scan.ir.reasons import decode_reason, encode_reason
from contract_scan.parsers.contracts.located_tree import Limits, hash_of
from contract_scan.parsers.contracts.refs import read_regular_file


class Cache(Protocol):
    """Keeps what was read, by content."""

    def get(self, key: bytes) -> bytes | None:
        """The value kept under a key."""
        ...

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a value."""
        ...


class Entry(Struct, frozen=True, array_like=True):
    """A cache entry: valid while every file it was read from is what it was."""

    dependencies: tuple[tuple[str, str], ...]
    documents: tuple[ContractDocument, ...]


def key_of(content_hash: str, shown: str, version: str, root: Path) -> bytes:
    """What the documents of a file are kept under, by the hash of its bytes (`hash_of`). `version`
    is that of the code that reads."""
    return blake2b(
        content_hash.encode(), digest_size=16, person=b"contract", salt=_salt(shown, version, root)
    ).digest()


def valid_entry(
    cache: Cache, key: bytes, root: Path, limits: Limits, hashed: Mapping[str, str]
) -> Entry | None:
    """The cached entry of a key, if its files are unchanged. `hashed` are the hashes of files that
    were read just now, by path."""
    known = cache.get(key)
    entry = None if known is None else _decode_entry(known)
    return entry if entry is not None and _is_unchanged(entry, root, limits, hashed) else None


def put_entry(cache: Cache, key: bytes, entry: Entry) -> None:
    """Keep what was read, unless it had problems."""
    if not any(document.problems for document in entry.documents):
        cache.put(key, msgspec.msgpack.encode(entry, enc_hook=encode_reason))


def _salt(shown: str, version: str, root: Path) -> bytes:
    text = f"{shown}\0{version}\0{root}"
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).digest()


def _decode_entry(content: bytes) -> Entry | None:
    try:
        return msgspec.msgpack.decode(content, type=Entry, dec_hook=decode_reason)
    except (msgspec.DecodeError, RecursionError):
        return None  # damaged, or of another version: read the files again


def _is_unchanged(entry: Entry, root: Path, limits: Limits, hashed: Mapping[str, str]) -> bool:
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
