"""What would mend a finding: exact edits of files."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.origin import Span


class Edit(Struct, frozen=True, order=True):
    """Text to put in the place of a stretch of a file; of an empty one: to insert there."""

    path: str
    """Relative to the scanned root, with `/` on every system."""
    span: Span
    text: str


class Fix(Struct, frozen=True, kw_only=True):
    """Edits that together mend one finding."""

    title: str
    """What they do, as an order: `name it \\`bookId\\` on the wire`."""
    safe: bool
    """Whether the wire changes to what the contract says, and nothing else can break."""
    edits: tuple[Edit, ...]
    digest: bytes
    """Of the file that they were made for: where it has changed since, they fit no more."""

    @property
    def path(self) -> str:
        """The file that is edited."""
        return self.edits[0].path


class WithheldFix(Struct, frozen=True):
    """A fix that is not made."""

    title: str
    """What it would have done."""
    safe: bool
    """Whether it would have been a safe one, but for the reason."""
    reason: str
    """What it would break, or why it would change nothing, with the place."""
