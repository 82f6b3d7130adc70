"""The constructors that libraries write for the annotated attributes of a class: dataclasses,
attrs, named tuples, models of pydantic and structs of msgspec."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import AnnotatedType, Call, Member
from contract_scan.parsers.source.python.serialization import msgspec
from contract_scan.parsers.source.python.serialization.dataclass import is_dataclass
from contract_scan.parsers.source.python.serialization.kinds import library_bases
from contract_scan.parsers.source.python.serialization.pydantic import classes as pydantic
from contract_scan.parsers.source.python.serialization.pydantic.config import settings_of
from contract_scan.parsers.source.python.serialization.pydantic.validators import names_validated_in

_WRITTEN = frozenset(
    {"__init__", "__new__", "__post_init__", "__attrs_post_init__", "model_post_init"}
)
"""Methods that may change what the constructor is given."""
_CHANGING = frozenset({"alias", "converter", "init", "kw_only", "validation_alias"})
"""Arguments of `field(…)` that say that its parameter is another one, or is not kept."""
_NAMED_TUPLES = frozenset({"typing.NamedTuple"})
_NO_PARAMETERS = frozenset({"constructor", "static"})
"""Modifiers of members that are no parameters: set in a constructor, or variables of the class."""
_TEXT_SETTINGS = ("str_", "anystr_")
"""Beginnings of settings of pydantic that change texts (`str_to_lower`)."""


def generated_constructors(program: Program, symbol: ClassSymbol) -> Sequence[tuple[str, ...]]:
    """The constructor that a library writes, as the attributes that its parameters set, in order;
    an empty text stands for one that is converted or validated first, or written in another way.
    None where a class has another constructor, code runs after it, or it writes itself."""
    owners = (symbol, *program.bases(symbol))
    if any(method.name in _WRITTEN for owner in owners for method in owner.decl.methods):
        return ()
    bases = {base.name for base in library_bases(program, symbol)}
    is_model = bool(bases & pydantic.BASES)
    is_plain = bool(bases & (msgspec.BASES | _NAMED_TUPLES)) or is_dataclass(program, symbol)
    if not (is_model or is_plain):
        return ()
    changed: frozenset[str] = frozenset()
    if is_model:
        if any(name.startswith(_TEXT_SETTINGS) for name in settings_of(program, symbol)):
            return ()
        changed = names_validated_in(program, owners) | _names_with_serializers(program, owners)
    members = {
        member.name: member
        for owner in reversed(owners)
        for member in owner.decl.members
        if member.type is not None and not _NO_PARAMETERS & set(member.modifiers)
    }
    return (
        tuple(
            "" if changed & {name, "*"} or _is_changed(member) else name
            for name, member in members.items()
        ),
    )


def _names_with_serializers(program: Program, owners: Iterable[ClassSymbol]) -> frozenset[str]:
    """The fields that methods of models write; `*` where one writes the whole model."""
    found: set[str] = set()
    for owner in owners:
        for method in owner.decl.methods:
            for annotation in method.annotations:
                match annotation.name.rpartition(".")[2]:
                    case "model_serializer":
                        found.add("*")
                    case "field_serializer" | "serializer":
                        inside = program.class_scope(owner)
                        given = [one.value for one in annotation.args if not one.name]
                        found.update(program.text(expr, inside) or "*" for expr in given)
                    case _:
                        pass
    return frozenset(found)


def _is_changed(member: Member) -> bool:
    """Whether a parameter is converted, named otherwise or left out."""
    match member.type, member.value:
        case AnnotatedType(), _:
            return True  # it may hold validators
        case _, Call(args=args):
            return any(argument.name in _CHANGING for argument in args)
        case _:
            return False
