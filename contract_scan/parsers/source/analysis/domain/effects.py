"""Records of what statements do: definitions of local names, changes of objects, closures."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from contract_scan.ir.origin import Span
from contract_scan.parsers.source.facts.nodes import Assign, Call, Define, Expr, Function, Loop


class Closure(Struct, frozen=True, eq=False):
    """A function that is written down inside another one."""

    function: Function
    call: Call | None = None
    """The call that it is an argument of."""
    is_expression: bool = True
    """Whether it is a lambda, not a declaration: what it assigns, it may assign to variables around
    it, unless it declares them."""
    mentions: frozenset[str] = frozenset()
    """Every name in it."""


EVERY_ITEM = "[]"
"""What stands in the path of a change of every item of a list: a loop goes through all of them."""


COUNTED_ITEM = "[i]"
"""What stands in the path of a change, in a loop, of what is under a computed key: of a list, that
is taken to be each of its items in turn."""


PathKey: TypeAlias = str | int | None
"""A key, a position in a list, `EVERY_ITEM`, `COUNTED_ITEM`; None: a computed key."""


class WalkedEntry(Struct, frozen=True, eq=False):
    """The entry that a loop over all entries of an object, or over keys in a list, has come to."""

    whole: Expr
    """The object, or the list."""
    key: str
    """The variable that holds the key."""
    value: str
    """The variable that holds the value; empty: none does."""
    is_own: bool
    """Whether the object is the one that the loop changes."""
    constants: tuple[tuple[str, Expr], ...] = ()
    """The names that each pass gives a value of its own and does not change, in order."""


class Mutation(Struct, frozen=True, eq=False):
    """A change of an object that a local name holds."""

    key: str | None
    """The property that is set; None: an unknown key, or an item that is added. Of `pass` and
    `through`: the name that the object goes by."""
    value: Expr | None
    """The value set or added; None: the property is removed, or it is not known what happens. Of
    `pass` and `through`: the call."""
    kind: str
    """`set`, `add` (item), `extend` (all items of `value`), `merge` (all entries of `value`),
    `remove`, `clear` (all is taken away), `open` (something is put that is not seen), `pass` (a
    function is handed it), `each` (it stands for every item), `setter` (a method called after the
    member may set it), `through` (what a function gives that is handed it is changed:
    `entry(rows, "a").total = 1`), `built` (a builder is told to set the member, or with an unknown
    key: any members)."""
    span: Span
    conditional: bool = False
    key_expression: Expr | None = None
    """The key where it is an expression."""
    if_absent: bool = False
    """`setdefault`: it is set only where there is nothing under the key."""
    condition: Expr | None = None
    """The test of the `if` that it stands in, where it stands in one alone."""
    if_present: Expr | None = None
    """The key that this test asks the object for, where it asks for nothing else."""
    inside: tuple[Closure, ...] = ()
    """The functions that it stands in, outermost first, where it stands in one that is written down
    in the function whose variable it is."""
    path: tuple[PathKey, ...] = ()
    """The keys that lead from the object that the name holds to the one that is changed:
    `("lines",)` for `order.lines.push(line)`."""
    walked: WalkedEntry | None = None
    """What a loop goes through that changes what is under the key that it has come to."""


class Definition(Struct, frozen=True, eq=False):
    """One assignment (or loop variable, or local function or class) that gives a name its value."""

    statement: Assign | Loop | Define
    target: Expr | None = None
    """The pattern inside the target that names it, where the target is a pattern."""
    mutations: tuple[Mutation, ...] = ()
    present: bool = False
    """A test has said that the value is not null."""
    absent: bool = False
    """A test has said that the value is null, or counts as false."""
    tests: tuple[tuple[Expr, bool], ...] = ()
    """Tests that have held (or failed) since, of which some ask more than whether it is null."""
    inside: tuple[Closure, ...] = ()
    """The functions that it stands in, as of a mutation."""
    correlated_tests: tuple[tuple[str, Definition], ...] = ()
    """What tests before the place have said of other names that the same value was taken apart
    into."""
    truthy: bool = False
    """A test has said that the value counts as true."""
    may_be_overwritten: bool = False
    """It sets null, of which it is not known whether it is ever left at the place."""

    @property
    def is_same_everywhere(self) -> bool:
        """Whether the statement, with changes and tests since, says what the name holds wherever
        the definition reaches."""
        return not (self.inside or self.correlated_tests or self.may_be_overwritten)

    @property
    def identities(self) -> tuple[object, ...]:
        """What tells the pattern, changes and tests since from those of another place, as long as
        the statements live."""
        changes = tuple(
            (
                *(each.span, each.kind, each.key, each.path),
                *(each.conditional, len(each.inside), each.walked),
            )
            for each in self.mutations
        )
        tests = (part for test, held in self.tests for part in (id(test), held))
        return (id(self.target), changes, self.present, self.absent, self.truthy, *tests)
