"""Where something was read: a place in a contract or in code."""

from __future__ import annotations

from msgspec import Struct


class Span(Struct, frozen=True, array_like=True, order=True):
    """A stretch of text. Lines and columns count from 1, in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


NO_SPAN = Span(0, 0, 0, 0)
"""The span of something that stands in no file."""


class Origin(Struct, frozen=True, array_like=True):
    """The place a value of the intermediate representation was read from."""

    path: str
    """Path relative to the scanned root, with `/` on every system."""
    span: Span = NO_SPAN
    pointer: str = ""
    """JSON Pointer (RFC 6901) inside a contract document; empty for code."""
    symbol: str = ""
    """Qualified name of the declaration around it (`OrderController.get`); empty for contracts."""

    def is_in_document_of(self, contract: Origin) -> bool:
        """Whether this is a place in the contract's own document, as the shape of a class has that
        is generated from it."""
        return bool(self.pointer) and self.path == contract.path


NOWHERE = Origin("")
"""The origin of values that a program made up rather than read, such as a framework's default."""
