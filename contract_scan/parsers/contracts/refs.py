"""Where a `$ref` leads: inside the document, or to another file below the root. Never further.

Nothing is ever fetched, and no file outside the root is opened, whatever way a reference is spelt.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from msgspec import Struct

from contract_scan import unsaved
from contract_scan.errors import ContractError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.contracts.folders import files_below
from contract_scan.parsers.contracts.located_tree import (
    DEFAULT_LIMITS,
    File,
    Limits,
    Mapping,
    MergedMapping,
    Node,
    Sequence,
    escape,
    open_text,
    shortened_text,
    unescape,
)
from contract_scan.parsers.contracts.merged_documents import (
    PartFiles,
    merged_document,
    part_files,
    parts_of,
)
from contract_scan.parsers.contracts.problems import Problems

_MAX_CHAIN = 100
_WHOLE = ("openapi", "swagger", "asyncapi")
"""What the root of a whole document has."""
_DATA_KEYWORDS = frozenset({"enum", "const", "default", "example", "examples"})
_ID_WORDS = ("$id", "$anchor", "$dynamicAnchor")


class RefError(ContractError):
    """A `$ref` that leads nowhere, outside, or back to itself."""


def read_regular_file(path: Path, shown: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The bytes of a regular file of bearable size. Raises `ContractError` for anything else."""
    too_large = ContractError(
        f"is larger than {limits.max_bytes // 1_000_000} MB; raise the limit to read it", shown
    )
    held = unsaved.text_of(path)
    if held is not None:
        if len(held) > limits.max_bytes:
            raise too_large
        return held
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ContractError("is not a regular file", shown)
        with path.open("rb") as stream:
            if os.fstat(stream.fileno()).st_size > limits.max_bytes:
                raise too_large
            content = stream.read(limits.max_bytes + 1)
    except FileNotFoundError:
        raise ContractError("does not exist", shown) from None
    except OSError as error:
        raise ContractError(f"cannot be read: {error.strerror}", shown) from error
    if len(content) > limits.max_bytes:
        raise too_large
    return content


def shown_path(path: Path, root: Path) -> str:
    """A path as reports show it: relative to the root, with `/` on every system."""
    try:
        return Path(os.path.relpath(path, root)).as_posix()
    except ValueError:  # another drive
        return path.as_posix()


