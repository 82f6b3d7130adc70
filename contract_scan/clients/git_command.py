"""How git is called: as in a repository that an attacker has set up.

Git obeys the configuration of the repository that it looks at. A few of those settings name
programs to run, hosts to fetch from, or files elsewhere. Every call of git goes through this
module, which takes all of them back: those of a known name by options, those of a name that the
repository chooses (`filter.<name>.clean`) after a look at its configuration, which runs nothing.

Imports nothing that takes time: the replay of the last output goes by way of this.
"""

# ruff: noqa: PTH100, PTH109, PTH110, PTH111, PTH113, PTH116, PTH117, PTH118, PTH120, PTH208 (faster)
from __future__ import annotations

import os
import select
import stat
import time
from contextvars import ContextVar

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextvars import Token
    from types import TracebackType

TIMEOUT = 5.0
"""Seconds that the git commands of one run may take together, those that answer at once left out. A
named pipe in the place of a `.gitignore` would make each of them wait for ever."""
TIMEOUT_VARIABLE = "CONTRACT_SCAN_GIT_TIMEOUT"
"""Environment variable: another number of seconds."""
_AT_ONCE = 0.5
"""Seconds within which a command answers at once."""

WITH_HOOKS = (
    "--no-pager",
    "--no-optional-locks",
    *("-c", "core.fsmonitor="),
    *("-c", "core.quotePath=false"),
    *("-c", "core.checkStat=default"),  # time and size alone can be planted,
    *("-c", "core.trustCtime=true"),  # the time of the last change of a file's state cannot
    *("-c", "core.untrackedCache=false"),
    *("-c", "core.commitGraph=false"),  # may say other parents than commits do
    *("-c", "diff.autoRefreshIndex=false"),  # writes the index, whatever locks are optional
    *("-c", "diff.relative=false"),
    *("-c", "core.sshCommand=false"),
    *("-c", "core.askPass="),
    *("-c", "credential.helper="),
    *("-c", "safe.bareRepository=explicit"),
)
"""Options with which the place of hooks can be asked for. `core.fsmonitor` is empty, not `false`,
which versions before 2.36 take for the name of a program."""
OPTIONS = (*WITH_HOOKS, "-c", "core.hooksPath=/dev/null")
"""Options of git before its subcommand."""
VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",  # missing objects of a partial clone are not fetched,
    "GIT_NO_LAZY_FETCH": "1",  # nor asked for at all (git 2.39.4 or later)
    "GIT_GRAFT_FILE": os.path.join(os.devnull, "none"),  # commits have the parents they name,
    "GIT_NO_REPLACE_OBJECTS": "1",  # and objects are what their names say
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_LITERAL_PATHSPECS": "0",  # some editors set it, and so for the hooks that git runs
    "GIT_GLOB_PATHSPECS": "0",
    "GIT_NOGLOB_PATHSPECS": "0",
    "GIT_ICASE_PATHSPECS": "0",
    "LC_ALL": "C",  # warnings are read
}
"""Variables that every git command gets, whatever is set outside."""
DIFF_OPTIONS = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--no-color",
    "--ignore-submodules=dirty",
    "--submodule=short",  # `diff.submodule=diff` starts git in the submodule
    "--text",  # an attribute must not hide lines
    "-O/dev/null",  # `diff.orderFile` may name any file
    *("--src-prefix=a/", "--dst-prefix=b/"),
)
"""Options of `git diff` in the place of those that a repository configures."""
OWN_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""What git tells a hook about one repository: wrong for its submodules."""
SETTINGS = ("config", "--list", "-z", "--show-scope")
"""Asks for every setting that counts, with the place it comes from. Runs nothing."""

_FILTER_KEYS = {b"clean": "", b"smudge": "", b"process": "", b"required": "false"}
"""What is said of a filter -> the value with which git runs nothing for it."""
_NO_DRIVER = "false"
"""A driver of merges that merges nothing, so that the file is in conflict."""
_OVERRIDDEN = frozenset(
    {"diff", "check-ignore", "merge-tree", "checkout-index", "worktree", "status", "apply"}
)
"""Subcommands that apply filters and drivers, or read patterns and attributes."""
_FILES = {b"core.excludesfile": "ignore", b"core.attributesfile": "attributes"}
"""Settings that name a file to read -> its name where nothing names it, below the user's folder."""
OF_THE_REPOSITORY = (b"local", b"worktree")
"""Scopes of settings that whoever made the repository chose."""
_LARGEST_POINTER = 65_536
"""Bytes of a `.git` file, or of another file of git's that holds a path."""
_SEPARATE = "`.git` leads to a git directory elsewhere that is not one of this folder"
_PARTS = (
    *("HEAD", "config", "config.worktree", "index", "packed-refs", "refs", "shallow"),
    *("info", "info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout"),
    *("objects", "objects/info", "objects/info/alternates", "objects/pack"),
)
"""What git opens in a git directory, folders before what lies in them."""
_ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"
_DEEPEST_REFERENCE = 20
"""How deep the folders of names of branches are looked into for links."""
_DEEPEST_ALTERNATES = 5
"""How deep git follows stores of objects that name others."""


