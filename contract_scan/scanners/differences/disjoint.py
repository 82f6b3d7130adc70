"""Whether no value of one schema is one of the other: what is sent cannot be what is promised."""

from __future__ import annotations

from contract_scan.ir.document import Resolver
from contract_scan.ir.schema import Field, Nothing, Object, Scalar, Schema
from contract_scan.scanners.differences.union_members import Alternatives, Shape, alternatives


def share_no_object(
    contract: Schema, code: Schema, contract_types: Resolver, code_types: Resolver
) -> bool:
    """Whether both are objects, and none that the code sends is one of the contract's: it has not a
    field that each of those has, or another value where both list the values of a field."""
    promised, sent = alternatives(contract, contract_types), alternatives(code, code_types)
    if not (promised.options and sent.options and _is_never_null(sent)):
        return False
    return all(
        _are_apart(theirs.shape, ours.shape, contract_types, code_types)
        for theirs in promised.options
        for ours in sent.options
    )


def _are_apart(
    promised: Shape, sent: Shape, contract_types: Resolver, code_types: Resolver
) -> bool:
    if not (isinstance(promised, Object) and isinstance(sent, Object)):
        return False
    own = {field.name: field for field in sent.fields}
    is_closed = not sent.incomplete_reason and isinstance(sent.additional, Nothing | None)
    for field in promised.fields:
        if field.required is not True or field.write_only:
            continue
        found = own.get(field.name)
        if found is None:
            if is_closed:
                return True
        elif _have_other_values(field, found, contract_types, code_types):
            return True
    return False


def _have_other_values(
    promised: Field, sent: Field, contract_types: Resolver, code_types: Resolver
) -> bool:
    """Whether a field that the contract needs never has a value that the contract lists."""
    listed = _values(alternatives(promised.schema, contract_types))
    own = _values(alternatives(sent.schema, code_types))
    return bool(listed) and bool(own) and not (listed & own)


def _values(schema: Alternatives) -> frozenset[tuple[type, object]]:
    """All values of a schema; none where they are not listed. A truth value is no number."""
    shapes = [option.shape for option in schema.options]
    if not _is_never_null(schema) or not all(
        isinstance(shape, Scalar) and shape.values is not None for shape in shapes
    ):
        return frozenset()
    return frozenset(
        (type(value), value)
        for shape in shapes
        if isinstance(shape, Scalar)
        for value in shape.values or ()
    )


def _is_never_null(schema: Alternatives) -> bool:
    return schema.nullable is False