class Documents:
    """The files of one contract, each opened once, and the way from a `$ref` to its target."""

    def __init__(
        self,
        root: Path,
        limits: Limits = DEFAULT_LIMITS,
        *,
        parsed: dict[Path, File] | None = None,
        listed: dict[Path, tuple[str, ...]] | None = None,
        library: Iterable[Path] = (),
        named: Iterable[Path] = (),
    ) -> None:
        """`parsed` shares parsed files between several of these, `listed` the paths of files below
        folders; `library` names files whose `$id` may answer a remote reference; `named` are
        further folders that a user named, within which references may lead."""
        self.root = Path(os.path.realpath(root))
        self.limits = limits
        self._parsed = parsed if parsed is not None else {}
        self._listed = listed if listed is not None else {}
        self.before_reading: Callable[[Path], None] = lambda _: None
        """Is told of each file that is about to be read."""
        self._library: tuple[Path, ...] = tuple(library)
        self._absent: set[Path] = set()
        self._reached: set[str] = set()
        self._roots = [self.root, *(Path(os.path.realpath(folder)) for folder in named)]
        self._files: dict[Path, File] = {}
        self._where: dict[str, Path] = {}
        self._resources: dict[str, _Resources] = {}
        self._by_uri: dict[str, Node] = {}
        self._targets: dict[tuple[str, str, str], Node | RefError] = {}

    @property
    def files(self) -> tuple[File, ...]:
        """The files named so far and those their references led to, in the order of opening."""
        return tuple(file for file in self._files.values() if file.path in self._reached)

    @property
    def dependencies(self) -> tuple[tuple[str, str], ...]:
        """Path and content hash of every file opened; an empty hash: looked for, not there."""
        opened = {
            shown_path(real, self.root): file.content_hash for real, file in self._files.items()
        }
        absent = {shown_path(path, self.root): "" for path in self._absent}
        return tuple(sorted({**absent, **opened}.items()))

    def add(self, path: Path) -> File:
        """Open a file that a user or discovery named. Raises `ContractError`.

        A file outside the root may then refer to what lies in its own repository (or folder).
        """
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self.root):
            self._roots.append(_own_root(real))
        file = self._open(real)
        self._reached.add(file.path)
        return self._with_parts(real, file)

    def _with_parts(self, real: Path, file: File) -> File:
        """A document with what stands in parts of it beside it."""
        found = self.part_files(real, file.text)
        parts = parts_of(file.root, map(self._open, found.files))
        if parts or found.ambiguous:
            self._reached.update(part.path for part in parts)
            problems = [
                NotAnalysed(
                    path=shown_path(part, self.root),
                    reason=Reason(
                        "contract-problem",
                        what="may be a part of `{}` and of `{}`, which are equally near".format(
                            *sorted(shown_path(each, self.root) for each in (real, other))
                        ),
                    ),
                )
                for part, other in found.ambiguous
            ]
            file = self._files[real] = merged_document(file, parts, problems)
        return file

    def part_files(self, real: Path, text: str) -> PartFiles:
        """Files that seem to be parts of a document."""
        return part_files(real, text, self._read, self.root, self._files_below)

    def _files_below(self, folder: Path) -> tuple[str, ...]:
        known = self._listed.get(folder)
        if known is None:
            known = self._listed[folder] = tuple(files_below(folder))
        return known

    def _read(self, real: Path) -> bytes:
        self.before_reading(real)
        return read_regular_file(real, shown_path(real, self.root), self.limits)

    def _open(self, real: Path) -> File:
        known = self._files.get(real)
        if known is not None:
            return known
        shown = shown_path(real, self.root)
        if len(self._files) >= self.limits.max_files:
            raise ContractError(
                f"refers to more than {self.limits.max_files:,} files; split the contract", shown
            )
        file = self._parsed.get(real)
        if file is None:
            file = open_text(self._read(real), shown, self.limits)
            self._parsed[real] = file
        return self.adopt(real, file)

    def adopt(self, real: Path, file: File) -> File:
        """Take in a file that is already parsed."""
        self._files[real] = file
        self._where[file.path] = real
        resources = _resources_of(file)
        self._resources[file.path] = resources
        for pointer, uri in resources.bases.items():
            is_address = urlsplit(uri).scheme or uri.startswith("/")
            place = file.root.resolve_pointer(pointer) if is_address else None
            if place is not None:
                self._by_uri.setdefault(uri.removesuffix("#"), place)
        return file

    def embed(self, node: Node) -> None:
        """Let `#/…` below `node` mean pointers from `node`: a whole document inside another."""
        resources = self._resources[node.file.path]
        bases = {**resources.bases, node.pointer: resources.bases.get(node.pointer, "")}
        self._resources[node.file.path] = _Resources(bases, resources.anchors)

    def target(self, node: Node, reference: str) -> Node:
        """The place that a reference, written at `node`, leads to. Raises `RefError`."""
        base = self._base_of(node)
        key = (node.file.path, base, reference)
        known = self._targets.get(key)
        if known is None:
            try:
                known = self._find(node, base, reference)
            except RefError as error:
                known = error
            except ContractError as error:
                known = self._error(node, reference, f"cannot be followed: {error}")
            except (OSError, ValueError):
                known = self._error(node, reference, "is not a usable path")
            self._targets[key] = known
        if isinstance(known, RefError):
            raise RefError(known.message, node.file.path, _line_of_reference(node))
        self._reached.add(known.file.path)
        return known

    def dynamic_anchors(self, reference: str) -> int:
        """How many places, in the files opened so far, bear the anchor that a reference names."""
        name = reference.partition("#")[2]
        return sum(
            anchor == name
            for resources in self._resources.values()
            for _, anchor in resources.anchors
        )

    def follow(self, node: Node) -> Node:
        """The first place that is no `$ref` itself. Raises `RefError`, also for a ring."""
        seen: set[str] = set()
        current = node
        while isinstance(current.value, Mapping):
            reference = current.value.get("$ref")
            if not isinstance(reference, str):
                break
            if current.id in seen:
                raise self._error(node, reference, "leads back to itself")
            if len(seen) > _MAX_CHAIN:
                raise self._error(node, reference, f"begins a chain of over {_MAX_CHAIN}")
            seen.add(current.id)
            current = self.target(current, reference)
        return current

    def follow_or_note(self, node: Node, problems: Problems) -> Node | None:
        """Where a node's `$ref`s lead in the end; a dangling one is a problem, and None."""
        try:
            return self.follow(node)
        except RefError as error:
            problems.add_error(error)
            return None

    def _error(self, node: Node, reference: str, what: str) -> RefError:
        return RefError(
            f"$ref `{shortened_text(reference)}` {what}", node.file.path, _line_of_reference(node)
        )

    def _base_of(self, node: Node) -> str:
        """Pointer of the document, embedded or the file itself, that a node belongs to."""
        bases = self._resources[node.file.path].bases
        if len(bases) == 1:
            return ""
        pointer = node.pointer
        while pointer not in bases:
            pointer = pointer.rpartition("/")[0]
        return pointer

    def _find(self, node: Node, base: str, reference: str) -> Node:
        location, _, fragment = reference.partition("#")
        if location:
            root = self._document(node, base, reference, location)
        else:
            found = node.file.root.resolve_pointer(base)
            assert found is not None
            root = found
        try:
            return self._node_at(root, unquote(fragment))
        except RefError as error:
            # Many documents give a schema an `$id` and still count pointers from the file's root;
            # or have files of pieces, in which pointers are those of the document they belong to.
            for other in () if location else self._other_roots(node, base):
                with contextlib.suppress(RefError):
                    return self._node_at(other, unquote(fragment))
            raise self._error(node, reference, error.message) from None

    def _other_roots(self, node: Node, base: str) -> Iterator[Node]:
        """From where pointers count as well. swagger-parser copies those in a file of pieces into
        the document as they are (https://github.com/swagger-api/swagger-parser/issues/783)."""
        own = node.file.root
        if base:
            yield own
        whole = next(iter(self._files.values())).root
        if isinstance(whole.value, MergedMapping) or (
            not any(own.has(word) for word in _WHOLE) and any(whole.has(word) for word in _WHOLE)
        ):
            yield whole

    def _node_at(self, root: Node, fragment: str) -> Node:
        if not fragment or (fragment == "/" and not root.has("")):
            return root
        if not fragment.startswith("/"):
            base = self._base_of(root)
            pointer = self._resources[root.file.path].anchors.get((base, fragment))
            anchored = root.file.root.resolve_pointer(pointer) if pointer is not None else None
            if anchored is not None:
                return anchored
            if "/" not in fragment:
                raise RefError("names an anchor that does not exist")
            fragment = "/" + fragment  # an anchor holds no slash: the first one was forgotten
        current: Node = root
        for token in fragment.split("/")[1:]:
            step = current.resolve_pointer("/" + token)
            if step is None and isinstance(current.value, Mapping) and "$ref" in current.value:
                step = self.follow(current).resolve_pointer("/" + token)
            if step is None:
                raise RefError(
                    f"leads nowhere: there is no `{shortened_text(unescape(token))}` "
                    f"in {root.file.path}{'#' + current.pointer if current.pointer else ''}"
                )
            current = step
        return current

    def _document(self, node: Node, base: str, reference: str, location: str) -> Node:
        """The root of the other document that a reference names."""
        base_uri = self._resources[node.file.path].bases[base]
        is_address = urlsplit(base_uri).scheme or base_uri.startswith("/")
        uri = urljoin(base_uri, location) if is_address else location
        if uri in self._by_uri:
            return self._by_uri[uri]
        embedded = self._embedded_schema(node.file, base_uri, location)
        if embedded is not None:
            return embedded
        folder = self._where[node.file.path].parent
        published = location.startswith("/") and base_uri.startswith("/")
        if not urlsplit(location).scheme and not published:
            path = unquote(location)
            if urlsplit(base_uri).scheme == "" and base_uri and not base_uri.startswith("/"):
                # A relative `$id` moves the base within the same tree of files.
                nested = folder / Path(unquote(base_uri)).parent / path
                if self._exists(nested):
                    return self._open_confined(node, reference, nested).root
            return self._open_confined(node, reference, folder / path).root
        neighbour = self._neighbour(folder, base_uri, uri) or self._in_library(uri)
        if neighbour is None:
            raise self._error(
                node,
                reference,
                "is remote; nothing is fetched, so save a copy beside the contract",
            )
        return neighbour

    def _embedded_schema(self, file: File, base_uri: str, location: str) -> Node | None:
        """The schema embedded in a file whose relative `$id` a reference names: both resolve
        against the same base (JSON Schema 2020-12, core, 8.2.1)."""
        if urlsplit(location).scheme:
            return None
        wanted = _join_uri(base_uri, location)
        for pointer, uri in self._resources[file.path].bases.items():
            if pointer and uri == wanted:
                return file.root.resolve_pointer(pointer)
        return None

    def _neighbour(self, folder: Path, base_uri: str, uri: str) -> Node | None:
        """A file below the root that stands for an address: both are published the same way."""
        own, wanted = urlsplit(base_uri), urlsplit(uri)
        published, _, name = unquote(wanted.path).rpartition("/")
        candidates: list[tuple[Path, bool]] = []
        if own.path and (own.scheme, own.netloc) == (wanted.scheme, wanted.netloc):
            way = posixpath.relpath(unquote(wanted.path), posixpath.dirname(unquote(own.path)))
            candidates.append((folder / way, True))
        if name:
            # A name alone may be that of anything: its folder has to be called alike as well.
            around = posixpath.basename(published)
            candidates.append((folder / name, around == folder.name))
            if around:
                candidates.append((folder.parent / around / name, True))
        for candidate, trusted in candidates:
            if not self._exists(candidate):
                continue
            file = self._open(Path(os.path.realpath(candidate)))
            identifier = self._resources[file.path].bases[""]
            if identifier == uri or (trusted and not identifier):
                return file.root
        return None

    def _in_library(self, uri: str) -> Node | None:
        """Another contract of the same scan that is published under this address."""
        library, self._library = self._library, ()
        for path in library:
            try:
                self._open(Path(os.path.realpath(path)))
            except ContractError:
                continue  # reported where that file itself is read
        return self._by_uri.get(uri)

    def _exists(self, path: Path) -> bool:
        if "\0" in str(path):
            return False
        real = Path(os.path.realpath(path))
        if not self._is_confined(real):
            return False
        if not real.is_file():
            self._absent.add(real)
            return False
        return True

    def _is_confined(self, real: Path) -> bool:
        return any(real.is_relative_to(root) for root in self._roots)

    def _open_confined(self, node: Node, reference: str, path: Path) -> File:
        if "\0" in str(path):
            raise self._error(node, reference, "is not a path")
        real = Path(os.path.realpath(path))
        if not self._is_confined(real):
            raise self._error(node, reference, "leads outside of the scanned folder")
        if not real.exists():
            self._absent.add(real)
            raise self._error(node, reference, "leads to a file that does not exist")
        return self._open(real)


