"""From bytes to facts: parsing on demand, and what was kept from last time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager
from typing import TypeAlias

import msgspec

from contract_scan.ir.comment import Comment
from contract_scan.ir.document import UNMERGED, NotAnalysed
from contract_scan.ir.origin import Span
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.bounded_parse import TOO_SLOW, ParseLimitError, limit_reason
from contract_scan.parsers.source.comments import comments
from contract_scan.parsers.source.dependencies import (
    Dependencies,
    Outline,
    SourceDependency,
    effect,
    reads,
)
from contract_scan.parsers.source.discovery.discover import SourceTree, is_inside
from contract_scan.parsers.source.discovery.links import LinkNames
from contract_scan.parsers.source.discovery.normalised_source import LOOKED_THROUGH, UNREAD
from contract_scan.parsers.source.discovery.surface_fingerprint import glimpse_key, names_in
from contract_scan.parsers.source.discovery.text_index import SourceTexts
from contract_scan.parsers.source.discovery.text_probe import Excerpt
from contract_scan.parsers.source.facts.nodes import FileFacts, Statement, declared_functions
from contract_scan.parsers.source.language import Language
from contract_scan.parsers.source.languages import SUFFIXES, load
from contract_scan.parsers.source.retained_sources import RetainedSources
from contract_scan.parsers.source.store import Store, content_key, file_state
from contract_scan.parsers.source.version import reader_version

_CONFLICT = (b"<<<<<<< ", b">>>>>>> ")
"""What git begins the lines with between which two versions stand that it could not merge."""
_BATCH_BYTES = 400_000
"""Source text that one task of an executor parses."""


def _lines(content: bytes) -> list[bytes]:
    return re.split(rb"\r\n|\r|\n", content)


def _submodule_not_checked_out(submodule: str) -> NotAnalysed:
    reason = Reason("submodule-not-checked-out")
    return NotAnalysed(path=submodule, reason=reason, expected=True)


def _repository_of_its_own(folder: str) -> NotAnalysed:
    return NotAnalysed(path=folder, reason=Reason("repository-of-its-own"), expected=True)


def _name_problem(path: str) -> NotAnalysed:
    reason = Reason("skipped-file-may-hold-routes", why=Reason("name-not-utf-8"))
    return NotAnalysed(path=path, reason=reason)


def _unreadable(folders: Mapping[str, str]) -> Iterator[NotAnalysed]:
    for path, why in sorted(folders.items()):
        is_list = path.rpartition("/")[2] == ".gitignore"
        lost = "what it leaves out" if is_list else "what lies below it"
        yield NotAnalysed(path=path, reason=Reason("folder-unreadable", why=why, lost=lost))


def _unfollowed_links(links: Mapping[str, str]) -> Iterator[NotAnalysed]:
    for link, why in links.items():
        yield NotAnalysed(path=link, reason=Reason("skipped-file-may-hold-routes", why=why))


def _read_by_name(files: SourceTree, languages: Iterable[Language]) -> None:
    """Read files under the names that links give them, where a framework goes by these: a link in
    a folder of routes is a route, whatever the file is called that it leads to."""
    names = files.links.names()
    if names:
        seen = LinkNames(files, names, SUFFIXES)
        by = [f.paths for language in languages for f in language.frameworks if f.paths is not None]
        files.read_apart({path for paths in by for path in paths(seen)})


class SourceReader:
    """Reads the source files of a tree. Implements the `Reader` that programs are built on."""

    def __init__(
        self,
        files: SourceTree,
        languages: Mapping[str, Language],
        store: Store,
        *,
        filter: bool,
        retained: RetainedSources | None = None,
    ) -> None:
        """With `filter` off every file counts as holding every marker: slower, the same facts."""
        self.files = files
        self.store = store
        self._languages = languages
        self._filter = filter
        self._version = reader_version()
        _read_by_name(files, languages.values())
        self._retained = retained = retained or RetainedSources()
        self.texts = SourceTexts(files, languages, store, self._version, retained)
        self.problems: list[NotAnalysed] = [
            *self.texts.problems,
            *map(_submodule_not_checked_out, files.absent),
            *map(_repository_of_its_own, files.repositories),
            *map(_name_problem, files.misnamed),
            *_unreadable(files.unreadable),
            *_unfollowed_links(files.unfollowed_links()),
        ]
        """Source files and folders of which something may have been lost."""
        self._digests: dict[str, bytes] = {}
        self._bodies: dict[str, dict[Span, bytes]] = {}
        self._facts: dict[str, FileFacts] = {}
        self._parsed_ahead: dict[str, FileFacts] = {}
        """Facts that nobody has asked for yet."""
        self.progress: Callable[[str, int, int], None] | None = None
        """Is told of each file that is read."""
        self._count = 0
        self._unmerged: set[str] = set()
        self._may_be_read_elsewhere = False
        """Whether something was given up that another process may get done."""
        self._by_name: frozenset[str] | None = None
        self._seeds: Sequence[str] | None = None
        self._decoder = msgspec.msgpack.Decoder(FileFacts)
        self._body_decoder = msgspec.msgpack.Decoder(tuple[Statement, ...])

    # ------------------------------------------------------------------ what stands where

    def all_problems(self) -> list[NotAnalysed]:
        """The problems so far, with the settings and build files that were asked for, here or
        around the root, and that cannot be read."""
        files = self.files.unreadable_files.items()
        known = {problem.path for problem in self.problems}
        return [
            *self.problems,
            *(
                NotAnalysed(path=path, reason=Reason("unreadable", why=why))
                for path, why in sorted(files)
                if path not in known
            ),
        ]

    def is_all_readable(self) -> bool:
        """Whether nothing has been kept from us so far: permissions may change without a trace."""
        return not (self.files.unreadable or self.files.unreadable_files or self.texts.unreadable)

    def content(self, path: str) -> bytes | None:
        """The bytes of a source file, from memory where they are kept."""
        return self.texts.content(path)

    @property
    def skipped(self) -> Sequence[NotAnalysed]:
        """Files left out on purpose: generated, minified, too large."""
        return self.texts.skipped

    @property
    def count(self) -> int:
        """How many source files there are below the root."""
        return sum(map(is_inside, self.texts.seen))

    def _files_read(self, left: int) -> tuple[int, int]:
        """How many files have been read where some are left to be parsed, and how many there are,
        as reports count them: most are only searched for words."""
        if not self._count:
            self._count = self.count
        return self._count - min(max(left, 0), self._count), self._count

    @property
    def parsed(self) -> int:
        """How many of them had to be looked into."""
        return len(self._facts)

    def files_containing(self, language: str, literals: tuple[bytes, ...]) -> tuple[str, ...]:
        """Paths of the source files that hold one of the literals, sorted."""
        found: set[str] = set()
        for literal in literals:
            found |= self.texts.files_containing(language, literal)
        return tuple(sorted(found))

    def any_contains(self, language: str, literals: tuple[bytes, ...]) -> bool:
        """Whether a source file holds one of the literals."""
        return any(self.texts.files_containing(language, literal) for literal in literals)

    def seeds_containing(self, language: str, literals: tuple[bytes, ...]) -> tuple[str, ...]:
        """Those of `files_containing` that belong to the scanned program; with the filter off, all
        that belong to it."""
        found = (
            self.files_containing(language, literals)
            if self._filter
            else self.files.source(language)
        )
        return tuple(path for path in found if self.files.is_near(path) and path in self.texts.seen)

    def seeds_named(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of the paths that are source files of the scanned program, sorted."""
        near, seen = self.files.is_near, self.texts.seen
        found = (p for p in set(paths) if p in seen and near(p) and not seen[p].skipped)
        return tuple(sorted(found))

    def comments(self) -> list[Comment]:
        """What comments say to contract-scan, by path and place."""
        found: list[Comment] = []
        for path, seen in sorted(self.texts.seen.items()):
            if seen.prefilter_hit.addressed and not seen.skipped:
                found.extend(comments(self.content(path) or b"", path))
        return found

    def files_with_word(self, language: str, word: str) -> tuple[str, ...]:
        """Paths of the source files that have a word, not as a part of another, sorted."""
        return tuple(sorted(self.texts.files_with_word(language, word.encode())))

    def files_defining(self, language: str, name: str) -> tuple[str, ...]:
        """Paths of the source files that look as if they define a type of that name, sorted."""
        return tuple(self.texts.definitions(language).get(name, ()))

    def defined_names(self, language: str) -> Iterable[str]:
        """Every name that some source file looks as if it defines, in a stable order."""
        return self.texts.definitions(language).keys()

    # ------------------------------------------------------------------ facts

    def facts(self, path: str) -> FileFacts:
        """Facts of a file: kept from before, or lowered now."""
        path = self.files.canonical(path)
        facts = self._facts.get(path)
        if facts is None:
            facts = self._parsed_ahead.pop(path, None)
            facts = facts or self._known_facts(path) or self._lowered(path)
            facts = self._effective_facts(facts, path)
            if self.progress is not None:
                self.progress("reading", *self._files_read(len(self.seeds()) - len(self._facts)))
            self._note_loaded(path)
        return facts

    def _note_loaded(self, path: str) -> None:
        """Name a file that is asked for, since other code loads it, and that is too large."""
        seen = self.texts.seen.get(path)
        if seen is None or not seen.skipped or seen.digest or not is_inside(path):
            return
        if all(problem.path != path for problem in self.problems):
            reason = Reason("loaded-file-skipped", skipped=seen.skipped)
            self.problems.append(NotAnalysed(path=path, reason=reason, expected=True))

    def _effective_facts(self, facts: FileFacts, path: str) -> FileFacts:
        """Facts as they count from now on: none of a file that is two versions at once."""
        if facts.errors and self._is_unmerged(path):
            nothing = self._language_of(path).lower(b"", path)
            facts = msgspec.structs.replace(nothing, errors=facts.errors)
            self._unmerged.add(path)
        self._facts[path] = facts
        if facts.unread:
            self._note_unread(path, facts.unread)
        if facts.errors:
            self._note_errors(facts)
        return facts

    def _note_unread(self, path: str, code: str) -> None:
        """Name a file that parsing was given up of, for the reason of a code."""
        self._may_be_read_elsewhere |= code == TOO_SLOW
        problem = NotAnalysed(path=path, reason=limit_reason(code))
        if is_inside(path) and problem not in self.problems:
            self.problems.append(problem)

    def _is_unmerged(self, path: str) -> bool:
        lines = _lines(self.content(path) or b"")
        return all(any(line.startswith(mark) for line in lines) for mark in _CONFLICT)

    def _language_of(self, path: str) -> Language:
        name = SUFFIXES[path[path.rfind(".") :]]
        return self._languages[name] if name in self._languages else load(name)

    def _digest(self, path: str) -> bytes:
        seen = self.texts.seen.get(path)
        digest = seen.digest if seen is not None and seen.digest else b""
        return digest or content_key(self.content(path) or b"")

    def _derived_key(self, path: str, what: str) -> bytes:
        """The key of something that is derived from the text of a file alone."""
        return content_key(self._digest(path), what, path[path.rfind(".") :], self._version)

    def _known_facts(self, path: str) -> FileFacts | None:
        """Facts that an earlier run of this process lowered, or those of the cache."""
        known = self._retained.lowered_file(path, self._digest(path))
        if known.facts is None:
            return self._cached_facts(path)
        self._digests[path] = known.facts_digest
        return known.facts

    def _retain_facts(self, path: str, facts: FileFacts, encoded: bytes) -> None:
        """Hold facts, with the digest of how they are written down."""
        self._digests[path] = digest = content_key(encoded)
        if not facts.unread and path not in self.texts.changed:
            known = self._retained.lowered_file(path, self._digest(path))
            known.facts, known.facts_digest = facts, digest

    def _cached_facts(self, path: str) -> FileFacts | None:
        if not self.store.keeps:
            return None
        value = self.store.get(self._derived_key(path, "facts"))
        if value is None:
            return None
        try:
            facts = self._decoder.decode(value)
        except msgspec.DecodeError:
            return None
        facts = facts if facts.path == path else msgspec.structs.replace(facts, path=path)
        self._retain_facts(path, facts, value)
        return facts

    def _lowered(self, path: str) -> FileFacts:
        language = self._language_of(path)
        facts = language.lower(self.content(path) or b"", path)
        if self.store.keeps and facts.unread != TOO_SLOW:
            self._cache_facts(path, facts, msgspec.msgpack.encode(facts))
        return facts

    def _cache_facts(self, path: str, facts: FileFacts, encoded: bytes) -> None:
        if path not in self.texts.changed:
            self.store.put(self._derived_key(path, "facts"), encoded)
        self._retain_facts(path, facts, encoded)

    def body(self, path: str, span: Span) -> tuple[Statement, ...]:
        """The statements of one function: kept from before, or lowered now."""
        if not self.store.keeps:
            return self._lowered_body(path, span) or ()
        known = self._retained.lowered_file(path, self._digest(path)).bodies
        if span not in known:
            key = self._derived_key(path, f"body {span}")
            cached = self.store.get(key)
            body = None if cached is None else self._decoded_body(cached)
            if cached is None or body is None:
                body = self._lowered_body(path, span)
                if body is None:
                    return ()
                cached = msgspec.msgpack.encode(body)
                if path in self.texts.changed:
                    return body  # there is no evidence of this run
                self.store.put(key, cached)
            known[span] = body, content_key(cached)
        body, digest = known[span]
        self._bodies.setdefault(path, {})[span] = digest
        return body

    def _decoded_body(self, value: bytes) -> tuple[Statement, ...] | None:
        try:
            return self._body_decoder.decode(value)
        except msgspec.DecodeError:
            return None

    def _lowered_body(self, path: str, span: Span) -> tuple[Statement, ...] | None:
        try:
            return self._language_of(path).lower_body(self.content(path) or b"", path, span)
        except ParseLimitError as error:
            self._note_unread(path, error.code)
            return None

    def _note_errors(self, facts: FileFacts) -> None:
        """Name a file in which the grammar met something it cannot read, where a route, an event
        or a type may stand there: a call or annotation in a file that holds a marker, or the shape
        of a type definition in any file."""
        language = self._language_of(facts.path)
        lines = _lines(self.content(facts.path) or b"")
        seen = self.texts.seen.get(facts.path)
        holds_marker = facts.path in self._files_declaring_by_name() or (
            seen is not None and bool(seen.prefilter_hit.markers)
        )
        definitions = re.compile(language.definitions)
        if facts.path in self._unmerged:
            if is_inside(facts.path):
                number = 1 + next(n for n, line in enumerate(lines) if line.startswith(_CONFLICT))
                self.problems.append(NotAnalysed(path=facts.path, reason=UNMERGED, line=number))
            return
        # A line may hold thousands of errors, and is looked at once for all of them.
        first = {(span.line, span.end_line): span for span in reversed(facts.errors)}
        spans = [span for span in facts.errors if first[span.line, span.end_line] is span]
        for span in spans if is_inside(facts.path) else ():
            text = b"\n".join(lines[span.line - 1 : span.end_line])
            if (holds_marker and re.search(rb"[@(\[]", text)) or names_in(text, definitions):
                reason = Reason("syntax-error")
                problem = NotAnalysed(path=facts.path, reason=reason, line=span.line, fatal=False)
                self.problems.append(problem)
                return

    # ------------------------------------------------------------------ what was taken

    def evidence(self, others: Mapping[str, bytes]) -> Dependencies | None:
        """What an answer rests on that was made of these files; None where a file changed on the
        way, or nothing is kept. `others` are the digests of further files that were read, by
        path."""
        if not self.store.keeps or self._may_be_read_elsewhere:
            return None
        if self.files.unreadable or self.files.links:
            return None  # neither permissions nor links leave a trace in what is compared later
        outlines = {name: self._outline(name) for name in self._languages}
        held = self._matches_by_path(outlines)
        sources: dict[str, SourceDependency] = {}
        now = time.time_ns()
        for path in {**self.texts.seen, **self._digests, **self._bodies}:
            taken = self._source_dependency(path, outlines, held.get(path, ()), now)
            if taken is None:
                return None
            sources[path] = taken
        listed = (path for name in self._languages for path in self.files.source(name))
        missing = tuple(path for path in listed if path not in sources)
        read = {**self.files.digests_of_read(), **others}
        for path, digest in self.files.looked_through().items():
            if path not in sources:
                read.setdefault(path, digest)
        return Dependencies(
            sources=sources,
            others=reads(str(self.files.root), read.items(), self.files.since),
            missing=missing,
            outlines=outlines,
            largest=self.files.largest,
        )

    def _outline(self, name: str) -> Outline:
        """What has to be known of a language to look at one of its files again."""
        texts, language = self.texts, self._languages[name]
        return Outline(
            texts.markers(name),
            language.calls,
            texts.searched_literals(name),
            texts.searched_words(name),
            language.definitions,
        )

    def _matches_by_path(self, outlines: Mapping[str, Outline]) -> Mapping[str, Sequence[bytes]]:
        """Which of what files were searched for each holds: literals, then words."""
        held: dict[str, list[bytes]] = {}
        for name, outline in outlines.items():
            for literal in outline.literals:
                for path in self.texts.files_containing(name, literal):
                    held.setdefault(path, []).append(literal)
            for word in outline.words:
                for path in self.texts.files_with_word(name, word):
                    held.setdefault(path, []).append(word)
        return held

    def _source_dependency(
        self, path: str, outlines: Mapping[str, Outline], held: Sequence[bytes], now: int
    ) -> SourceDependency | None:
        try:
            state = file_state(f"{self.files.root}/{path}", now)
        except OSError:
            return None
        if not self.texts.is_unchanged(path, state):
            return None
        seen = self.texts.seen.get(path)
        every_byte = path in self._unmerged or (seen is not None and seen.prefilter_hit.addressed)
        if seen is None or not seen.digest or every_byte:
            digest = seen.digest if seen is not None else content_key(self.content(path) or b"")
            return SourceDependency(*state, digest, b"")
        name = self._language_of(path).name
        bodies = self._bodies.get(path, {})
        facts = self._digests.get(path, b"") if path in self._facts else b""
        taken = effect(seen, facts, bodies.items(), held)
        excerpts = tuple(sorted(self.files.excerpts().get(path, {}).items()))
        # Something unfinished, a comment say, may reach as far as the file does.
        whole = not seen.skipped and not (facts and self._facts[path].errors)
        steady = whole and all(excerpt.is_before(seen.lines) for excerpt, _ in excerpts)
        trimmed = seen.trimmed_digest if steady else b""
        spans = tuple(sorted(bodies))
        glimpse, functions = b"", tuple[int, ...]()
        if whole and name in outlines:
            marks = (outlines[name].markers[position] for position in seen.prefilter_hit.markers)
            glimpse = glimpse_key(
                seen.prefilter_hit.names,
                [*marks, *held],
                [(part.pattern, part.flags, found) for part, found in excerpts if part.pattern],
            )
            functions = self._functions(path, bodies, [part for part, _ in excerpts])
        return SourceDependency(
            *state,
            seen.digest,
            taken,
            parsed=bool(facts),
            bodies=spans,
            excerpts=excerpts,
            trimmed_digest=trimmed,
            surface_fingerprint=glimpse,
            functions=functions,
        )

    def _functions(
        self, path: str, read: Collection[Span], excerpts: Iterable[Excerpt]
    ) -> tuple[int, ...]:
        """How the functions of a file were read: three numbers each, as `essence` takes them."""
        looked = {(part.first, part.last) for part in excerpts if part.first}
        unread: set[tuple[int, int]] = set()
        others = {*looked}  # two functions may stand on one line
        for function in declared_functions(self._facts[path]) if path in self._facts else ():
            is_read = function.body is not None or function.span in read
            (others if is_read else unread).add((function.span.line, function.span.end_line))
        kinds = ((looked, LOOKED_THROUGH), (unread - others, UNREAD))
        return tuple(n for lines, how in kinds for pair in sorted(lines) for n in (*pair, how))

    # ------------------------------------------------------------------ many files at once

    def bytes_to_parse(self, paths: Iterable[str]) -> int:
        """How much source text among the paths is not known yet."""
        return sum(len(self.content(path) or b"") for path in self._unknown_files(paths))

    def _unknown_files(self, paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            if path not in self._facts:
                facts = self._known_facts(path)
                if facts is None:
                    yield path
                else:
                    self._effective_facts(facts, path)

    def seeds(self) -> Sequence[str]:
        """Every file that holds a marker of some framework or bears a name that one looks for,
        sorted."""
        if self._seeds is None:
            held = {path for path, seen in self.texts.seen.items() if seen.prefilter_hit.markers}
            found = held | self._files_declaring_by_name()
            self._seeds = sorted(filter(self.files.is_near, found))
        return self._seeds

    def _files_declaring_by_name(self) -> frozenset[str]:
        """Files that declare something by their names."""
        if self._by_name is None:
            by = (f.paths for each in self._languages.values() for f in each.frameworks)
            found = [self.seeds_named(paths(self.files)) for paths in by if paths is not None]
            self._by_name = frozenset(path for paths in found for path in paths)
        return self._by_name

    def parse_ahead(
        self,
        paths: Iterable[str],
        executor: Executor,
        progress: Callable[[str, int, int], None] | None = None,
        *,
        one_worker: OneWorker | None = None,
    ) -> None:
        """Parse files in the processes of an executor; `facts` then has them at once.

        Where a process ends before its work is done, what is left is done again, each batch by
        `one_worker`, and the files of a batch that ends that as well one by one. A file that ends
        its own process is named, and never parsed in this one. Without `one_worker` the executor's
        error is raised."""
        tasks: list[_Task] = []
        batches: dict[str, tuple[int, list[tuple[str, bytes]]]] = {}
        for path in self._unknown_files(paths):
            content = self.content(path)
            name = self._language_of(path).name
            size, batch = batches.get(name, (0, []))
            batch.append((path, content or b""))
            batches[name] = (size + len(content or b""), batch)
            if batches[name][0] >= _BATCH_BYTES:
                tasks.append((name, batch))
                batches[name] = (0, [])
        tasks.extend((name, batch) for name, (_, batch) in batches.items() if batch)
        left = sum(len(batch) for _, batch in tasks)

        def keep_facts(results: list[tuple[str, bytes]]) -> None:
            nonlocal left
            left -= len(results)
            if progress is not None:
                progress("reading", *self._files_read(left))
            for path, encoded in results:
                facts = self._decoder.decode(encoded)
                if facts.unread != TOO_SLOW:
                    self._cache_facts(path, facts, encoded)
                self._parsed_ahead[path] = facts

        lost = _work_off(executor, tasks, keep_facts)
        if lost and one_worker is None:
            raise BrokenExecutor("a process that parses files has ended before its work was done")
        if lost and one_worker is not None:
            lost = _one_by_one(one_worker, lost, keep_facts)
            files = [(name, [file]) for name, batch in lost for file in batch]
            for _, ((path, _),) in _one_by_one(one_worker, files, keep_facts):
                self._set_aside(path)

    def _set_aside(self, path: str) -> None:
        """Name a file that ended the process that parsed it, and take nothing from it."""
        self._facts[path] = self._language_of(path).lower(b"", path)
        self._may_be_read_elsewhere = True
        if is_inside(path):
            self.problems.append(NotAnalysed(path=path, reason=_ENDS_A_PROCESS))


_ENDS_A_PROCESS = Reason("parser-process-ended")
_Task: TypeAlias = tuple[str, list[tuple[str, bytes]]]
"""A language, and paths with their texts."""
_Take: TypeAlias = Callable[[list[tuple[str, bytes]]], None]
OneWorker: TypeAlias = Callable[[], AbstractContextManager[Executor]]
"""Makes an executor of one process that is new."""


def _work_off(executor: Executor, tasks: Sequence[_Task], take: _Take) -> list[_Task]:
    """Take the results of tasks, in their order; those that were lost with a process."""
    futures, lost = [], []
    for task in tasks:
        try:
            futures.append((task, executor.submit(lower_batch, task)))
        except BrokenExecutor:
            lost.append(task)
    for task, future in futures:
        try:
            results = future.result()
        except BrokenExecutor:
            lost.append(task)
        else:
            take(results)
    return lost


def _one_by_one(one_worker: OneWorker, tasks: Sequence[_Task], take: _Take) -> list[_Task]:
    """Take the results of tasks, one after the other, each time in a new process after one has
    ended; the tasks that end theirs."""
    fatal, left = [], [*tasks]
    while left:
        with one_worker() as executor:
            while left:
                task = left.pop(0)
                if _work_off(executor, [task], take):
                    fatal.append(task)
                    break
    return fatal


def lower_batch(task: _Task) -> list[tuple[str, bytes]]:
    """Facts of several files of one language, encoded: the unit of work of an executor."""
    name, batch = task
    language = load(name)
    return [(path, msgspec.msgpack.encode(language.lower(c, path))) for path, c in batch]
