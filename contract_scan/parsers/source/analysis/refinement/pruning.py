"""Statements without the branches that are ruled out by what is known where they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.parsers.source.analysis.dataflow.reaching_definitions import nested_statements
from contract_scan.parsers.source.analysis.syntax.exclusive_paths import ends_function, leaves_block
from contract_scan.parsers.source.facts.nodes import (
    Branch,
    Choice,
    Expr,
    Function,
    Loop,
    Return,
    Statement,
    Throw,
    UnsupportedSyntax,
)

Body: TypeAlias = tuple[Statement, ...]
_DEFAULT = frozenset({"any", "default", "discard", "switch section"})
"""What the label of a `switch` is called that all other values have."""


class Conditions(Protocol):
    """What is known where statements run."""

    def holds(self, test: Expr) -> bool | None:
        """Whether a test holds; None where that is undetermined."""

    def running_cases(self, branch: Branch) -> Body | Branch:
        """The block of a `switch` that runs, empty where none does; where that is undetermined, the
        `switch` with the blocks that may."""


Node = TypeVar("Node")
Known = TypeVar("Known", bound=Conditions)


def running_statements(statements: Body, known: Conditions) -> Body:
    """The statements without the blocks that do not run; what surely runs stands by itself."""
    remaining: list[Statement] = []
    for statement in statements:
        match statement:
            case Branch(kind="if", condition=test) if test is not None:
                remaining.extend(_of_branch(statement, known.holds(test), known))
            case Branch(kind="switch"):
                remaining.extend(_of_switch(statement, known))
            case Branch():
                remaining.append(_with_running_statements(statement, known))
            case Loop(body=body):
                remaining.append(replace(statement, body=running_statements(body, known)))
            case _:
                remaining.append(statement)
        if remaining and ends_function(remaining[-1]):
            break
    return tuple(remaining)


def reachable_exits(statements: Body, known: Conditions) -> list[Return | Throw]:
    """The returns and throws that are not ruled out, in order."""
    nested = nested_statements(running_statements(statements, known))
    return [one for one in nested if isinstance(one, Return | Throw)]


def running_cases(branch: Branch, is_case: Callable[[Expr, Expr], bool | None]) -> Body | Branch:
    """The block of a `switch` that runs, empty where none does; where that is undetermined, the
    `switch` with the blocks that may. `is_case` says whether what the `switch` asks is the value of
    a label."""
    subject = branch.condition
    if subject is None:
        return branch
    labels: list[Expr] = []
    blocks: list[Body] = []
    default: list[tuple[tuple[Expr, ...], Body]] = []
    if branch.exhaustive and len(branch.blocks) > len(branch.cases):
        default = [((), branch.blocks[-1])]
    for label, block in zip(branch.cases, branch.blocks, strict=False):
        if isinstance(label, UnsupportedSyntax) and label.description in _DEFAULT:
            default = [((label,), block)]
            continue
        held = is_case(subject, label)
        if held is False:
            continue
        if held and not blocks:
            return block
        labels.append(label)
        blocks.append(block)
        if held:
            return replace(branch, cases=tuple(labels), blocks=tuple(blocks), exhaustive=True)
    for written, block in default:
        if not blocks:
            return block
        labels += written
        blocks.append(block)
    if len(blocks) == len(branch.blocks):
        return branch
    return replace(branch, cases=tuple(labels), blocks=tuple(blocks)) if blocks else ()


def prune_choices(
    node: Node, known: Known, inside: Callable[[Function, Known], Known | None]
) -> Node:
    """A piece of syntax without the options of conditional expressions that are ruled out; the
    same object where nothing is. `inside` says what is known in a function; None: nothing."""
    return cast("Node", _prune_choices(node, known, inside))


def _prune_choices(
    node: object, known: Known, inside: Callable[[Function, Known], Known | None]
) -> object:
    if isinstance(node, tuple):
        parts = tuple(_prune_choices(part, known, inside) for part in node)
        return node if all(a is b for a, b in zip(parts, node, strict=True)) else parts
    if not isinstance(node, Struct):
        return node
    if isinstance(node, Function):
        within = inside(node, known)
        if within is None:
            return node
        known = within
    if isinstance(node, Choice) and node.given:
        pairs = list(zip(node.options, node.given, strict=False))
        left = [pair for pair in pairs if known.holds(pair[1]) is not False]
        if len(left) == 1:
            return _prune_choices(left[0][0], known, inside)
        if left and len(left) < len(pairs):
            node = replace(node, options=tuple(o for o, _ in left), given=tuple(t for _, t in left))
    changed = {
        field: simplified
        for field in node.__struct_fields__
        if isinstance(part := getattr(node, field), Struct | tuple)
        and field not in ("span", "name_span")
        and (simplified := _prune_choices(part, known, inside)) is not part
    }
    return replace(node, **changed) if changed else node


def _of_branch(branch: Branch, runs: bool | None, known: Conditions) -> Body:
    if runs is None:
        return (_with_running_statements(branch, known),)
    if runs:
        return running_statements(branch.blocks[0], known)
    others = branch.blocks[1:]
    if not others:
        return ()
    if len(others) == 1 and branch.exhaustive:
        return running_statements(others[0], known)
    return (_with_running_statements(replace(branch, blocks=others, condition=None), known),)


def _of_switch(branch: Branch, known: Conditions) -> Body:
    left = known.running_cases(branch)
    if isinstance(left, Branch):
        return (_with_running_statements(left, known),)
    running = running_statements(left, known)
    if leaves_block(running):
        # A `break` in it leaves the switch and nothing around it.
        return (replace(branch, blocks=(running,), cases=(), condition=None, exhaustive=True),)
    return running


def _with_running_statements(branch: Branch, known: Conditions) -> Branch:
    return replace(
        branch, blocks=tuple(running_statements(block, known) for block in branch.blocks)
    )
