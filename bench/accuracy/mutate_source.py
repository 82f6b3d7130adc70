"""Code with one planted mistake each: a field renamed or retyped, a route taken away.

Where a field stands and which responses hold it, the unchanged code's resolved types say. So the
expectations are exact: every contracted response that is made of the changed declaration, and none
else.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from bench.accuracy.contract_text import Json, kind_of
from bench.accuracy.mutant import Expected, Mutant, kinds
from bench.accuracy.mutate_names import renamed
from bench.accuracy.named_again import named_again
from bench.accuracy.run import plain_subject
from bench.accuracy.sites import METHODS, operations, sites
from contract_scan.ir.document import Resolver
from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.schema import Array, Field, Object, Reference, Scalar, Schema, Union

Lines: TypeAlias = Callable[[str], list[str]]
"""Path relative to the source folder -> the lines of the file."""
Place: TypeAlias = tuple[int, int, int]
"""Row and the columns of start and end, from 0."""


class Change(NamedTuple):
    """One file with other text, and what a scan then has to say."""

    mutant: Mutant
    path: str
    text: str


class Declared(NamedTuple):
    """A field of a type or literal in code, with every contracted response that holds it."""

    field: Field
    uses: tuple[tuple[str, str], ...]
    """(subject, wire path) of what the contract mentions."""
    holders: tuple[Origin, ...] = ()
    """The types that the field is seen in, which need not be those that declare it."""


_WORD = re.compile(r"[\"']?([A-Za-z_$][\w$]*)")
_AFTER_TYPE = re.compile(r"\??\s+([A-Za-z_$][\w$]*)")
_SWAPS = {
    ".py": {"str": "int", "int": "str", "float": "str", "bool": "str"},
    ".ts": {"string": "number", "number": "string", "boolean": "string"},
    ".cs": {"string": "int", "int": "string", "long": "string", "bool": "string"},
    ".java": {
        "String": "int",
        "int": "String",
        "Integer": "String",
        "long": "String",
        "Long": "String",
        "boolean": "String",
        "Boolean": "String",
    },
}
"""Suffix -> scalar type -> another one that does not fit."""

_MARK = re.compile(
    r"^\s*(@(\w*\.)?(Get|Post|Put|Patch|Delete|GET|POST|PUT|PATCH|DELETE|Path|route|get|post|put"
    r"|patch|delete|\w*Mapping)\b.*|\[(Http|Rest|Route)\w*(\(.*\))?\])\s*$"
)
"""A line that makes a function a route."""
_PATH_GIVEN = re.compile(r"""\A(\(\s*)(["'`])[^"'`\n]*\2""")
"""The path of a call that registers a route: a path that stands nowhere else is nowhere then."""
_REGISTERED = re.compile(r"\b[\w.]+\.(get|post|put|patch|delete)(?=\(\s*$)")
"""What stands before the path in a call that registers a route."""


def source_mutants(
    document: Json,
    routes: Iterable[Operation],
    resolver: Resolver,
    lines: Lines,
    count: int,
    seed: int,
) -> Iterator[Change]:
    """At most `count` changes per operator, the same for the same seed and code."""
    if kind_of(document) != "openapi":
        return
    routes = list(routes)
    stands_for = _contracted(document, routes)
    declared = list(_declared(document, stands_for, resolver))
    for name, edit in (("rename_field", _renamed), ("retype_field", _retyped)):
        pool = list(declared)
        random.Random(f"{seed}/{name}").shuffle(pool)
        made = 0
        for each in pool:
            change = edit(name, each, lines) if made < count else None
            if change is not None:
                made += 1
                yield _with_copies(change, each.field.name, declared, lines)
    yield from _deleted_routes(stands_for, routes, lines, count, seed)


# --------------------------------------------------------------------------- what stands where


def _contracted(document: Json, routes: list[Operation]) -> list[tuple[str, Operation]]:
    """(subject, route) of every contracted operation that just one route can stand for: of the
    same method, and a path that differs by a prefix alone."""
    found = []
    for path, method in operations(document):
        wanted = plain_subject(path).strip("/")
        fitting = [
            route
            for route in routes
            if route.method == method.upper()
            and not route.unresolved
            and _same_end(plain_subject(route.path).strip("/"), wanted)
        ]
        if len(fitting) == 1:
            found.append((f"{method.upper()} {path}", fitting[0]))
    return found


def _same_end(one: str, other: str) -> bool:
    """Case is left out of account, as some routers do: two that differ in it alone are told apart
    by nobody."""
    one, other = f"/{one}".casefold(), f"/{other}".casefold()
    return one.endswith(other) or other.endswith(one)


def _declared(
    document: Json, stands_for: list[tuple[str, Operation]], resolver: Resolver
) -> Iterator[Declared]:
    contracted = {(use.subject, use.wire) for site in sites(document) for use in site.uses}
    uses: dict[Origin, dict[tuple[str, str], Field]] = defaultdict(dict)
    holders: dict[Origin, set[Origin]] = defaultdict(set)
    for subject, route in stands_for:
        for response in route.responses:
            if not response.status.startswith("2"):
                continue
            for body in response.bodies:
                for wire, field, holder in _fields(body.schema, "", resolver, frozenset()):
                    if field.origin.path and (subject, wire) in contracted:
                        uses[field.origin][subject, wire] = field
                        holders[field.origin].add(holder.origin)
    for origin in sorted(uses, key=lambda each: (each.path, each.span)):
        places = uses[origin]
        yield Declared(next(iter(places.values())), tuple(places), tuple(holders[origin]))


def _fields(
    schema: Schema, wire: str, resolver: Resolver, above: frozenset[str]
) -> Iterator[tuple[str, Field, Object]]:
    """(wire path, field, what holds it) of everything in a schema; recursive types are opened
    once."""
    match schema:
        case Reference(key=key):
            if key not in above:
                try:
                    target = resolver.resolve(schema)
                except KeyError:
                    return
                yield from _fields(target, wire, resolver, above | {key})
        case Array(items=items):
            yield from _fields(items, wire + "[]", resolver, above)
        case Union(options=options):
            for option in options:
                yield from _fields(option, wire, resolver, above)
        case Object(fields=fields):
            for field in fields:
                path = f"{wire}.{field.name}" if wire else field.name
                yield path, field, schema
                yield from _fields(field.schema, path, resolver, above)
        case _:
            return


# --------------------------------------------------------------------------- fields


def _renamed(name: str, declared: Declared, lines: Lines) -> Change | None:
    """The declaration alone gets another name: code that fills it from elsewhere is left."""
    place = _token(declared.field, lines)
    if place is None:
        return None
    text, row, start, end = place
    old = text[row][start:end]
    around = "".join(text[max(0, row - 3) : row]) + text[row][:start] + text[row][end:]
    wire_name = declared.field.name
    if re.search(rf"[\"']{re.escape(wire_name)}[\"']", around):
        return None  # An alias: the name on the wire stands elsewhere.
    again = _named_again(declared, lines)
    if again is None:
        return None
    new = renamed(old)
    names = frozenset({wire_name, wire_name + "Renamed", wire_name + "_renamed", new})
    accepted = kinds("missing-field", "extra-field", "name-case")
    return _changed(name, declared, text, [(row, start, end), *again], new, accepted, names)


def _with_copies(change: Change, name: str, declared: list[Declared], lines: Lines) -> Change:
    """Findings about what is made of the field (`userId: user.id`) belong to the change as well."""
    copied = re.compile(rf"[.?]{re.escape(name)}\b")
    copies = set()
    for field in (each.field for each in declared):
        row = field.origin.span.line - 1
        text = lines(field.origin.path)
        if 0 <= row < len(text) and copied.search(text[row], field.origin.span.column - 1):
            copies.add(field.name)
    mutant = change.mutant
    return change._replace(mutant=mutant._replace(names=mutant.names | copies))


def _named_again(declared: Declared, lines: Lines) -> list[Place] | None:
    """Further places beside the declaration that have to name the field alike; None where another
    file names it."""
    field = declared.field
    if not field.origin.path.endswith(".py"):
        return []
    for holder in declared.holders:
        elsewhere = holder.path != field.origin.path
        text = "".join(lines(holder.path)) if elsewhere else ""
        if text and named_again(text, holder.span.line, field.name):
            return None
    return named_again("".join(lines(field.origin.path)), field.origin.span.line, field.name)


_DJANGO_FIELD = re.compile(r"=\s*models\.\w+\(")


def _retyped(name: str, declared: Declared, lines: Lines) -> Change | None:
    """The declaration gets another scalar type."""
    schema = declared.field.schema
    place = _token(declared.field, lines)
    plain = isinstance(schema, Scalar) and not schema.format and schema.values is None
    if place is None or not plain:
        return None
    text, row, start, _ = place
    suffix = "." + declared.field.origin.path.rpartition(".")[2]
    swaps = _SWAPS.get(suffix, {})
    before = suffix in (".cs", ".java")
    if suffix == ".py" and _DJANGO_FIELD.search(text[row]):
        return None  # the call says the type; what is written beside it is for readers
    for word in re.finditer(r"\b[A-Za-z]+\b", text[row]):
        if word[0] in swaps and (word.start() < start) == before and word.start() != start:
            spans = [(row, *word.span())]
            names = frozenset({declared.field.name})
            return _changed(
                name, declared, text, spans, swaps[word[0]], kinds("type", "shape"), names
            )
    return None


def _token(field: Field, lines: Lines) -> tuple[list[str], int, int, int] | None:
    """(lines, row, start, end) of the name of a field's declaration, where it stands as such."""
    text = lines(field.origin.path)
    row, column = field.origin.span.line - 1, field.origin.span.column - 1
    if not 0 <= row < len(text):
        return None
    word = _WORD.match(text[row], column)
    if word is None or _plain(word[1]) != _plain(field.name):
        return None
    # `Status status`: the declaration begins with its type, which may have the field's name.
    typed = field.origin.path.endswith((".cs", ".java"))
    name = _AFTER_TYPE.match(text[row], word.end()) if typed else None
    if name is not None and _plain(name[1]) == _plain(field.name):
        word = name
    return text, row, word.start(1), word.end(1)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _changed(
    operator: str,
    declared: Declared,
    text: list[str],
    spans: list[Place],
    new: str,
    accepted: frozenset[str],
    names: frozenset[str],
) -> Change:
    changed = list(text)
    for row, start, end in sorted(spans, reverse=True):
        changed[row] = changed[row][:start] + new + changed[row][end:]
    expected = []
    for subject, wire in declared.uses:
        stem = wire.removesuffix(declared.field.name)
        fields = frozenset(stem + name for name in names)
        expected.append(Expected("CONTRACT-001", accepted, subject, fields))
    mutant = Mutant(None, operator, tuple(expected), names, anywhere=True)
    return Change(mutant, declared.field.origin.path, "".join(changed))


# --------------------------------------------------------------------------- routes


def _deleted_routes(
    stands_for: list[tuple[str, Operation]],
    routes: list[Operation],
    lines: Lines,
    count: int,
    seed: int,
) -> Iterator[Change]:
    """A function that is no route any more; nothing else may answer its path, and it may be no
    other route (a method that many controllers inherit)."""
    name = "delete_route"
    pool = list(stands_for)
    random.Random(f"{seed}/{name}").shuffle(pool)
    made = 0
    for subject, route in pool:
        shared = [other for other in routes if _place(other) == _place(route)]
        if made == count:
            return
        if not route.origin.path or len(shared) > 1 or _answered_else(route, stands_for):
            continue
        text = _without_route(route, lines(route.origin.path))
        if text is None:
            continue
        made += 1
        accepted = kinds("missing-endpoint", "method")
        expected = Expected("CONTRACT-002", accepted, subject, frozenset({""}))
        # Without it, another method of the path may be missing where only its method was wrong.
        path = subject.partition(" ")[2]
        also = frozenset(f"{each.upper()} {path}" for each in METHODS)
        yield Change(
            Mutant(None, name, (expected,), frozenset(), also=also), route.origin.path, text
        )


def _place(route: Operation) -> tuple[str, Span]:
    return route.origin.path, route.origin.span


def _answered_else(route: Operation, stands_for: list[tuple[str, Operation]]) -> bool:
    """Whether the pattern of another route takes the same requests."""
    ours = route.path.strip("/").split("/")
    for _, other in stands_for:
        theirs = other.path.strip("/").split("/")
        if other is route or other.method != route.method or len(ours) != len(theirs):
            continue
        pairs = zip(ours, theirs, strict=True)
        if all(a == b or b.startswith("{") for a, b in pairs):
            return True
    return False


def _without_route(route: Operation, text: list[str]) -> str | None:
    span = route.origin.span
    row = span.line - 1
    if not 0 <= row < len(text):
        return None
    head = text[row][: span.column - 1]
    if text[row][span.column - 1 :].startswith("@"):
        kept = [*text[:row], *text[span.end_line :]]
        return "".join(kept)
    before = "".join(text[max(0, row - 1) : row]) + head
    if _REGISTERED.search(before.rstrip()):
        start = sum(map(len, text[: max(0, row - 1)]))
        whole = "".join(text)
        call = _REGISTERED.search(before.rstrip())
        assert call is not None
        rest = _PATH_GIVEN.sub(r'\1""', whole[start + call.end() :], count=1)
        return whole[: start + call.start()] + "void " + rest
    return _without_marks(text, row)


def _without_marks(text: list[str], row: int) -> str | None:
    """The lines above a method that make it a route, taken away. In C#, an action without its
    attribute still answers the path of its controller; `[NonAction]` makes it none."""
    first = row
    while first > 0 and re.match(r"^\s*(@|\[|\)|\"|//|\*|/\*)|.*[,(]\s*$", text[first - 1]):
        first -= 1
    marks = [index for index in range(first, row) if _MARK.match(text[index])]
    if not marks:
        return None
    sharp = text[marks[0]].lstrip().startswith("[")
    kept = [line for index, line in enumerate(text) if index not in marks]
    if sharp:
        kept.insert(marks[0], "    [NonAction]\n")
    return "".join(kept)
