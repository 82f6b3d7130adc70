"""Fields of forms, as code reads them."""

from __future__ import annotations

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.schema import Anything, Field, Object, Reference, Scalar
from contract_scan.scanners.form_bodies import as_text

NOTHING = ContractDocument(path="openapi.yaml", kind="openapi")


def test_a_field_that_is_text_takes_whatever_the_contract_sends() -> None:
    sent = Object(
        fields=(
            Field(name="order", schema=Reference(key="openapi.yaml#/components/schemas/Order")),
            Field(name="count", schema=Scalar(type="integer")),
        )
    )
    read = Object(
        fields=(
            Field(name="order", schema=Scalar(type="string")),
            Field(name="count", schema=Scalar(type="integer")),
            Field(name="other", schema=Scalar(type="string")),
        )
    )
    found = as_text(sent, read, NOTHING, NOTHING)
    assert isinstance(found, Object)
    assert [(field.name, field.schema) for field in found.fields] == [
        ("order", Anything(nullable=True)),
        ("count", Scalar(type="integer", nullable=True)),
        ("other", Scalar(type="string", nullable=True)),
    ]
