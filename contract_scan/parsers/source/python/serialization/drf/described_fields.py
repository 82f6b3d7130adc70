"""`get_fields` of serializers that set no more than what documentation says of fields."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Function,
    Index,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

DESCRIBING = frozenset(
    {"queryset", "help_text", "label", "style", "initial", "error_messages", "validators"}
)
"""Options of fields that say nothing of what is written and which names there are."""


def only_describes_fields(program: Program, symbol: ClassSymbol) -> bool:
    """Whether each `get_fields` of a class, inherited ones too, hands on what the library gives."""
    return all(
        _hands_on(program.body(method, owner.file))
        for owner in (symbol, *program.bases(symbol))
        for method in owner.decl.methods
        if method.name == "get_fields"
    )


def _hands_on(body: tuple[Statement, ...]) -> bool:
    """`fields = super().get_fields()`, `fields["x"].help_text = …`, `return fields`."""
    nodes = list(nodes_of(body))
    if any(isinstance(node, Function) for node in nodes):
        return False
    match body:
        case (
            Assign(target=Name(id=fields) as first, value=value),
            *_,
            Return(value=Name() as last),
        ):
            pass
        case (Return(value=value),):
            return _is_super(value)
        case _:
            return False
    if not _is_super(value) or last.id != fields:
        return False
    expected = {id(first), id(last)}
    for node in nodes:
        match node:
            case Attribute(value=Index(value=Name() as of), name=name) if name in DESCRIBING:
                expected.add(id(of))
            case _:
                pass
    uses = {id(node) for node in nodes if isinstance(node, Name) and node.id == fields}
    returns = sum(isinstance(node, Return) for node in nodes)
    return uses <= expected and returns == 1


def _is_super(value: object) -> bool:
    match value:
        case Call(callee=Attribute(value=Name(id="super"), name="get_fields"), args=()):
            return True
        case _:
            return False
