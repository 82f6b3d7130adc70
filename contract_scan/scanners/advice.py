"""What a user can do about something that is undetermined."""

from __future__ import annotations

import re

_ADVICE = (
    (
        r"no route was recognised|no place that sends or receives",
        "see which frameworks are read (docs/frameworks.md), and whether the folder that was"
        " scanned holds the code",
    ),
    (
        r"no type of this name was found|no type in the code stands for the model",
        "define the type, or see whether the folder that was scanned holds it; `required-models`"
        " names the models that must be there",
    ),
    (
        r"a route is undetermined",
        "write method and path where the route is declared as literals, or as constants that are"
        " imported; what is made up at run time cannot be read",
    ),
    (
        r"a place that may use the channel",
        "write the channel's address as a literal or a constant where it is used",
    ),
    (
        r"only JSON",
        "nothing: bodies of other types are not compared",
    ),
    (
        r"what the code sends is undetermined",
        "declare what the handler returns: a return type, a response model, a typed response",
    ),
    (
        r"where the code reads it is undetermined",
        "declare the type of the body where the handler takes it",
    ),
    (
        r"which status is sent|whether status \S+ is sent|covered by `default`",
        "write the status in the code as a literal, and list it in the contract",
    ),
    (
        r"answers every path below it|answers this path too|answers a part of these paths",
        "declare a route of its own for the operation, if one is meant",
    ),
    (
        r"answers (HEAD|OPTIONS) by itself|framework answers",
        "nothing, if the framework does; else declare the route",
    ),
    (
        r"comes? from (a library|the framework)|the result of .* is|has no type",
        "say its type where it is used: a return type, an annotation of the variable",
    ),
    (
        r"is a map; which keys|further properties may be sent",
        "declare a type that names the properties, instead of a map",
    ),
    (
        r"some fields are undetermined|^whether ",
        "declare the type with all its properties at this place",
    ),
)
_ELSE = "write the type, or the value, out at this place; what is not written cannot be compared"


def advice_for(reason: str) -> str:
    """One sentence for the reason of something that is undetermined."""
    return next((advice for pattern, advice in _ADVICE if re.search(pattern, reason)), _ELSE)
