"""URI templates of Micronaut (RFC 6570): `/orders{/id}{?max,offset*}`."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

MAX_PATHS = 16
"""How many paths the optional parts of a template may make."""
_OPERATORS = "+#./;?&"


class Variable(Struct, frozen=True):
    """One variable of a template."""

    name: str
    exploded: bool = False
    several: bool = False
    """Whether it may hold slashes."""


class Template(Struct, frozen=True):
    """The paths that a template matches, and the parameters that stand behind `?`."""

    paths: tuple[str, ...]
    query: tuple[Variable, ...] = ()


def template(text: str) -> Template:
    """A URI template taken apart. Optional path variables make a path with and one without."""
    paths = [""]
    query: list[Variable] = []
    for literal, expression in _parts(text):
        paths = [path + literal for path in paths]
        if not expression:
            continue
        operator = expression[0] if expression[0] in _OPERATORS else ""
        found = list(_variables(expression[len(operator) :], operator))
        if operator in ("?", "&"):
            query.extend(found)
        elif operator in ("", "+"):
            together = ",".join(_template_segment(variable) for variable in found)
            paths = [path + together for path in paths]
        elif operator in ("/", "."):
            for variable in found:
                more = [path + operator + _template_segment(variable) for path in paths]
                paths = [*paths, *more][:MAX_PATHS]
    return Template(tuple(dict.fromkeys(paths)), tuple(query))


def _template_segment(variable: Variable) -> str:
    return f"{{{variable.name}{'*' if variable.several else ''}}}"


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Literals, each with the expression in braces that follows it."""
    done = start = depth = 0
    for position, character in enumerate(text):
        if character == "{":
            if depth == 0:
                start = position
            depth += 1
        elif character == "}" and depth > 0:
            depth -= 1
            if depth == 0:
                yield text[done:start], text[start + 1 : position]
                done = position + 1
    yield text[done:], ""


def _variables(expression: str, operator: str) -> Iterator[Variable]:
    # A pattern may hold commas: `{id:[0-9]{1,3}}` is one variable.
    names = expression.split(",") if ":" not in expression else [expression]
    for written in names:
        name, _, pattern = written.strip().partition(":")
        exploded = name.endswith("*")
        several = operator == "+" or pattern in (".*", ".+", ".*?")
        yield Variable(name.rstrip("*?"), exploded, several)
