"""How serialisers turn the name of a member into its name on the wire."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

NamingPolicy: TypeAlias = Literal[
    "",
    "camel",
    "snake",
    "upper-snake",
    "kebab",
    "upper-kebab",
    "lower",
    "upper",
    "first-lower",
    "each-snake",
]
"""Empty: names are written as they are declared. `first-lower` changes the first letter alone,
`each-snake` puts a word's end before every capital: what projects write themselves."""

POLICIES: dict[str, NamingPolicy] = {
    # System.Text.Json: `JsonNamingPolicy.CamelCase`, `JsonKnownNamingPolicy.CamelCase`.
    "CamelCase": "camel",
    "SnakeCaseLower": "snake",
    "SnakeCaseUpper": "upper-snake",
    "KebabCaseLower": "kebab",
    "KebabCaseUpper": "upper-kebab",
    "Unspecified": "",
    # Newtonsoft.Json
    "CamelCaseNamingStrategy": "camel",
    "CamelCasePropertyNamesContractResolver": "camel",
    "SnakeCaseNamingStrategy": "snake",
    "KebabCaseNamingStrategy": "kebab",
    "DefaultNamingStrategy": "",
    "DefaultContractResolver": "",
    # What projects called their own before .NET 8 brought one.
    "SnakeCaseNamingPolicy": "snake",
    "JsonSnakeCaseNamingPolicy": "snake",
    "SnakeCaseLowerNamingPolicy": "snake",
    "KebabCaseNamingPolicy": "kebab",
}

EVERY: tuple[NamingPolicy, ...] = (
    *("", "camel", "snake", "upper-snake", "kebab", "upper-kebab"),
    *("lower", "upper", "first-lower", "each-snake"),
)
LIBRARY_CALLS: dict[str, NamingPolicy] = {
    # Extension methods of libraries (Humanizer and alike), and what projects call their own.
    "Underscore": "snake",
    "Kebaberize": "kebab",
    "Camelize": "camel",
    "ToSnakeCase": "snake",
    "ToKebabCase": "kebab",
    "ToCamelCase": "camel",
}


def wire_name(name: str, policy: NamingPolicy) -> str:
    """The name on the wire of a member called `name`."""
    match policy:
        case "":
            return name
        case "camel":
            return camel_case(name)
        case "snake":
            return separate_words(name, "_")
        case "upper-snake":
            return separate_words(name, "_").upper()
        case "kebab":
            return separate_words(name, "-")
        case "upper-kebab":
            return separate_words(name, "-").upper()
        case "lower":
            return name.lower()
        case "upper":
            return name.upper()
        case "first-lower":
            return name[:1].lower() + name[1:]
        case "each-snake":
            return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def camel_case(name: str) -> str:
    """`OrderId` -> `orderId`, `URLValue` -> `urlValue`, `ID` -> `id`."""
    if not name or not name[0].isupper():
        return name
    letters = list(name)
    for position, letter in enumerate(letters):
        if position == 1 and not letter.isupper():
            break
        following = letters[position + 1] if position + 1 < len(letters) else ""
        if position > 0 and following and not following.isupper():
            break
        letters[position] = letter.lower()
    return "".join(letters)


def separate_words(name: str, separator: str) -> str:
    """`OrderId` -> `order_id`, `URLValue` -> `url_value`, `Item1` -> `item1`."""
    result: list[str] = []
    state = "start"
    for position, letter in enumerate(name):
        if letter.isupper():
            following = name[position + 1 : position + 2]
            if state == "lower" or (state == "upper" and following.islower()):
                result.append(separator)
            result.append(letter.lower())
            state = "upper"
        elif letter.islower() or letter.isdigit():
            result.append(letter)
            state = "lower"
        else:
            result.append(letter)
            state = "start"
    return "".join(result)
