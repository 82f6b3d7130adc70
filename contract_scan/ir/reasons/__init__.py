"""Why something is undetermined, or was not analysed: a code, and what its text is filled in with.

The texts of all codes, and what a user can do about each, stand in one table (`SECTIONS`); code
that meets a reason names its code, and never writes its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeAlias, cast

from contract_scan.ir.reasons import (
    comparison,
    contracts,
    files,
    messages,
    requests,
    responses,
    routes,
    serialization,
    types,
    values,
)
from contract_scan.ir.reasons.section import Section

SECTIONS: tuple[Section, ...] = (
    *values.SECTIONS,
    *types.SECTIONS,
    *serialization.SECTIONS,
    *requests.SECTIONS,
    *responses.SECTIONS,
    *routes.SECTIONS,
    *messages.SECTIONS,
    *files.SECTIONS,
    *contracts.SECTIONS,
    *comparison.SECTIONS,
)

_TEXTS = {code: text for section in SECTIONS for code, text in section.texts.items()} | {"": ""}
_ADVICE = {code: section.advice for section in SECTIONS for code in section.texts}

Encoded: TypeAlias = tuple[str, Mapping[str, Any]]


class Reason(str):
    """A reason: equal to its text and shown as it, so that a report can group and sort by it. What
    has to know which reason it is asks for the code, and never for words of the text."""

    __slots__ = ("code", "parameters")

    code: str
    parameters: Mapping[str, str]

    def __new__(cls, code: str, /, **parameters: object) -> Self:
        """The reason of a code in the table (KeyError: there is none), filled in."""
        texts = {name: p if isinstance(p, str) else str(p) for name, p in parameters.items()}
        template = _TEXTS[code]
        self = super().__new__(cls, template.format_map(texts) if texts else template)
        self.code = code
        self.parameters = texts
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (_decoded, (self.code, dict(self.parameters)))

    @property
    def cause(self) -> Reason:
        """The innermost reason: what the others are undetermined because of."""
        inner = [each for each in self.parameters.values() if isinstance(each, Reason)]
        return inner[0].cause if inner else self


OTHER_ADVICE = (
    "write the type, or the value, out at this place; what is not written cannot be compared"
)
"""What a user can do about a reason that has no code."""


def advice_about(code: str) -> str:
    """One sentence: what a user can do about the reason of a code; empty where there is none."""
    return _ADVICE.get(code, "")


NO_REASON = Reason("")
"""Nothing is undetermined."""


def encode_reason(value: object) -> Encoded:
    """A hook for encoders of msgspec: a reason as its code and parameters.

    Raises NotImplementedError for anything else, as msgspec asks of a hook.
    """
    if isinstance(value, Reason):
        return value.code, value.parameters
    raise NotImplementedError(f"{type(value)} is not encoded")


def decode_reason(kind: type, value: object) -> Any:
    """The hook of decoders that reads what `encode_reason` wrote.

    Raises NotImplementedError for other types, and ValueError for a code that is not in the table:
    another version wrote it.
    """
    if kind is not Reason:
        raise NotImplementedError(f"{kind} is not decoded")
    code, parameters = cast(Encoded, value)
    return _decoded(code, parameters)


def _decoded(code: str, parameters: Mapping[str, Any]) -> Reason:
    if code not in _TEXTS:
        raise ValueError(f"the reason {code!r} is not known")
    return Reason(
        code,
        **{
            name: each if isinstance(each, str) else _decoded(*each)
            for name, each in parameters.items()
        },
    )
