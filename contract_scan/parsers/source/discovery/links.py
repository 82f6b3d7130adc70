"""Where the symbolic links below a root lead: each is followed within the root, or named.

What a link leads to is read under the name that it has without the link, so that nothing is read
twice. It is read under the link's name where it would not be read otherwise: it lies in a folder
that is left out, or the link's name makes it code. No link is followed out of the root, or into
what belongs to version control.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from contract_scan.ir.reasons import Reason
from contract_scan.parsers.source.discovery.path_encoding import is_utf8, printable
from contract_scan.parsers.source.language import Files

MAX_FILES_BEHIND_LINKS = 3_000
"""Files in folders that are left out and that links lead to, of all links of a root together."""
MAX_LINKS = 5_000
"""Links of which is asked where they lead."""
_MAX_CHAIN = 40
"""Links on the way to one file, as systems bound them (`MAXSYMLINKS`)."""
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})
_LOCK = ".#"
"""What Emacs names a link that leads to nothing after, beside a file that is edited."""

OUTSIDE = Reason("link-out-of-root")
TO_VERSION_CONTROL = Reason("link-into-version-control")
TO_NOTHING = Reason("dangling-link")
TO_NO_SOURCE = Reason("link-to-other-file")
TOO_MANY = Reason("link-to-large-folder")
_TEXTS = (".md", ".rst", ".txt")
"""Suffixes of files that nothing is taken from, but from those called `requirements.md`."""
_REQUIREMENTS = "requirements.md"
_DATA = (".json", ".yaml", ".yml")
_CONFIGURATIONS = frozenset({"contract-scan.toml", ".contract-scan.toml"})
"""Files of the user's settings, which are found before any other file is looked at."""


