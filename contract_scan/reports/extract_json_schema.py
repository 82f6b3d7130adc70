"""The models that code has, as one JSON Schema document with a definition for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contract_scan.ir.model import Model
from contract_scan.reports.extraction import Extraction
from contract_scan.reports.json_schema import SchemaWriter, unused_name
from contract_scan.reports.json_text import indented_json
from contract_scan.reports.order import models_in_order


def render(extraction: Extraction) -> Iterator[str]:
    """The document as indented JSON."""
    yield indented_json(document(extraction))


def document(extraction: Extraction) -> dict[str, Any]:
    """Models, and what they refer to, in `$defs`.

    Of several types with one name each has a definition: `Order`, `Order_2`, told apart by
    `x-source`.
    """
    models: dict[str, Model] = {}
    for model in models_in_order(extraction.models):
        models[unused_name(model.name, models)] = model
    writer = SchemaWriter(extraction.resolver, "#/$defs", reserved=models)
    definitions = {name: _definition(model, writer) for name, model in models.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {**definitions, **writer.named_schemas()},
    }


def _definition(model: Model, writer: SchemaWriter) -> dict[str, Any]:
    place = {"x-language": model.language, "x-kind": model.kind}
    if model.origin.path:
        place["x-source"] = f"{model.origin.path}:{model.origin.span.line}"
    known = {key: value for key, value in place.items() if value}
    return {**writer.write(model.schema), **known}
