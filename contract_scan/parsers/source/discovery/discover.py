"""Which files below a root are looked at."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from contract_scan import unsaved
from contract_scan.config.patterns import readable_lines
from contract_scan.ir.reasons import NO_REASON, Reason
from contract_scan.parsers.archives import archive_mentions, is_archived
from contract_scan.parsers.source.discovery.links import FollowedLinks
from contract_scan.parsers.source.discovery.path_encoding import is_utf8, printable
from contract_scan.parsers.source.discovery.test_code import TestCode
from contract_scan.parsers.source.discovery.text_probe import Excerpt, Text, excerpt_key
from contract_scan.parsers.source.store import content_key
from contract_scan.regular_file import NOT_THROUGH_LINKS, read_unlinked

MAX_SOURCE_BYTES = 1_000_000
"""A larger source file is generated or data; it is left out and counted."""
MAX_OTHER_BYTES = 5_000_000
"""Limit for configuration files that front ends read."""

_CONTRACT_SUFFIXES = (".json", ".yaml", ".yml")
_BUILDS = (".csproj", ".props", ".targets", ".gradle", ".kts", "pom.xml")
"""The ends of files of builds that name folders of sources."""

MAX_AROUND = 30_000
"""Files around the scanned folder beyond which they are not looked through."""

PRUNED_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".tox",
        ".nox",
        ".venv",
        "venv",
        "node_modules",
        "bower_components",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".gradle",
        ".idea",
        ".vscode",
        ".vs",
        ".next",
        ".nuxt",
        ".svelte-kit",
        ".turbo",
        ".yarn",
        ".contract_scan_cache",
        "site-packages",
        "jspm_packages",
    }
)
"""Never looked into: version control, installed packages, caches."""
OUTPUT_FOLDERS = frozenset({"dist", "build", "out", "target", "bin", "obj", "coverage"})
"""Looked into only where git tracks their files: what builders write."""


_MOST_TEXTS = 200
"""How many files are held that parts are asked of: questions to a few files follow each other."""


class SourceTree:
    """The files below a root, listed once. Links are followed within the root alone, and special
    files not opened."""

    def __init__(
        self,
        root: Path,
        suffixes: dict[str, str],
        *,
        listed: Iterable[str] | None = None,
        beyond: Iterable[str] = (),
        near: int = 0,
        absent: Sequence[str] = (),
        unreadable: Iterable[tuple[str, str]] = (),
        within: Sequence[str] = (),
        exclude: Callable[[str], bool] | None = None,
        largest: int = MAX_SOURCE_BYTES,
        with_tests: bool = False,
    ) -> None:
        """`suffixes` maps file suffixes to languages. `listed` gives the candidate paths (from
        git); without it the tree is walked. `beyond` names files around the root, each as
        `../…`, that may be read to understand those below it; those up to `near` levels above
        belong to the same program, so that a router here may be mounted there. `absent` names
        submodules that are not there, `unreadable` folders that git could not look into, with the
        reasons. `within` limits *sources* to these root-relative files and folders; `exclude` says
        what else is left out. Source files of more than `largest` bytes are not read. Test code is
        no source unless `with_tests`."""
        self.root = root
        self.since = time.time_ns()
        """When it was opened (ns since the epoch); files are read after that."""
        self.largest = largest
        self._with_tests = with_tests
        self._suffixes = suffixes
        self.unreadable: dict[str, str] = {printable(path): why for path, why in unreadable}
        """Folders below the root that could not be looked into, and lists of what git ignores that
        could not be read, with the reasons."""
        self.unreadable_files: dict[str, str] = {}
        """Files that were asked for and could not be read, with the reasons."""
        links: list[str] = []
        if listed is None:
            paths = _walk(root, unreadable=self.unreadable, links=links)
        else:
            paths, links = _without_links(root, _not_pruned(listed))
        paths += _unsaved_files(root)
        self._near = near
        left_out = {*filter(exclude, (*paths, *links))} if exclude is not None else set()
        ends = (*suffixes, *_CONTRACT_SUFFIXES)
        others = [*(path for path in paths if path.endswith(ends)), *links]
        others += (path for path in beyond if path.endswith((*suffixes,)) and self.is_near(path))
        odd = sorted({path for path in others if not is_utf8(path)} - left_out)
        self.misnamed = tuple(printable(path) for path in odd if os.path.lexists(root / path))
        """What may hold code or a contract under a name that is no UTF-8, and is not read: neither
        reports nor the cache can hold such a name. Printable."""
        paths, links, beyond = ([*filter(is_utf8, each)] for each in (paths, links, beyond))
        self.excluded = frozenset(left_out)
        """What was left out because it was asked for."""
        self.absent = tuple(
            printable(path) for path in absent if exclude is None or not exclude(path)
        )
        """Submodules that are no part of it because they are not checked out."""
        inner = {path for path in paths if path.endswith("/")}
        self.repositories = tuple(sorted(path[:-1] for path in inner - left_out))
        """Folders with a repository of their own that is no submodule: git lists nothing there."""
        files = frozenset(paths) - self.excluded - inner
        self.links = FollowedLinks(
            str(root),
            (link for link in links if link not in left_out),
            files,
            suffixes,
            PRUNED_FOLDERS.__contains__,
            exclude,
        )
        """Where the links below the root lead."""
        self._below = files | self.links.places.keys()
        self._all = self._below | frozenset(beyond)
        self._within = tuple(part.rstrip("/") for part in within if part not in ("", "."))
        self._spellings: dict[str, str] = {}
        self._taken: dict[str, bytes] = {}
        self._excerpts: dict[str, dict[Excerpt, bytes]] = {}
        self._looked_through: dict[str, bytes] = {}
        self.text_of: Callable[[str], bytes | None] = lambda _: None
        """The text of a source file as it was seen, where it is kept anyway."""
        self._texts: dict[str, Text] = {}
        self._by_name: dict[str, list[str]] | None = None
        self._by_ending: dict[str, tuple[str, ...]] = {}
        self._by_language: dict[str, tuple[str, ...]] | None = None
        self._test_code: TestCode | None = None
        self._used_archives: dict[bytes, bool] = {}
        self.tests: int = 0
        """How many files of tests and of archives were left out."""

    def paths(self) -> frozenset[str]:
        """Every file below the root, of any kind."""
        return self._below

    def is_near(self, path: str) -> bool:
        """Whether a file is below the root or belongs to the same program as it."""
        return is_inside(path) or path.count("../") <= self._near

    def canonical(self, path: str) -> str:
        """The one spelling of a path: going up and down again into the root leads nowhere, nor do
        links within it."""
        if is_inside(path) and not self.links.aliases:
            return path
        known = self._spellings.get(path)
        if known is None:
            known = path
            if not is_inside(path):
                relative = os.path.relpath(os.path.join(self.root, path), self.root)  # noqa: PTH118
                known = relative.replace(os.sep, "/")
            known = self._spellings[path] = self.links.without_link(known)
        return known

    def place(self, path: str) -> str:
        """Where the file of a path lies, relative to the root, without links."""
        return self.links.places.get(path, path)

    def read_apart(self, names: Iterable[str]) -> None:
        """Read files under names that links give them besides those that they have. To be asked
        before anything is read."""
        self.links.read_apart(names)
        self._below |= self.links.places.keys()
        self._all |= self.links.places.keys()
        self._spellings.clear()
        self._by_language = None

    def unfollowed_links(self) -> dict[str, str]:
        """Links that may lead to code of the scanned program and are not followed, with the
        reasons."""
        return {
            link: why
            for link, why in self.links.unfollowed_links.items()
            if self._is_in_root(link) and (self._with_tests or not self.is_test(link))
        }

    def has(self, path: str) -> bool:
        """Whether the path is a file of the tree."""
        return self.canonical(path) in self._all

    def read(self, path: str) -> bytes | None:
        """Content of a file of the tree, or None where it is not one or is too large."""
        canonical = self.canonical(path)
        if canonical not in self._all:
            return None
        content = self._content(canonical)
        self._taken[canonical] = content_key(content or b"")
        return content

    def _content(self, canonical: str) -> bytes | None:
        file = self.root / self.place(canonical)
        content = read_regular(file, MAX_OTHER_BYTES)
        if content is None and (why := why_unreadable(file)):
            self.unreadable_files[canonical] = why
        return content

    def digests_of_read(self) -> dict[str, bytes]:
        """Digest of every file that was read, by path."""
        return self._taken

    def find(self, path: str, pattern: re.Pattern[bytes]) -> list[bytes]:
        """What a pattern finds in a file of the tree."""
        return self._probe_of(path, Excerpt(pattern.pattern, pattern.flags))

    def lines(self, path: str, first: int, last: int) -> list[bytes]:
        """Some lines of a file of the tree."""
        return self._probe_of(path, Excerpt(first=first, last=last))

    def _probe_of(self, path: str, excerpt: Excerpt) -> list[bytes]:
        canonical = self.canonical(path)
        if canonical not in self._all:
            return []
        text = self._texts.get(canonical)
        if text is None:
            text = self._text(canonical)
        found = text.part(excerpt)
        known = self._excerpts.setdefault(canonical, {})
        if excerpt not in known:
            known[excerpt] = excerpt_key(found)
        return found

    def _text(self, canonical: str) -> Text:
        """The text of a file; those asked for last are held, taken apart into lines."""
        content = self.text_of(canonical)
        if content is None:
            content = self._content(canonical) or b""
        if canonical not in self._looked_through:
            self._looked_through[canonical] = content_key(content)
        if len(self._texts) == _MOST_TEXTS:
            del self._texts[next(iter(self._texts))]
        text = self._texts[canonical] = Text(content)
        return text

    def excerpts(self) -> dict[str, dict[Excerpt, bytes]]:
        """Digest of every part of a file that was asked for, by path."""
        return self._excerpts

    def looked_through(self) -> dict[str, bytes]:
        """Digest of every file of which a part was asked for, by path."""
        return self._looked_through

    def listing(self) -> list[str]:
        """Every path, which of those around the root belong to the same program, and what should be
        there."""
        links = (f"{link}\0{place}" for link, place in sorted(self.links.leads().items()))
        repositories = (f"{path}/" for path in self.repositories)
        apart = (*self.absent, *self.misnamed, *repositories)
        return [str(self._near), *apart, *sorted(self._all), *links]

    def files_named(self, name: str) -> tuple[str, ...]:
        """All files with this base name, sorted by path."""
        if self._by_name is None:
            self._by_name = {}
            for path in sorted(self._all):
                self._by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)
        return tuple(self._by_name.get(name, ()))

    def ending(self, suffix: str) -> tuple[str, ...]:
        """All files whose name ends with `suffix`, sorted by path."""
        known = self._by_ending.get(suffix)
        if known is None:
            known = tuple(sorted(path for path in self._all if path.endswith(suffix)))
            self._by_ending[suffix] = known
        return known

    def source(self, language: str) -> tuple[str, ...]:
        """All source files of a language that are no tests, those around the root included, sorted
        by path."""
        if self._by_language is None:
            self._by_language = self._sorted_by_language()
        return self._by_language.get(language, ())

    def language_of(self, path: str) -> str:
        """The language of a file by the end of its name; empty for one that is not read as code."""
        return self._suffixes.get(path[path.rfind(".") :], "") if "." in path else ""

    def _sorted_by_language(self) -> dict[str, tuple[str, ...]]:
        if self.links.aliases and not self._with_tests:  # tests are read where links make them code
            names = (name for name in self.links.names() if not self.is_test(name))
            tests = [name for name in names if self.is_test(self.links.without_link(name))]
            self.links.read_apart(tests)
            self._below |= self.links.places.keys()
            self._all |= self.links.places.keys()
        found: dict[str, list[str]] = {}
        for path in sorted(self._all):
            language = self.language_of(path)
            if not language or not self._is_in_root(path):
                continue
            if not self._with_tests and self._is_no_product(path) and path not in self._within:
                self.tests += 1
                continue
            found.setdefault(language, []).append(path)
        return {language: tuple(paths) for language, paths in found.items()}

    def _is_no_product(self, path: str) -> bool:
        asked = any(is_archived(f"{part}/") for part in self._within)
        return self.is_test(path) or (not asked and self.is_left_in_archive(path))

    def is_left_in_archive(self, path: str) -> bool:
        """Whether a file lies in an archive that no code or build outside of archives mentions."""
        if not is_archived(path):
            return False
        pattern = archive_mentions(path)
        known = self._used_archives.get(pattern.pattern)
        if known is None:
            known = any(
                self.find(other, pattern)
                for other in self._all
                if other.endswith((*self._suffixes, *_BUILDS)) and not is_archived(other)
            )
            self._used_archives[pattern.pattern] = known
        return not known

    def is_test(self, path: str) -> bool:
        """Whether a file is test code, by its path and by what stands around it."""
        if self._test_code is None:
            self._test_code = TestCode(self.root, self._all, self.find)
        return self._test_code.holds(path)

    def _is_in_root(self, path: str) -> bool:
        if not self._within:
            return True
        return any(path == part or path.startswith(part + "/") for part in self._within)


def is_inside(path: str) -> bool:
    """Whether a path leads to a file below the root, not to one around it."""
    return not path.startswith("../")


def build_folders(root: Path, unreadable: dict[str, str] | None = None) -> tuple[Path, Path]:
    """The nearest and the outermost folder of the build that a folder is a part of; the folder
    itself, twice, where nothing tells.

    A service is often scanned by its source folder alone, while its settings, its base classes and
    the libraries of its workspace lie around it. Goes up to the nearest folder with a build file,
    then further while folders above hold build files too (with a gap of one), never out of the
    repository. Folders of the repository that cannot be looked into go into `unreadable`, each as
    seen from the root, with the reasons; who owns folders around none is nobody's business.
    """
    nearest, outermost, gap = None, root, _FIRST_GAP
    lost: dict[str, str] = {}
    for up, folder in enumerate((root, *root.parents)):
        if folder == Path(folder.anchor) or folder == Path.home():
            break
        if _has_build_file(folder, lost, "/".join([".."] * up) or "."):
            nearest = nearest or folder
            outermost, gap = folder, 1
        elif "/src/main/" not in f"{folder.as_posix()}/":
            gap -= 1  # packages nest as deep as they like below `src/main/java`
        is_top = (folder / ".git").exists()
        if is_top and unreadable is not None:
            lost.pop(".", None)  # of the root itself, whoever lists it says so
            unreadable.update(lost)
        if gap < 0 or is_top:
            break
    return nearest or root, outermost


_FIRST_GAP = 4
"""Folders without a build file between a source folder and its build: `src/main/java/com`."""
_BUILD_FILES = frozenset(
    {
        "build.gradle",
        "build.gradle.kts",
        "manage.py",
        "package.json",
        "pom.xml",
        "pyproject.toml",
        "requirements.txt",
        "settings.gradle",
        "settings.gradle.kts",
        "setup.cfg",
        "setup.py",
    }
)
_BUILD_SUFFIXES = (".sln", ".slnx", ".csproj")


def _has_build_file(folder: Path, unreadable: dict[str, str], seen: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(e.name in _BUILD_FILES or e.name.endswith(_BUILD_SUFFIXES) for e in entries)
    except OSError as error:
        if error.errno not in GONE:
            unreadable[seen] = _system_error(error)
        return False


def files_around_root(
    root: Path,
    folder: Path,
    listed: Iterable[str] | None,
    listed_unreadable: Iterable[tuple[str, str]] = (),
    unreadable: dict[str, str] | None = None,
) -> list[str]:
    """Files below `folder` (an ancestor of `root`) but not below `root`, each relative to `root`.
    None at all where there are more than are worth looking through. Folders among them that cannot
    be looked into, for git (`listed_unreadable`) or here, go into `unreadable` with the reasons."""
    lost = dict(listed_unreadable)
    paths = _walk(folder, MAX_AROUND, lost) if listed is None else _not_pruned(listed)
    if len(paths) >= MAX_AROUND:
        return []
    inner = root.relative_to(folder).as_posix() + "/"
    parts = inner.split("/")[:-1]
    if unreadable is not None:
        for path, why in lost.items():
            if not f"{path}/".startswith(inner):
                unreadable[_relative_path("" if path == "." else path, parts).rstrip("/")] = why
    return [_relative_path(path, parts) for path in paths if not path.startswith(inner)]


def _relative_path(path: str, parts: list[str]) -> str:
    """A path below an ancestor, as seen from the folder that `parts` lead to."""
    own = path.split("/")
    shared = 0
    while shared < min(len(own), len(parts)) and own[shared] == parts[shared]:
        shared += 1
    return "../" * (len(parts) - shared) + "/".join(own[shared:])


def read_regular(path: Path, limit: int) -> bytes | None:
    """Content of a regular file of at most `limit` bytes; None for links, devices, larger files and
    what cannot be opened."""
    held = unsaved.text_of(path)
    if held is not None:
        return held if len(held) <= limit else None
    try:
        return read_unlinked(path, limit)
    except OSError:
        return None


def why_unreadable(path: Path) -> Reason:
    """Why the file of a path cannot be read; empty where it can, is not there, or is a link."""
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            return NO_REASON if stat.S_ISDIR(mode) or stat.S_ISLNK(mode) else NO_REGULAR_FILE
        os.close(os.open(path, NOT_THROUGH_LINKS))
    except OSError as error:
        return NO_REASON if error.errno in GONE else _system_error(error)
    return NO_REASON


def _system_error(error: OSError) -> Reason:
    return Reason("system-error", error=error.strerror or "unknown error")


NO_REGULAR_FILE = Reason("no-regular-file")
"""Why a pipe, a socket or a device is not read."""


def walked_files(folder: Path, unreadable: dict[str, str]) -> list[str]:
    """The files and links below a folder, relative to it, without asking git. What cannot be looked
    into goes into `unreadable`, with the reasons."""
    links: list[str] = []
    return [*_walk(folder, unreadable=unreadable, links=links), *links]


def _walk(
    root: Path,
    limit: int | None = None,
    unreadable: dict[str, str] | None = None,
    links: list[str] | None = None,
) -> list[str]:
    """The files below a folder, those included that are no regular ones. Folders that cannot be
    looked into go into `unreadable`, with the reasons, symbolic links into `links`."""
    found: list[str] = []
    pending = [""]
    ignored = _IgnoreRules(root)
    while pending and (limit is None or len(found) < limit):
        folder = pending.pop()
        try:
            entries = list(os.scandir(root / folder if folder else root))
        except OSError as error:
            if unreadable is not None and error.errno not in GONE:
                unreadable[folder or "."] = _system_error(error)
            continue
        unread = ignored.enter(folder, entries)
        if unread and unreadable is not None:
            unreadable[f"{folder}/.gitignore" if folder else ".gitignore"] = unread
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_symlink():
                if links is not None and not any(map(ignored.matches, (path, path + "/"))):
                    links.append(path)
            elif entry.is_dir(follow_symlinks=False):
                pruned = entry.name in PRUNED_FOLDERS or entry.name in OUTPUT_FOLDERS
                if not pruned and not ignored.matches(path + "/"):
                    pending.append(path)
            elif not ignored.matches(path):
                found.append(path)
    return found


class _IgnoreRules:
    """`.gitignore` files met on the way down, each for its own folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._specs: dict[str, object] = {}

    def enter(self, folder: str, entries: list[os.DirEntry[str]]) -> str:
        """Take up what a folder ignores; why it is undetermined, empty where it can."""
        if not any(entry.name == ".gitignore" for entry in entries):
            return ""
        content = read_regular(self._root / folder / ".gitignore", MAX_OTHER_BYTES)
        if content is None:
            return why_unreadable(self._root / folder / ".gitignore")
        self._specs[folder] = readable_lines(content.decode("utf-8", "replace").splitlines())
        return ""

    def matches(self, path: str) -> bool:
        if not self._specs:
            return False
        from pathspec import GitIgnoreSpec

        for folder, spec in self._specs.items():
            inside = not folder or path.startswith(folder + "/")
            local = path[len(folder) + 1 :] if folder else path
            if inside and isinstance(spec, GitIgnoreSpec) and spec.match_file(local):
                return True
        return False


