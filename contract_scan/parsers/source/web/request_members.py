"""What the members of a library's request hold, and what is read of one."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.operation import Operation

Path: TypeAlias = tuple[str, ...]
"""The members that lead from a request to a part of it."""


class RequestMembers(Struct, frozen=True, kw_only=True):
    """What the members of a library's request hold, by the names that lead to them."""

    queries: frozenset[str]
    """The query, by its names."""
    bodies: frozenset[str]
    addresses: frozenset[str] = frozenset()
    """The query as a part of a text."""
    both: frozenset[str] = frozenset()
    """Query and body in one."""
    others: frozenset[str]
    """What has nothing to do with either."""
    getters: frozenset[str] = frozenset()
    """Methods that are given the name of a query parameter."""
    query_methods: frozenset[str] = frozenset()
    """Methods of a query that are given a name, in languages where its names are no members."""
    global_names: frozenset[str] = frozenset()
    """Qualified names of a request that is no parameter."""

    def kind(self, path: Path) -> tuple[str, Path]:
        """What stands at a path, and where: `query`, `body`, `both`, `other`; `holder` where parts
        of it do, and empty for what the library does not know."""
        for end in range(1, len(path) + 1):
            name = ".".join(path[:end])
            for kind, names in self._kinds():
                if name in names:
                    return kind, path[:end]
        whole = "".join(f"{name}." for name in path)
        is_holder = any(n.startswith(whole) for _, names in self._kinds() for n in names)
        return ("holder" if is_holder else ""), path

    def _kinds(self) -> tuple[tuple[str, frozenset[str]], ...]:
        return (
            ("query", self.queries),
            ("body", self.bodies),
            ("address", self.addresses),
            ("both", self.both),
            ("other", self.others),
        )


class RequestUses(Struct, frozen=True):
    """What is read of a request."""

    queries: frozenset[str] = frozenset()
    any_query: bool = False
    """Whether query parameters may be read that are not seen."""
    body: bool = False
    """Whether the body may be read."""
    unknown: frozenset[str] = frozenset()
    """Members that are read, which the library does not give requests."""
    written: frozenset[str] = frozenset()
    """Members that the project gives requests."""

    def and_also(self, other: RequestUses) -> RequestUses:
        """What both read."""
        return RequestUses(
            self.queries | other.queries,
            self.any_query or other.any_query,
            self.body or other.body,
            self.unknown | other.unknown,
            self.written | other.written,
        )

    def apply(self, operation: Operation) -> Operation:
        """An operation that reads no more than this: its parameters are all that it reads, unless
        it reads others than were found, and it reads no body where it is not seen to."""
        known = {p.name.casefold() for p in operation.parameters if p.location == "query"}
        is_whole = not self.any_query and {name.casefold() for name in self.queries} <= known
        return replace(
            operation,
            parameters_complete=operation.parameters_complete or is_whole,
            reads_no_body=operation.reads_no_body or not (self.body or operation.request),
        )


ANYTHING = RequestUses(any_query=True, body=True)
"""Of what is not followed."""
