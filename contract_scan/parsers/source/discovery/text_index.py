"""The byte-level pass: which source files there are, what each is worth, and what stands where."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason, decode_reason, encode_reason
from contract_scan.parsers.source.discovery.discover import (
    GONE,
    SourceTree,
    is_inside,
    read_regular,
)
from contract_scan.parsers.source.discovery.file_scan import (
    MAY_HOLD,
    UNREADABLE,
    FileSummary,
    scan_file,
)
from contract_scan.parsers.source.discovery.inverted_index import TextSearch, WordIndex
from contract_scan.parsers.source.discovery.prefilter import Prefilter, markers_of
from contract_scan.parsers.source.discovery.source_text import as_read
from contract_scan.parsers.source.discovery.surface_fingerprint import holds_word
from contract_scan.parsers.source.language import Language
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.retained_sources import RetainedSources
from contract_scan.parsers.source.store import FileState, Store, content_key, file_state

FEW_CHANGED = 50
"""Files up to which it is asked of each what it holds of what was looked for in an earlier run."""
MAX_CACHED_BYTES = 96_000_000
"""How much source text is kept in memory for later questions."""
_TICK = 20_000_000
"""Nanoseconds: the clock of a file system may tick as rarely."""


def _module_names(path: str) -> list[bytes]:
    """How other code may end the path of a script that it loads, the quotation mark with it."""
    stem = path.rpartition(".")[0]
    names = {stem.rpartition("/")[2], path.rpartition("/")[2]}
    if stem == "index" or stem.endswith("/index"):
        names.add(stem.removesuffix("index").rstrip("/").rpartition("/")[2])
    return [f"/{name}{mark}".encode() for name in sorted(names) for mark in "\"'`"]


class SourceTexts:
    """The source files of a tree as text: looked at once, searched as often as needed."""

    def __init__(
        self,
        files: SourceTree,
        languages: Mapping[str, Language],
        store: Store,
        version: str,
        retained: RetainedSources,
    ) -> None:
        """`version` is that of everything that reads files (`reader_version`); `retained` is what
        an earlier run of this process read."""
        self.files = files
        self.skip_reasons: dict[str, Reason] = {}
        """Why files are left out, by path: those of `skipped` and of `problems`."""
        self.skipped: list[NotAnalysed] = []
        """Files left out on purpose: generated, minified, too large."""
        self.problems: list[NotAnalysed] = []
        """Files of which something may have been lost."""
        self.seen: dict[str, FileSummary] = {}
        """What was seen of each file, by path."""
        self._languages = languages
        self._store = store
        self._version = version
        self._prefilters = {
            name: Prefilter(markers_of(language), language.definitions)
            for name, language in languages.items()
        }
        self._retained = retained
        retained.begin(f"{version}:{files.largest}")
        self._indexes = {name: retained.indexes.setdefault(name, WordIndex()) for name in languages}
        self._words = {
            name: TextSearch(
                lambda path: self.content(path) or b"", index, retained.words.setdefault(name, {})
            )
            for name, index in self._indexes.items()
        }
        self.unreadable: set[str] = set()
        """Source files that cannot be read, of which nothing is kept."""
        self.changed: set[str] = set()
        """Files that are not as they were seen: what follows from their texts is not kept."""
        self._states: dict[str, FileState] = {}
        self._kept = retained.texts
        files.text_of = retained.texts.get
        self._cached_bytes = sum(map(len, retained.texts.values()))
        self._literals: dict[tuple[str, bytes], frozenset[str]] = {}
        self._names: dict[str, dict[str, list[str]]] = {}
        self._digests: dict[str, dict[str, bytes]] = {}
        self._marked: dict[str, dict[int, list[str]]] = {}
        self._look_at_all()

    # ------------------------------------------------------------------ the pass

    def _look_at_all(self) -> None:
        version = f"{self._version}:{self.files.largest}"
        decoder = msgspec.msgpack.Decoder(FileSummary, dec_hook=decode_reason)
        retained = self._retained.summaries
        known = {}
        if not retained:
            known = {path: (state, value) for path, *state, value in self._store.files(version)}
        self._looked = now = time.time_ns()
        root = str(self.files.root)
        for name in self._languages:
            fresh: dict[str, FileSummary] = {}
            for path in self.files.source(name):
                try:
                    state = file_state(f"{root}/{self.files.place(path)}", now)
                    old = known.get(path)
                    held = retained.get(path)
                    if held is not None and state[1] and held[0] == state:
                        self.seen[path] = held[1]
                    elif old is not None and state[1] and old[0] == [*state]:
                        self.seen[path] = decoder.decode(old[1])
                    else:
                        self.seen[path] = fresh[path] = self._scan_file(path, name)
                        if fresh[path].skipped == UNREADABLE:
                            self.unreadable.add(path)
                except OSError as error:
                    if error.errno not in GONE:
                        self.unreadable.add(path)
                    if error.errno not in GONE and is_inside(path):
                        reason = Reason("unreadable", why=error.strerror)
                        self.problems.append(NotAnalysed(path=path, reason=reason))
                    continue
                self._states[path] = state
            self.seen |= self._with_markers(name, fresh)
            self._commit(version, fresh)
        gone = retained.keys() - self.seen.keys()
        retained.clear()
        self._retained.keep_only(self.seen)
        self._renew_answers(gone)
        for name in self._languages:
            for path in self.paths(name):
                self._note_skipped(path, name)
                if path not in self.unreadable:
                    retained[path] = self._states[path], self.seen[path]

    def _renew_answers(self, gone: Collection[str]) -> None:
        """What an earlier run found to hold words and literals, where only a few files have
        changed."""
        retained = self._retained
        changed = {*gone, *retained.changed}
        retained.changed.clear()
        if len(changed) > FEW_CHANGED:
            for answers in retained.words.values():
                answers.clear()
            retained.literals.clear()
            return
        for name, answers in retained.words.items():
            texts = self._texts(name, changed)
            for word, held in answers.items():
                having = (path for path, text in texts.items() if holds_word(text, word))
                answers[word] = (held - changed).union(having)
        for (name, literal), held in retained.literals.items():
            holding = (p for p, text in self._texts(name, changed).items() if literal in text)
            retained.literals[name, literal] = (held - changed).union(holding)

    def _texts(self, language: str, paths: Collection[str]) -> Mapping[str, bytes]:
        """The texts of those of the paths that are read, of one language."""
        return {
            path: self.content(path) or b""
            for path in paths
            if path in self.seen
            and not self.seen[path].skipped
            and SUFFIXES[path[path.rfind(".") :]] == language
        }

    def _scan_file(self, path: str, language: str) -> FileSummary:
        """A first look: for everything but markers, which are cheaper to find in all files, unless
        an earlier run has seen the others."""
        self._retained.forget(path)
        prefilter = self._prefilters[language]
        index = None if self._retained.summaries else self._indexes[language]
        place = self.files.place(path)
        seen, content = scan_file(
            self.files.root, path, prefilter, self.files.largest, index, place
        )
        if content is not None:
            self._cache_text(path, content)
        return seen

    def _with_markers(
        self, language: str, fresh: Mapping[str, FileSummary]
    ) -> dict[str, FileSummary]:
        """What was seen of files, together with the markers that they hold."""
        markers = self._prefilters[language].markers
        paths = self._indexes[language].paths & fresh.keys()
        likely: dict[str, list[int]] = {}
        for position, marker in enumerate(markers):
            for path in self._words[language].likely_files(marker, paths):
                likely.setdefault(path, []).append(position)
        found = {}
        for path, positions in likely.items():
            content = self.content(path) or b""
            held = tuple(position for position in positions if markers[position] in content)
            found[path] = fresh[path].with_markers(held)
        return found

    def _commit(self, version: str, fresh: Iterable[str]) -> None:
        """Keep what was seen of files whose state will tell whether they have changed."""
        entries = [
            (
                path,
                *self._states[path],
                msgspec.msgpack.encode(self.seen[path], enc_hook=encode_reason),
            )
            for path in fresh
            if path not in self.unreadable
        ]
        self._store.put_files(version, [entry for entry in entries if entry[2]])

    def _note_skipped(self, path: str, language: str) -> None:
        seen = self.seen[path]
        reason = seen.skipped
        if not reason or not is_inside(path):
            return
        if seen.may_hold and any(
            self.files_containing(language, name) for name in _module_names(path)
        ):
            reason = Reason("loaded-file-may-hold-routes", why=reason)
        problem = NotAnalysed(path=path, reason=Reason("skipped-file", reason=reason), fatal=False)
        self.skip_reasons[path] = reason
        (self.problems if reason.code in MAY_HOLD else self.skipped).append(problem)

    def _cache_text(self, path: str, content: bytes) -> None:
        if self._cached_bytes + len(content) <= MAX_CACHED_BYTES:
            self._kept[path] = content
            self._cached_bytes += len(content)

    def is_unchanged(self, path: str, state: FileState) -> bool:
        """Whether a file is as it was when it was looked at, which may have been so soon after its
        last change that its time did not tell. A file that was not looked at is."""
        if path not in self._states:
            return True
        size, at, inode = self._states[path]
        same = (size, inode) == (state[0], state[2])
        return same and (at == state[1] or (not at and state[1] < self._looked - _TICK))

    # ------------------------------------------------------------------ what stands where

    def content(self, path: str) -> bytes | None:
        """The bytes of a source file, from memory where they are kept."""
        content = self._kept.get(path)
        if content is None:
            written = read_regular(self.files.root / self.files.place(path), self.files.largest)
            content = None if written is None else as_read(written, path)
            if written is not None and content is not None:
                self._cache_text(path, content)
                seen = self.seen.get(path)
                if seen is not None and seen.digest not in (b"", content_key(written)):
                    self.changed.add(path)
        return content

    def paths(self, language: str) -> Iterator[str]:
        """The source files of a language that are there, as the tree lists them."""
        return (path for path in self.files.source(language) if path in self.seen)

    def read(self, language: str) -> Iterator[str]:
        """Those of `paths` that were not left out."""
        return (path for path in self.paths(language) if not self.seen[path].skipped)

    def markers(self, language: str) -> tuple[bytes, ...]:
        """The literals that every file of a language is looked through for."""
        return self._prefilters[language].markers

    def files_containing(self, language: str, literal: bytes) -> frozenset[str]:
        """Paths of the files of a language that hold a literal."""
        key = (language, literal)
        if key not in self._literals:
            markers = self.markers(language)
            if literal in markers:
                held = self._holders(language).get(markers.index(literal), ())
                self._literals[key] = frozenset(held)
            else:
                self._literals[key] = self._search_files(language, literal)
        return self._literals[key]

    def all_files_containing(self, literal: bytes) -> Iterator[str]:
        """Paths of the files of every language that hold a literal."""
        for language in self._languages:
            yield from self.files_containing(language, literal)

    def _search_files(self, language: str, literal: bytes) -> frozenset[str]:
        """Paths whose text holds a literal that no framework declares."""
        held = self._retained.literals.get((language, literal))
        if held is None:
            held = frozenset(self._search_texts(language, literal))
            self._retained.literals[language, literal] = held
        return held

    def _search_texts(self, language: str, literal: bytes) -> list[str]:
        """The same; the answer is kept for each content, so that a second run need not read what
        has not changed."""
        key = content_key(literal, "holds", language, self._version)
        cached = self._store.get(key)
        digests = self._digests_of(language)
        if cached is None and not self._store.keeps:
            return list(self._words[language].files_containing(literal, digests))
        known = {} if cached is None else msgspec.msgpack.decode(cached, type=dict[bytes, bool])
        unknown = [path for path, digest in digests.items() if digest not in known]
        found = set(self._words[language].files_containing(literal, unknown))
        answers = {digest: known.get(digest, path in found) for path, digest in digests.items()}
        if answers != known:
            self._store.put(key, msgspec.msgpack.encode(answers))
        return [path for path, digest in digests.items() if answers[digest]]

    def _holders(self, language: str) -> Mapping[int, list[str]]:
        """Paths of the files that hold a marker, by its position."""
        if language not in self._marked:
            index: dict[int, list[str]] = {}
            for path in self.paths(language):
                for position in self.seen[path].prefilter_hit.markers:
                    index.setdefault(position, []).append(path)
            self._marked[language] = index
        return self._marked[language]

    def _digests_of(self, language: str) -> Mapping[str, bytes]:
        """Digests of the files of a language that were not left out, by path."""
        if language not in self._digests:
            self._digests[language] = {path: self.seen[path].digest for path in self.read(language)}
        return self._digests[language]

    def searched_literals(self, language: str) -> tuple[bytes, ...]:
        """The literals that were searched for beside the markers, sorted."""
        asked = {literal for name, literal in self._literals if name == language}
        return tuple(sorted(asked - {*self.markers(language)}))

    def files_with_word(self, language: str, word: bytes) -> frozenset[str]:
        """Paths of the files that have a word, not as a part of another."""
        return self._words[language].files_with_word(word, self.read(language))

    def searched_words(self, language: str) -> tuple[bytes, ...]:
        """The words that `naming` was asked for, sorted."""
        return self._words[language].requested_words()

    def definitions(self, language: str) -> Mapping[str, list[str]]:
        """Paths of the files that look as if they define a type, by its name."""
        if language not in self._names:
            index: dict[str, list[str]] = {}
            for path in self.paths(language):
                for name in self.seen[path].prefilter_hit.names:
                    index.setdefault(name, []).append(path)
            self._names[language] = index
        return self._names[language]