def _own_root(real: Path) -> Path:
    """The repository a file belongs to, or its folder where it is in none."""
    for folder in real.parents:
        if (folder / ".git").exists():
            return folder
    return real.parent


def _line_of_reference(node: Node) -> int:
    written = node.get("$ref")
    return written.line if written is not None else node.line


class _Resources(Struct, frozen=True):
    """The documents embedded in one file, and the anchors in them."""

    bases: dict[str, str]
    """Pointer of the embedded document -> its URI as given."""
    anchors: dict[tuple[str, str], str]
    """(pointer of the embedded document, name) -> pointer of the anchored place."""


_NO_RESOURCES = _Resources({"": ""}, {})


def _resources_of(file: File) -> _Resources:
    """Find `$id` and anchors, skipping what is data rather than schema."""
    draft_4 = _is_draft_4(file.tree.value)
    if not draft_4 and not any(word in file.text for word in _ID_WORDS):
        return _NO_RESOURCES
    bases: dict[str, str] = {"": ""}
    anchors: dict[tuple[str, str], str] = {}
    pending: list[tuple[str, str, object]] = [("", "", file.tree.value)]
    while pending:
        pointer, base, value = pending.pop()
        if isinstance(value, Mapping):
            identifier = value.get("id" if draft_4 else "$id")
            if isinstance(identifier, str):
                if identifier.startswith("#"):
                    anchors[base, identifier[1:]] = pointer
                else:
                    base, bases[pointer] = pointer, _join_uri(bases[base], identifier)
            for word in ("$anchor", "$dynamicAnchor"):
                name = value.get(word)
                if isinstance(name, str):
                    anchors[base, name] = pointer
            pending.extend(
                (f"{pointer}/{escape(key)}", base, member)
                for key, member in value.items()
                if key not in _DATA_KEYWORDS and isinstance(member, (Mapping, Sequence))
            )
        elif isinstance(value, Sequence):
            pending.extend(
                (f"{pointer}/{index}", base, element)
                for index, element in enumerate(value)
                if isinstance(element, (Mapping, Sequence))
            )
    return _Resources(bases, anchors)


def _is_draft_4(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    dialect = value.get("$schema")
    return isinstance(dialect, str) and ("draft-04" in dialect or "draft-03" in dialect)


def _join_uri(base: str, identifier: str) -> str:
    """An identifier resolved against the URI of what is around it."""
    identifier = identifier.removesuffix("#")
    try:
        return urljoin(base, identifier)
    except ValueError:  # not an address at all
        return identifier
