"""Types of fields: whether they may be absent or null, simple types, fields that are missing."""

from __future__ import annotations

from typing import Any

import libcst as cst

from contract_scan.fixes.name_styles import words
from contract_scan.fixes.python_child import declared
from contract_scan.fixes.python_child.classes import Lineage
from contract_scan.fixes.python_child.imports import add_import, dotted_name, imported_names
from contract_scan.fixes.python_child.source import Edit, Source

Found = tuple[str, bool, list[Edit]]

_TYPES = {
    ("string", ""): ("", "str"),
    ("string", "date-time"): ("datetime", "datetime"),
    ("string", "date"): ("datetime", "date"),
    ("string", "uuid"): ("uuid", "UUID"),
    ("integer", ""): ("", "int"),
    ("number", ""): ("", "float"),
    ("boolean", ""): ("", "bool"),
}
"""By type and format: the module and the name."""
_SIMPLE = frozenset({"str", "int", "float", "bool", "datetime", "date", "time", "UUID", "Decimal"})


def set_optional(change: dict[str, Any], source: Source) -> Found | None:
    """Give a field or parameter a default, so that it may be left out."""
    field = declared.declared_at(change, source)
    if field is not None:
        return declared.set_optional(field, change["optional"], source)
    node = source.enclosing_node(change["span"], (cst.AnnAssign, cst.Param))
    if not isinstance(node, cst.AnnAssign | cst.Param) or node.annotation is None:
        return None
    written = node.annotation.annotation
    if not change["optional"]:
        inner = _subscript(written, "NotRequired")
        return (
            None
            if inner is None
            else ("always send it", False, [source.replace(written, source.code(inner))])
        )
    value = node.default if isinstance(node, cst.Param) else node.value
    if value is not None or not _may_have_default(node, source):
        return None
    if isinstance(node, cst.AnnAssign):
        owner = source.parent(node, cst.ClassDef)
        if owner is None or not Lineage(owner.name.value, source).is_pydantic:
            return None
    new = source.code(written) if _takes_none(written) else _or_none(written, source)
    return "let it be left out", False, [source.replace(written, f"{new} = None")]


def _may_have_default(node: cst.AnnAssign | cst.Param, source: Source) -> bool:
    """Whether no parameter behind it needs to be given by its position."""
    parameters = source.parent(node, cst.Parameters)
    if not isinstance(node, cst.Param):
        return True
    if parameters is None:
        return False
    if node in parameters.kwonly_params:
        return True
    plain = list(parameters.params)
    return node in plain and all(p.default is not None for p in plain[plain.index(node) + 1 :])


def set_nullable(change: dict[str, Any], source: Source) -> Found | None:
    """Let a field be None, or not."""
    field = declared.declared_at(change, source)
    if field is not None:
        return declared.set_nullable(field, change["nullable"], source)
    node = source.enclosing_node(change["span"], (cst.AnnAssign,))
    if not isinstance(node, cst.AnnAssign) or source.parent(node, cst.ClassDef) is None:
        return None
    written = node.annotation.annotation
    if change["nullable"]:
        if _takes_none(written):
            return None
        return "let it be null", False, [source.replace(written, _or_none(written, source))]
    inner = _without_none(written)
    if inner is None or node.value is not None:
        return None
    return "never let it be null", False, [source.replace(written, source.code(inner))]


def set_type(change: dict[str, Any], source: Source) -> Found | None:
    """Give a field another simple type."""
    field = declared.declared_at(change, source)
    if field is not None:
        return declared.set_type(field, change["wanted"], source)
    node = source.enclosing_node(change["span"], (cst.AnnAssign,))
    if not isinstance(node, cst.AnnAssign) or source.parent(node, cst.ClassDef) is None:
        return None
    written = node.annotation.annotation
    inner = _without_none(written) or written
    if dotted_name(inner).rpartition(".")[2] not in _SIMPLE:
        return None
    if node.value is not None and source.code(node.value) != "None":
        return None
    wanted = _type_with_import(change["wanted"], source)
    if wanted is None:
        return None
    name, brought = wanted
    return f"make its type `{name}`", False, [*brought, source.replace(inner, name)]


