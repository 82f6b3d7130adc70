"""What Django adds to the instances of a model: the objects that relations lead to, in either
direction, and the user that a request carries."""

from __future__ import annotations

from msgspec import Struct

from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import (
    BySchema,
    ClassSymbol,
    Constant,
    Instance,
    LibraryResult,
    LibrarySymbol,
    Value,
)
from contract_scan.parsers.source.facts.nodes import LiteralExpr
from contract_scan.parsers.source.python.serialization.django import classes as django
from contract_scan.parsers.source.python.serialization.fields import (
    argument_value,
    call_arguments,
    positional,
)

_ONE = frozenset({"ForeignKey", "OneToOneField"})
_KINDS = _ONE | {"ManyToManyField"}
_MARKERS = (b"OneToOneField", b"ForeignKey", b"ManyToManyField")


class ReverseRelation(Struct, frozen=True, eq=False):
    """The other end of a relation that a model declares."""

    model: ClassSymbol
    """The model that declares it."""
    is_list: bool


def related_model(program: Program, model: ClassSymbol | None, name: str) -> ClassSymbol | None:
    """The model that a relation `name` of a model leads to, whichever of the two declares it."""
    if model is None:
        return None
    made = declared_field(program, model, name)
    if made is None:
        found = reverse(program, model, name)
        return None if found is None else found.model
    return _target(program, *made)


def declared_field(
    program: Program, model: ClassSymbol, name: str
) -> tuple[LibraryResult, ClassSymbol] | None:
    """The field that a model declares under a name, and the class that does."""
    for owner in (model, *program.bases(model)):
        scope = program.class_scope(owner)
        for member in owner.decl.members:
            if member.name != name or member.value is None:
                continue
            value = program.evaluate(member.value, scope)
            if isinstance(value, LibraryResult) and django.is_field(value):
                return value, owner
    return None


def _target(program: Program, made: LibraryResult, owner: ClassSymbol | None) -> ClassSymbol | None:
    if made.name.rpartition(".")[2] not in _KINDS:
        return None
    expr = positional(made) or call_arguments(made).get("to")
    return None if expr is None else django.relation_target(program, expr, made.scope, owner)


def reverse(program: Program, model: ClassSymbol, name: str) -> ReverseRelation | None:
    """The relation of another model that Django makes reachable from this one under a name:
    `related_name`, or the other model's name in lower case."""
    table = _reverses(program)
    for owner in (model, *program.bases(model)):
        found = table.get((owner.key, name))
        if found is not None:
            return found
    return None


def _reverses(program: Program) -> dict[tuple[str, str], ReverseRelation]:
    """Every such relation of a program, read once: (model, name there) -> where it leads."""
    known = program.memory.get("python.django.reverses")
    if isinstance(known, dict):
        return known
    table: dict[tuple[str, str], ReverseRelation] = {}
    program.memory["python.django.reverses"] = table
    for path in program.files_containing(*_MARKERS):
        for symbol in program.classes(program.facts(path)):
            scope = program.class_scope(symbol)
            for member in symbol.decl.members:
                value = None if member.value is None else program.evaluate(member.value, scope)
                if not isinstance(value, LibraryResult) or not django.is_field(value):
                    continue
                target = _target(program, value, symbol)
                if target is None:
                    continue
                single = value.name.endswith("OneToOneField")
                said = argument_value(program, value, "related_name")
                usual = symbol.decl.name.lower() + ("" if single else "_set")
                other = said.value if isinstance(said, Constant) else usual
                if isinstance(other, str):
                    table[(target.key, other)] = ReverseRelation(symbol, not single)
    return table


def attribute(program: Program, value: Value, name: str) -> Value | None:
    """An attribute of an object that only a relation gives: `profile.user`'s `username`,
    `user.profile`. None where it is none of these."""
    match value:
        case LibraryResult() if django.is_field(value) and value.name.rpartition(".")[2] in _ONE:
            target = _target(program, value, None)
            if target is None:
                return None
            return program.evaluator.attribute(Instance(target), name, value.scope, value.site.span)
        case Instance(symbol=symbol) if django.is_model(program, symbol):
            if name in ("id", "pk") or name.endswith("_id"):
                shape = django.column(program, symbol, name).schema
                return None if isinstance(shape, Unknown) else BySchema(shape)
            found = reverse(program, symbol, name)
            return None if found is None or found.is_list else Instance(found.model)
        case _:
            return None


def managed_model(program: Program, value: LibrarySymbol | LibraryResult) -> ClassSymbol | None:
    """The model of the objects of a relation's manager: `order.lines`, `post.tags`, on either
    side."""
    match value:
        case LibraryResult(name=name) if name.endswith("ManyToManyField") and django.is_field(
            value
        ):
            return _target(program, value, None)
        case LibrarySymbol(name=name, receiver=Instance(symbol=symbol)):
            if not django.is_model(program, symbol):
                return None
            found = reverse(program, symbol, name.rpartition(".")[2])
            return None if found is None or not found.is_list else found.model
        case _:
            return None


def user_of(program: Program, value: Value) -> Value | None:
    """`.user` of a request that a serializer or a view was given, where the project says which
    model its users are."""
    match value:
        case LibrarySymbol(name=name) if name.endswith((".context.request", ".request")):
            pass
        case LibraryResult(name=name, site=site) if name.endswith(".context.get") and site.args:
            first = site.args[0].value
            if not isinstance(first, LiteralExpr) or first.value != "request":
                return None
        case _:
            return None
    user = django.user_model(program)
    return None if user is None else Instance(user)
