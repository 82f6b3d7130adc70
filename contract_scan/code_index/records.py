"""What the index holds of one file."""

from __future__ import annotations

from msgspec import Struct


class Symbol(Struct, frozen=True, kw_only=True):
    """A declaration: a type, a function, a member, a variable of a module."""

    name: str
    qualified_name: str
    """Name in its file, with what is around it: `Orders.find`."""
    kind: str
    """`class`, `interface`, `record`, `struct`, `enum`, `annotation`, `type`, `function`, `method`,
    `constructor`, `field`, `property`, `constant` or `variable`."""
    line: int
    """Place of its name; lines and columns count from 1."""
    column: int
    end_line: int
    """Where its declaration ends."""
    signature: str = ""
    """On one line, at most 200 characters."""
    doc: str = ""
    library_use: bool = False
    """Whether a library may use it without its name standing anywhere: a decorator, annotation or
    attribute stands at it, or its class extends one of a library."""
    exported: bool = False


class Call(Struct, frozen=True, kw_only=True):
    """A place that calls something."""

    name: str
    """The last part of the name that stands there."""
    line: int
    column: int
    caller: str
    """Qualified name of the function around it; empty at the top level."""
    targets: tuple[tuple[str, str], ...] = ()
    """Path and qualified name of the declarations that it may call; empty where that is not known,
    or where it calls a library."""
    external: bool = False
    """Whether it is known to call a library."""


class Dependency(Struct, frozen=True, kw_only=True, order=True):
    """A file that a file needs."""

    path: str
    line: int


class Override(Struct, frozen=True, kw_only=True):
    """A member that stands for one of a base class or interface."""

    qualified_name: str
    base_path: str
    base_name: str


class IndexedFile(Struct, frozen=True, kw_only=True):
    """Everything that the index holds of a file besides its state."""

    path: str
    language: str
    lines: int
    is_test: bool
    is_generated: bool
    symbols: tuple[Symbol, ...]
    calls: tuple[Call, ...]
    dependencies: tuple[Dependency, ...]
    libraries: tuple[str, ...]
    overrides: tuple[Override, ...]
    words: dict[str, int]
    """How often each identifier stands in its text."""