def _type_with_import(wanted: dict[str, Any], source: Source) -> tuple[str, list[Edit]] | None:
    """A simple type as the file can name it, with the import that it needs."""
    known = _TYPES.get((wanted["type"], wanted["format"])) or _TYPES[wanted["type"], ""]
    module, name = known
    if not module:
        return name, []
    if imported_names(source).get(module) == module:
        return f"{module}.{name}", []
    import_edits = add_import(source, module, name)
    return None if import_edits is None else (name, import_edits)


def add_field(change: dict[str, Any], source: Source) -> Found | None:
    """Add a field below the last one of a class."""
    owner = source.enclosing_node(change["span"], (cst.ClassDef,))
    if not isinstance(owner, cst.ClassDef) or not isinstance(owner.body, cst.IndentedBlock):
        return None
    fields = [
        (line, statement)
        for line in owner.body.body
        if isinstance(line, cst.SimpleStatementLine)
        for statement in line.body
        if isinstance(statement, cst.AnnAssign)
    ]
    if not fields:
        return declared.add_field(owner, change, source)
    wanted = _type_with_import(change["wanted"], source)
    lineage = Lineage(owner.name.value, source)
    name = _name_of(change["name"], [field for _, field in fields], lineage, source)
    if wanted is None or name is None:
        return None
    line, last = fields[-1]
    named, brought = wanted
    optional = change["optional"] and lineage.is_pydantic
    if last.value is not None and not lineage.is_pydantic:
        return None
    written = f"{named} | None" if change["wanted"]["nullable"] or optional else named
    text = f"{source.indent(line)}{name[0]}: {written}"
    if name[1] and optional:
        text += f' = Field(default=None, alias="{change["name"]}")'
    elif name[1]:
        text += f' = Field(alias="{change["name"]}")'
    elif optional:
        text += " = None"
    edit = source.line_below(line, text)
    return None if edit is None else (f"add `{change['name']}`", False, [*brought, edit])


def _name_of(
    wire: str, fields: list[cst.AnnAssign], lineage: Lineage, source: Source
) -> tuple[str, bool] | None:
    """The name of a field in code, and whether it needs an alias to be called so on the wire."""
    snake = "_".join(words(wire))
    if snake == wire and wire.isidentifier():
        return wire, False
    if lineage.is_pydantic and lineage.mentions("to_camel"):
        first, *rest = words(wire)
        camel = first + "".join(word.capitalize() for word in rest)
        return (snake, False) if camel == wire else None
    if lineage.mentions("alias_generator"):
        return None
    aliased = any("alias=" in source.code(field) for field in fields)
    if aliased and lineage.is_pydantic and "Field" in imported_names(source):
        return snake, True
    return (wire, False) if wire.isidentifier() else None


def _or_none(written: cst.BaseExpression, source: Source) -> str:
    code = source.code(written)
    if imported_names(source).get("Optional", "").startswith("typing"):
        return f"Optional[{code}]"
    return f"{code} | None"


def _takes_none(written: cst.BaseExpression) -> bool:
    return _without_none(written) is not None


def _without_none(written: cst.BaseExpression) -> cst.BaseExpression | None:
    """What is left of a type without None; None where it does not take None."""
    match written:
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=cst.Name("None")):
            return left
        case cst.BinaryOperation(left=cst.Name("None"), operator=cst.BitOr(), right=right):
            return right
    return _subscript(written, "Optional")


def _subscript(written: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    """`T` of `Name[T]`."""
    if not isinstance(written, cst.Subscript) or len(written.slice) != 1:
        return None
    inner = written.slice[0].slice
    if dotted_name(written.value).rpartition(".")[2] != name or not isinstance(inner, cst.Index):
        return None
    return inner.value
