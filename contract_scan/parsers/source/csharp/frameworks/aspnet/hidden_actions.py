"""Which actions are kept out of the documents that are made of controllers: by
`[ApiExplorerSettings(IgnoreApi = true)]`, or by a filter of Swashbuckle that takes paths out.

https://github.com/domaindrivendev/Swashbuckle.AspNetCore, "Document Filters"
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.csharp.resolution.annotations import find
from contract_scan.parsers.source.csharp.serialization.settings.options import unqualified_name
from contract_scan.parsers.source.facts.nodes import (
    Annotation,
    Attribute,
    Branch,
    Call,
    Jump,
    NamedType,
    OperationExpr,
    Return,
    TypeValue,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

_FILTER = "IDocumentFilter"
_ATTRIBUTE = "Attribute"


class _Marks(Struct, frozen=True):
    """Attributes that filters of documents look for, without the suffix."""

    hiding: frozenset[str] = frozenset()
    """Those whose actions they take out."""
    keeping: frozenset[str] = frozenset()
    """Those without which they take an action out."""


def is_hidden(program: Program, annotations: tuple[Annotation, ...]) -> bool:
    """Whether an action with these attributes, its own and those of its controller, is kept out of
    the documents."""
    settings = find(annotations, "ApiExplorerSettings")
    if settings is not None and any(
        a.name == "IgnoreApi" and getattr(a.value, "value", None) is True for a in settings.args
    ):
        return True
    marks = _marks(program)
    named = {unqualified_name(a.name).removesuffix(_ATTRIBUTE) for a in annotations}
    return bool(marks.hiding & named) or bool(marks.keeping and not marks.keeping & named)


@memoised
def _marks(program: Program) -> _Marks:
    hiding: set[str] = set()
    keeping: set[str] = set()
    for path in program.files_containing(_FILTER.encode()):
        file = program.facts(path)
        for symbol in program.classes(file):
            bases = [b for b in symbol.decl.bases if isinstance(b, NamedType)]
            if not any(unqualified_name(base.name) == _FILTER for base in bases):
                continue
            for method in symbol.decl.methods:
                body = program.body(method, file)
                if _removes(body):
                    for name, is_negated in _attributes(body, negated=False):
                        (keeping if is_negated else hiding).add(name)
    return _Marks(frozenset(hiding), frozenset(keeping - hiding))


def _removes(body: object) -> bool:
    return any(
        isinstance(node, Call)
        and isinstance(node.callee, Attribute)
        and node.callee.name == "Remove"
        for node in nodes_of(body)
    )


def _attributes(body: object, *, negated: bool) -> Iterator[tuple[str, bool]]:
    """The attributes that statements name, and whether what is taken out are actions without them:
    a test for them is negated, or goes on to the next action where it holds."""
    for node in nodes_of(body, closed=(Branch, OperationExpr)):
        match node:
            case Branch(condition=condition, blocks=blocks):
                ends = bool(blocks and blocks[0] and isinstance(blocks[0][-1], Jump | Return))
                yield from _attributes(condition, negated=negated != ends)
                for block in blocks:
                    yield from _attributes(block, negated=negated)
            case OperationExpr(operator=operator, operands=operands):
                yield from _attributes(operands, negated=negated != (operator == "!"))
            case Call(type_args=types):
                yield from ((name, negated) for type in types for name in _attribute(type))
            case TypeValue(type=type):
                yield from ((name, negated) for name in _attribute(type))
            case _:
                pass


def _attribute(type: object) -> Iterator[str]:
    if isinstance(type, NamedType):
        name = unqualified_name(type.name)
        if name.endswith(_ATTRIBUTE):
            yield name.removesuffix(_ATTRIBUTE)
