"""Functions that rename fields: those of known libraries, and small ones of the project."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    Constant,
    FunctionValue,
    LibraryResult,
    LibrarySymbol,
    Scope,
    Value,
)
from contract_scan.parsers.source.facts.nodes import Call, Expr
from contract_scan.parsers.source.python.lowering.grammar import normalise
from contract_scan.parsers.source.python.serialization.string_functions import (
    Function,
    NotPlainError,
    interpret,
)

Renamer: TypeAlias = Callable[[str], str | None]
"""A field's name -> its new name; None where that is undetermined."""


def renamer(program: Program, value: Value) -> Renamer | None:
    """The renaming that a function value does; None where it cannot be read."""
    function = _function(program, value)
    if function is None:
        return None

    def rename(name: str) -> str | None:
        try:
            renamed = function(name)
        except (NotPlainError, RecursionError):
            return None
        return renamed if isinstance(renamed, str) else None

    return rename


def _function(program: Program, value: Value) -> Function | None:
    match value:
        case LibrarySymbol(name=name):
            return KNOWN.get(name)
        case LibraryResult(name="functools.partial" | "partial", site=Call(args=args), scope=scope):
            return _partial(program, args[0].value, {a.name: a.value for a in args[1:]}, scope)
        case LibraryResult(name="staticmethod", site=Call(args=args), scope=scope) if args:
            return _function(program, program.evaluate(args[0].value, scope))
        case FunctionValue():
            text = _source(program, value)
            if text is None:
                return None
            return interpret(text, lambda name: _global(program, value, name))
        case _:
            return None


def _global(program: Program, function: FunctionValue, name: str) -> Function | None:
    """A function that the interpreted one calls by a (dotted) global name."""
    from contract_scan.parsers.source.facts.nodes import Attribute, Name

    first, *rest = name.split(".")
    expr: Expr = Name(first)
    for part in rest:
        expr = Attribute(expr, part)
    return _function(program, program.evaluate(expr, function.scope))


def _partial(
    program: Program, function: Expr, given: dict[str, Expr], scope: Scope
) -> Function | None:
    """`partial(camelize, uppercase_first_letter=False)`."""
    name = program.qualified_name(function, scope)
    values = {key: program.evaluate(value, scope) for key, value in given.items()}
    constants = {k: v.value for k, v in values.items() if isinstance(v, Constant)}
    if len(constants) != len(given):
        return None
    if name == "inflection.camelize" and list(constants) == ["uppercase_first_letter"]:
        return pascal if constants["uppercase_first_letter"] else camel
    if name.endswith("snake2camel") and list(constants) == ["start_lower"]:
        return camel if constants["start_lower"] else pascal
    return None if constants else KNOWN.get(name)


def _source(program: Program, function: FunctionValue) -> str | None:
    """The text of a function, its first line freed of decorators and indentation."""
    content = program.files.read(function.scope.file.path)
    text = normalise(content) if content is not None else None
    if text is None:
        return None
    span = function.function.span
    lines = text.decode("utf-8", "replace").split("\n")[span.line - 1 : span.end_line]
    if not lines:
        return None
    lines[-1] = lines[-1][: span.end_column - 1]
    if function.function.name:
        return dedent("\n".join(lines))
    lines[0] = lines[0][span.column - 1 :]
    return f"({' '.join(lines)})"


# --------------------------------------------------------------------------- well-known functions


def camel(value: object) -> str:
    """`order_id` -> `orderId`, as most libraries do it."""
    first, *rest = str(value).split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def pascal(value: object) -> str:
    """`order_id` -> `OrderId`."""
    return "".join(word[:1].upper() + word[1:] for word in str(value).split("_"))


def kebab(value: object) -> str:
    """`order_id` -> `order-id`."""
    return str(value).replace("_", "-")


def snake(value: object) -> str:
    """`orderId` -> `order_id`."""
    text = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "_", str(value))
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", text).replace("-", "_").lower()


def _pydantic_pascal(value: object) -> str:
    """Title case, then without the underscores between words: digits begin a word too."""
    return re.sub(r"(?<=[0-9A-Za-z])_(?=[0-9A-Z])", "", str(value).title())


def _pydantic_camel(value: object) -> str:
    """As above with a small start; a name that is camel case already stays as it is."""
    text = str(value)
    plain = text.isascii() and text.isalnum() and text[:1].islower()
    if plain and not re.search(r"\d[a-z]", text):
        return text
    return re.sub(r"^_*[A-Z]", lambda match: match[0].lower(), _pydantic_pascal(text))


def _pydantic_snake(value: object) -> str:
    return snake(re.sub(r"([a-z])([0-9])", r"\1_\2", str(value)))


def _pydantic_1_camel(value: object) -> str:
    return "".join(word.capitalize() for word in str(value).split("_"))


def _pydantic_1_lower_camel(value: object) -> str:
    text = str(value)
    made = _pydantic_1_camel(text)
    return made[:1].lower() + made[1:] if text else made


KNOWN: dict[str, Function] = {
    "pydantic.alias_generators.to_camel": _pydantic_camel,
    "pydantic.alias_generators.to_pascal": _pydantic_pascal,
    "pydantic.alias_generators.to_snake": _pydantic_snake,
    "pydantic.utils.to_camel": _pydantic_1_camel,
    "pydantic.utils.to_lower_camel": _pydantic_1_lower_camel,
    "pydantic.v1.utils.to_camel": _pydantic_1_camel,
    "pydantic.v1.utils.to_lower_camel": _pydantic_1_lower_camel,
    "fastapi_utils.camelcase.snake2camel": pascal,
    "fastapi_camelcase.snake2camel": camel,
    "humps.camelize": camel,
    "humps.camel.case": camel,
    "humps.main.camelize": camel,
    "pyhumps.camelize": camel,
    "humps.pascalize": pascal,
    "humps.main.pascalize": pascal,
    "humps.decamelize": snake,
    "humps.kebabize": kebab,
    "inflection.camelize": pascal,
    "inflection.underscore": snake,
    "inflection.dasherize": kebab,
    "stringcase.camelcase": camel,
    "stringcase.pascalcase": pascal,
    "stringcase.snakecase": snake,
    "stringcase.spinalcase": kebab,
    "caseconverter.camelcase": camel,
    "caseconverter.pascalcase": pascal,
    "caseconverter.kebabcase": kebab,
    "camel_converter.to_camel": camel,
    "camel_converter.to_pascal": pascal,
    "str.lower": lambda value: str(value).lower(),
    "str.upper": lambda value: str(value).upper(),
    "str.title": lambda value: str(value).title(),
}
"""Renaming functions of libraries, by qualified name."""


def _unchanged_name(name: str) -> str:
    return name


STATED: dict[str, Renamer] = {
    "as-declared": _unchanged_name,
    "camelCase": _pydantic_camel,
    "PascalCase": _pydantic_pascal,
    "snake_case": _pydantic_snake,
    "kebab-case": kebab,
}
"""What a project may say of names that the code does not tell (`naming` of a service)."""
