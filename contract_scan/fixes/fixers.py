"""What a language can make of each change: one table, filled in by every language."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar, assert_never

from msgspec import Struct

from contract_scan.fixes.change import (
    AddField,
    Change,
    Rename,
    SetNullable,
    SetOptional,
    SetStatus,
    SetType,
    SetValues,
)
from contract_scan.fixes.syntax import Draft, Syntax
from contract_scan.ir.origin import Span

Asked = TypeVar("Asked")
Drafter: TypeAlias = Callable[[Asked, Span, Syntax], Draft | None]
"""Says what a change at a place means for a file; None where it is not for a program to make."""


class Drafters(Struct, frozen=True, kw_only=True):
    """One for each kind of change."""

    rename: Drafter[Rename]
    set_optional: Drafter[SetOptional]
    set_nullable: Drafter[SetNullable]
    set_type: Drafter[SetType]
    set_values: Drafter[SetValues]
    add_field: Drafter[AddField]
    set_status: Drafter[SetStatus]

    def draft(self, change: Change, span: Span, syntax: Syntax) -> Draft | None:
        """What a change means for a file."""
        match change:
            case Rename():
                return self.rename(change, span, syntax)
            case SetOptional():
                return self.set_optional(change, span, syntax)
            case SetNullable():
                return self.set_nullable(change, span, syntax)
            case SetType():
                return self.set_type(change, span, syntax)
            case SetValues():
                return self.set_values(change, span, syntax)
            case AddField():
                return self.add_field(change, span, syntax)
            case SetStatus():
                return self.set_status(change, span, syntax)
            case _:
                assert_never(change)
