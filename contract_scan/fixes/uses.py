"""Other places of a program that a fix would break: what uses a member, or makes an object.

A compiler would refuse them after the edit. Which they are is asked by words: whoever speaks of a
member of that name may mean it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from contract_scan.fixes.apply import read_bytes
from contract_scan.fixes.constructions import FieldEdit, ancestors, union_of
from contract_scan.fixes.mentions import FileMentions, mentions_of, module_name
from contract_scan.fixes.parsing import parse_of
from contract_scan.parsers.source.bounded_parse import ParseLimitError
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.syntax_tree import suffix_of

MOST_PARSED = 150
"""Files that are looked into: a name that is in more of them is surely used."""
TOO_MANY = f"more than {MOST_PARSED} files speak of it, or one that cannot be analysed"
_FEW = 2
"""Members of one object by which it is known."""


class UniqueUse(Struct, frozen=True, kw_only=True):
    """What a fix changes for others: it is made where the fix stands alone with it."""

    path: str
    places: tuple[int, ...] = ()
    """The bytes at which the names of what is changed start."""
    owner: str = ""
    """The class, enumeration or alias."""
    members: tuple[str, ...] = ()
    """What nobody may read or write."""
    constants: tuple[str, ...] = ()
    """Values or members of enumerations that nobody may name."""
    is_not_built: bool = False
    """Whether nobody may make an object of the class."""
    companions: tuple[str, ...] = ()
    """The members of a type of which any object that has them is one; the values of an
    enumeration."""
    is_not_enumerated: bool = False
    """Whether nobody may tell all values apart."""
    field: FieldEdit | None = None
    """What becomes of a field, for whoever makes objects of the owner."""

    def words(self) -> frozenset[str]:
        """Without one of these in its text, nothing in a file is broken."""
        known = frozenset((*self.members, *self.constants, *self.companions))
        return known | {self.owner} if self.is_not_built or self.is_not_enumerated else known


class _Family(NamedTuple):
    """By what an object of a type is made that does not name the type."""

    others: frozenset[str]
    """The names of classes that are derived from it, and of variables that hold one of these."""
    receivers: frozenset[str]
    """Members and methods that take an object of the type."""
    creating: frozenset[str]
    """Generic types and methods that make objects of whatever they are given."""
    module: str
    """The name of the module of TypeScript of which it is the default export: whoever imports it
    names it as he likes. Empty where it is none."""

    @property
    def sought(self) -> tuple[frozenset[str], frozenset[str], str]:
        """What decides which texts are looked into."""
        return self.others, self.receivers, self.module


def broken_uses(root: Path, changes: Mapping[int, UniqueUse]) -> dict[int, str]:
    """Why changes would break other places of the program, as far as its texts show, by the key
    of the change; changes that break nothing are omitted."""
    reasons: dict[int, str] = {}
    languages = {SUFFIXES[suffix_of(change.path)] for change in changes.values() if change.words()}
    paths = sorted(SourceTree(root, {}).paths()) if languages else []
    for language in sorted(languages):
        concerned = {k: c for k, c in changes.items() if SUFFIXES[suffix_of(c.path)] == language}
        concerned = {key: each for key, each in concerned.items() if each.words()}
        reasons |= _broken_in(root, paths, language, concerned)
    return reasons


def _broken_in(
    root: Path, paths: Sequence[str], language: str, left: dict[int, UniqueUse]
) -> dict[int, str]:
    """The same for one language. Where a file gives a type another name, or declares a member with
    it, all files are looked through again for those."""
    reasons: dict[int, str] = {}
    mentions: dict[str, FileMentions] = {}
    families = {key: _family_of(each, mentions) for key, each in left.items()}
    while left:
        known = families
        is_concerned = _looked_into(language, left, known)
        for path, content in texts_of(root, paths, language):
            if path in mentions or not is_concerned(content):
                continue
            if len(mentions) == MOST_PARSED:
                return reasons | dict.fromkeys(left, TOO_MANY)
            try:
                mentions[path] = file = mentions_of(parse_of(path)(content))
            except ParseLimitError as error:
                return reasons | dict.fromkeys(left, f"{path} {error}")
            for key, each in left.items():
                reasons |= _reason(key, _objection(path, file, each, known[key]))
            left = {key: each for key, each in left.items() if key not in reasons}
            if not left:
                return reasons
        families = {key: _family_of(each, mentions) for key, each in left.items()}
        for key, each in left.items():
            if families[key] != known[key]:
                found = (
                    _objection(path, file, each, families[key]) for path, file in mentions.items()
                )
                reasons |= _reason(key, next(filter(None, found), ""))
        left = {
            key: each
            for key, each in left.items()
            if key not in reasons and families[key].sought != known[key].sought
        }
    return reasons


def _objection(path: str, file: FileMentions, change: UniqueUse, family: _Family) -> str:
    """Why a compiler would mind, with the place; empty where it would not."""
    line, reason = _break(file, path == change.path, change, family)
    return f"{path}:{line} {reason}" if reason else ""


def _break(file: FileMentions, own: bool, change: UniqueUse, family: _Family) -> tuple[int, str]:
    places = change.places if own else ()
    for name in sorted({*change.members, *change.constants}):
        for at, line in sorted(file.used.get(name, ())):
            if at not in places:
                return line, f"uses `{name}`"
    if change.owner in file.mentioned and not own:
        for name in sorted(change.members):
            if name in file.declared:
                return min(file.declared[name])[1], f"declares `{name}` for the same type"
    enumerated = sorted({change.owner, *change.companions} & file.enumerated.keys())
    if change.is_not_enumerated and enumerated:
        return file.enumerated[enumerated[0]], f"tells all values of `{change.owner}` apart"
    line = _making_line(file, change, family) if change.is_not_built else 0
    if line:
        return line, f"makes `{change.owner}`"
    for shape in file.shapes if change.is_not_built and change.companions else ():
        is_another = change.owner not in shape.names
        if is_another and shape.properties.issuperset(change.companions):
            return shape.line, f"declares a type that may be given for `{change.owner}`"
    return 0, ""


def _making_line(file: FileMentions, change: UniqueUse, family: _Family) -> int:
    """The line that makes an object; 0 where none does."""
    if change.owner in file.initialised:
        return file.initialised[change.owner]
    for name in (change.owner, *sorted(family.others)):
        if name in file.built:
            return file.built[name]
    for names, line in file.untyped:
        if names & family.receivers:
            return line
    for name, line in file.given_to.get(change.owner, {}).items():
        if name in family.creating:
            return line
    if "" in file.built and change.owner in file.mentioned:
        return file.built[""]
    enough = min(_FEW, len(change.companions))
    for keys, line in file.objects if change.companions else ():
        if len(keys & set(change.companions)) >= enough:
            return line
        if "..." in keys and (change.owner in file.mentioned or keys & {*change.companions}):
            return line
    return 0


def _reason(key: int, reason: str) -> dict[int, str]:
    return {key: reason} if reason else {}


def _looked_into(
    language: str, left: Mapping[int, UniqueUse], families: Mapping[int, _Family]
) -> Callable[[bytes], bool]:
    """Tells which texts may break by one of some changes."""
    named = pattern(w for key, each in left.items() for w in each.words() | families[key].others)
    receivers = {name for key in left for name in families[key].receivers}
    taking = pattern(receivers) if receivers else None
    modules = {families[key].module for key in left} - {""}
    importing = _import_pattern(modules) if modules else None
    creates = language == "csharp" and any(each.is_not_built for each in left.values())

    def is_concerned(content: bytes) -> bool:
        return bool(
            named.search(content)
            or (taking is not None and _NEW.search(content) and taking.search(content))
            or (importing is not None and importing.search(content))
            or (creates and _CREATING.search(content))
        )

    return is_concerned


def _family_of(change: UniqueUse, files: Mapping[str, FileMentions]) -> _Family:
    """By what files make objects of the type that a change concerns."""
    if not change.is_not_built:
        return _Family(frozenset(), frozenset(), frozenset(), "")
    held = union_of(file.standing_for for file in files.values())
    others = {name for name in held if change.owner in ancestors(name, held)}
    receivers = (file.typed.get(change.owner, frozenset()) for file in files.values())
    creating = (file.creating for file in files.values())
    own = files.get(change.path)
    module = ""
    if own is not None and own.default_export == change.owner:
        module = module_name(change.path)
        for file in files.values():
            imported = file.default_imports.items()
            others |= {name for name, of_module in imported if of_module == module}
    return _Family(
        frozenset(others), frozenset().union(*receivers), frozenset().union(*creating), module
    )


def _import_pattern(modules: Iterable[str]) -> re.Pattern[bytes]:
    """Finds a text that names one of the modules as imports do."""
    names = b"|".join(sorted(re.escape(name).encode() for name in modules))
    return re.compile(rb"[\x22\x27/](?:" + names + rb")(?:/index)?(?:\.[\w.-]{1,40})?[\x22\x27]")


_CREATING = re.compile(rb"\bwhere\b[^{};]{0,300}\bnew\s{0,9}\(\s{0,9}\)")
"""A generic type or method of C# that may make an object of a type that it is given."""
_NEW = re.compile(rb"\bnew\s{0,9}\(")
"""An object of C# whose type is not written."""


def texts_of(root: Path, paths: Iterable[str], language: str) -> Iterator[tuple[str, bytes]]:
    """The files of a language that can be read, with their texts."""
    for path in paths:
        if "." in path and SUFFIXES.get(suffix_of(path)) == language:
            try:
                yield path, read_bytes(root, path)
            except (OSError, ValueError):
                continue


def pattern(names: Iterable[str], declared: Iterable[str] = ()) -> re.Pattern[bytes]:
    """Finds any of the names as a word, or the declaration of a class of one of the others."""
    known = sorted({re.escape(name).encode() for name in names})
    known += sorted({rb"class\s" + re.escape(name).encode() for name in declared})
    return re.compile(rb"(?<![\w$])(?:" + b"|".join(known) + rb")(?![\w$])")