class TimeBudget:
    """How long git is waited for in one run."""

    def __init__(self) -> None:
        given = os.environ.get(TIMEOUT_VARIABLE, "")
        self._whole = float(given) if given.isdecimal() else TIMEOUT
        self._left = self._whole

    def seconds_left(self) -> float:
        """Seconds that the next command may take."""
        return self._left

    def spend(self, seconds: float) -> None:
        """A command took so long."""
        if seconds > _AT_ONCE:
            self._left = max(0.0, self._left - seconds)

    def complaint(self) -> str:
        """What is said of a command that took longer than that."""
        return f"`git` took longer than {self._whole:g} seconds (see {TIMEOUT_VARIABLE})"


_patience: ContextVar[TimeBudget | None] = ContextVar("patience", default=None)


class GitRun:
    """Inside of this `with` block, git commands share their time; one in another changes
    nothing."""

    def __enter__(self) -> None:
        is_first = _patience.get() is None
        self._token: Token[TimeBudget | None] | None = (
            _patience.set(TimeBudget()) if is_first else None
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._token is not None:
            _patience.reset(self._token)


def serve_many_runs() -> None:
    """This process makes one run after the other: each has time of its own."""
    _patience.set(None)


def patience() -> TimeBudget:
    """What is left of the run; all of it outside of one."""
    return _patience.get() or TimeBudget()


def program() -> str | None:
    """The absolute path of git; None where there is none. What lies in the working directory does
    not count, whatever `PATH` says."""
    names = ("git.exe",) if os.name == "nt" else ("git",)
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for name in names if os.path.isabs(folder) else ():
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


def top_of(folder: str) -> str | None:
    """The folder at or above another one that holds a `.git`; None where there is none."""
    above = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(above, ".git")):
        above, name = os.path.split(above)
        if not name:
            return None
    return above


def git_directory_problem(top: str) -> str:
    """What is wrong with the place that `.git` in a folder leads to; empty: nothing.

    A `.git` that is a file or a link may name the git directory of any other repository, and so may
    the file `commondir` in it. It counts where that directory lies in the folder, or names the
    folder itself: as those of linked work trees, which lie in the one they share, and of submodules
    do.
    """
    marker = os.path.join(top, ".git")
    directory = _git_directory(top)
    if not directory:
        return "`.git` is a file that names no git directory"
    inside = top.rstrip(os.sep) + os.sep
    common = _common_directory(directory)
    if directory.startswith(inside):
        if not common.startswith(inside):
            return _SEPARATE
        return _wrong_parts(os.path.realpath(marker), inside) or _wrong_parts(common, inside)
    back = _text(os.path.join(directory, "gitdir")).strip()
    if back and os.path.realpath(os.path.join(directory, back)) == os.path.realpath(marker):
        is_shared = os.path.dirname(directory) == os.path.join(common, "worktrees")
    else:
        is_shared = common == directory and _configured_work_tree(directory) == top
    if not is_shared:
        return _SEPARATE
    inside = common.removesuffix(f"{os.sep}.git").rstrip(os.sep) + os.sep
    return _wrong_parts(directory, inside) or _wrong_parts(common, inside)


