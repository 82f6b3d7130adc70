"""Names on the wire: aliases of pydantic and marshmallow, fields of DRF, keys of dictionaries."""

from __future__ import annotations

from typing import Any

import libcst as cst

from contract_scan.fixes.python_child.classes import Lineage
from contract_scan.fixes.python_child.imports import add_import, dotted_name, imported_names
from contract_scan.fixes.python_child.source import Edit, Source

_ONE_WAY = ("serialization_alias", "data_key", "field_name")
"""Keywords whose text is a name on the wire and nothing else."""
_ALIASES = ("alias", "validation_alias", *_ONE_WAY)
_BY_NAME = ("populate_by_name", "allow_population_by_field_name", "validate_by_name")
_PARAMETERS = ("Query", "Header", "Cookie")

Found = tuple[str, bool, list[Edit]]


def rename(change: dict[str, Any], source: Source) -> Found | None:
    """Call a field by another name on the wire."""
    old, new = change["found"], change["wanted"]
    node = source.enclosing_node(
        change["span"], (cst.AnnAssign, cst.Assign, cst.Param, cst.DictElement)
    )
    match node:
        case cst.DictElement(key=key) if _text(key) == old:
            return f"rename it to `{new}`", False, [source.replace(key, _quote(key, new))]
        case cst.Param():
            return _rename_parameter(node, new, source)
        case cst.AnnAssign() | cst.Assign():
            return _rename_field(node, old, new, source)
    return None


def _rename_field(
    node: cst.AnnAssign | cst.Assign, old: str, new: str, source: Source
) -> Found | None:
    owner = source.parent(node, cst.ClassDef)
    if owner is None or source.parent(node, cst.FunctionDef) is not None:
        return None
    title = f"name it `{new}` on the wire"
    calls = _calls(node)
    keywords = [
        argument
        for call in calls
        for argument in _arguments(call)
        if argument.keyword is not None and argument.keyword.value in _ALIASES
    ]
    lineage = Lineage(owner.name.value, source)
    by_name = lineage.is_enabled(*_BY_NAME)
    if keywords:
        named = [a for a in keywords if _text(a.value) == old]
        if not named:
            return None
        edits = [source.replace(a.value, _quote(a.value, new)) for a in named]
        one_way = all(a.keyword is not None and a.keyword.value in _ONE_WAY for a in named)
        return title, one_way or by_name, edits
    if isinstance(node, cst.AnnAssign):
        if not lineage.is_pydantic:
            return None
        edits_of_field = _with_alias(node, calls, new, source)
        return None if edits_of_field is None else (title, by_name, edits_of_field)
    return _rename_serialized(node, owner, old, new, source)


def _with_alias(
    node: cst.AnnAssign, calls: list[cst.Call], new: str, source: Source
) -> list[Edit] | None:
    fields = [call for call in calls if dotted_name(call.func).rpartition(".")[2] == "Field"]
    if fields:
        return with_argument(fields[0], "alias", f'"{new}"', source)
    brought = add_import(source, "pydantic", "Field")
    if brought is None:
        return None
    if node.value is None:
        return [*brought, source.after(node.annotation.annotation, f' = Field(alias="{new}")')]
    default = source.code(node.value)
    edit = source.replace(node.value, f'Field(default={default}, alias="{new}")')
    return [*brought, edit]


def _rename_serialized(
    node: cst.Assign, owner: cst.ClassDef, old: str, new: str, source: Source
) -> Found | None:
    """`data_key` of a field of marshmallow; another attribute with `source` in DRF."""
    call, target = node.value, node.targets[0].target
    if not isinstance(call, cst.Call) or not isinstance(target, cst.Name) or len(node.targets) != 1:
        return None
    origins = imported_names(source)
    whole = origins.get(dotted_name(call.func).split(".")[0], "")
    if whole.startswith("marshmallow"):
        added = with_argument(call, "data_key", f'"{new}"', source)
        return None if added is None else (f"name it `{new}` on the wire", True, added)
    if not whole.startswith("rest_framework") or target.value != old or not new.isidentifier():
        return None
    said = source.code(owner.body).count(old)
    if said != 1 or any(a.keyword and a.keyword.value == "source" for a in call.args):
        return None
    added = with_argument(call, "source", f'"{old}"', source)
    if added is None:
        return None
    return f"name it `{new}` on the wire", False, [source.replace(target, new), *added]


