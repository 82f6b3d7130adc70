"""Route templates of ASP.NET Core: `api/[controller]/{id:int?}`."""

from __future__ import annotations

import re

from msgspec import Struct

_TOKEN = re.compile(r"\[\[|\]\]|\[(\w+)\]")


class RouteParameter(Struct, frozen=True, kw_only=True):
    """One parameter of a template."""

    name: str
    constraints: tuple[str, ...] = ()
    optional: bool = False
    default: str | None = None
    catch_all: bool = False


class Template(Struct, frozen=True, kw_only=True):
    """A template taken apart."""

    path: str
    """With a leading slash, `{name}` for parameters and `{name*}` for those that hold slashes."""
    parameters: tuple[RouteParameter, ...] = ()

    @property
    def expressions(self) -> tuple[tuple[str, str], ...]:
        """What the constraints of parameters say of their values, as regular expressions."""
        return tuple(
            (parameter.name, expression)
            for parameter in self.parameters
            for constraint in parameter.constraints
            if (expression := _expression(constraint))
        )

    @property
    def shorter(self) -> str | None:
        """The path without its optional last segment, where it has one."""
        head, _, last = self.path.rpartition("/")
        for parameter in self.parameters:
            if parameter.optional and last == "{" + parameter.name + "}":
                return head or "/"
        return None


def parse(template: str) -> Template:
    """Take a template apart. Braces that stand for themselves are doubled."""
    path: list[str] = []
    parameters: list[RouteParameter] = []
    position = 0
    while position < len(template):
        letter = template[position]
        if letter in "{}" and template[position : position + 2] == letter * 2:
            path.append(letter)
            position += 2
        elif letter == "{":
            end = _parameter_end(template, position)
            parameter = _parameter(template[position + 1 : end])
            parameters.append(parameter)
            path.append("{" + parameter.name + ("*}" if parameter.catch_all else "}"))
            position = end + 1
        else:
            path.append(letter)
            position += 1
    text = re.sub(r"/{2,}", "/", "/" + "".join(path))
    return Template(path=text.rstrip("/") if len(text) > 1 else text, parameters=tuple(parameters))


def _parameter_end(template: str, start: int) -> int:
    """Where the parameter that begins at `start` ends; doubled braces belong to a constraint."""
    position = start + 1
    while position < len(template):
        letter = template[position]
        if letter in "{}" and template[position : position + 2] == letter * 2:
            position += 2
            continue
        if letter == "}":
            return position
        position += 1
    return len(template)


def _parameter(text: str) -> RouteParameter:
    name, *rest = _split_constraints(text)
    catch_all = name.startswith("*")
    name = name.lstrip("*")
    default: str | None = None
    optional = False
    parts = [name, *rest]
    last = parts[-1]
    if "(" not in last.partition("=")[0] and "=" in last:
        parts[-1], _, default = last.partition("=")
    elif last.endswith("?"):
        parts[-1] = last[:-1]
        optional = True
    return RouteParameter(
        name=parts[0],
        constraints=tuple(parts[1:]),
        optional=optional or default is not None,
        default=default,
        catch_all=catch_all,
    )


def _split_constraints(text: str) -> list[str]:
    """The name and the constraints, which may hold colons inside parentheses."""
    parts: list[str] = [""]
    depth = 0
    for letter in text:
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        if letter == ":" and depth <= 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


_EXPRESSIONS = {
    "int": r"-?\d+",
    "long": r"-?\d+",
    "guid": r"[\da-fA-F-]+",
    "alpha": "[a-zA-Z]+",
}


def _expression(constraint: str) -> str:
    if constraint.startswith("regex(") and constraint.endswith(")"):
        text = constraint.removeprefix("regex(").removesuffix(")")
        return text.removeprefix("^").removesuffix("$").removeprefix("(").removesuffix(")")
    return _EXPRESSIONS.get(constraint, "")


def combine(prefix: str, template: str | None) -> str:
    """A controller's template and an action's: the action's replaces it where it is absolute."""
    if template is None:
        return prefix
    if template.startswith(("/", "~/")):
        return template.removeprefix("~")
    if not prefix:
        return template
    return f"{prefix.rstrip('/')}/{template}" if template else prefix


def with_tokens(template: str, tokens: dict[str, str]) -> tuple[str, str]:
    """(template with `[controller]` and the like replaced, name of a token that is not known)."""
    missing = ""

    def replace_token(match: re.Match[str]) -> str:
        nonlocal missing
        token = match.group(1)
        if token is None:
            return match.group(0)[0]
        value = tokens.get(token.lower())
        if value is None:
            missing = token
            return match.group(0)
        return value

    return _TOKEN.sub(replace_token, template), missing
