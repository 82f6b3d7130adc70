"""Path patterns of Express, Nest and Fastify as templates with `{name}`."""

from __future__ import annotations

import re

from msgspec import Struct

_NAMED_PATTERN = re.compile(r"(:[A-Za-z_$][\w$]*)\(((?:[^()]|\([^()]*\))*)\)")
_SEGMENTS = re.compile(r"(?:\{/:[A-Za-z_$][\w$]{0,64}\}){2,}")
"""Optional segments one behind the other."""
_TOKEN = re.compile(
    r"""
    :(?P<name>[A-Za-z_$][\w$]*)(?P<mark>[*+]\??|\?)?  # a parameter; repeated, optional
    | \*(?P<rest>[A-Za-z_$][\w$]*)?             # a wildcard, named in Express 5
    | \((?P<bare>[^()]*)\)[?*+]?                # a pattern without a name
    | \\(?P<escaped>.)
    """,
    re.VERBOSE,
)
_PARAMETER = re.compile(r"\{([^{}*]+)\*?\}")
_EVERYTHING = re.compile(r"/\{[^{}]+\*\}")
MAX_VARIANTS = 16
"""Optional parts double the paths; beyond this the pattern is not taken apart."""


class Template(Struct, frozen=True):
    """One path that a pattern stands for."""

    path: str
    parameters: tuple[str, ...]
    expressions: tuple[tuple[str, str], ...] = ()
    """The regular expressions that values of parameters have to match, by their names."""


def templates(pattern: str) -> tuple[Template, ...]:
    """The paths a pattern matches, each with `{name}` for parameters, optional parts written out;
    `{name*}` matches several segments."""
    found: dict[str, str] = {}
    expressions = tuple((name[1:], each) for name, each in _NAMED_PATTERN.findall(pattern))
    plain = _NAMED_PATTERN.sub(_without_pattern, pattern)
    for whole in _with_and_without(
        plain if expressions else _SEGMENTS.sub(_nested_segments, plain)
    ):
        variants = [""]
        for alternatives in _parts(whole):
            if len(variants) * len(alternatives) > MAX_VARIANTS:
                alternatives = alternatives[-1:]
            variants = [before + part for before in variants for part in alternatives]
        for path in map(clean, variants):
            # Of two that take the same requests only the one that has the first optional parts is
            # ever found, which comes last.
            found[path if expressions else _PARAMETER.sub(_without_name, path)] = path
    if len(found) > 1 and any(_EVERYTHING.fullmatch(path) for path in found.values()):
        found.pop("/", None)  # It answers every path, of which this is one.
    paths = found.values()
    return tuple(Template(path, tuple(_PARAMETER.findall(path)), expressions) for path in paths)


def _nested_segments(match: re.Match[str]) -> str:
    """`{/:a}{/:b}` -> `{/:a{/:b}}`: a request with one segment has the first."""
    return match[0].replace("}", "") + "}" * match[0].count("}")


def _without_name(match: re.Match[str]) -> str:
    return "{*}" if match[0].endswith("*}") else "{}"


def _without_pattern(match: re.Match[str]) -> str:
    """`:id([0-9]+)` -> `:id`; one that takes everything may hold slashes."""
    return match[1] + ("+" if match[2] in (".*", ".+", "*") else "")


def _with_and_without(pattern: str) -> list[str]:
    """Express 5 writes optional parts in braces: the pattern with and without each, outer ones
    first."""
    found = [pattern]
    while len(found) < MAX_VARIANTS:
        split = ((n, part) for n, item in enumerate(found) if (part := _optional_part(item)))
        position, part = next(split, (0, None))
        if part is None:
            return found
        before, inside, after = part
        found[position : position + 1] = [before + after, before + inside + after]
    return [item.replace("{", "").replace("}", "") for item in found]


def _optional_part(pattern: str) -> tuple[str, str, str] | None:
    """What is in the first braces, with what stands before and after them."""
    start, depth = pattern.find("{"), 0
    for position in range(start, len(pattern)) if start >= 0 else ():
        depth += {"{": 1, "}": -1}.get(pattern[position], 0)
        if not depth:
            return pattern[:start], pattern[start + 1 : position], pattern[position + 1 :]
    return None


def _parts(pattern: str) -> list[tuple[str, ...]]:
    """The pattern as a sequence of alternatives."""
    parts: list[tuple[str, ...]] = []
    position = 0
    unnamed = 0
    for match in _TOKEN.finditer(pattern):
        before = pattern[position : match.start()]
        position = match.end()
        if match["name"] is not None:
            mark = match["mark"] or ""
            many = "*" if mark.startswith(("*", "+")) else ""
            written = f"{before}{{{match['name']}{many}}}"
            optional = mark.startswith("*") or mark.endswith("?")
            parts.append((before.removesuffix("/"), written) if optional else (written,))
        elif match["escaped"] is not None:
            parts.append((before + match["escaped"],))
        else:
            name = match["rest"] or f"wildcard{unnamed or ''}"
            unnamed += 1
            many = "*" if match["bare"] is None or match["bare"] in (".*", ".+") else ""
            parts.append((f"{before}{{{name}{many}}}",))
    parts.append((pattern[position:],))
    return parts


DYNAMIC_SEGMENT = ":computed"
"""A pattern's part that is undetermined."""

DYNAMIC_PREFIX = f"/{DYNAMIC_SEGMENT}"
"""A pattern of which no more is told."""


def with_computed(template: str) -> str:
    """A pattern with a parameter for each part that is not constant. A computed beginning ends in
    a slash, or the word behind it would not begin a segment."""
    if template.startswith("{}"):
        template = "{}/" + template.removeprefix("{}").lstrip("/")
    return template.replace("{}", DYNAMIC_SEGMENT).rstrip("/")


def clean(path: str) -> str:
    """One leading slash, none at the end, none doubled."""
    return "/" + "/".join(part for part in path.split("/") if part)


def join(*parts: str) -> str:
    """Path patterns one below the other."""
    return clean("/".join(parts))
