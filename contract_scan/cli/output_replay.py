"""Say again what was said last time, while everything that it rests on is as it was.

A hook runs before every commit, and mostly there is nothing new to say. What the command printed is
kept with what that rests on, and given again from here before anything is imported that takes time.
Whatever this does not understand, or cannot be sure of, is done the long way.
"""

# ruff: noqa: PTH109, PTH112, PTH116 (pathlib takes longer than all of this)
from __future__ import annotations

import os
import sys
import time

from contract_scan.cache import KEY_VARIABLE, VARIABLE, open_cache
from contract_scan.cli.replay_record import Record, decode_record
from contract_scan.parsers.source.dependency_snapshot import digest_of
from contract_scan.parsers.source.version import reader_version
from contract_scan.private_folder import RECORD

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from contract_scan.cache import Place
    from contract_scan.private_folder import PrivateFolder

VERB = "check"
"""The verb whose output is kept. It may be left out where a path follows that no verb can be."""
FLAGS = frozenset(
    {
        "--allow-empty",
        "--exit-zero",
        "--isolated",
        "--no-baseline",
        "--quiet",
        "--statistics",
        "--verbose",
        "-e",
        "-q",
        "-v",
    }
)
WITH_VALUE = frozenset(
    {
        "--baseline",
        "--cache-dir",
        "--color",
        "--config",
        "--contract",
        "--exclude",
        "--extend-exclude",
        "--extend-select",
        "--fail-on",
        "--fixable",
        "--ignore",
        "--jobs",
        "--max-warnings",
        "--memory-limit",
        "--min-confidence",
        "--min-severity",
        "--min-verified",
        "--output-format",
        "--select",
        "--show",
        "--suppressed",
        "--unfixable",
        "-j",
    }
)
"""The options with which something may be said again, beside those that limit it to what has
changed; with any other it never is."""
_CHANGED = "--changed"
_STAGED = "--staged"
_VARIABLES = (
    "CLICOLOR_FORCE",
    "COLUMNS",
    "DOMTERM",
    "FORCE_COLOR",
    "FORCE_HYPERLINK",
    "GITHUB_ACTIONS",
    "HOME",
    "KITTY_WINDOW_ID",
    "KONSOLE_VERSION",
    "NO_COLOR",
    "TERM",
    "TERM_PROGRAM",
    "VTE_VERSION",
    "WT_SESSION",
    "XDG_CONFIG_HOME",
)
_PREFIXES = ("CONTRACT_SCAN_",)
_CACHE = "--cache-dir"


class ReplayRequest:
    """What is asked: options, of which part of which folder, seen from where."""

    __slots__ = ("here", "only", "options", "root", "since")

    def __init__(self, options: list[str], root: str, only: list[str], here: str) -> None:
        """`only` are paths relative to the root, with `/`; none: all of it."""
        self.options = options
        self.since = _since_option(options)
        """What the report is limited to the changes since, as `changes` takes it; or empty."""
        self.root = root
        self.only = only
        self.here = here

    def limited(self, changed: list[str]) -> list[str]:
        """Those of some changed files that it asks about. Where there are none, nothing is to be
        told; no path at all would mean all of it."""
        folders = tuple(f"{path}/" for path in self.only)
        if self.only:
            changed = [path for path in changed if path in self.only or path.startswith(folders)]
        return changed or [".git"]

    def cache(self, *, make: bool) -> PrivateFolder | None:
        """Where a record that answers it is kept; None where that cannot be used."""
        return open_cache(self.root, _cache_place(self.options), make=make)

    def record_name(self) -> str:
        """The name there of a record that answers it."""
        environment = [
            f"{name}={value}"
            for name, value in sorted(os.environ.items())
            if (name in _VARIABLES or name.startswith(_PREFIXES))
            and name not in (KEY_VARIABLE, VARIABLE)
        ]
        asked = (
            reader_version(),
            sys.version,
            _installation_times(),
            self.options,
            self.root,
            self.here,
            environment,
            sys.stdout.isatty(),
            _columns(),
        )
        name = digest_of(repr(asked).encode("utf-8", "surrogateescape")).hex()
        return f"{RECORD}-{name}"