def _common_directory(directory: str) -> str:
    """The git directory that one shares branches and objects with; itself where it has its own."""
    pointer = os.path.join(directory, "commondir")
    if not os.path.lexists(pointer):
        return directory
    return os.path.realpath(os.path.join(directory, _text(pointer).strip()))


def _configured_work_tree(directory: str) -> str:
    """The folder of the files that a git directory belongs to, as its configuration says; empty
    where it says nothing."""
    for line in _text(os.path.join(directory, "config")).splitlines():
        key, _, value = line.partition("=")
        if key.strip().lower() == "worktree":
            return os.path.realpath(os.path.join(directory, value.strip().strip('"')))
    return ""


def _wrong_parts(directory: str, inside: str) -> str:
    """What in a git directory leads out of the repository, or would keep git waiting; empty:
    nothing."""
    for part in _PARTS:
        path = os.path.join(directory, part)
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue
        if stat.S_ISLNK(mode):
            if not os.path.realpath(path).startswith(inside):
                return f"`.git/{part}` is a link out of the repository"
            mode = os.stat(path).st_mode if os.path.exists(path) else stat.S_IFREG
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            return f"`.git/{part}` is no regular file"
    for folder in ("objects", "refs"):
        link = _link_out(os.path.join(directory, folder), inside)
        if link:
            part = os.path.relpath(link, directory).replace(os.sep, "/")
            return f"`.git/{part}` is a link out of the repository"
    return _wrong_stores(os.path.join(directory, "objects"), inside, 0)


