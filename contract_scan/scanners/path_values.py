"""Whether a part of a path takes any value that the contract allows: `{id:[0-9a-f]{24}}` takes no
number."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from contract_scan.ir.document import Resolver
from contract_scan.ir.operation import Operation, Parameter
from contract_scan.ir.schema import Object, Scalar, Schema
from contract_scan.scanners.differences.describe import value_text
from contract_scan.scanners.differences.union_members import alternatives
from contract_scan.scanners.pairing.templates import takes_text

_DIGITS = "1234567890123456789"
_WHOLE = tuple(_DIGITS[:length] for length in range(1, len(_DIGITS) + 1))
"""Numbers of every length that 64 bits hold."""
_UUIDS = tuple(str(uuid.UUID(int=number)) for number in (0, 0xABCDEF << 100))
_OF_FORMATS = {
    "uuid": (*_UUIDS, *(text.upper() for text in _UUIDS)),
    "date": ("2024-01-31",),
    "date-time": ("2024-01-31T12:30:00Z", "2024-01-31T12:30:00.000+01:00"),
}
_OF_OBJECTS = ("a,1", "a=1", "a,1,b,2", "a=1,b=2")
"""How objects stand in paths: `style: simple`, without and with `explode`."""


def takes_none(ours: Parameter, theirs: Parameter, route: Operation, document: Resolver) -> bool:
    """Whether the regular expression that a route states for a part of its path refuses every value
    of the contract. Of plain texts, which contracts seldom describe further, nothing is said."""
    expression = dict(route.path_expressions).get(theirs.name, "")
    if not expression:
        return False
    texts = list(_examples(ours.schema, document))
    folds = route.traits.paths_case_insensitive
    return bool(texts) and not any(
        text is None or takes_text(expression, text, folds_case=folds) for text in texts
    )


def is_object(schema: Schema, document: Resolver) -> bool:
    """Whether every value of a schema is an object."""
    options = alternatives(schema, document).options
    return bool(options) and all(isinstance(option.shape, Object) for option in options)


def _examples(schema: Schema, document: Resolver) -> Iterator[str | None]:
    """Texts of values of every sort that a schema allows; None for values that may be any text."""
    for option in alternatives(schema, document).options:
        match option.shape:
            case Scalar(values=values) if values is not None:
                yield from (v if isinstance(v, str) else value_text(v) for v in values)
            case Scalar(type="integer"):
                yield from _WHOLE
            case Scalar(type="number"):
                yield from (*_WHOLE, "1.5", "12.25")
            case Scalar(type="boolean"):
                yield from ("true", "false")
            case Scalar(type="string", format=format) if format in _OF_FORMATS:
                yield from _OF_FORMATS[format]
            case Object():
                yield from _OF_OBJECTS
            case _:
                yield None