def _rename_parameter(node: cst.Param, new: str, source: Source) -> Found | None:
    """A query parameter of FastAPI under another name."""
    title = f"read it as `{new}`"
    origins = imported_names(source)
    if not any(origin.split(".")[0] == "fastapi" for origin in origins.values()):
        return None
    for call in _calls(node):
        if dotted_name(call.func).rpartition(".")[2] not in _PARAMETERS:
            continue
        given = [a for a in call.args if a.keyword is not None and a.keyword.value == "alias"]
        if given:
            return title, True, [source.replace(given[0].value, _quote(given[0].value, new))]
        added = with_argument(call, "alias", f'"{new}"', source)
        return None if added is None else (title, True, added)
    if isinstance(node.default, cst.Call) or node.annotation is None:
        return None
    if source.code(node.annotation.annotation).startswith("Annotated"):
        return None
    brought = add_import(source, "fastapi", "Query")
    if brought is None:
        return None
    if origins.get("Annotated", "").startswith("typing"):
        written = source.code(node.annotation.annotation)
        new_type = f'Annotated[{written}, Query(alias="{new}")]'
        return title, True, [*brought, source.replace(node.annotation.annotation, new_type)]
    if node.default is None:
        return None
    # Whoever calls the function itself would get another default.
    default = source.code(node.default)
    edit = source.replace(node.default, f'Query(default={default}, alias="{new}")')
    return title, False, [*brought, edit]


def with_argument(call: cst.Call, keyword: str, value: str, source: Source) -> list[Edit] | None:
    """One more keyword argument of a call, behind the others; None where there is no place."""
    if call.args:
        last = call.args[-1]
        if isinstance(last.value, cst.GeneratorExp):
            return None
        return [source.after(last, f", {keyword}={value}")]
    if call.lpar or not isinstance(call.whitespace_before_args, cst.SimpleWhitespace):
        return None
    _, (line, column) = source.bounds(call)
    return [((line, column - 1, line, column - 1), f"{keyword}={value}")]


def _calls(node: cst.AnnAssign | cst.Assign | cst.Param) -> list[cst.Call]:
    """The calls that say more of a field: its value, and what is written in `Annotated`."""
    value = node.default if isinstance(node, cst.Param) else node.value
    found = [value] if isinstance(value, cst.Call) else []
    annotation = None if isinstance(node, cst.Assign) else node.annotation
    written = annotation.annotation if annotation is not None else None
    if isinstance(written, cst.Subscript) and dotted_name(written.value).endswith("Annotated"):
        found += [
            element.slice.value
            for element in written.slice[1:]
            if isinstance(element.slice, cst.Index) and isinstance(element.slice.value, cst.Call)
        ]
    return found


def _arguments(call: cst.Call) -> list[cst.Arg]:
    """The arguments of a call, and of the calls given to it (`field(metadata=config(…))`)."""
    found: list[cst.Arg] = []
    for argument in call.args:
        found.append(argument)
        if isinstance(argument.value, cst.Call):
            found += argument.value.args
    return found


def _text(value: cst.BaseExpression) -> str | None:
    text = value.evaluated_value if isinstance(value, cst.SimpleString) else None
    return text if isinstance(text, str) else None


def _quote(old: cst.BaseExpression, text: str) -> str:
    quote = old.quote if isinstance(old, cst.SimpleString) else '"'
    return f"{quote}{text}{quote}"
