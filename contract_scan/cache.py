"""Where the cache of a scanned folder lies, and whether it may be used.

Each scanned folder (root) has a cache of its own in the user's cache home, not in the repository,
which strangers write. `--cache-dir` or `CONTRACT_SCAN_CACHE_DIR` puts it elsewhere; what a
repository configures never does. What is in a cache is sealed with a key of the user
(`private_folder`), so that planted and copied entries are ignored.

Imports nothing that takes time: what was printed last time is given again by way of this.
"""

# ruff: noqa: PTH100, PTH102, PTH103, PTH104, PTH106, PTH108, PTH111, PTH117, PTH118, PTH119, PTH120
# ruff: noqa: PTH208 (pathlib takes longer than all of this)
from __future__ import annotations

import os
import sys
import time

from contract_scan.private_folder import SEAL, PrivateFolder, blake2b, write_all
from contract_scan.regular_file import NOT_THROUGH_LINKS

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Iterator

Place = bool | str | os.PathLike[str]
"""The folder of the caches; True: where the environment says; False: there is no cache."""

VARIABLE = "CONTRACT_SCAN_CACHE_DIR"
"""Environment variable: the folder that the caches of all roots lie in."""
KEY_VARIABLE = "CONTRACT_SCAN_CACHE_KEY"
"""Environment variable: a secret that takes the place of the key file, for machines that keep
nothing but the cache from one run to the next."""
TAG = "CACHEDIR.TAG"
IGNORING = ".gitignore"
INDEX = "code-index.db"
"""The database of the index of code, which SQLite keeps two more files beside."""
_OWN = "contract-scan"
_KEY = "key"
_SHORTEST_SECRET = 16
_LONGEST_NAME = 40
_DIGITS = 16
_UNUSED = 90 * 86_400.0
"""Seconds."""
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of contract-scan for\n# "
_IGNORING = b"*\n"


class CacheUnusableError(Exception):
    """Why a cache cannot be used, as words for people. The scan goes on without one."""


def open_cache(root: str, place: Place = True, *, make: bool = True) -> PrivateFolder | None:
    """The cache of a root (absolute, without links); None where there is none that can be used.
    Without `make` nothing is made that is not there."""
    if place is False:
        return None
    try:
        return usable_cache(root, place, make=make)
    except (CacheUnusableError, OSError):
        return None


def usable_cache(root: str, place: Place = True, *, make: bool = True) -> PrivateFolder:
    """As `open_cache`. Raises CacheUnusableError or OSError."""
    base = base_folder(place)
    inside = _is_in_repository(base, root)
    folder = os.path.join(base, folder_name(root))
    if make:
        os.makedirs(base, 0o700, exist_ok=True)
        key = _derive_key(_key(base, inside=inside, make=True), root)
        if not os.path.lexists(folder):
            os.mkdir(folder, 0o700)
            _forget_unused(place)
    else:
        key = _derive_key(_key(base, inside=inside, make=False), root)
    found = PrivateFolder(folder, key)
    try:
        if make:
            _claim(found, root, inside=inside)
    except BaseException:
        found.close()
        raise
    return found


def base_folder(place: Place = True) -> str:
    """The folder that the caches of all roots lie in. Raises CacheUnusableError where nothing says
    which."""
    said = os.environ.get(VARIABLE, "") if isinstance(place, bool) else os.fspath(place)
    return os.path.abspath(said) if said else _own_folder()


