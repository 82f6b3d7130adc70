"""How names in Java code become names on the wire."""

from __future__ import annotations

from collections.abc import Callable


def property_of_getter(
    name: str, *, is_boolean: bool, lowered: Callable[[str], str] | None = None
) -> str | None:
    """The property that a library takes a method of this name for a getter of; None for none.
    `lowered` makes its name of what follows `get`, as Jackson does where none is given."""
    lowered = lowered or decapitalise
    if name.startswith("get") and len(name) > 3 and name not in ("getClass", "getMetaClass"):
        return lowered(name[3:])
    if is_boolean and name.startswith("is") and len(name) > 2:
        return lowered(name[2:])
    return None


def property_of_setter(name: str, lowered: Callable[[str], str] | None = None) -> str | None:
    """The same for setters."""
    lowered = lowered or decapitalise
    return lowered(name[3:]) if name.startswith("set") and len(name) > 3 else None


def decapitalise(name: str) -> str:
    """Jackson lowers every capital that the name begins with: `URLName` gives `urlname`."""
    for position, character in enumerate(name):
        if character == character.lower():
            return name[:position].lower() + name[position:]
    return name.lower()


def bean_name(name: str) -> str:
    """`java.beans` leaves names alone that begin with two capitals: `URL` stays."""
    if len(name) > 1 and name[0].isupper() and name[1].isupper():
        return name
    return name[:1].lower() + name[1:]


def snake_case(name: str) -> str:
    """Jackson's `SNAKE_CASE`."""
    result = ""
    after_capital = False
    for position, character in enumerate(name):
        if position == 0 and character == "_":
            continue
        if character.isupper():
            if not after_capital and result and not result.endswith("_"):
                result += "_"
            character = character.lower()
            after_capital = True
        else:
            after_capital = False
        result += character
    return result or name


def separate_words(name: str, separator: str) -> str:
    """Jackson's `KEBAB_CASE` and `LOWER_DOT_CASE`: a run of capitals is one word."""
    result: list[str] = []
    capitals = 0
    for position, character in enumerate(name):
        lower = character.lower()
        if lower == character:
            if capitals > 1:
                result.insert(len(result) - 1, separator)
            capitals = 0
        else:
            if capitals == 0 and position > 0:
                result.append(separator)
            capitals += 1
        result.append(lower)
    return "".join(result)


def _upper_camel(name: str) -> str:
    return name[:1].upper() + name[1:]


def _unchanged_name(name: str) -> str:
    return name


STRATEGIES: dict[str, Callable[[str], str]] = {
    "": _unchanged_name,
    "LOWER_CAMEL_CASE": _unchanged_name,
    "SNAKE_CASE": snake_case,
    "UPPER_SNAKE_CASE": lambda name: snake_case(name).upper(),
    "UPPER_CAMEL_CASE": _upper_camel,
    "LOWER_CASE": str.lower,
    "KEBAB_CASE": lambda name: separate_words(name, "-"),
    "LOWER_DOT_CASE": lambda name: separate_words(name, "."),
}
"""Naming strategies of Jackson by the names of their constants."""

STATED = {
    "as-declared": "LOWER_CAMEL_CASE",
    "camelCase": "LOWER_CAMEL_CASE",
    "PascalCase": "UPPER_CAMEL_CASE",
    "snake_case": "SNAKE_CASE",
    "kebab-case": "KEBAB_CASE",
}
"""What a project may say of names that the code does not tell (`naming` of a service)."""

_OTHER_SPELLINGS = {
    "SnakeCaseStrategy": "SNAKE_CASE",
    "LowerCaseWithUnderscoresStrategy": "SNAKE_CASE",
    "CAMEL_CASE_TO_LOWER_CASE_WITH_UNDERSCORES": "SNAKE_CASE",
    "UpperSnakeCaseStrategy": "UPPER_SNAKE_CASE",
    "UpperCamelCaseStrategy": "UPPER_CAMEL_CASE",
    "PascalCaseStrategy": "UPPER_CAMEL_CASE",
    "PASCAL_CASE_TO_CAMEL_CASE": "UPPER_CAMEL_CASE",
    "LowerCaseStrategy": "LOWER_CASE",
    "KebabCaseStrategy": "KEBAB_CASE",
    "LowerDotCaseStrategy": "LOWER_DOT_CASE",
    "LowerCamelCaseStrategy": "LOWER_CAMEL_CASE",
    "PropertyNamingStrategy": "LOWER_CAMEL_CASE",
    "PropertyNamingStrategies": "LOWER_CAMEL_CASE",
    "LOWER_CASE_WITH_UNDERSCORES": "SNAKE_CASE",
    "LOWER_CASE_WITH_DASHES": "KEBAB_CASE",
    "LOWER_CASE_WITH_DOTS": "LOWER_DOT_CASE",
    "UPPER_CASE_WITH_UNDERSCORES": "UPPER_SNAKE_CASE",
    "UPPER_CAMEL_CASE": "UPPER_CAMEL_CASE",
    "IDENTITY": "LOWER_CAMEL_CASE",
}
"""Classes and older constants for the same strategies, Gson's and JSON-B's among them."""


def strategy_of(written: str) -> str | None:
    """The strategy that a constant, class name or configuration value means; None: not a known
    one."""
    simple = written.rpartition(".")[2].rpartition("$")[2]
    name = _OTHER_SPELLINGS.get(simple, simple.upper().replace("-", "_"))
    return name if name in STRATEGIES else None
