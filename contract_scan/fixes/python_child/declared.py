"""Fields that are declared by calls: `state = fields.Str()` of marshmallow,
`state = serializers.CharField()` of Django REST framework."""

from __future__ import annotations

from typing import Any

import libcst as cst

from contract_scan.fixes.enums import describe_changes
from contract_scan.fixes.python_child.imports import dotted_name, imported_names
from contract_scan.fixes.python_child.names import with_argument
from contract_scan.fixes.python_child.source import Edit, Source
from contract_scan.fixes.python_child.values import difference, elements_changed

Found = tuple[str, bool, list[Edit]]

_NULL = {"marshmallow": "allow_none", "rest_framework": "allow_null"}
"""By library: the keyword that lets a value be null."""
_TYPES = {
    "marshmallow": {
        ("string", ""): "String",
        ("string", "date-time"): "DateTime",
        ("string", "date"): "Date",
        ("string", "uuid"): "UUID",
        ("integer", ""): "Integer",
        ("number", ""): "Float",
        ("boolean", ""): "Boolean",
    },
    "rest_framework": {
        ("string", ""): "CharField",
        ("string", "date-time"): "DateTimeField",
        ("string", "date"): "DateField",
        ("string", "uuid"): "UUIDField",
        ("integer", ""): "IntegerField",
        ("number", ""): "FloatField",
        ("boolean", ""): "BooleanField",
    },
}
_SIMPLE = {*_TYPES["marshmallow"].values(), *_TYPES["rest_framework"].values(), "Str", "Int"}
_SIMPLE |= {"Bool", "DecimalField", "Decimal", "SlugField", "EmailField"}
_OF_EVERY_TYPE = frozenset(
    {
        *("required", "allow_null", "allow_none", "read_only", "write_only", "load_only"),
        *("dump_only", "source", "attribute", "data_key", "help_text", "label", "error_messages"),
    }
)
"""Keywords that fields of all types know."""


class FieldDeclaration:
    """A field, the call that declares it, and the library whose call that is."""

    def __init__(self, call: cst.Call, library: str) -> None:
        self.call, self.library = call, library
        self.keywords = {a.keyword.value: a for a in call.args if a.keyword is not None}

    def with_flag(self, keyword: str, *, on: bool, source: Source) -> list[Edit] | None:
        """Say true or false of something, where it was said already or not."""
        given = self.keywords.get(keyword)
        if given is not None:
            known = source.code(given.value) in ("True", "False")
            return [source.replace(given.value, str(on))] if known else None
        return with_argument(self.call, keyword, str(on), source)


def declared_at(change: dict[str, Any], source: Source) -> FieldDeclaration | None:
    """The field at a place; None where it is declared otherwise."""
    node = source.enclosing_node(change["span"], (cst.Assign,))
    if not isinstance(node, cst.Assign) or source.parent(node, cst.ClassDef) is None:
        return None
    return _declared_field(node, source)


def _declared_field(node: cst.Assign, source: Source) -> FieldDeclaration | None:
    call = node.value
    if not isinstance(call, cst.Call) or any(argument.star for argument in call.args):
        return None
    origin = imported_names(source).get(dotted_name(call.func).split(".")[0], "")
    library = origin.split(".")[0]
    return FieldDeclaration(call, library) if library in _TYPES else None


def set_optional(field: FieldDeclaration, optional: bool, source: Source) -> Found | None:
    """Let it be left out, or not."""
    if "default" in field.keywords or "load_default" in field.keywords:
        return None
    says = "required" in field.keywords
    if optional and field.library == "marshmallow" and not says:
        return None
    if not optional and not says and field.library == "rest_framework":
        return None
    edits = field.with_flag("required", on=not optional, source=source)
    title = "let it be left out" if optional else "always send it"
    return None if edits is None else (title, False, edits)


def set_nullable(field: FieldDeclaration, nullable: bool, source: Source) -> Found | None:
    """Let it be null, or not; marshmallow's `allow_none` is a rule of loading: without it null is
    dumped all the same."""
    keyword = _NULL[field.library]
    if not nullable and (field.library == "marshmallow" or keyword not in field.keywords):
        return None
    edits = field.with_flag(keyword, on=nullable, source=source)
    title = "let it be null" if nullable else "never let it be null"
    return None if edits is None else (title, False, edits)


def set_type(field: FieldDeclaration, wanted: dict[str, Any], source: Source) -> Found | None:
    """Declare it by the call of another simple type."""
    function = field.call.func
    if not isinstance(function, cst.Attribute) or function.attr.value not in _SIMPLE:
        return None
    if any(a.keyword is None or a.keyword.value not in _OF_EVERY_TYPE for a in field.call.args):
        return None
    name = _type(field.library, wanted)
    return f"make it a `{name}`", False, [source.replace(function.attr, name)]


def _type(library: str, wanted: dict[str, Any]) -> str:
    known = _TYPES[library]
    return known.get((wanted["type"], wanted["format"]), known[wanted["type"], ""])


def set_values(field: FieldDeclaration, change: dict[str, Any], source: Source) -> Found | None:
    """Make the choices those of the contract."""
    for values in _lists(field.call):
        texts: dict[str, cst.BaseElement] = {}
        for element in values.elements:
            inner = element.value
            text = inner.evaluated_value if isinstance(inner, cst.SimpleString) else None
            if isinstance(text, str):
                texts[text] = element
        changed = difference(list(texts), change)
        if len(texts) != len(values.elements) or changed is None:
            continue
        edits = elements_changed(list(texts.items()), *changed, source)
        return describe_changes(*changed), False, edits
    return None


def _lists(call: cst.Call) -> list[cst.List | cst.Tuple]:
    """The lists that are given to a call, and to the calls given to it."""
    found: list[cst.List | cst.Tuple] = []
    for argument in call.args:
        value = argument.value
        if isinstance(value, cst.List | cst.Tuple):
            found.append(value)
        elif isinstance(value, cst.Call):
            found += [a.value for a in value.args if isinstance(a.value, cst.List | cst.Tuple)]
    return found


def add_field(owner: cst.ClassDef, change: dict[str, Any], source: Source) -> Found | None:
    """Declare another field below the last one; None for a class whose fields are listed
    elsewhere as well."""
    name, body = change["name"], owner.body
    if not isinstance(body, cst.IndentedBlock) or not name.isidentifier():
        return None
    if any(isinstance(line, cst.ClassDef) for line in body.body):
        return None
    fields = [
        (line, field)
        for line in body.body
        if isinstance(line, cst.SimpleStatementLine)
        for statement in line.body
        if isinstance(statement, cst.Assign) and (field := _declared_field(statement, source))
    ]
    if not fields:
        return None
    line, last = fields[-1]
    function = last.call.func
    if not isinstance(function, cst.Attribute):
        return None
    wanted = change["wanted"]
    given = ["required=False"] if change["optional"] and last.library == "rest_framework" else []
    given += [f"{_NULL[last.library]}=True"] if wanted["nullable"] else []
    call = f"{source.code(function.value)}.{_type(last.library, wanted)}({', '.join(given)})"
    edit = source.line_below(line, f"{source.indent(line)}{name} = {call}")
    return None if edit is None else (f"add `{name}`", False, [edit])