class FollowedLinks:
    """What the links below a root mean for what is read."""

    def __init__(
        self,
        root: str,
        links: Iterable[str],
        files: Collection[str],
        suffixes: dict[str, str],
        pruned: Callable[[str], bool],
        exclude: Callable[[str], bool] | None = None,
    ) -> None:
        """`files` are the files below the root that are read under their own names, `suffixes` maps
        suffixes of sources to languages. `pruned` tells names of folders below which nothing is
        looked for (of links to them, too), `exclude` paths that nobody wants to be read."""
        self._root = os.path.realpath(root)
        self._files = files
        self._suffixes = suffixes
        self._pruned = pruned
        self._exclude = exclude or (lambda _: False)
        self._folders = {"", *(above for path in files for above in _parent_folders(path))}
        self._left = MAX_FILES_BEHIND_LINKS
        self.aliases: dict[str, str] = {}
        """Links to files and folders that are read under names of their own, which follow."""
        self.places: dict[str, str] = {}
        """Files that are read under the names of links, and where they lie; both root-relative."""
        self.unfollowed_links: dict[str, str] = {}
        """Links that may lead to code and are not followed, with the reasons."""
        self.others: dict[str, str] = {}
        """Links to something else that are not followed, with the reasons."""
        pending = sorted(links, reverse=True)
        for _ in range(MAX_LINKS):
            if not pending:
                return
            pending += sorted(self._follow(pending.pop()), reverse=True)
        self.unfollowed_links |= {link: TOO_MANY for link in pending if self._counts(link)}

    def __bool__(self) -> bool:
        return bool(self.aliases or self.places or self.unfollowed_links or self.others)

    def _language(self, path: str) -> str:
        return self._suffixes.get(path[path.rfind(".") :], "") if "." in path else ""

    def _counts(self, path: str) -> bool:
        """Whether a file of that name may say something: code, contracts, settings."""
        name = path.rpartition("/")[2].lower()
        if name in _CONFIGURATIONS:
            return False
        return name == _REQUIREMENTS or ("." in name and not name.endswith(_TEXTS))

    def _follow(self, link: str) -> Iterator[str]:
        """Decide about one link; gives the links that lie in the folder that it leads to."""
        if self._pruned(link.rpartition("/")[2]) or self._exclude(link):
            return
        real = os.path.realpath(f"{self._root}/{link}")
        try:
            mode = Path(real).lstat().st_mode
        except OSError:
            mode = 0
        if stat.S_ISLNK(mode):  # a ring
            mode = 0
        is_folder = stat.S_ISDIR(mode)
        named = self.unfollowed_links if is_folder or self._language(link) else self.others
        if not is_folder and not self._counts(link):
            return
        if real != self._root and not real.startswith(self._root.rstrip(os.sep) + os.sep):
            named[link] = OUTSIDE
            return
        target = os.path.relpath(real, self._root).replace(os.sep, "/").removeprefix("./")
        target = "" if target == "." else target
        if not _VERSION_CONTROL.isdisjoint(target.split("/")):
            named[link] = TO_VERSION_CONTROL
        elif is_folder:
            yield from self._follow_to_folder(link, target)
        elif not mode:
            if not link.rpartition("/")[2].startswith(_LOCK):
                named[link] = TO_NOTHING
        else:
            self._follow_to_file(link, target, is_regular=stat.S_ISREG(mode))

    def _follow_to_file(self, link: str, target: str, *, is_regular: bool) -> None:
        language = self._language(link)
        is_alike = language == self._language(target)
        if language and is_alike and target in self._files:
            self.aliases[link] = target
        elif target in self._files or (is_alike and is_regular):
            self._place(link, target)
        elif language:
            self.unfollowed_links[link] = TO_NO_SOURCE

    def _follow_to_folder(self, link: str, target: str) -> Iterator[str]:
        if target in self._folders:
            before = f"{target}/" if target else ""
            if any(self._counts(path) for path in self._files if path.startswith(before)):
                self.aliases[link] = target
            return
        for known, place in self.aliases.items():
            if place == target:  # a folder that is left out, and that another link leads to
                self.aliases[link] = known
                return
        pending = [""]
        while pending:
            inner = pending.pop()
            try:
                entries = sorted(os.scandir(f"{self._root}/{target}{inner}"), key=_name)
            except OSError as error:
                reason = Reason("folder-content-unreadable", strerror=error.strerror)
                self.unfollowed_links[f"{link}{inner}"] = reason
                continue
            for entry in entries:
                path = f"{inner}/{entry.name}"
                if entry.is_symlink():
                    yield f"{link}{path}"
                elif entry.is_dir(follow_symlinks=False):
                    if not self._pruned(entry.name):
                        pending.append(path)
                elif (self._language(path) or path.endswith(_DATA)) and not self._place(
                    f"{link}{path}", f"{target}{path}"
                ):
                    self.unfollowed_links[link] = TOO_MANY
                    return

    def _place(self, link: str, target: str) -> bool:
        """Read a file under a link's name, as long as there are not too many."""
        if self._exclude(link):
            return True
        if not is_utf8(link):
            self.unfollowed_links[printable(link)] = Reason("name-not-utf-8")
            return True
        self._left -= 1
        if self._left < 0:
            self.unfollowed_links[link] = TOO_MANY
            return False
        self.places[link] = target
        return True

    def without_link(self, path: str) -> str:
        """A path by which a file is known, from one that may go through links."""
        for _ in range(_MAX_CHAIN):
            if not self.aliases or path in self.places:
                return path
            for prefix in (path, *_parent_folders(path)):
                if prefix in self.aliases:
                    path = f"{self.aliases[prefix]}{path[len(prefix) :]}".lstrip("/")
                    break
            else:
                return path
        return path

    def leads(self) -> dict[str, str]:
        """Where every link leads of which that matters, or why that is not followed."""
        return {**self.aliases, **self.places, **self.unfollowed_links}

    def names(self) -> list[str]:
        """Other names that links give to files that are read, sorted."""
        found = []
        for link, target in self.aliases.items():
            if target in self._files:
                found.append(link)
                continue
            before = f"{target}/" if target else ""
            below = (path for path in self._files if path.startswith(before))
            for path in sorted(below):
                found.append(f"{link}/{path[len(before) :]}")
                if len(found) > MAX_FILES_BEHIND_LINKS:
                    return sorted(found)
        return sorted(found)

    def read_apart(self, names: Iterable[str]) -> None:
        """Read files under names that links give them, too."""
        for name in names:
            target = self.without_link(name)
            if target in self._files:
                self.places[name] = target
                self.aliases.pop(name, None)


class LinkNames:
    """A tree of files as if it held nothing but what links call its files (`Files`)."""

    def __init__(self, files: Files, names: Collection[str], suffixes: dict[str, str]) -> None:
        self._files = files
        self._names = sorted(names)
        self._suffixes = suffixes

    @property
    def root(self) -> Path:
        """The folder that all paths are relative to."""
        return self._files.root

    def has(self, path: str) -> bool:
        """As the tree says."""
        return self._files.has(path)

    def read(self, path: str) -> bytes | None:
        """As the tree says."""
        return self._files.read(path)

    def find(self, path: str, pattern: re.Pattern[bytes]) -> list[bytes]:
        """As the tree says."""
        return self._files.find(path, pattern)

    def lines(self, path: str, first: int, last: int) -> list[bytes]:
        """As the tree says."""
        return self._files.lines(path, first, last)

    def files_named(self, name: str) -> tuple[str, ...]:
        """All names with this base name."""
        return tuple(path for path in self._names if path.rpartition("/")[2] == name)

    def ending(self, suffix: str) -> tuple[str, ...]:
        """All names that end with `suffix`."""
        return tuple(path for path in self._names if path.endswith(suffix))

    def source(self, language: str) -> tuple[str, ...]:
        """All names of source files of a language."""
        return tuple(
            path for path in self._names if self._suffixes.get(path[path.rfind(".") :]) == language
        )


def _name(entry: os.DirEntry[str]) -> str:
    return entry.name


def _parent_folders(path: str) -> Iterator[str]:
    """The folders that a path lies in, the innermost first."""
    at = path.rfind("/")
    while at > 0:
        yield path[:at]
        at = path.rfind("/", 0, at)
