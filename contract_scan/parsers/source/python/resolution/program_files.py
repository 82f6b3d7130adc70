"""Which files around a scanned folder may run in one program with the files in it.

A folder of a larger repository is scanned with what lies around it, since that may mount its
routers; most of it belongs to other programs. Two files may run together where one loads the other,
or a third loads both, through however many files. Only import statements and texts are looked at,
so that nothing is parsed to find out; too many files are better than one too few.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from posixpath import basename, dirname, join, normpath, split

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.discovery.discover import is_inside
from contract_scan.parsers.source.facts.nodes import Import
from contract_scan.parsers.source.language import Files
from contract_scan.parsers.source.python.resolution.modules import find_module, is_module_name

_LOADS = re.compile(
    rb"(from[\s\\]+[.\w]+[\s\\]*import\b[ \t\\]*"
    rb"(?:\((?>(?:[^()#]++|#[^\n]*+)*)\)|[^\n;(\"']*(?:\\\r?\n[^\n;\"']*)*)"
    rb"|\bimport[ \t]+[^\n;(\"']*(?:\\\r?\n[^\n;\"']*)*"
    rb"|[\"'][.\w]+[\"':{]"
    rb"|import_module|iter_modules|walk_packages|find_modules|listdir"
    rb"|\binclude\(|add_router\(|INSTALLED_APPS|ROOT_URLCONF)"
)
"""Import statements, texts that may name a module, and what loads such modules or a folder's."""
_FROM = re.compile(
    r"from[\s\\]++(\.*+)[\s\\]*+((?>(?:(?!import\b)[.\w]++)?))[\s\\]*+import\b(.*)", re.DOTALL
)
_FOLDER_LOADERS = frozenset(
    {"import_module", "iter_modules", "walk_packages", "find_modules", "listdir"}
)
_LOADERS = _FOLDER_LOADERS | {"include(", "add_router(", "INSTALLED_APPS", "ROOT_URLCONF"}
_PACKAGE = "__init__.py"


def program_files(program: Program, *literals: bytes) -> tuple[str, ...]:
    """Those of the files that hold one of the literals which may run in one program with the
    scanned folder: what they declare may be of it, or change what it declares."""
    found = program.files_containing(*literals)
    if all(map(is_inside, found)):
        return found
    together = _running_together(program)
    return tuple(path for path in found if is_inside(path) or path in together)


@memoised
def _running_together(program: Program) -> frozenset[str]:
    """The files in the scanned folder, those that load one of them, and all that these load."""
    loads = _Loads(program)
    inside = filter(is_inside, program.files.source("python"))
    return frozenset(_closure(_closure(inside, loads.loading), loads.loaded_by))


def _closure(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    found = set(start)
    pending = list(found)
    while pending:
        new = {*following(pending.pop())} - found
        found |= new
        pending += new
    return found


class _Loads:
    """Which files may load which, found out for the files that are asked about."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._files = program.files
        self._below = _files_below(self._files.source("python"))
        self._loaders = program.files_containing(*map(str.encode, _FOLDER_LOADERS))
        self._targets: dict[tuple[str, str, str], str | None] = {}
        self._named: dict[str, frozenset[tuple[str, str]]] = {}

    def loading(self, path: str) -> Iterator[str]:
        """The files that may load a file: its name, or that of its package, stands in them."""
        folder, file_name = split(path)
        package = basename(normpath(join(str(self._files.root), folder)))
        last = package if file_name == _PACKAGE else file_name.removesuffix(".py")
        for other in self._program.files_with_word(last):
            if any(
                last in (name, module.rpartition(".")[2])
                and self._target(other, module, name) == path
                for module, name in self._modules(other)
            ):
                yield other
        for other in self._loaders:
            if path in self._listed_files(other):
                yield other
        if file_name == _PACKAGE:
            yield from self._below.get(folder, ())

    def loaded_by(self, path: str) -> Iterator[str]:
        """The files that a file may load."""
        folder, file_name = split(path)
        yield join(dirname(folder) if file_name == _PACKAGE else folder, _PACKAGE)
        for module, name in self._modules(path):
            target = self._target(path, module, name)
            if target is not None:
                yield target
        if path in self._loaders:
            yield from self._listed_files(path)

    def _modules(self, path: str) -> frozenset[tuple[str, str]]:
        """The modules that a file may name, each with a name in it or an empty one."""
        if path not in self._named:
            found = [text.decode(errors="replace") for text in {*self._files.find(path, _LOADS)}]
            has_loader = not _LOADERS.isdisjoint(found)
            named = (entry for text in found for entry in _entries(self._files, text, has_loader))
            self._named[path] = frozenset(named)
        return self._named[path]

    def _listed_files(self, path: str) -> Iterator[str]:
        """The files that a file may load by listing a folder: its own, or one that it names."""
        yield from self._below.get(dirname(path), ())
        named = tuple(f"/{module.replace('.', '/')}" for module, _ in self._modules(path))
        for folder, files in self._below.items():
            if f"/{folder}".endswith(named):
                yield from files

    def _target(self, path: str, module: str, name: str) -> str | None:
        key = (dirname(path), module, name)
        if key not in self._targets:
            entry = Import(module=module, name=name)
            self._targets[key] = find_module(self._files, path, entry)
        return self._targets[key]


def _files_below(paths: tuple[str, ...]) -> dict[str, set[str]]:
    """The files in each folder that has a name, and in the folders below it."""
    below: dict[str, set[str]] = {}
    for path in paths:
        folder = dirname(path)
        while folder not in ("", ".."):
            below.setdefault(folder, set()).add(path)
            folder = dirname(folder)
    return below


def _entries(files: Files, text: str, has_loader: bool) -> Iterator[tuple[str, str]]:
    """The modules that a piece of source text may load, each with a name in it or an empty one.
    Single words in quotation marks are taken for modules only beside calls that load some."""
    if text[0] in "\"'":
        module = text[1:-1].rstrip(".")
        around = module.rpartition(".")[0]
        if is_module_name(files, module.lstrip(".").partition(".")[0]):
            for named in (module, around):
                if "." in named or (named and has_loader):
                    yield named, ""
    elif (match := _FROM.match(text)) is not None:
        module, names = "".join(match.group(1, 2)), match.group(3)
        for name in (*_names(names), ""):
            yield module, name
            if name:
                yield f"{module}{'' if module.endswith('.') else '.'}{name}", ""
    elif text.startswith("import") and text not in _LOADERS:
        for module in _names(text[len("import") :]):
            yield module, ""


def _names(listed: str) -> Iterator[str]:
    """The names in a list of imports: `(a as b, c)`, comments left out."""
    plain = re.sub(r"#[^\n]*", "", listed)
    for item in re.sub(r"[()\\]", " ", plain).split(","):
        words = item.split()
        if words and words[0] != "*":
            yield words[0]
