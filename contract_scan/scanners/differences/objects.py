"""Comparing objects: which fields each side has, needs and forbids."""

from __future__ import annotations

from typing import Protocol

import msgspec

from contract_scan.ir.document import Resolver
from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Anything, Field, Nothing, Object, Schema, Unknown
from contract_scan.ir.violation import ObjectPair
from contract_scan.scanners.differences.describe import describe
from contract_scan.scanners.differences.direction import Sides
from contract_scan.scanners.differences.kinds import (
    Difference,
    FieldExtra,
    FieldMissing,
    NameCase,
    NullableDiffers,
    RequiredDiffers,
    UndeterminedPart,
    grade_difference,
)
from contract_scan.scanners.differences.names import same_words
from contract_scan.scanners.differences.result import PartialResult
from contract_scan.scanners.differences.union_members import alternatives

SHARED_BY_VERSIONS = 0.25
"""Share of the smaller object's fields above which two objects are taken for versions of one type.
Measured on services: old versions of a type share 0.6 and more of them, envelopes 0.4 to 0.5."""
_KEYS_UNDETERMINED = Reason("map-keys-undetermined")
_ALIAS_WRITTEN_WHERE_ASKED = Reason("alias-written-where-asked")
_NO_FIELD_READ = Reason("contract-fields-not-read")


class SchemaComparer(Protocol):
    """The part of the comparer that looks at what fields hold."""

    sides: Sides
    sender: Resolver
    receiver: Resolver

    def schemas(self, sent: Schema, accepted: Schema) -> PartialResult: ...


def compare_objects(sent: Object, accepted: Object, comparer: SchemaComparer) -> PartialResult:
    """Whether every object of one shape is acceptable as the other."""
    return _ObjectComparison(sent, accepted, comparer).compare_fields()


