"""Controllers in Kotlin, Groovy or Scala beside those in Java: their handlers are not read, but
which paths they may answer stands in their annotations, and what stands there is not missing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.discovery.test_code import is_test
from contract_scan.parsers.source.java.web.routes import VERBS_BY_ANNOTATION, join_paths, template

_LANGUAGES = {".kt": "Kotlin", ".groovy": "Groovy", ".scala": "Scala"}
_CONTROLLER = re.compile(rb"^[^\S\n]*@(RestController|Controller|Path)\b", re.MULTILINE)
_MOST = 400
"""How many files of a language are looked into."""
_LONGEST = 200_000
_TEXT = r'(?<!\\)"(?>(?:\\.|[^"\\])*)"'
_ARGUMENTS = rf"(?>(?:[^()\"]|{_TEXT}|\((?>(?:[^()\"]|{_TEXT})*)\))*)"
_ANNOTATION = re.compile(rf"@(\w+)(?:[ \t]*\(({_ARGUMENTS})\))?")
_TYPE = re.compile(r"(?<!:)\b(?:class|interface|object|trait)\s+\w")
_HEAD = re.compile(
    rf"\w++\s++\w++\s*+(?:(?>(?:@?\w++\s*+)*)\({_ARGUMENTS}\))?\s*+(?::|extends\b|implements\b)"
)
"""The head of a class that has others above it, which may have handlers as well."""
_BETWEEN = re.compile(
    rf"(?:\s+|@[\w.]+(?:[ \t]*\({_ARGUMENTS}\))?|(?!class|interface|object|trait)[a-z]+\b)*"
)
"""What may stand between an annotation and the declaration that it is for: others, modifiers."""
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|^[^\S\n]*//[^\n]*$", re.DOTALL | re.MULTILINE)
_LITERAL = re.compile(_TEXT)
_NAMED = re.compile(r"^\s*(\w+)\s*=(?!=)")
_VERBS = {
    **{f"{verb}Mapping": verb.upper() for verb in ("Get", "Post", "Put", "Delete", "Patch")},
    **{verb: verb for verb in ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")},
    **VERBS_BY_ANNOTATION,
}
_PATHS = frozenset({"RequestMapping", "Path", "Controller"})
"""Annotations beside a class, or beside a method without a verb of its own, that hold its path."""


class _Route(Struct, frozen=True):
    verb: str
    path: str
    line: int
    is_whole: bool = True
    """Whether no word of the path below the application's prefix is left open."""


def in_kotlin(program: Program, framework: str, *annotations: bytes) -> Iterator[Operation]:
    """The routes of the classes with one of the annotations that are written in other languages of
    the same machine: what is known of each is its method and words of its path."""
    for path, found in _controllers(program).items():
        if not any(name in found for name in annotations):
            continue
        language = _LANGUAGES[path[path.rfind(".") :]]
        why = Reason("controller-in-other-language", language=language)
        for route in _routes(program, path):
            origin = Origin(path, Span(route.line, 1, route.line, 1))
            operation = Operation(
                method=route.verb,
                path=route.path,
                parameters_complete=False,
                origin=origin,
                framework=framework,
                excluded_from_docs=True,
            )
            if _has_words(route.path) or not route.is_whole:
                # Which prefixes the application adds is not said here.
                yield replace(operation, unresolved=why)
            else:
                unknown = Body(schema=Unknown(reason=why, origin=origin), origin=origin)
                answer = Response(
                    status="200", bodies=(unknown,), explicit_status=False, origin=origin
                )
                yield replace(operation, request=(unknown,), responses=(answer,))


@memoised
def _controllers(program: Program) -> dict[str, frozenset[bytes]]:
    """Files of the other languages -> the annotations of controllers that they have."""
    known: dict[str, frozenset[bytes]] = {}
    for ending in _LANGUAGES:
        every = program.files.ending(ending)
        paths = [p for p in every if not is_test(p) and p[:3] != "../"]
        for path in paths[:_MOST]:
            found = frozenset(program.files.find(path, _CONTROLLER))
            if found:
                known[path] = found
    return known


