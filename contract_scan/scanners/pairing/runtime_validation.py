"""Schemas that the code itself holds values against while it runs.

Where a file names the very document of a contract and a library that validates by JSON Schemas, an
optional member of a type says how an object is while it is made, not how it leaves.
"""

from __future__ import annotations

from posixpath import basename
from typing import Final

from msgspec.structs import replace

from contract_scan.ir.document import CodeModel, ContractDocument
from contract_scan.ir.reasons import Reason
from contract_scan.scanners.differences import (
    Comparison,
    Difference,
    EnumDiffers,
    NullableDiffers,
    RequiredDiffers,
    UndeterminedPart,
)

_VALIDATORS: Final = (
    *("ajv", "Ajv", "tv4", "djv"),  # JavaScript
    *("jsonschema", "fastjsonschema"),  # Python
    *("JsonSchema", "JSchema"),  # NJsonSchema, JsonSchema.Net and Newtonsoft.Json.Schema; networknt
    *("JsonSchemaFactory", "SchemaLoader"),  # networknt, everit
)
"""Words that a file has which uses a validator of JSON Schemas."""


def is_validated_by_code(document: ContractDocument, code: CodeModel) -> bool:
    """Whether a file of the code names the document of a contract and a validator of schemas."""
    if document.kind != "json-schema":
        return False
    naming = set(code.with_quoted_name(basename(document.path)))
    return bool(naming) and any(naming.intersection(code.with_word(w)) for w in _VALIDATORS)


def without_open_parts(comparison: Comparison) -> Comparison:
    """A comparison in which what a type only leaves open is undetermined."""
    remaining = tuple(one for one in comparison.differences if not _leaves_open(one))
    opened = tuple(
        UndeterminedPart(
            path=one.path,
            contract=one.contract,
            code=one.code,
            reason=Reason("validated-by-schema"),
        )
        for one in comparison.differences
        if _leaves_open(one)
    )
    return replace(
        comparison, differences=remaining, undetermined=(*comparison.undetermined, *opened)
    )


def _leaves_open(difference: Difference) -> bool:
    match difference:
        case RequiredDiffers():
            return True
        case NullableDiffers(code_is_stricter=stricter):
            return not stricter
        case EnumDiffers(values=values):
            return bool(values)
        case _:
            return False
