"""Every regular expression of the package, and texts that make a slow one slow.

`python -m tests.security.pattern_attacks` prints what it finds as JSON. A pattern is read out of
the code that makes it, with the ways in which it is used; the texts are made of the pattern's own
parse tree: what leads to a repetition once, what it repeats very often, and what lets it fail.
"""

from __future__ import annotations

import ast
import importlib
import re
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations, product, starmap
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

PACKAGE = Path(__file__).parents[2] / "contract_scan"
SHORT, LONG = 700, 100_000
SUSPICIOUS = 0.0004
"""Seconds with which a short text is tried again as a long one."""
TOO_LONG = 1.0
"""Seconds of processor time. What is linear takes less than a fifth of a second, what is quadratic
two and more."""
_FUNCTIONS = {"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
_ONCE = {"match", "fullmatch", "search"}
TABLES = {
    ("contract_scan.config.confinement", "match"): "_STARTS",
    ("contract_scan.config.confinement", "search"): "_ENDS",
    ("contract_scan.parsers.source.csharp.front", "compile"): "DEFINITIONS",
    ("contract_scan.parsers.source.java.front", "compile"): "DEFINITIONS",
    ("contract_scan.parsers.source.python.front", "compile"): "DEFINITIONS",
    ("contract_scan.parsers.source.typescript.front", "compile"): "DEFINITIONS",
}
"""Functions of `re` that modules call with patterns of a table."""
FIELDS = {
    ("ContextRoutes", "optional"): "search",
    ("ContextRoutes", "path_syntax"): "sub",
    ("RoutingLibrary", "path_syntax"): "sub",
}
"""Fields of descriptions of frameworks that hold patterns, and the function of `re` that takes
them."""
OUR_OWN_TEXTS = frozenset({"contract_scan.parsers.source.discovery.text_probe"})
"""Modules whose patterns take patterns of this package only."""
_HARMLESS = {"pattern", "flags"}
_MANY = 50
"""From so many repetitions on, a repetition counts as endless."""


_MAKES_PATTERNS = re.compile(r"^[ \t]*(?:import re$|from re import )", re.MULTILINE)
_IMPORTED = re.compile(r"^[ \t]*from (contract_scan[\w.]*) import ", re.MULTILINE)
Nodes: TypeAlias = tuple[ast.AST, ...]
"""A module: every node of its syntax tree."""


class Use(Struct, frozen=True):
    """A regular expression and how it is used."""

    place: str
    pattern: str | bytes
    flags: int
    methods: frozenset[str]


# ---------------------------------------------------------------------- gathering


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package: its name and file."""
    for path in sorted(PACKAGE.rglob("*.py")):
        words = path.relative_to(PACKAGE.parent).with_suffix("").parts
        yield ".".join(words[:-1] if words[-1] == "__init__" else words), path


def gathered() -> tuple[list[Use], list[str]]:
    """Every regular expression of the package; and where one is made of what a function is given:
    `module: expression`."""
    texts = {name: path.read_text("utf-8") for name, path in modules()}
    makers = {name for name, text in texts.items() if _MAKES_PATTERNS.search(text)}
    trees = {
        name: tuple(ast.walk(ast.parse(text)))
        for name, text in texts.items()
        if name in makers or not makers.isdisjoint(_IMPORTED.findall(text))
    }
    methods = _methods(trees)
    uses: list[Use] = []
    unread: list[str] = []
    for name in sorted(makers):
        tree = trees[name]
        module = importlib.import_module(name)
        assigned = _assigned(tree)
        for call, function in _calls(tree):
            place = f"{name}:{call.lineno}"
            found = _evaluated(call, function, module)
            if found is None and (table := TABLES.get((name, function))):
                uses += [
                    Use(f"{place} {text!r:.40}", text, 0, frozenset({function}))
                    for text in _texts(getattr(module, table))
                ]
            elif found is None:
                unread.append(f"{name.removeprefix('contract_scan.')}: {ast.unparse(call.args[0])}")
            elif function == "compile":
                how = methods.get((name, assigned.get(call, "")), frozenset({"finditer"}))
                uses.append(Use(place, *found, how))
            else:
                uses.append(Use(place, *found, frozenset({function})))
    uses += (use for name, text in texts.items() for use in _of_fields(name, text))
    return uses, unread


def _of_fields(name: str, text: str) -> Iterator[Use]:
    """Patterns that a module gives to fields of descriptions."""
    if not any(f"{record}(" in text for record, _ in FIELDS):
        return
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        for keyword in node.keywords:
            function = FIELDS.get((node.func.id, keyword.arg or ""))
            if function:
                table = _value(keyword.value, importlib.import_module(name))
                for pattern in _texts(table):
                    yield Use(f"{name}:{node.lineno}", pattern, 0, frozenset({function}))


def _texts(table: object) -> list[str | bytes]:
    """The patterns of a table: texts, or the first of each row."""
    if isinstance(table, str | bytes):
        return [table]
    assert isinstance(table, tuple)
    return [row[0] if isinstance(row, tuple) else row for row in table]


def _functions(tree: Nodes) -> dict[str, str]:
    """The functions of `re` that a module imports: its name for them -> theirs."""
    return {
        alias.asname or alias.name: alias.name
        for node in tree
        if isinstance(node, ast.ImportFrom) and node.module == "re"
        for alias in node.names
        if alias.name in _FUNCTIONS | {"compile"}
    }


def _calls(tree: Nodes) -> Iterator[tuple[ast.Call, str]]:
    """Calls of functions of `re`."""
    imported = _functions(tree)
    for node in tree:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name("re"), attr=attr)) if (
                attr in _FUNCTIONS | {"compile"}
            ):
                yield node, attr
            case ast.Call(func=ast.Name(name)) if name in imported:
                yield node, imported[name]


def _assigned(tree: Nodes) -> dict[ast.expr, str]:
    """Values of constants -> their names."""
    return {
        node.value: target.id
        for node in tree
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def _methods(trees: dict[str, Nodes]) -> dict[tuple[str, str], frozenset[str]]:
    """How constants are used, by module and name; one that is handed on may be used in any way."""
    found: dict[tuple[str, str], set[str]] = {}
    for module, tree in trees.items():
        homes = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in tree
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        methods = {
            node.value: node.attr
            for node in tree
            if isinstance(node, ast.Attribute) and node.attr in _FUNCTIONS | _HARMLESS
        }
        for node in tree:
            match node:
                case ast.Name(name, ctx=ast.Load()):
                    home = homes.get(name, (module, name))
                case ast.Attribute(value=ast.Name(owner), attr=name, ctx=ast.Load()):
                    home = (".".join(homes[owner]) if owner in homes else module, name)
                case _:
                    continue
            found.setdefault(home, set()).add(methods.get(node, "finditer"))
    return {home: frozenset(how - _HARMLESS) for home, how in found.items()}


def _evaluated(call: ast.Call, function: str, module: ModuleType) -> tuple[str | bytes, int] | None:
    """The pattern and flags of a call, where they consist of constants of the module."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    at = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(function, 2)
    flags = named.get("flags") or (call.args[at] if len(call.args) > at else ast.Constant(0))
    try:
        pattern = _value(call.args[0], module)
        number = int(_value(flags, module))
    except (NameError, AttributeError, TypeError):
        return None
    if isinstance(pattern, re.Pattern):
        return pattern.pattern, pattern.flags
    return (pattern, number) if isinstance(pattern, str | bytes) else None


def _value(node: ast.expr, module: ModuleType) -> Any:
    words = compile(ast.fix_missing_locations(ast.Expression(node)), "<pattern>", "eval")
    return eval(words, dict(vars(module)))


# ---------------------------------------------------------------------- possessive groups


def repeats_a_group_possessively(pattern: str | bytes, flags: int = 0) -> bool:
    """Whether more than one letter is repeated without giving any back: `(?:ab?)*+`. Python before
    3.11.5 matches that wrongly (https://github.com/python/cpython/issues/106052), and reads
    `(?>(?:ab?)*)` and `[ab]*+` as later ones do."""
    return _possessive_group_in(parser.parse(pattern, flags))


def _possessive_group_in(tree: Any) -> bool:
    return any(
        (code is codes.POSSESSIVE_REPEAT and not compiler._simple(value[2]))
        or any(map(_possessive_group_in, _inner(code, value)))
        for code, value in tree
    )


# ---------------------------------------------------------------------- texts


class Attack(NamedTuple):
    """A text that may be expensive for a pattern, of any length."""

    head: str
    repeated: str
    tail: str

    def text(self, length: int) -> str:
        """The text of a length."""
        return self.head + self.repeated * (length // len(self.repeated)) + self.tail


def attacks(pattern: str | bytes, flags: int) -> Iterator[Attack]:
    """Texts that are expensive for a pattern, if it has any."""
    tree = parser.parse(pattern, flags)
    heads = list(dict.fromkeys(["", *_prefixes(tree, "")]))[:16]
    alphabet = list(dict.fromkeys(_letters(tree)))[:16]
    bodies = list(dict.fromkeys([*_bodies(tree), *(head for head in heads if head)]))[:16]
    yield from starmap(
        Attack, product(heads, dict.fromkeys([*alphabet, *bodies]), ("", "\0", "\n\0"))
    )
    for first, second in permutations(alphabet, 2):
        yield Attack("", first + second, "\0")


def _letters(tree: Any) -> Iterator[str]:
    """Letters that the parts of a pattern take."""
    for code, value in tree:
        if code in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
            yield from _taken(code, value)
        for inner in _inner(code, value):
            yield from _letters(inner)


def _inner(code: Any, value: Any) -> list[Any]:
    """The patterns within a part of a pattern."""
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [value[2]]
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code is codes.BRANCH:
        return list(value[1])
    if code is codes.ATOMIC_GROUP:
        return [value]
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [value[1]]
    return []


_OF_CATEGORIES = {
    codes.CATEGORY_SPACE: (" ", "\n"),
    codes.CATEGORY_WORD: ("a", "0", "_"),
    codes.CATEGORY_DIGIT: ("0",),
    codes.CATEGORY_NOT_SPACE: ("a", "!"),
    codes.CATEGORY_NOT_WORD: ("!", " "),
    codes.CATEGORY_NOT_DIGIT: ("a", "!"),
}
_ANY = ("x", " ", "\n", "A", "0", "!", '"', "/", "{", "(")


def _taken(code: Any, value: Any) -> list[str]:
    """Letters that one part of a pattern takes; the first is the plainest."""
    if code is codes.LITERAL:
        return [chr(value)]
    if code is codes.ANY:
        return ["x", " "]
    if code is codes.NOT_LITERAL:
        return [letter for letter in _ANY if ord(letter) != value][:3]
    if code is codes.CATEGORY:
        return list(_OF_CATEGORIES[value])
    if value[0][0] is codes.NEGATE:
        return [letter for letter in _ANY if not any(_within(letter, p) for p in value[1:])][:4]
    return [letter for part in value for letter in _of_set(part)]


def _of_set(part: Any) -> tuple[str, ...]:
    code, value = part
    if code is codes.LITERAL:
        return (chr(value),)
    if code is codes.RANGE:
        return (chr(value[0]), chr(value[1]))
    return _OF_CATEGORIES.get(value, ())


def _within(letter: str, part: Any) -> bool:
    code, value = part
    if code is codes.LITERAL:
        return ord(letter) == value
    if code is codes.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    tests = {
        codes.CATEGORY_SPACE: str.isspace,
        codes.CATEGORY_DIGIT: str.isdigit,
        codes.CATEGORY_WORD: lambda one: one.isalnum() or one == "_",
        codes.CATEGORY_NOT_SPACE: lambda one: not one.isspace(),
        codes.CATEGORY_NOT_WORD: lambda one: not (one.isalnum() or one == "_"),
        codes.CATEGORY_NOT_DIGIT: lambda one: not one.isdigit(),
    }
    return bool(tests[value](letter)) if value in tests else False


def _example(tree: Any, least: int) -> str:
    """A short text that a pattern takes; what may be repeated is, at least so often."""
    return "".join(_example_of(code, value, least) for code, value in tree)


def _example_of(code: Any, value: Any, least: int) -> str:
    if code in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
        return next(iter(_taken(code, value)), "")
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return _example(value[2], least) * min(max(value[0], least), value[1], 20)
    if code is codes.BRANCH:
        return _example(value[1][0 if least else -1], least)
    if code is codes.ASSERT_NOT:
        return ""
    return "".join(_example(inner, least) for inner in _inner(code, value))


def _prefixes(tree: Any, before: str) -> Iterator[str]:
    """What a text begins with where a repetition begins, for every one in a pattern."""
    for least in (0, 1):
        read = before
        for code, value in tree:
            repeated = code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
            if repeated and value[1] >= _MANY:
                yield read
            for inner in _inner(code, value):
                yield from _prefixes(inner, read)
            read += _example_of(code, value, least)


def _bodies(tree: Any) -> Iterator[str]:
    """What the repetitions of a pattern repeat."""
    for code, value in tree:
        repeated = code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
        if repeated and value[1] >= _MANY:
            for least in (0, 1):
                if found := _example(value[2], least):
                    yield found
            yield from _alternatives(value[2])
        for inner in _inner(code, value):
            yield from _bodies(inner)


def _alternatives(tree: Any) -> Iterator[str]:
    """What each alternative within a repetition takes."""
    for code, value in tree:
        for inner in _inner(code, value):
            if code is codes.BRANCH:
                yield from filter(None, [_example(inner, 1)])
            yield from _alternatives(inner)


# ---------------------------------------------------------------------- trying


class _TooLongError(Exception):
    pass


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise _TooLongError


@contextmanager
def interrupting() -> Iterator[None]:
    """While what takes too long is interrupted."""
    before = signal.signal(signal.SIGVTALRM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGVTALRM, before)


def _seconds(pattern: re.Pattern[Any], method: str, text: str | bytes) -> float:
    start = time.thread_time()
    if method in _ONCE:
        getattr(pattern, method)(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return time.thread_time() - start


def slow(use: Use) -> tuple[str, str] | None:
    """The method and the text with which a pattern takes too long."""
    pattern = re.compile(use.pattern, use.flags)
    for attack in attacks(use.pattern, use.flags):
        for method in use.methods:
            if _limited(pattern, method, attack.text(SHORT)) < SUSPICIOUS:
                continue
            if _limited(pattern, method, attack.text(LONG)) >= TOO_LONG:
                return method, "{}, again and again {}, {}".format(*attack)
    return None


def _limited(pattern: re.Pattern[Any], method: str, text: str) -> float:
    given = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    signal.setitimer(signal.ITIMER_VIRTUAL, TOO_LONG)
    try:
        return _seconds(pattern, method, given)
    except _TooLongError:
        return TOO_LONG
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


class Found(Struct):
    """What is found."""

    patterns: int = 0
    """How many patterns there are."""
    possessive_groups: list[str] = []
    """Those that repeat a group possessively: where, and the pattern."""
    slow: list[str] = []
    """Those that take too long: where, the pattern, how it is used, and the text."""
    unread: list[str] = []


def main() -> None:
    """Print what is found."""
    resource.setrlimit(resource.RLIMIT_CPU, (300, 300))
    uses, unread = gathered()
    found = Found(len(uses), unread=sorted(set(unread)))
    found.possessive_groups = [
        f"{use.place} {use.pattern!r}"
        for use in uses
        if repeats_a_group_possessively(use.pattern, use.flags)
    ]
    with interrupting():
        for use in uses:
            if use.place.partition(":")[0] in OUR_OWN_TEXTS:
                continue
            if told := slow(use):
                found.slow.append(f"{use.place} {use.pattern!r}: {told[0]} of {told[1]!r}")
    print(msgspec.json.format(msgspec.json.encode(found)).decode())


if __name__ == "__main__":
    main()