class _ObjectComparison:
    def __init__(self, sent: Object, accepted: Object, comparer: SchemaComparer) -> None:
        self.sent, self.accepted = sent, accepted
        self.comparer, self.sides = comparer, comparer.sides
        self.result = PartialResult()

    def compare_fields(self) -> PartialResult:
        sent_fields = [f for f in self.sent.fields if self._travels(f)]
        accepted_fields = [f for f in self.accepted.fields if self._travels(f)]
        any_case = self.accepted.case_insensitive and not self.sides.code_sends
        pairs = _pair_by_name(sent_fields, accepted_fields, self.sides, any_case)
        as_declared = self._pair_as_declared(sent_fields, accepted_fields, pairs)
        pairs += as_declared
        paired_accepted = {id(accepted) for _, accepted in pairs}
        paired_sent = {id(sent) for sent, _ in pairs}
        left_sent = [f for f in sent_fields if id(f) not in paired_sent]
        left_accepted = [f for f in accepted_fields if id(f) not in paired_accepted]
        case_pairs = _pair_by_words(left_sent, left_accepted)
        for sent, accepted in pairs:
            self._compare_field(sent, accepted)
        for sent, accepted in as_declared:
            self._add_undetermined(sent, accepted, accepted.name, _ALIAS_WRITTEN_WHERE_ASKED)
        for sent, accepted in case_pairs:
            self._name_case(sent, accepted)
        cased = {id(field) for pair in case_pairs for field in pair}
        for field in left_accepted:
            if id(field) not in cased:
                self._only_accepted(field)
        for field in left_sent:
            if id(field) not in cased:
                self._only_sent(field)
        self._compare_further_properties()
        self._note_partial()
        if sent_fields and accepted_fields and not pairs and not case_pairs:
            self._note_unread()
        if self.result.differences and (sent_fields or accepted_fields):
            shared = len(pairs) + len(case_pairs)
            left = min(len(left_sent), len(left_accepted)) - len(case_pairs)
            fewest = min(len(sent_fields), len(accepted_fields))
            self._name_objects(shares_little=left > 1 and shared <= fewest * SHARED_BY_VERSIONS)
        return self.result

    def _pair_as_declared(
        self, sent: list[Field], accepted: list[Field], pairs: list[tuple[Field, Field]]
    ) -> list[tuple[Field, Field]]:
        """Fields of a model that calls may also write under the names that they are declared with,
        beside those of the contract that have these names."""
        if self.sides.direction != "model":
            return []
        known = {id(field) for pair in pairs for field in pair}
        left = {field.name: field for field in accepted if id(field) not in known}
        return [
            (field, left[field.declared_as])
            for field in sent
            if field.either_name and id(field) not in known and field.declared_as in left
        ]

    def _name_objects(self, *, shares_little: bool) -> None:
        """Say of every difference that is in no object further inside that it is in these two."""
        of_code, of_contract = self.sent, self.accepted
        if not self.sides.code_sends:
            of_code, of_contract = of_contract, of_code
        pair = ObjectPair(
            code=of_code.origin,
            code_type=of_code.name or of_code.origin.symbol,
            contract=of_contract.origin,
            contract_type=of_contract.name,
            code_sends=self.sides.code_sends,
            shares_little=shares_little,
        )
        self.result.differences = [
            item if item.objects else msgspec.structs.replace(item, objects=pair)
            for item in self.result.differences
        ]

    def _travels(self, field: Field) -> bool:
        """Whether the field is part of what goes over the wire in this direction."""
        match self.sides.direction:
            case "response":
                return not field.write_only
            case "request" | "consumer":
                return not field.read_only
            case _:
                return True

    def _compare_field(self, sent: Field, accepted: Field) -> None:
        name = self._contract_name(sent, accepted)
        self._compare_held(sent, accepted, name)
        self._compare_required(sent, accepted, name)

    def _compare_held(self, sent: Field, accepted: Field, name: str) -> None:
        """Compare what the fields hold; what stands in no file is shown at the field."""
        held = self.comparer.schemas(sent.schema, accepted.schema)
        takes_null = accepted.takes_null and not self.sides.code_sends
        leaves_null_out = self._leaves_null_out(self._of_code(sent, accepted))
        if takes_null or leaves_null_out or self._null_means_absent(sent, accepted):
            held.differences = [
                item
                for item in held.differences
                if item.path
                or not isinstance(item, NullableDiffers)
                or (item.code_is_stricter and not leaves_null_out)
            ]
        if self.sides.code_sends and sent.undetermined_reason and held.differences:
            # Nothing is said of what it would hold: most operations may never send it.
            self._add_undetermined(sent, accepted, name, sent.undetermined_reason)
            return
        places = self.sides.places(sent, accepted)
        held.fill_places(**places)
        held.grade(self._of_code(sent, accepted).evidence, here=True)
        self.result.take(held, f".{name}")

    def _of_code(self, sent: Field, accepted: Field) -> Field:
        """Which of the two is the code's."""
        return sent if self.sides.code_sends else accepted

    def _leaves_null_out(self, of_code: Field) -> bool:
        """Whether a model holds null in a field that it does not write then."""
        holds_null = of_code.takes_null or of_code.omitted_if_null
        return self.sides.direction == "model" and holds_null and not of_code.required

    def _null_means_absent(self, sent: Field, accepted: Field) -> bool:
        """Whether null is how a type writes down that an optional field is not there
        (`nickname: str | None = None`). What it becomes on the wire is for the endpoints to say."""
        may_be_absent = sent.has_default or sent.required is False
        return self.sides.direction == "model" and may_be_absent and accepted.required is not True

    def _compare_required(self, sent: Field, accepted: Field, name: str) -> None:
        if self.sides.direction == "consumer" and not _is_enforced(accepted):
            # Where nothing refuses a message, a field that is left out is the producer's finding.
            return
        if self.sides.direction == "model" and self._no_type_says(sent, accepted):
            return
        if not self._needs(accepted):
            if accepted.required is None and not accepted.has_default and not sent.required:
                reason = accepted.undetermined_reason or Reason("field-needed-undetermined")
                self._add_undetermined(sent, accepted, name, reason)
            return
        if sent.required is False:
            words = ("required", "optional")
            expected, found = words if self.sides.code_sends else words[::-1]
            self._add(
                RequiredDiffers(
                    path=f".{name}",
                    **self.sides.places(sent, accepted),
                    expected=expected,
                    found=found,
                ),
                self._of_code(sent, accepted),
            )
        elif sent.required is None and not sent.omitted_if_null:
            # Where nothing says whether a value may be null, it is not taken to be.
            self._add_undetermined(sent, accepted, name, Reason("field-always-sent-undetermined"))

    def _no_type_says(self, sent: Field, accepted: Field) -> bool:
        """Whether types of the language, or all types, are silent about the field's presence: it is
        left out where a reference is null, or required beside certain values alone. A type that
        has the field agrees with the model as far as a type can."""
        if accepted.required is None:
            return not sent.required
        return sent.required is None and sent.omitted_if_null

    def _add_undetermined(self, sent: Field, accepted: Field, name: str, reason: Reason) -> None:
        self.result.add(
            UndeterminedPart(
                path=f".{name}",
                **self.sides.places(sent, accepted),
                reason=reason,
            )
        )

    def _needs(self, accepted: Field) -> bool:
        """Whether the receiver needs the field to be there."""
        filled_in = accepted.has_default and not self.sides.code_sends
        return accepted.required is True and not filled_in

    def _contract_name(self, sent: Field, accepted: Field) -> str:
        return accepted.name if self.sides.code_sends else sent.name

    def _name_case(self, sent: Field, accepted: Field) -> None:
        expected, found = self.sides.in_order(sent.name, accepted.name)
        self._add(
            NameCase(
                path=f".{expected}",
                **self.sides.places(sent, accepted),
                expected=expected,
                found=found,
            ),
            self._of_code(sent, accepted),
        )
        self._compare_held(sent, accepted, expected)

    def _only_accepted(self, field: Field) -> None:
        """The receiver knows a field that the sender does not have."""
        if self.sent.incomplete_reason:
            return
        may_hold = _additional_schema(self.sent.additional)
        if may_hold is not None:
            if self._needs(field):
                self._place_undetermined(field, _KEYS_UNDETERMINED)
            elif self.sides.code_sends and not self._may_stand_under(may_hold, field):
                # Whether the map has the key is undetermined; under it would stand something else.
                places = self.sides.places(self.sent, self.accepted)
                self.result.add(UndeterminedPart(path="", **places, reason=_KEYS_UNDETERMINED))
            return
        places = self.sides.places(self.sent, field)
        if self.sides.code_sends:
            if self._needs(field):
                self.result.add(
                    FieldMissing(
                        path=f".{field.name}",
                        **places,
                        expected=describe(field.schema, self.comparer.receiver),
                    )
                )
            return
        # A request: the code knows a field that the contract does not let clients send.
        if any(other.name in _accepted_names(field) for other in self.sent.fields):
            if self._needs(field):
                self._place_undetermined(field, Reason("read-only-field-needed"))
        elif (
            self.sides.direction == "consumer"
            and field.undetermined_reason
            and not self._needs(field)
        ):
            self._place_undetermined(field, field.undetermined_reason)
        elif self._needs(field) or self.sides.direction == "consumer":
            self._add(
                FieldExtra(
                    path=f".{field.name}",
                    **places,
                    found=describe(field.schema, self.comparer.receiver),
                    needed=self._needs(field),
                ),
                field,
            )
        elif field.required is None and not field.has_default:
            reason = field.undetermined_reason or Reason("field-need-undetermined")
            self._place_undetermined(field, reason)

    def _add(self, difference: Difference, of: Field) -> None:
        """Add a difference that a field of the code makes, known as the field is."""
        self.result.add(grade_difference(difference, of.evidence))

    def _may_stand_under(self, value: Schema, field: Field) -> bool:
        """Whether what a map holds under any key is what the receiver takes under this one."""
        if self._is_vague(value):
            return False
        return not self.comparer.schemas(value, field.schema).differences

    def _only_sent(self, field: Field) -> None:
        """The sender has a field that the receiver does not know."""
        read_only_here = self.sides.direction == "model" and field.write_only
        if self.accepted.incomplete_reason or read_only_here:  # a type may read more than it writes
            return
        write_only = self.sides.code_sends and any(
            other.name == field.name for other in self.accepted.fields
        )
        allowed = None if write_only else _additional_schema(self.accepted.additional)
        if allowed is not None:
            self.result.take(self.comparer.schemas(field.schema, allowed), f".{field.name}")
            return
        forbidden = isinstance(self.accepted.additional, Nothing)
        path, places = f".{field.name}", self.sides.places(field, self.accepted)
        if field.excluded_from_docs and not (forbidden or write_only):
            return
        if self.sides.code_sends and field.undetermined_reason:
            self._place_undetermined(field, field.undetermined_reason)
        elif self.sides.direction == "model" and field.read_only and not forbidden:
            self._place_undetermined(field, Reason("read-only-field-of-code"))
        elif self.sides.code_sends:
            self._add(
                FieldExtra(
                    path=path,
                    **places,
                    found=describe(field.schema, self.comparer.sender),
                    forbidden=forbidden,
                    write_only=write_only,
                ),
                field,
            )
        elif forbidden and (field.required or self.sides.direction == "request"):
            self._field_missing(field, rejected=True)
        elif field.required and self.accepted.name:
            self._field_missing(field, rejected=False)
        elif field.required and self.sides.direction == "request":
            # A shape without a name is what was seen being read, which need not be all.
            self._place_undetermined(field, Reason("field-read-undetermined"))

    def _field_missing(self, field: Field, rejected: bool) -> None:
        self.result.add(
            FieldMissing(
                path=f".{field.name}",
                **self.sides.places(field, self.accepted),
                expected=describe(field.schema, self.comparer.sender),
                rejected=rejected,
            )
        )

    def _compare_further_properties(self) -> None:
        sent, accepted = _additional_schema(self.sent.additional), self.accepted.additional
        if sent is None:
            return
        allowed = _additional_schema(accepted)
        if allowed is not None:
            self.result.take(self.comparer.schemas(sent, allowed), "{}")
        elif isinstance(accepted, Nothing):
            self.result.add(
                UndeterminedPart(
                    path="{}",
                    **self.sides.places(sent, self.accepted),
                    reason=Reason("further-properties-undetermined"),
                )
            )

    def _is_vague(self, schema: Schema) -> bool:
        options = alternatives(schema, self.comparer.sender).options
        return any(isinstance(option.shape, Unknown | Anything) for option in options)

    def _place_undetermined(self, field: Field, reason: Reason) -> None:
        of_sender = any(field is own for own in self.sent.fields)
        pair = (field, self.accepted) if of_sender else (self.sent, field)
        places = self.sides.places(*pair)
        self.result.add(UndeterminedPart(path=f".{field.name}", **places, reason=reason))

    def _note_partial(self) -> None:
        reason = self.sent.incomplete_reason or self.accepted.incomplete_reason
        if reason:
            places = self.sides.places(self.sent, self.accepted)
            self.result.add(
                UndeterminedPart(
                    path="", **places, reason=Reason("some-fields-undetermined", is_open=reason)
                )
            )

    def _note_unread(self) -> None:
        """The code was seen reading a request, and not one field of those in the contract."""
        if self.sides.direction != "request" or self.accepted.name or self.result.differences:
            return
        places = self.sides.places(self.sent, self.accepted)
        self.result.add(UndeterminedPart(path="", **places, reason=_NO_FIELD_READ))


