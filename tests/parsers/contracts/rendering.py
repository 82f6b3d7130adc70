"""Schemas as one line of text, and contracts written on the spot, so that tests read as prose."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Nothing,
    Object,
    Reference,
    Scalar,
    Schema,
    Union,
    Unknown,
)
from tests.parsers.contracts.loading import load_contract


def load(folder: Path, text: str, name: str = "contract.yaml") -> ContractDocument:
    """The document that a contract of this text is read as."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text), encoding="utf-8")
    return load_contract(path, folder)


def render(schema: Schema) -> str:
    """`{id: string(uuid), note?: string|null}`; `?|null` where null is undetermined."""
    null = {True: "|null", False: "", None: "?|null"}[schema.nullable]
    match schema:
        case Unknown(reason=reason):
            return f"unknown <{reason}>"
        case Anything():
            return f"any{null}"
        case Nothing():
            return "null" if schema.nullable else "nothing"
        case Scalar(type=kind, format=form, values=values):
            text = f"{kind}({form})" if form else kind
            if values is not None:
                text += " of " + "/".join(repr(value) for value in values)
            return text + null
        case Array(items=items, prefix=prefix):
            parts = [render(one) for one in prefix] + [f"...{render(items)}"]
            return (f"[{', '.join(parts)}]" if prefix else f"[{render(items)}]") + null
        case Object(fields=fields, additional=additional, incomplete_reason=partial, name=name):
            members = [_field(field) for field in fields]
            if additional is not None:
                members.append(f"*: {render(additional)}")
            if partial:
                members.append(f"... <{partial}>")
            return f"{name}{{{', '.join(members)}}}{null}"
        case Union(options=options, exclusive=exclusive, discriminator=discriminator):
            word = " ^ " if exclusive else " | "
            by = f" by {discriminator}" if discriminator else ""
            return f"({word.join(render(option) for option in options)}){by}{null}"
        case Reference(key=key):
            return f"<{key.rpartition('/')[2]}>{null}"


def _field(field: Field) -> str:
    mark = {True: "", False: "?", None: "??"}[field.required]
    flags = "".join(
        sign
        for sign, given in (
            ("<", field.read_only),
            (">", field.write_only),
            ("=", field.has_default),
        )
        if given
    )
    return f"{field.name}{mark}{flags}: {render(field.schema)}"


def problems(document: ContractDocument) -> list[tuple[str, int, str]]:
    """Path, line and reason of every problem."""
    return [(problem.path, problem.line, problem.reason) for problem in document.problems]
