"""Keep what was printed, so that `again` can say it next time."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from contract_scan import unsaved
from contract_scan.cli.directory_snapshot import NOWHERE
from contract_scan.cli.directory_walk import walk
from contract_scan.cli.output_replay import ReplayRequest
from contract_scan.cli.replay_record import (
    MOST_BYTES,
    MOST_SAID,
    PYTHON,
    Record,
    RecordedOutput,
    decode_record,
)
from contract_scan.config import Config, Layer
from contract_scan.config.effective import own_baseline
from contract_scan.config.find import OWN_NAMES, PYPROJECT
from contract_scan.parsers.source.dependency_snapshot import (
    LARGEST_OTHER,
    NO_FINGERPRINT,
    DependencySnapshot,
    Files,
    digest_below,
    digest_of,
)
from contract_scan.parsers.source.discovery.discover import read_regular
from contract_scan.parsers.source.discovery.file_fingerprints import (
    FileFingerprints,
    FingerprintTable,
    cached_digests,
    forget_texts,
    keep_texts,
    table_of,
)
from contract_scan.parsers.source.discovery.surface_fingerprint import SearchSpec
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.store import file_state
from contract_scan.private_folder import RECORD
from contract_scan.scanners.scope import missing_word

if TYPE_CHECKING:
    from contract_scan.clients.git import FileListing
    from contract_scan.ir.origin import Origin
    from contract_scan.ir.violation import Finding
    from contract_scan.parsers.source.dependencies import (
        Dependencies,
        FileDependency,
        SourceDependency,
    )
    from contract_scan.private_folder import PrivateFolder
    from contract_scan.scanners.report import Report

_MOST_RECORDS = 12
"""Questions to one folder of which the answers are kept."""


class ReplayWriter:
    """Gathers what was said in one run and what it rests on, and keeps it at the end."""

    def __init__(
        self,
        asked: ReplayRequest,
        contracts: Sequence[str],
        config: Config,
        layers: Sequence[Layer],
        since: int,
    ) -> None:
        """`contracts` as they are named on the command line, `layers` as they were configured,
        `since` (ns) when that was begun to be read."""
        self._asked = asked
        self._contracts = contracts
        self._config = config
        self._layers = layers
        self._since = since
        self._files_read_whole: tuple[FileListing, Dependencies] | None = None
        self._whole: Report | None = None
        self._part: tuple[list[str], str] | None = None

    def set_dependencies(
        self, report: Report, listed: FileListing | None, evidence: Dependencies
    ) -> None:
        """Take down a report, not limited yet, and what it rests on: what git listed (None: not
        all that counts), and the evidence."""
        self._files_read_whole = None if listed is None else (listed, evidence)
        self._whole = report

    def limited(self, files: Iterable[Path], removed: str) -> None:
        """Take down what a change that the report is limited to changed, and what it `removed`."""
        root = Path(self._asked.root)
        inside = [file.relative_to(root).as_posix() for file in files if file.is_relative_to(root)]
        self._part = self._asked.limited(inside), removed

    def keep(self, status: int, text: str, report: Report, *, shows_lines: bool) -> None:
        """Keep what was printed of a report; `shows_lines` where it holds lines of files. Where it
        cannot be kept, nothing happens."""
        if self._files_read_whole is None or self._whole is None or unsaved.is_anything_held():
            return
        if bool(self._asked.since) != (self._part is not None):
            return
        standing = self._dependency_snapshot(*self._files_read_whole)
        if standing is None:
            return
        mentioned, mentions = _mentioned_paths(self._whole)
        day = time.strftime("%Y-%m-%d") if self._config.exceptions else ""
        listed, evidence = self._files_read_whole
        record = Record(
            standing,
            day=day,
            mentioned=mentioned,
            mentions=mentions,
            missing=_missing_words(self._whole),
            said={},
            traces=_fingerprint_table(evidence).to_bytes(),
            walked=walk(self._asked.root, listed.output, self._since) or NOWHERE,
        )
        rests = sorted({*_files_read_whole(report, shows_lines=shows_lines)})
        said = RecordedOutput(status, text.encode("utf-8", "surrogatepass"), rests)
        cache = self._asked.cache(make=True)
        if cache is None:
            return
        try:
            part = record.part(*(self._part or (self._asked.only,)))
            name = self._asked.record_name()
            record.said = {**_said_before(cache.get(name), record), part: said}
            while len(record.said) > MOST_SAID:
                del record.said[next(iter(record.said))]
            content = record.to_bytes()
            if len(content) <= MOST_BYTES and cache.put(name, content):
                _forget_oldest(cache)
                _keep_texts(self._asked.root, cache, evidence)
        finally:
            cache.close()

    def _dependency_snapshot(
        self, listed: FileListing, evidence: Dependencies
    ) -> DependencySnapshot | None:
        root = self._asked.root
        if not os.path.lexists(os.path.join(root, ".git")):  # noqa: PTH118
            return None
        folders = self._folders()
        settings = self._settings()
        if folders is None or settings is None:
            return None
        others = {**evidence.others, **settings}
        absent = [path for path, old in others.items() if not old.content and not old.size]
        present = {path: old for path, old in others.items() if old.content or old.size}
        names = [str(path) for path in (*self._named_contracts(), *self._setting_files())]
        return DependencySnapshot(
            listing=digest_of(listed.output),
            submodules=[*listed.submodules],
            sources=_sources(evidence.sources),
            others=_states_of_other_files(present),
            absent=[*evidence.missing, *absent, *(f"{path}/.git" for path in listed.absent)],
            links=[text for name in names for text in (name, os.path.realpath(name))],
            folders=folders,
            largest=evidence.largest,
        )

    def _named_contracts(self) -> list[Path]:
        """The contracts that are named on the command line."""
        return [Path(self._asked.here, name) for name in self._contracts]

    def _folders(self) -> list[str] | None:
        """Folders in which no file may come or go, each with the digest of the names in it; None
        where that would be too much to look at."""
        found = [str(path) for path in self._named_contracts() if path.is_dir()]
        for layer in self._layers:
            for pattern in _patterns(layer.values):
                fixed, wild, _ = re.split(r"([*?\[].*)", pattern + "*", maxsplit=1, flags=re.DOTALL)
                if wild == "*":
                    continue
                folder, slash, _ = fixed.rpartition("/")
                if not slash:
                    return None
                found.append(str(layer.base / folder))
        return [text for path in found for text in (path, digest_below(path))]

    def _setting_files(self) -> list[Path]:
        """The files that settings may stand in, and the baseline."""
        # Where `.gitmodules` is as it was, nothing else has become a submodule under its old name.
        names = (*OWN_NAMES, PYPROJECT, ".gitmodules")
        files = [Path(self._asked.root, name) for name in names]
        files += [layer.file for layer in self._layers if layer.file is not None]
        files.append(own_baseline(self._layers, Path(self._asked.root)))
        return files if self._config.baseline is None else [*files, self._config.baseline]

    def _settings(self) -> dict[str, FileDependency] | None:
        """The files that settings were read from or looked for in; None where one has changed
        since."""
        from contract_scan.parsers.source.dependencies import FileDependency

        root = Path(self._asked.root)
        now = time.time_ns()
        found = {}
        for file in self._setting_files():
            path = os.path.relpath(os.path.realpath(file), root).replace(os.sep, "/")
            content = read_regular(root / path, LARGEST_OTHER)
            if content is None:
                if os.path.lexists(file):
                    return None
                found[path] = FileDependency(0, 0, 0, b"")
                continue
            state = file_state(str(root / path), now)
            if (root / path).lstat().st_ctime_ns >= self._since:
                return None
            found[path] = FileDependency(*state, digest_of(content))
        return found


def _patterns(values: Mapping[str, object]) -> Iterator[str]:
    """How contracts are named in a configuration."""
    services = values.get("services")
    tables = [values, *(services if isinstance(services, list) else ())]
    for table in tables:
        written = table.get("contracts") if isinstance(table, Mapping) else None
        if isinstance(written, str):
            yield written
        elif isinstance(written, list | tuple):
            yield from map(str, written)


def _sources(sources: Mapping[str, SourceDependency]) -> Files:
    dependencies = sources.values()
    return Files(
        [*sources],
        [number for each in dependencies for number in (each.size, each.time, each.inode)],
        bytearray(b"".join(each.content or NO_FINGERPRINT for each in dependencies)),
        bytearray(b"".join(each.trimmed_digest or NO_FINGERPRINT for each in dependencies)),
    )


def _fingerprint_table(evidence: Dependencies) -> FingerprintTable:
    """What is known of the sources, so that a changed one is judged without a scan."""
    searched = {}
    for suffix, language in SUFFIXES.items():
        outline = evidence.outlines.get(language)
        if outline is not None:
            searched[suffix] = SearchSpec(
                definitions=outline.definitions,
                literals=[*outline.markers, *outline.literals],
                words=outline.words,
                calls=outline.calls,
            )
    patterns: dict[tuple[bytes, int], int] = {}
    files = []
    for dependency in evidence.sources.values():
        asked = sorted(
            patterns.setdefault((part.pattern, part.flags), len(patterns))
            for part, _ in dependency.excerpts
            if part.pattern
        )
        functions = dependency.functions if dependency.parsed else None
        files.append(
            FileFingerprints(dependency.surface_fingerprint or NO_FINGERPRINT, asked, functions)
        )
    return table_of(searched, [*patterns], files)


def _keep_texts(root: str, cache: PrivateFolder, evidence: Dependencies) -> None:
    """Keep the texts of the files that were parsed."""
    cached = cached_digests(cache)
    parsed = {
        dependency.content: path
        for path, dependency in evidence.sources.items()
        if dependency.parsed and dependency.surface_fingerprint
    }
    missing = (path for digest, path in parsed.items() if digest not in cached)
    texts = (read_regular(Path(root, path), evidence.largest) for path in missing)
    keep_texts(cache, filter(None, texts))
    forget_texts(cache, {*parsed}, cached)


def _states_of_other_files(others: Mapping[str, FileDependency]) -> Files:
    read = others.values()
    return Files(
        [*others],
        [number for each in read for number in (each.size, each.time, each.inode)],
        bytearray(b"".join(each.content or NO_FINGERPRINT for each in read)),
        bytearray(),
    )


def _mentioned_paths(report: Report) -> tuple[list[str], list[int]]:
    """The paths that a report mentions, and the positions in them of what each entry mentions, in
    the sense of a scope: three for each entry."""
    positions: dict[str, int] = {}
    found: list[int] = []
    for origins in _entries(report):
        three = [
            -1 if origin is None else positions.setdefault(origin.path, len(positions))
            for origin in origins
        ]
        found += (*three, -1, -1)[:3]
    return [*positions], found


def _entries(report: Report) -> Iterable[tuple[Origin | None, ...]]:
    def places(finding: Finding) -> tuple[Origin | None, ...]:
        return finding.origin, finding.contract, finding.reached_from

    yield from map(places, report.findings)
    yield from (places(each.finding) for each in report.suppressed)
    yield from ((each.origin,) for each in report.undetermined)


def _missing_words(report: Report) -> list[str]:
    """The numbers of the entries that miss something in the code, each with the word for it."""
    first = len(report.findings) + len(report.suppressed)
    words = [
        *((str(n), missing_word(each)) for n, each in enumerate(report.findings)),
        *((str(n), missing_word(each)) for n, each in enumerate(report.undetermined, first)),
    ]
    return [text for number, word in words if word is not None for text in (number, word)]


def _files_read_whole(report: Report, *, shows_lines: bool) -> Iterator[str]:
    """The files of which every byte counts for what is said of a report."""
    for finding in report.findings:
        if finding.fix is not None:
            yield finding.fix.path
            if finding.fix.path.endswith(".py"):
                yield PYTHON  # classes were followed into other files
    if shows_lines:
        for origins in _entries(report):
            yield from (origin.path for origin in origins if origin is not None)


def _said_before(content: bytes | None, record: Record) -> dict[bytes, RecordedOutput]:
    """What was said of other parts of the very same report, in the record that is there."""
    try:
        old = None if content is None else decode_record(content)
    except ValueError:
        return {}
    if old is None:
        return {}
    said, old.said = old.said, {}
    # Files that were written again are other files only where they hold something else.
    old.standing.sources.states = record.standing.sources.states
    old.standing.others.states = record.standing.others.states
    old.walked = record.walked
    return said if old.to_bytes() == record.to_bytes() else {}


def _forget_oldest(cache: PrivateFolder) -> None:
    for name in sorted(cache.names(RECORD), key=cache.changed_at)[:-_MOST_RECORDS]:
        cache.remove(name)
