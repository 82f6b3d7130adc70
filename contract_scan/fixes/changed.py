"""What a fix changes that other places of the program may rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.fixes.change import (
    AddField,
    Change,
    Rename,
    SetNullable,
    SetOptional,
    SetType,
    SetValues,
)
from contract_scan.fixes.compiled_constructions import never_null
from contract_scan.fixes.syntax import Draft, Syntax, children, removed_nodes, walk
from contract_scan.fixes.typescript_zod import chain_at
from contract_scan.fixes.uses import UniqueUse
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.languages import SUFFIXES
from contract_scan.parsers.source.syntax_tree import suffix_of

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPESCRIPT = ("property_signature", "public_field_definition")
_MEMBERS = {
    "typescript": _TYPESCRIPT,
    "csharp": ("property_declaration", "parameter"),
    "java": ("field_declaration", "formal_parameter"),
}
_OWNERS = {
    "typescript": ("class_declaration", "interface_declaration", "abstract_class_declaration"),
    "csharp": ("class_declaration", "record_declaration", "struct_declaration"),
    "java": ("record_declaration", "class_declaration"),
}
_ENUMERATIONS = ("enum_declaration", "type_alias_declaration")
_CONSTANTS = ("enum_member_declaration", "enum_constant")


def what_changes(
    path: str, change: Change, span: Span, syntax: Syntax, draft: Draft
) -> UniqueUse | None:
    """What has to be used nowhere else for a draft to break nothing; None where nothing that code
    can name is changed."""
    language = SUFFIXES[suffix_of(path)]
    if draft.safe:
        return None
    match change:
        case SetValues():
            return _values(path, language, span, syntax, draft)
        case AddField():
            return _change_of_added_field(path, language, change, span, syntax)
        case Rename():
            # C# and Java get another name on the wire only, and so do decorated properties.
            is_named = "on the wire" in draft.title
            return None if is_named else _member(path, language, span, syntax)
        case SetNullable(nullable=False) if language == "java":
            return _never_null(path, ("formal_parameter", "field_declaration"), span, syntax)
        case SetOptional() | SetNullable() if language == "java":
            return None  # annotations, which no compiler minds
        case SetOptional(optional=False) if language == "csharp":
            return None  # an attribute
        case SetOptional() | SetNullable() | SetType():
            if language == "csharp" and not isinstance(change, SetType):
                member = syntax.enclosing_node(span, _MEMBERS[language])
                written = member.child_by_field_name("type") if member is not None else None
                if written is not None and syntax.source(written).rstrip("?") == "string":
                    # A reference either way: what the wire carries depends on the values alone.
                    is_null = isinstance(change, SetOptional) or change.nullable
                    return None if is_null else _never_null(path, _MEMBERS[language], span, syntax)
            return _member(path, language, span, syntax)
    return None


def _member(path: str, language: str, span: Span, syntax: Syntax) -> UniqueUse | None:
    member = syntax.enclosing_node(span, _MEMBERS[language])
    if language == "typescript" and (member is None or chain_at(span, syntax) is not None):
        member = (
            syntax.enclosing_node(span, ("pair",)) if chain_at(span, syntax) is not None else None
        )
    if member is None:
        return None
    name = _name(member)
    if name is None:
        return None
    owner = syntax.enclosing_node(span, _OWNERS[language])
    is_component = member.type in ("parameter", "formal_parameter")
    return UniqueUse(
        path=path,
        places=(name.start_byte,),
        owner=_owner(owner, syntax),
        members=(syntax.source(name).strip("\"'"),),
        is_not_built=is_component,
    )


def _never_null(path: str, types: tuple[str, ...], span: Span, syntax: Syntax) -> UniqueUse | None:
    """What must not be null for a member to be never null in fact."""
    member = syntax.enclosing_node(span, types)
    name = _name(member) if member is not None else None
    if member is None or name is None:
        return None
    language = SUFFIXES[suffix_of(path)]
    owner = syntax.enclosing_node(span, _OWNERS[language])
    edit = never_null(member, syntax.source(name))
    return UniqueUse(path=path, owner=_owner(owner, syntax), field=edit)


def _name(member: Node) -> Node | None:
    declarator = member.child_by_field_name("declarator") or member
    key = "key" if member.type == "pair" else "name"
    return declarator.child_by_field_name(key)


def _owner(owner: Node | None, syntax: Syntax) -> str:
    name = owner.child_by_field_name("name") if owner is not None else None
    return syntax.source(name) if name is not None else ""


def _change_of_added_field(
    path: str, language: str, change: AddField, span: Span, syntax: Syntax
) -> UniqueUse | None:
    owner = syntax.enclosing_node(span, _OWNERS[language])
    if owner is None:
        return None
    members: list[str] = []
    if language == "typescript":
        if change.optional:
            return None
        named = (_name(each) for each in children(owner.child_by_field_name("body"), *_TYPESCRIPT))
        members = [syntax.source(name).strip("\"'") for name in named if name is not None]
    return UniqueUse(
        path=path,
        owner=_owner(owner, syntax),
        is_not_built=True,
        companions=tuple(members),
    )


def _values(path: str, language: str, span: Span, syntax: Syntax, draft: Draft) -> UniqueUse | None:
    owner = syntax.enclosing_node(span, (*_ENUMERATIONS, *_TYPESCRIPT, "pair"))
    if owner is None:
        return None
    if language == "typescript":
        listed: list[Node] = []
        values = [each for each in walk(owner) if each.type == "string_fragment"]
    else:
        listed = [
            name
            for each in walk(owner)
            if each.type in _CONSTANTS and (name := each.child_by_field_name("name")) is not None
        ]
        values = listed
    gone = removed_nodes(syntax, draft, values)
    names = tuple(syntax.source(each) for each in gone)
    is_alias = owner.type in _ENUMERATIONS
    added = any(each.text for each in draft.replacements)
    alone = UniqueUse(
        path=path,
        places=tuple(each.start_byte for each in gone),
        owner=_owner(owner, syntax) if is_alias else "",
        constants=names,
        companions=tuple(syntax.source(name) for name in listed) if language == "java" else (),
        is_not_enumerated=is_alias and added and language != "csharp",
    )
    return alone if alone.words() else None
