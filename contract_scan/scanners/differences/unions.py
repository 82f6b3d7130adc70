"""Which of several shapes a value was meant to have: a difference belongs at the right field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.ir.document import Resolver
from contract_scan.ir.evidence import GRADES, Grade
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import (
    Array,
    LiteralValue,
    Nothing,
    Object,
    Scalar,
    Schema,
    Union,
)
from contract_scan.scanners.differences.kinds import (
    Difference,
    EnumDiffers,
    FieldExtra,
    FieldMissing,
    RequiredDiffers,
    ShapeDiffers,
    TypeDiffers,
    UndeterminedPart,
)
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.result import PartialResult
from contract_scan.scanners.differences.tags import NEUTRAL, Agreement
from contract_scan.scanners.differences.union_members import (
    Alternative,
    alternatives,
    with_tag,
)

CompareTags: TypeAlias = Callable[[Alternative, Alternative], Agreement]
"""How far the tags of a sent and an accepted shape agree."""
_Refusal: TypeAlias = FieldExtra | FieldMissing
_BEST_KNOWN: Final[tuple[Grade | None, ...]] = (*GRADES[:2], None, *GRADES[2:])
"""Grades, the best first; what has none yet is known as the whole value is."""
MAX_NESTING = 10
"""How deep in a shape is looked for what varies."""


def closest(
    sent: Alternative,
    results: Sequence[tuple[Alternative, PartialResult]],
    agreement: CompareTags,
) -> PartialResult:
    """Of comparisons with every accepted shape, all of which differ, the one to report.

    The order of evidence: a tag both sides fix to the same value, the same type name, the number of
    fields in common, the fewest differences; then the order in the contract.
    """
    if len(results) == 1:
        return results[0][1]
    chosen = max(results, key=lambda entry: (agreement(sent, entry[0]), _similarity(sent, *entry)))
    shapes = [option.shape for option, _ in results]
    if _leaves_tag_open(sent.shape, shapes) or _null_tells_apart(sent.shape, shapes):
        reason = Reason("alternative-depends-on-values")
        return _common_differences(
            chosen[1], [r for _, r in results], reason, _fields_of_several_shapes(sent.shape)
        )
    if not _stands_for_several(sent.shape, chosen[0].shape, [option for option, _ in results]):
        return chosen[1]
    reason = Reason("alternative-depends-on-values")
    return _common_differences(
        chosen[1], [result for _, result in results], reason, _fields_of_several_shapes(sent.shape)
    )


def likely_alternatives(
    sent: Alternative, options: Sequence[Alternative], agreement: CompareTags
) -> Sequence[Alternative]:
    """The alternatives that a value may have been meant for: where the fixed values of some agree
    with it, none whose fixed values contradict it (`type: "circle"` is no square)."""
    if len(options) < 2:
        return options
    agreements = [agreement(sent, option) for option in options]
    if max(agreements) <= NEUTRAL:
        return options
    return [option for option, value in zip(options, agreements, strict=True) if value >= NEUTRAL]


def refused_tag(
    sent: Alternative, options: Sequence[Alternative]
) -> tuple[str, Scalar, Schema] | None:
    """A field whose fixed value no alternative takes, although all of them fix one: (its name, what
    is sent, what is accepted). Nothing else tells which alternative was meant."""
    if len(options) < 2 or not isinstance(sent.shape, Object):
        return None
    for field in sent.shape.fields:
        own = field.schema
        if not isinstance(own, Scalar) or own.values is None or len(own.values) != 1:
            continue
        tags = [_field_of(option.shape, field.name) for option in options]
        fixed = [tag for tag in tags if isinstance(tag, Scalar) and tag.values]
        if len(fixed) == len(options) and not any(
            set(own.values) & set(tag.values or ()) for tag in fixed
        ):
            return field.name, own, Union(options=tuple(fixed), origin=fixed[0].origin)
    return None


class UnionPart(Struct, frozen=True):
    """What a shape is where its tag has the values of one alternative."""

    sent: Alternative
    accepted: Alternative


class SplitUnion(Struct, frozen=True):
    """A type whose tag has the values of several alternatives, taken apart by those values."""

    tag: str
    sent: Schema
    """What the tag holds, of which every value must belong to some alternative."""
    accepted: Schema
    each: tuple[UnionPart, ...]


def parts_by_tag(
    sent: Alternative, options: Sequence[Alternative], sender: Resolver, receiver: Resolver
) -> SplitUnion | None:
    """Take apart a type that stands for several alternatives which a tag tells apart (one class for
    every member of a `oneOf`, with an enum that says which it is); None where it is no such type.
    """
    for field in sent.shape.fields if isinstance(sent.shape, Object) else ():
        values = _values(field.schema, sender)
        if len(values) < 2:
            continue
        tags = [_field_of(option.shape, field.name) for option in options]
        known = [_values(tag, receiver) if tag is not None else () for tag in tags]
        if not all(known) or any(set(own) >= set(values) for own in known):
            continue
        each = tuple(
            UnionPart(replace(with_tag(sent, field.name, values_left, sender), key=""), option)
            for option, own in zip(options, known, strict=True)
            if (values_left := tuple(value for value in values if value in own))
        )
        if len(each) > 1:
            accepted = Union(options=tuple(tag for tag in tags if tag is not None))
            return SplitUnion(field.name, field.schema, accepted, each)
    return None


def of_parts(parts: SplitUnion, results: Sequence[PartialResult]) -> PartialResult:
    """Of comparisons of each part with its alternative, what is certain: which of a type's fields
    are sent beside which tag depends on the values, unless all parts fit."""
    most = max(results, key=lambda result: len(result.differences))
    reason = Reason("fields-depend-on-tag", tag=parts.tag)
    found = _common_differences(
        most, results, reason, _fields_of_several_shapes(parts.each[0].sent.shape)
    )
    for result in results:
        found.assumed |= result.assumed
        found.learn(result)
        found.undetermined += result.undetermined if result is not most else []
    return found


def _field_of(shape: Schema, name: str) -> Schema | None:
    fields = shape.fields if isinstance(shape, Object) else ()
    return next((field.schema for field in fields if field.name == name), None)


def _values(schema: Schema, resolver: Resolver) -> tuple[LiteralValue, ...]:
    """The only values of a tag, references followed; none where it is not limited."""
    options = alternatives(schema, resolver).options
    if len(options) != 1 or not isinstance(options[0].shape, Scalar):
        return ()
    return options[0].shape.values or ()


def _stands_for_several(sent: Schema, chosen: Schema, options: Sequence[Alternative]) -> bool:
    """Whether one type has the fields of several alternatives, so that its values decide which of
    them is sent (`class Choice { License? license; string? expression; }`)."""
    if not isinstance(sent, Object):
        return False
    own = field_names(chosen)
    others = {name for option in options for name in field_names(option.shape)} - own
    left_out = {field.name for field in sent.fields if field.required is False}
    return any(field.name in others and field.required is not True for field in sent.fields) or any(
        # Without what makes it the one, it is the other.
        left_out & (_required_names(chosen) - _required_names(option.shape))
        and _required_names(option.shape) <= field_names(sent)
        for option in options
        if isinstance(option.shape, Object)
    )


def _leaves_tag_open(sent: Schema, options: Sequence[Schema]) -> bool:
    """Whether fixed values of a field tell the alternatives apart and the type fixes none."""
    if not isinstance(sent, Object):
        return False
    own = _tags(sent)
    tags = [_tags(option) for option in options]
    return any(
        field.name not in own
        and all(field.name in tag for tag in tags)
        and len({value for tag in tags for value in tag[field.name]}) > 1
        for field in sent.fields
    )


def _null_tells_apart(sent: Schema, options: Sequence[Schema]) -> bool:
    """Whether alternatives differ by which field is null, and the type leaves that open."""
    if not isinstance(sent, Object) or not all(isinstance(each, Object) for each in options):
        return False
    open_names = {field.name for field in sent.fields if field.schema.nullable is not False}
    held = [{f.name: f.schema for f in each.fields} for each in options if isinstance(each, Object)]
    return any(
        len({isinstance(each[name], Nothing) for each in held}) > 1
        for name in open_names
        if all(name in each for each in held)
    )


def _fields_of_several_shapes(sent: Schema) -> frozenset[str]:
    """Fields that hold several shapes somewhere: which one may be up to the tag."""
    fields = sent.fields if isinstance(sent, Object) else ()
    return frozenset(field.name for field in fields if _varies(field.schema, MAX_NESTING))


def _varies(schema: Schema, depth: int) -> bool:
    match schema:
        case Union(options=options):
            return sum(not isinstance(option, Nothing) for option in options) > 1
        case Array(items=items) if depth:
            return _varies(items, depth - 1)
        case Object(fields=fields) if depth:
            return any(_varies(field.schema, depth - 1) for field in fields)
        case _:
            return False


def _common_differences(
    chosen: PartialResult,
    results: Sequence[PartialResult],
    reason: Reason,
    varying: frozenset[str] = frozenset(),
) -> PartialResult:
    """Of what differs from the chosen alternative, what differs from every one of them: values
    that fit one may otherwise be the only ones that are sent.

    A field that none takes as it is, and one that all of them need, differ for certain. That one
    alternative does not know a field, or needs one that another does not, depends on the values.
    So does what is in a field that varies, where each alternative takes something of it.
    """
    certain = PartialResult()
    certain.assumed |= chosen.assumed
    certain.learn(chosen)
    certain.undetermined += chosen.undetermined
    for field in dict.fromkeys(_field(item.path) for item in chosen.differences):
        sides = [_FieldDifferences(result, field) for result in results]
        own = _FieldDifferences(chosen, field)
        if all(side.extra for side in sides):
            certain.differences += own.extra
        elif field in varying and not all(side.missing for side in sides):
            certain.differences += _common(own, [side for side in sides if not side.extra], field)
        elif all(side.held or side.extra for side in sides):
            held = next((s.held for s in (own, *sides) if s.held), own.extra)
            certain.differences += _in_no_alternative(held, sides)
        elif all(side.missing for side in sides):
            certain.differences += own.missing
    if len(certain.differences) < len(chosen.differences):
        first = chosen.differences[0]
        certain.add(
            UndeterminedPart(path="", contract=first.contract, code=first.code, reason=reason)
        )
    return certain


def _common(
    own: _FieldDifferences, knowing: Sequence[_FieldDifferences], field: str
) -> list[Difference]:
    """What differs inside of a field that varies from every alternative that knows it."""
    if not all(side.held for side in knowing):
        return []
    common = set.intersection(*({(type(i), i.path) for i in side.held} for side in knowing))
    return [
        item
        for item in own.held
        if (type(item), item.path) in common and item.path.removeprefix(".") != field
    ]


def _in_no_alternative(
    items: Sequence[Difference], sides: Sequence[_FieldDifferences]
) -> list[Difference]:
    """Differences without the values that one of the alternatives lists at the same place."""
    found: list[Difference] = []
    for item in items:
        same = [
            [i for i in side.held if isinstance(i, EnumDiffers) and i.path == item.path]
            for side in sides
        ]
        if isinstance(item, EnumDiffers) and item.values and all(same):
            values = tuple(v for v in item.values if all(v in each[0].values for each in same))
            if not values and not item.lacking:
                continue
            item = replace(item, values=values)
        found.append(item)
    return found


class _FieldDifferences:
    """What differs at one field: what it holds, that it is there, that it may not be there."""

    def __init__(self, result: PartialResult, field: str) -> None:
        items = [item for item in result.differences if _field(item.path) == field]
        at_field = {f".{field}", field}
        self.extra = [i for i in items if isinstance(i, FieldExtra) and i.path in at_field]
        self.missing = [
            i for i in items if isinstance(i, FieldMissing | RequiredDiffers) and i.path in at_field
        ]
        self.held = [i for i in items if i not in self.extra and i not in self.missing]


def _field(path: str) -> str:
    """The outermost field of a path."""
    return path.removeprefix(".").partition(".")[0].partition("[")[0].partition("{")[0]


def field_names(shape: Schema) -> set[str]:
    """The names of the fields of an object."""
    return {field.name for field in shape.fields} if isinstance(shape, Object) else set()


def _required_names(shape: Schema) -> set[str]:
    fields = shape.fields if isinstance(shape, Object) else ()
    return {field.name for field in fields if field.required}


def _similarity(
    sent: Alternative, accepted: Alternative, result: PartialResult
) -> tuple[int, int, int, int]:
    top = sum(
        isinstance(item, TypeDiffers | ShapeDiffers | FieldMissing) for item in result.differences
    )
    return (
        int(bool(sent.name) and fold(sent.name) == fold(accepted.name)),
        _common_fields(sent.shape, accepted.shape) - top,
        -len(result.differences),
        -len(result.undetermined),
    )


def _tags(shape: Schema) -> dict[str, tuple[LiteralValue, ...]]:
    if not isinstance(shape, Object):
        return {}
    return {
        field.name: field.schema.values
        for field in shape.fields
        if isinstance(field.schema, Scalar) and field.schema.values
    }


def _common_fields(sent: Schema, accepted: Schema) -> int:
    if not (isinstance(sent, Object) and isinstance(accepted, Object)):
        return 0
    names = {fold(field.name) for field in sent.fields}
    return len(names & {fold(field.name) for field in accepted.fields})


def tell_refused_by_fields(each: Sequence[tuple[Alternative, PartialResult]]) -> None:
    """Of alternatives of which the code takes some, and refuses others because it needs a field
    that they have not, or refuses one that they need, tell of these that one field alone: what else
    is in them is not what the code is for."""
    refused = [(option, result, _refusals(option, result)) for option, result in each]
    if all(refusals for _, _, refusals in refused):
        return
    told: dict[tuple[type[_Refusal], str], tuple[PartialResult, _Refusal]] = {}
    for option, result, refusals in refused:
        if not refusals:
            continue
        item = min(refusals, key=lambda refusal: _BEST_KNOWN.index(refusal.evidence))
        into, first = told.get((type(item), item.path), (result, item))
        name = f"`{option.name}`" if option.name else "one without a name"
        first = replace(first, alternatives=(*first.alternatives, name))
        told[type(item), item.path] = into, first
        result.differences, result.undetermined = [], []
    for result, item in told.values():
        result.add(item)


def tell_left_out_by_some(each: Sequence[tuple[Alternative, PartialResult]]) -> None:
    """Of a field that some of the objects lack which may be sent, and others have, tell that it may
    be left out."""
    objects = [(o.shape, r) for o, r in each if isinstance(o.shape, Object)]
    lacking = [{i.path for i in r.differences if isinstance(i, FieldMissing)} for _, r in objects]
    always = {
        path
        for path in set().union(*lacking)
        if all(
            path in lacks or not _has_place_for(shape, path)
            for (shape, _), lacks in zip(objects, lacking, strict=True)
        )
    }
    for _, result in objects:
        result.differences = [
            RequiredDiffers(
                path=item.path,
                contract=item.contract,
                code=item.code,
                expected="required",
                found="optional",
                evidence=item.evidence,
                objects=item.objects,
            )
            if isinstance(item, FieldMissing) and item.path not in always
            else item
            for item in result.differences
        ]


def _has_place_for(shape: Schema, path: str) -> bool:
    """Whether a field may stand at a path of a shape: in an empty list no item has any."""
    while True:
        match shape:
            case Array(items=Nothing()) if path.startswith("[]"):
                return False
            case Array(items=items) if path.startswith("[]"):
                shape, path = items, path.removeprefix("[]")
            case Object(fields=fields):
                found = [f for f in fields if path.startswith((f".{f.name}.", f".{f.name}["))]
                if not found:
                    return True
                shape, path = found[0].schema, path.removeprefix(f".{found[0].name}")
            case _:
                return True


def _refusals(option: Alternative, result: PartialResult) -> list[_Refusal]:
    fields = option.shape.fields if isinstance(option.shape, Object) else ()
    required = {f".{field.name}" for field in fields if field.required}
    return [
        item
        for item in result.differences
        if (isinstance(item, FieldExtra) and item.needed and not item.path.rpartition(".")[0])
        or (isinstance(item, FieldMissing) and item.rejected and item.path in required)
    ]