def _own_folder() -> str:
    """The folder for contract-scan in the user's cache home, as the XDG base directory
    specification, macOS and Windows have it."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(home):
        if sys.platform == "darwin":
            home = os.path.expanduser("~/Library/Caches")
        elif sys.platform == "win32":
            home = os.environ.get("LOCALAPPDATA", "")
        else:
            home = os.path.expanduser("~/.cache")
    if not os.path.isabs(home):
        raise CacheUnusableError("nothing says where the user's caches lie")
    return os.path.join(home, _OWN)


def folder_name(root: str) -> str:
    """The name of the cache of a root: its own, as far as it is plain, and a digest of its path."""
    name = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "_"
        for letter in os.path.basename(root)[:_LONGEST_NAME]
    )
    digest = blake2b(os.fsencode(root), digest_size=_DIGITS // 2).hexdigest()
    return f"{name.lstrip('.')}-{digest}"


def caches(place: Place = True) -> Iterator[tuple[str, str | None]]:
    """Every cache, and the root that it is of: None where no tag of this user says so."""
    base = base_folder(place)
    try:
        names = sorted(os.listdir(base))
    except OSError:
        return
    keys = _keys(base)
    for name in names:
        path = os.path.join(base, name)
        if not _is_folder_name(name):
            continue
        try:
            folder = PrivateFolder(path, b"")
        except OSError:
            continue
        try:
            yield path, _tagged_root(folder, name, keys)
        finally:
            folder.close()


def _forget_unused(place: Place) -> None:
    """Remove the caches that nothing was written to for long: most of their roots are gone."""
    for path, root in caches(place):
        try:
            if root is not None and time.time() - os.lstat(path).st_mtime > _UNUSED:
                remove_cache(path)
        except OSError:
            continue


def remove_cache(path: str) -> None:
    """Remove a cache: files that bear names of entries, then the folder, if nothing else is left in
    it. Raises OSError."""
    folder = PrivateFolder(path, b"")
    try:
        folder.clear((IGNORING, TAG, INDEX, f"{INDEX}-wal", f"{INDEX}-shm"))
    finally:
        folder.close()
    os.rmdir(path)


# ---------------------------------------------------------------------- the repository


def _is_in_repository(base: str, root: str) -> bool:
    """Whether the caches lie in the repository of the root. Raises CacheUnusableError where what is
    in there says where they lead, or brings them along."""
    top = _top(root)
    if not _is_below(base, top) and _is_own_folder(base):
        return False  # nobody but the user says what lies on the way there
    inside = os.path.realpath(base)
    for folder in _ancestors(base):
        entered = os.path.realpath(folder)
        if _is_below(entered, top):
            inside = os.path.normpath(os.path.join(entered, os.path.relpath(base, folder)))
            break
    if inside != os.path.realpath(base):
        raise CacheUnusableError("a link in the repository leads there")
    if not _is_below(inside, top):
        return False
    if os.path.lexists(os.path.join(top, ".git")):
        from contract_scan.clients.git_command import output_of

        pattern = f":(literal){os.path.relpath(inside, top)}"
        tracked = output_of(top, ("ls-files", "-z", "--cached", "--", pattern))
        if tracked is None:
            raise CacheUnusableError("git does not say whether it tracks files there")
        if tracked:
            raise CacheUnusableError("git tracks files there")
    return True


def _is_own_folder(base: str) -> bool:
    try:
        return base == _own_folder()
    except CacheUnusableError:
        return False


def _ancestors(path: str) -> list[str]:
    """The folders that a path leads through, the outermost first, and itself."""
    found = [path]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found[::-1]


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _top(root: str) -> str:
    """The folder of the repository that a folder is in; itself where there is none."""
    folder = root
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return root
        folder = above
    return folder


# ---------------------------------------------------------------------- the folder


def _claim(folder: PrivateFolder, root: str, *, inside: bool) -> None:
    """Make sure that the folder is a cache of this user for the root, and says so. In a repository,
    one that is there already has to say it. Raises CacheUnusableError or OSError."""
    tag = _tag(folder, root)
    found = folder.read(TAG)
    if found != tag and inside and not folder.is_empty():
        raise CacheUnusableError("what lies there was not made by this user; remove it")
    folder.restrict()
    if found != tag and not folder.write(TAG, (tag,)):
        raise CacheUnusableError("nothing can be written there")
    if folder.read(IGNORING) != _IGNORING:
        folder.write(IGNORING, (_IGNORING,))


def _tag(folder: PrivateFolder, root: str) -> bytes:
    text = _SIGNATURE + _quote_root(root)
    return text + b"\n# sealed " + folder.seal(TAG, text).hex().encode() + b"\n"


def _quote_root(root: str) -> bytes:
    return os.fsencode(root).replace(b"%", b"%25").replace(b"\n", b"%0A").replace(b"\r", b"%0D")


def _tagged_root(folder: PrivateFolder, name: str, keys: list[bytes]) -> str | None:
    text = folder.read(TAG) or b""
    if not text.startswith(_SIGNATURE):
        return None
    quoted = text[len(_SIGNATURE) :].partition(b"\n")[0]
    plain = quoted.replace(b"%0D", b"\r").replace(b"%0A", b"\n").replace(b"%25", b"%")
    root = os.fsdecode(plain)
    if folder_name(root) != name:
        return None
    for key in keys:
        sealing = PrivateFolder(folder.path, _derive_key(key, root))
        try:
            if _tag(sealing, root) == text:
                return root
        finally:
            sealing.close()
    return None


def _is_folder_name(name: str) -> bool:
    digits = name.rpartition("-")[2]
    return len(digits) == _DIGITS and not digits.strip("0123456789abcdef") and "-" in name


# ---------------------------------------------------------------------- the key


def _derive_key(key: bytes, root: str) -> bytes:
    """The key for one root: what was sealed for another counts for nothing here."""
    return blake2b(os.fsencode(root), key=key, digest_size=SEAL).digest()


def _key(base: str, *, inside: bool, make: bool) -> bytes:
    """The key of the user: of the environment, else in a file beside the caches, but never in the
    repository. Raises CacheUnusableError or OSError."""
    secret = os.environ.get(KEY_VARIABLE, "")
    if secret:
        if len(secret) < _SHORTEST_SECRET:
            raise CacheUnusableError(f"{KEY_VARIABLE} is shorter than {_SHORTEST_SECRET} letters")
        return blake2b(os.fsencode(secret), digest_size=SEAL, person=_OWN.encode()).digest()
    folder = _own_folder() if inside else base
    if make:
        os.makedirs(folder, 0o700, exist_ok=True)
    key = _key_in(folder)
    if key is None and make:
        _make_key(folder)
        key = _key_in(folder)
    if key is None:
        raise CacheUnusableError("the key of the user cannot be read")
    return key


def _keys(base: str) -> list[bytes]:
    """Every key that caches in a folder may be sealed with."""
    found = []
    for inside in (False, True):
        try:
            found.append(_key(base, inside=inside, make=False))
        except (CacheUnusableError, OSError):
            continue
    return found


def _key_in(folder: str) -> bytes | None:
    """The key in a folder; None where there is none that only this user can read."""
    try:
        descriptor = os.open(os.path.join(folder, _KEY), NOT_THROUGH_LINKS)
    except OSError:
        return None
    try:
        state = os.fstat(descriptor)
        regular = state.st_mode & 0o170000 == 0o100000
        own = os.name != "posix" or (
            state.st_uid == os.geteuid() and state.st_mode & 0o077 == 0 and state.st_nlink == 1
        )
        key = os.read(descriptor, SEAL + 1) if regular and own else b""
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return key if len(key) == SEAL else None


def _make_key(folder: str) -> None:
    """Put a new key into a folder, unless another process was faster. Raises OSError, also where
    something other than a file of this user bears its name."""
    path = os.path.join(folder, _KEY)
    beside = f"{path}.{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(beside, flags, 0o600)
    try:
        try:
            write_all(descriptor, os.urandom(SEAL))
        finally:
            os.close(descriptor)
        if os.path.lexists(path) and _key_in(folder) is None:
            state = os.lstat(path)
            if state.st_mode & 0o170000 != 0o100000:
                raise CacheUnusableError("the key of the user is no regular file")
            os.unlink(path)  # cut short, or open to others
        if not os.path.lexists(path):
            os.rename(beside, path)
    finally:
        if os.path.lexists(beside):
            os.unlink(beside)