def _additional_schema(additional: Schema | None) -> Schema | None:
    """The schema of additional properties, where they are allowed explicitly (a map of nulls
    allows them: only without null can they have no value at all)."""
    forbidden = isinstance(additional, Nothing) and additional.nullable is False
    return None if forbidden else additional


def _is_enforced(field: Field) -> bool:
    """Whether code that runs sees to it that the field itself is there."""
    return field.evidence is not None and field.evidence.required == "enforced"


def _accepted_names(field: Field) -> tuple[str, ...]:
    return field.accepts or (field.name,)


def _pair_by_name(
    sent: list[Field], accepted: list[Field], sides: Sides, any_case: bool
) -> list[tuple[Field, Field]]:
    key = str.casefold if any_case else str
    by_name: dict[str, Field] = {}
    for field in accepted:
        # Only what is read knows further names; what is written has one.
        for name in (field.name,) if sides.code_sends else _accepted_names(field):
            by_name.setdefault(key(name), field)
    return [(field, by_name[key(field.name)]) for field in sent if key(field.name) in by_name]


def _pair_by_words(sent: list[Field], accepted: list[Field]) -> list[tuple[Field, Field]]:
    sent_by_name = {field.name: field for field in sent}
    accepted_by_name = {field.name: field for field in accepted}
    return [
        (sent_by_name[one], accepted_by_name[other])
        for one, other in same_words(sent_by_name, accepted_by_name).items()
        if one != other
    ]