def _unsaved_files(root: Path) -> list[str]:
    """Files below the root that are held in memory and were never written."""
    held = unsaved.held_below(root)
    return [path for path in held if not os.path.lexists(root / path)]


GONE = frozenset({errno.ENOENT, errno.ENOTDIR})
"""Why a listed file cannot be opened that is not there any more, which is no failure."""


def _without_links(root: Path, paths: list[str]) -> tuple[list[str], list[str]]:
    """Those of some paths that are no links and that no link leads to, and the links: git still
    lists `d/x.py` where a link has taken the place of the folder `d`."""
    linked: dict[str, str] = {"": ""}

    def link_to(folder: str) -> str:
        known = linked.get(folder)
        if known is None:
            known = link_to(folder.rpartition("/")[0])
            if not known and os.path.islink(f"{root}/{folder}"):  # noqa: PTH114
                known = folder
            linked[folder] = known
        return known

    found, links = [], set[str]()
    for path in paths:
        link = link_to(path.rpartition("/")[0])
        if not link and os.path.islink(f"{root}/{path}"):  # noqa: PTH114
            link = path
        if link:
            links.add(link)
        else:
            found.append(path)
    return found, sorted(links)


def _not_pruned(listed: Iterable[str]) -> list[str]:
    return [
        path for path in listed if not any(part in PRUNED_FOLDERS for part in path.split("/")[:-1])
    ]