def question(words: list[str]) -> ReplayRequest | None:
    """What some words on the command line ask; None where that is not said again."""
    first = words[0] if words else "-"
    if first != VERB and not (first.startswith("-") or "/" in first or "." in first):
        return None
    split = _split_arguments(words[1:] if first == VERB else words)
    if split is None:
        return None
    options, paths = split
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:
        return None
    if not all(map(os.path.exists, paths)):
        return None
    wanted = [os.path.realpath(path) for path in paths] or [here]
    if len({*wanted}) == 1 and os.path.isdir(wanted[0]):
        return ReplayRequest(options, wanted[0], [], here)
    before = here + os.sep
    if not all(path == here or path.startswith(before) for path in wanted):
        return None
    if here in wanted:
        return ReplayRequest(options, here, [], here)
    only = [path[len(before) :].replace(os.sep, "/") for path in wanted]
    return ReplayRequest(options, here, only, here)


def _split_arguments(words: list[str]) -> tuple[list[str], list[str]] | None:
    """Options with their values, and paths."""
    options, paths = [], []
    left = iter(words)
    for word in left:
        if not word.startswith("-"):
            paths.append(word)
            continue
        name, given, _ = word.partition("=")
        options.append(word)
        if name in WITH_VALUE:
            if not given:
                value = next(left, None)
                if value is None:
                    return None
                options.append(value)
        elif name != _CHANGED and (given or name not in (_STAGED, *FLAGS)):
            return None
    return None if sum(map(_limits, options)) > 1 else (options, paths)


def _limits(option: str) -> bool:
    return option == _STAGED or option.partition("=")[0] == _CHANGED


def _columns() -> int:
    """How wide the terminal is; 0 where there is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 0


def _since_option(options: list[str]) -> str:
    for option in filter(_limits, options):
        return _STAGED if option == _STAGED else option.partition("=")[2] or "HEAD"
    return ""


def _installation_times() -> list[int]:
    """Changes where something is installed: a fix may need what was not there before."""
    folders = (folder for folder in sys.path if folder.endswith("-packages"))
    return [os.stat(folder).st_ctime_ns for folder in folders if os.path.isdir(folder)]


def _cache_place(options: list[str]) -> Place:
    """The folder of caches that options name."""
    found = ""
    for position, option in enumerate(options):
        name, given, value = option.partition("=")
        if name == _CACHE:
            found = value if given else options[position + 1]
    return found or True


def replay_output(asked: ReplayRequest) -> int | None:
    """Print what was said last time, and give the exit status; None where nothing was printed."""
    cache = asked.cache(make=False)
    if cache is None:
        return None
    try:
        return _replayed_status(asked, cache)
    finally:
        cache.close()


def _replayed_status(asked: ReplayRequest, cache: PrivateFolder) -> int | None:
    try:
        name = asked.record_name()
        content = cache.get(name)
        record = None if content is None else decode_record(content)
    except (OSError, ValueError):
        return None
    if record is None or (record.day and record.day != time.strftime("%Y-%m-%d")):
        return None
    part = _report_key(record, asked)
    said = None if part is None else record.said.get(part)
    if said is None or not _are_read(record, asked):
        return None
    # Seen from the folder itself, paths are shorter, which the system is quicker with.
    before = "" if asked.here == asked.root else asked.root + os.sep
    changed = record.standing.holds(before, record.fingerprints, cache)
    if changed is None or not said.holds(changed):
        return None
    standing = record.standing
    if not record.walked.lists_the_same(asked.root, standing.submodules, standing.listing):
        return None
    _print(said.text)
    if record.revalidated:
        record.forget(changed)
        cache.put(name, record.to_bytes())
    return said.status


def _print(text: bytes) -> None:
    """Print a text of UTF-8; megabytes are not decoded where these bytes are what is printed."""
    out = sys.stdout
    binary = getattr(out, "buffer", None)
    if binary is not None and os.linesep == "\n" and out.encoding == "utf-8" and text.isascii():
        out.flush()
        binary.write(text)
    else:
        out.write(text.decode("utf-8", "surrogatepass"))
    out.flush()


def _report_key(record: Record, asked: ReplayRequest) -> bytes | None:
    """The key of the part of the report that is asked for; None where that is undetermined."""
    if not asked.since:
        return record.part(asked.only)
    if record.standing.submodules:
        return None  # in there, more may have changed than what is seen from outside
    from contract_scan.clients.changes import changes
    from contract_scan.parsers.source.discovery.normalised_source import GRAMMARS

    found = changes(asked.root, asked.since, tuple(GRAMMARS), lines=bool(record.missing))
    return None if found is None else record.part(asked.limited(found[0]), found[1])


def _are_read(record: Record, asked: ReplayRequest) -> bool:
    """Whether every file that is asked about is one that a scan reads. Of others the command says
    why not."""
    if not asked.only:
        return True
    known = {*record.standing.sources.paths}
    return all(path in known or os.path.isdir(f"{asked.root}/{path}") for path in asked.only)
