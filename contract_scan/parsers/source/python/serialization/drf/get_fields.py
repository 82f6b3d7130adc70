"""What `get_fields` of serializers changes of fields: perhaps only what documentation says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Field, Unknown, with_nullable
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import (
    Assign,
    Attribute,
    Call,
    Expr,
    Function,
    Index,
    LiteralExpr,
    Name,
    Return,
    Statement,
)
from contract_scan.parsers.source.facts.visitor import nodes_of

DESCRIBING = frozenset(
    {"queryset", "help_text", "label", "style", "initial", "error_messages", "validators"}
)
"""Options of fields that say nothing of what is written and which names there are."""
_DECIDING_NULL = frozenset({"allow_null", "source", "default"})


def only_describes_fields(program: Program, symbol: ClassSymbol) -> bool:
    """Whether each `get_fields` of a class, inherited ones too, hands on what the library gives."""
    return all(map(_hands_on, _bodies(program, symbol)))


def keys_taken_away(program: Program, symbol: ClassSymbol) -> frozenset[str]:
    """The fields that a `get_fields` or a constructor of a class takes away, or calls otherwise:
    `fields["proj:epsg"] = fields.pop("proj_epsg")`, `self.fields.pop("notes")`."""
    return frozenset(
        str(node.args[0].value.value)
        for name in ("get_fields", "__init__")
        for body in _bodies(program, symbol, name)
        for node in nodes_of(body)
        if isinstance(node, Call)
        and isinstance(node.callee, Attribute)
        and node.callee.name == "pop"
        and (name == "get_fields" or "name='fields'" in repr(node.callee.value))
        and node.args
        and isinstance(node.args[0].value, LiteralExpr)
    )


def keys_changed_by_get_fields(program: Program, symbol: ClassSymbol) -> dict[str, bool]:
    """The fields that a `get_fields` of a class puts others in the place of (True), or gives other
    options that decide whether null is sent (False), by their names; under an empty one all whose
    name is not constant."""
    found: dict[str, bool] = {}
    for body in _bodies(program, symbol):
        for node in nodes_of(body):
            match node:
                case Assign(target=Index(index=index)):
                    found[_constant_name(index)] = True
                case Assign(target=Attribute(value=Index(index=index), name=option)):
                    if option in _DECIDING_NULL:
                        found.setdefault(_constant_name(index), False)
                case _:
                    pass
    return found


def field_after_get_fields(field: Field, changed: Mapping[str, bool]) -> Field:
    """A field of a serializer whose `get_fields` is its own: it may be put in its place as another
    one, or be given other options, among them whether it allows null."""
    is_whole = changed.get(field.name, changed.get(""))
    if is_whole is None:
        return replace(field, required=None)
    if is_whole:
        reason = Reason("method-overridden", name="get_fields")
        return replace(field, schema=Unknown(reason=reason, origin=field.origin), required=None)
    return replace(field, schema=with_nullable(field.schema, None), required=None)


def _bodies(
    program: Program, symbol: ClassSymbol, name: str = "get_fields"
) -> Iterator[tuple[Statement, ...]]:
    """The statements of each `get_fields` of a class, or of another method, inherited ones too."""
    for owner in (symbol, *program.bases(symbol)):
        for method in owner.decl.methods:
            if method.name == name:
                yield program.body(method, owner.file)


def _constant_name(expr: Expr) -> str:
    return str(expr.value) if isinstance(expr, LiteralExpr) else ""


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