# --------------------------------------------------------------------------- lexical reading


def _routes(program: Program, path: str) -> Iterator[_Route]:
    """What the annotations of a file say. A class of which they do not say all is one route that
    may be any below its path."""
    source = (program.files.read(path) or b"")[:_LONGEST].decode("utf-8", "replace")
    text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), source)
    types = [found.start() for found in _TYPE.finditer(text)]
    prefixes: dict[int, list[str] | None] = {}
    handlers: dict[int, list[re.Match[str]]] = {}
    for found in _ANNOTATION.finditer(text):
        name = found.group(1)
        if name not in _PATHS and name not in _VERBS and name != "RestController":
            continue
        between = _BETWEEN.match(text, found.end())
        declared = between.end() if between is not None else found.end()
        if declared not in types:
            handlers.setdefault(declared, []).append(found)
        elif name == "RestController":
            prefixes.setdefault(declared, [""])
        else:
            prefixes[declared] = _paths(found.group(2))
    owners: set[int] = set()
    for written in handlers.values():
        owner = max((start for start in types if start < written[0].start()), default=-1)
        if owner in prefixes:
            owners.add(owner)
            yield from _handler(text, written, prefixes[owner])
    for owner, known in prefixes.items():
        if owner not in owners or known is None or _HEAD.match(text, owner):
            line = text.count("\n", 0, owner) + 1
            for prefix in known or [""]:
                yield _Route("*", template(join_paths(prefix)), line, is_whole=False)


def _handler(
    text: str, written: list[re.Match[str]], prefixes: list[str] | None
) -> Iterator[_Route]:
    line = text.count("\n", 0, written[0].start()) + 1
    names = [found.group(1) for found in written]
    verbs = [_VERBS[name] for name in names if name in _VERBS]
    verb = verbs[0] if verbs else _stated_verb(written) if "RequestMapping" in names else ""
    if not verb and "Path" not in names:
        return
    if prefixes is None:
        return  # one route stands for all of the class
    # Of `@GET @Path("x")` one has the path; the annotations of Spring and Micronaut hold it.
    held = [_paths(f.group(2)) for f in written if f.group(1) in _PATHS or f.group(2)]
    ends = held[0] if held else [""]
    for prefix in prefixes:
        for end in ends if ends is not None else [""]:
            path = template(join_paths(prefix, end))
            yield _Route(verb or "*", path, line, is_whole=ends is not None)


def _stated_verb(written: list[re.Match[str]]) -> str:
    found = re.findall(r"RequestMethod\.(\w+)", written[0].group(2) or "")
    return found[0] if len(found) == 1 else "*"


def _paths(arguments: str | None) -> list[str] | None:
    """The paths among the arguments of an annotation; None where they are not literals."""
    found: list[str] = []
    for argument in _split_arguments(arguments or ""):
        named = _NAMED.match(argument)
        if named is not None and named.group(1) not in ("value", "path", "uri", "uris"):
            continue
        texts = _LITERAL.findall(argument)
        rest = _LITERAL.sub("", argument[named.end() :] if named is not None else argument)
        if any("$" in text for text in texts) or re.search(r"\w", rest.replace("arrayOf", "")):
            return None
        found += [text[1:-1] for text in texts]
    return found or [""]


def _split_arguments(arguments: str) -> list[str]:
    """Arguments at the commas that stand in no brackets and no text."""
    parts, depth, start = [], 0, 0
    for token in re.finditer(rf"{_TEXT}|[\[({{]|[\])}}]|,", arguments):
        if token.group() in "[({":
            depth += 1
        elif token.group() in "])}":
            depth -= 1
        elif token.group() == "," and depth == 0:
            parts.append(arguments[start : token.start()])
            start = token.end()
    return [part for part in (*parts, arguments[start:]) if part.strip()]


def _has_words(path: str) -> bool:
    return any(part and not part.startswith("{") for part in path.split("/"))