def _link_out(folder: str, inside: str) -> str:
    """The first link out of the repository among the folders of git's below one; empty: none.
    Objects lie in 256 folders, names of branches as deep as people nest them."""
    pending = [(folder, 0)]
    is_deep = folder.endswith("refs")
    while pending:
        above, depth = pending.pop()
        try:
            entries = sorted(os.scandir(above), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_symlink():
                if not os.path.realpath(entry.path).startswith(inside):
                    return entry.path
            elif is_deep and depth < _DEEPEST_REFERENCE and entry.is_dir(follow_symlinks=False):
                pending.append((entry.path, depth + 1))
    return ""


def _wrong_stores(objects: str, inside: str, depth: int) -> str:
    """Which store of objects that another one names lies outside of the repository, and was not
    allowed by the environment; empty: none."""
    allowed = os.environ.get(_ALTERNATES, "").split(os.pathsep)
    for line in _text(os.path.join(objects, "info", "alternates")).splitlines():
        if not line or line.startswith("#"):
            continue
        store = os.path.realpath(os.path.join(objects, line))
        if store in map(os.path.realpath, filter(None, allowed)):
            continue
        if not store.startswith(inside) or line.startswith('"') or depth >= _DEEPEST_ALTERNATES:
            return (
                f"`objects/info/alternates` leads out of the repository, to `{line}`"
                f" (name it in {_ALTERNATES} to allow that)"
            )
        wrong = _wrong_stores(store, inside, depth + 1)
        if wrong:
            return wrong
    return ""


def command(
    folder: str, environment: Mapping[str, str], options: Sequence[str] = OPTIONS
) -> tuple[list[str], dict[str, str]] | str:
    """The beginning of a git command line, up to its subcommand, and the variables to run it with;
    or what is wrong.

    It is asked about the nearest repository around the folder, whose files lie where its `.git` is,
    not where `core.worktree` says. What the environment says of this one counts, as in a hook; what
    it says of another one does not.
    """
    git = program()
    if git is None:
        return "cannot start `git`: no such program"
    variables = {**environment, **VARIABLES}
    words = [git, "-C", folder, *options]
    top = top_of(folder)
    if top is not None and not _is_told_of(top, environment):
        for name in OWN_VARIABLES.intersection(environment) - VARIABLES.keys():
            del variables[name]
    if top is not None and not ("GIT_DIR" in variables or "GIT_WORK_TREE" in variables):
        wrong = git_directory_problem(top)
        if wrong:
            return wrong
        variables["GIT_CEILING_DIRECTORIES"] = os.path.dirname(top)
    if top is not None and "GIT_WORK_TREE" not in variables:
        words.append(f"--work-tree={top}")
        if "GIT_DIR" in variables:
            variables["GIT_DIR"] = os.path.abspath(variables["GIT_DIR"])
        if _tells_case(top):
            words += ("-c", "core.ignoreCase=false")  # else it passes over `A.py` beside `a.py`
    return words, variables


def _is_told_of(top: str, environment: Mapping[str, str]) -> bool:
    """Whether variables of one repository, which git sets for its hooks, tell of that of a folder:
    it has its files where they say, and the git directory that they name, or, where they name none,
    is around the working directory."""
    if OWN_VARIABLES.isdisjoint(environment):
        return True
    tree = environment.get("GIT_WORK_TREE")
    if tree is not None and os.path.realpath(tree) != top:
        return False  # git would compare other files with the commits of this one
    named = environment.get("GIT_DIR")
    if named is not None:
        return os.path.realpath(named) == _git_directory(top)
    try:
        here = top_of(os.getcwd())
    except OSError:
        return True
    return here is None or here == top


def _git_directory(top: str) -> str:
    """Where the `.git` of a folder leads; empty where it is a file that names none."""
    directory = os.path.realpath(os.path.join(top, ".git"))
    if not os.path.isfile(directory):
        return directory
    named = _text(directory)
    if not named.startswith("gitdir:"):
        return ""
    return os.path.realpath(os.path.join(top, named[7:].strip()))


def _tells_case(top: str) -> bool:
    """Whether the file system of a repository takes `.git` and `.GIT` for two names."""
    try:
        upper = os.lstat(os.path.join(top, ".GIT"))
    except OSError:
        return True
    is_same = os.path.samestat(upper, os.lstat(os.path.join(top, ".git")))
    return not is_same or {".git", ".GIT"} <= {*os.listdir(top)}


def overriding_options(folder: str, settings: bytes, environment: Mapping[str, str]) -> list[str]:
    """Options that take back what the repository around a folder configures under names of its own,
    by the answer to `SETTINGS`: every filter, every driver of merges, and files elsewhere with
    patterns or attributes."""
    words: list[str] = []
    named: dict[bytes, str] = {}
    configured: set[bytes] = set()
    top = top_of(folder) or os.path.realpath(folder)
    parts = settings.split(b"\0")
    for scope, setting in zip(parts[::2], parts[1::2], strict=False):
        key, _, value = setting.partition(b"\n")
        section, _, inner = key.partition(b".")
        name, _, last = inner.rpartition(b".")
        if section == b"filter" and last in _FILTER_KEYS:
            words += _option(b"filter." + name + b"." + last, _FILTER_KEYS[last])
        elif section == b"merge" and last == b"driver":
            words += _option(b"merge." + name + b".driver", _NO_DRIVER)
        elif key in _FILES and scope in OF_THE_REPOSITORY:
            place = os.path.join(top, os.path.expanduser(os.fsdecode(value)))
            if not os.path.realpath(place).startswith(top.rstrip(os.sep) + os.sep):
                configured.add(key)
        elif key in _FILES:
            named[key] = os.fsdecode(value)
    home = environment.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    for key in sorted(configured):
        words += _option(key, named.get(key, f"{home}/git/{_FILES[key]}"))
    return words


def needs_overriding(words: Sequence[str]) -> bool:
    """Whether a subcommand may apply filters or read patterns and attributes."""
    return words[0] in _OVERRIDDEN or "--exclude-standard" in words


def output_of(
    folder: str,
    words: Sequence[str],
    environment: Mapping[str, str] = os.environ,
    none: int = 0,
    warnings: list[str] | None = None,
) -> bytes | None:
    """What git prints in a folder; None where it fails, takes too long, or where the system has no
    cheap way to ask. With the status `none` it says that there is nothing to print. What it warns
    of is added to `warnings`."""
    more: list[str] = []
    if needs_overriding(words):
        settings = _git_output(folder, SETTINGS, environment, 0)
        if settings is None:
            return None
        more = overriding_options(folder, settings[0], environment)
    found = _git_output(folder, (*more, *words), environment, none)
    if found is None:
        return None
    if warnings is not None:
        warnings += os.fsdecode(found[1]).splitlines()
    return found[0]


def can_spawn() -> bool:
    """Whether the system has a cheap way to start git."""
    return hasattr(os, "posix_spawn") and hasattr(select, "poll")


def _option(key: bytes, value: str) -> tuple[str, ...]:
    """A setting as an option. A name with `=` in it could not be told from its value by `-c`; an
    empty variable gives the value then."""
    name = os.fsdecode(key)
    if "=" not in name:
        return ("-c", f"{name}={value}")
    return (f"--config-env={name}={_VALUES[value]}",)


_VALUES = {"": "CONTRACT_SCAN_GIT_EMPTY", "false": "CONTRACT_SCAN_GIT_FALSE"}
"""Variables that hold the values of `_FILTER_KEYS`, for names with `=`."""
VARIABLES |= {name: value for value, name in _VALUES.items()}


def _text(path: str) -> str:
    """The beginning of a small regular file; empty where it is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ""
    try:
        return os.fsdecode(os.read(descriptor, _LARGEST_POINTER))
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _git_output(
    folder: str, words: Sequence[str], environment: Mapping[str, str], none: int
) -> tuple[bytes, bytes] | None:
    """What git prints and what it complains of."""
    if not can_spawn():
        return None
    started = command(folder, environment)
    waiting = patience()
    if isinstance(started, str) or not waiting.seconds_left():
        return None
    before, variables = started
    began = time.monotonic()
    outputs, errors = os.pipe(), os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, outputs[1], 1),
        (os.POSIX_SPAWN_DUP2, errors[1], 2),
    ]
    process = None
    try:
        process = os.posix_spawn(
            before[0], [*before, *words], variables, file_actions=actions, setpgroup=0
        )
    except OSError:
        pass
    finally:
        os.close(outputs[1])
        os.close(errors[1])
    found = None
    try:
        if process is not None:
            found = _read_pipes(outputs[0], errors[0], began + waiting.seconds_left())
    finally:
        os.close(outputs[0])
        os.close(errors[0])
        if process is not None and found is None:
            os.killpg(process, 9)
        waiting.spend(time.monotonic() - began)
    if process is None:
        return None
    _, status = os.waitpid(process, 0)
    return found if os.waitstatus_to_exitcode(status) in (0, none) else None


def _read_pipes(output: int, errors: int, ends: float) -> tuple[bytes, bytes] | None:
    """Everything that comes out of two pipes; None where that takes longer."""
    waiting = select.poll()
    found: dict[int, list[bytes]] = {output: [], errors: []}
    for pipe in found:
        waiting.register(pipe, select.POLLIN | select.POLLHUP)
    pending = len(found)
    while pending:
        ready = waiting.poll(max(0.0, ends - time.monotonic()) * 1_000)
        if not ready:
            return None
        for pipe, _ in ready:
            chunk = os.read(pipe, 1 << 20)
            if chunk:
                found[pipe].append(chunk)
            else:
                waiting.unregister(pipe)
                pending -= 1
    return b"".join(found[output]), b"".join(found[errors])
