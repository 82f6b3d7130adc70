"""Fields: there or not, needed or not, named alike, and what stands beside them."""

from __future__ import annotations

import msgspec
import pytest

from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import (
    Anything,
    Array,
    Field,
    Nothing,
    Reference,
    Scalar,
    Union,
    Unknown,
    with_nullable,
)
from contract_scan.scanners.differences import Direction, FieldExtra, FieldMissing, NameCase
from tests.scanners.builders import BOOLEAN, INTEGER, STRING, Names, array, at, obj, optional
from tests.scanners.differences.comparing import compare, differences

FITS: set[tuple[str, str]] = set()


def test_a_required_field_that_the_code_lacks() -> None:
    contract, code = obj({"id": STRING, "total": INTEGER}), obj({"id": STRING}, name="Order")
    for direction in ("response", "request", "consumer", "model"):
        assert differences(direction, contract, code) == {("FieldMissing", "total")}


def test_a_shape_without_a_name_need_not_be_all_that_is_read() -> None:
    contract, code = obj({"id": STRING, "total": INTEGER}), obj({"id": STRING})
    assert differences("request", contract, code) == {("?", "total")}
    assert differences("consumer", contract, code) == FITS
    strict = obj({"id": STRING}, additional=Nothing())
    assert differences("request", contract, strict) == {("FieldMissing", "total")}
    assert differences("consumer", contract, strict) == {("FieldMissing", "total")}


def test_an_optional_field_that_the_code_lacks_is_no_difference() -> None:
    contract, code = obj({"id": STRING, "note": optional(STRING)}), obj({"id": STRING})
    for direction in ("response", "request", "consumer", "model"):
        assert differences(direction, contract, code) == FITS


def test_a_field_that_the_contract_does_not_mention() -> None:
    contract, code = obj({"id": STRING}), obj({"id": STRING, "extra": STRING})
    assert differences("response", contract, code) == {("FieldExtra", "extra")}
    assert differences("model", contract, code) == {("FieldExtra", "extra")}
    assert differences("consumer", contract, code) == {("FieldExtra", "extra")}
    assert differences("request", contract, code) == {("FieldExtra", "extra")}


def test_a_request_of_which_the_code_reads_other_fields_only() -> None:
    contract = obj({"name": optional(STRING)})
    assert differences("request", contract, obj({"ops": optional(STRING)})) == {("?", "")}
    assert differences("request", contract, obj({"ops": STRING})) == {("FieldExtra", "ops")}
    both = obj({"ops": optional(STRING), "name": optional(STRING)})
    assert differences("request", contract, both) == FITS
    assert differences("request", contract, obj({"ops": optional(STRING)}, name="Order")) == FITS


def test_a_request_may_know_further_fields_that_it_does_not_need() -> None:
    contract = obj({"id": STRING})
    for field in (optional(STRING), Field(name="", schema=STRING, has_default=True)):
        assert differences("request", contract, obj({"id": STRING, "extra": field})) == FITS
    unsure = obj({"id": STRING, "extra": Field(name="", schema=STRING, required=None)})
    assert differences("request", contract, unsure) == {("?", "extra")}


@pytest.mark.parametrize(
    ("additional", "expected"),
    [
        (None, {("FieldExtra", "more")}),
        (Nothing(), {("FieldExtra", "more")}),
        (Anything(), FITS),
        (STRING, FITS),
        (INTEGER, {("TypeDiffers", "more")}),
    ],
)
def test_further_properties(additional: object, expected: set[object]) -> None:
    contract = obj({}, additional=additional)  # type: ignore[arg-type]
    assert differences("response", contract, obj({"more": STRING})) == expected


def test_forbidden_properties_are_said_to_be_forbidden() -> None:
    [open_] = compare("response", obj(), obj({"more": STRING})).differences
    [closed] = compare("response", obj(additional=Nothing()), obj({"more": STRING})).differences
    assert isinstance(open_, FieldExtra) and not open_.forbidden
    assert isinstance(closed, FieldExtra) and closed.forbidden


def test_a_request_that_is_refused() -> None:
    contract = obj({"id": STRING, "note": optional(STRING)})
    strict = obj({"id": STRING}, additional=Nothing())
    [difference] = compare("request", contract, strict).differences
    assert isinstance(difference, FieldMissing)
    assert (difference.path, difference.rejected) == ("note", True)


@pytest.mark.parametrize(
    ("contract", "code", "response", "request_"),
    [
        (True, True, FITS, FITS),
        (True, False, {("RequiredDiffers", "a")}, FITS),
        (False, True, FITS, {("RequiredDiffers", "a")}),
        (False, False, FITS, FITS),
        (True, None, {("?", "a")}, FITS),
        (False, None, FITS, {("?", "a")}),
    ],
)
def test_optionality(
    contract: bool, code: bool | None, response: set[object], request_: set[object]
) -> None:
    ours = obj({"a": Field(name="a", schema=STRING, required=contract)})
    theirs = obj({"a": Field(name="a", schema=STRING, required=code)})
    assert differences("response", ours, theirs) == response
    assert differences("model", ours, theirs) == response
    assert differences("request", ours, theirs) == request_
    assert differences("consumer", ours, theirs) == FITS


def test_a_default_fills_in_what_a_request_leaves_out() -> None:
    contract = obj({"a": optional(STRING)})
    code = obj({"a": Field(name="a", schema=STRING, required=True, has_default=True)})
    assert differences("request", contract, code) == FITS
    assert differences("response", obj({"a": STRING}), code) == FITS


@pytest.mark.parametrize("direction", ["request", "consumer"])
def test_null_where_a_reader_makes_a_value_of_it(direction: Direction) -> None:
    contract = obj({"a": with_nullable(STRING)})
    reads_null = obj({"a": Field(name="a", schema=STRING, takes_null=True)})
    assert differences(direction, contract, reads_null) == FITS
    assert differences(direction, contract, obj({"a": STRING})) == {("NullableDiffers", "a")}


@pytest.mark.parametrize(
    ("contract", "code"),
    [
        ("bookId", "book_id"),
        ("book_id", "bookId"),
        ("book-id", "BookId"),
        ("HTTPStatus", "http_status"),
        ("userID", "userId"),
    ],
)
def test_the_same_words_in_another_case_style(contract: str, code: str) -> None:
    for direction in ("response", "request", "consumer", "model"):
        ours, theirs = obj({contract: STRING}), obj({code: STRING})
        assert differences(direction, ours, theirs) == {("NameCase", contract)}
    [difference] = compare("response", obj({contract: STRING}), obj({code: STRING})).differences
    assert isinstance(difference, NameCase)
    assert (difference.expected, difference.found) == (contract, code)


@pytest.mark.parametrize(("contract", "code"), [("id", "_id"), ("total", "sum"), ("a1", "a_2")])
def test_other_words_are_other_fields(contract: str, code: str) -> None:
    ours, theirs = obj({contract: STRING}), obj({code: STRING})
    assert differences("response", ours, theirs) == {
        ("FieldMissing", contract),
        ("FieldExtra", code),
    }


def test_a_name_that_could_stand_for_two_is_not_explained() -> None:
    contract = obj({"bookId": STRING})
    code = obj({"book_id": STRING, "BookID": STRING})
    assert differences("response", contract, code) == {
        ("FieldMissing", "bookId"),
        ("FieldExtra", "book_id"),
        ("FieldExtra", "BookID"),
    }


def test_what_a_renamed_field_holds_is_compared_too() -> None:
    contract, code = obj({"bookId": STRING}), obj({"book_id": INTEGER})
    assert differences("response", contract, code) == {
        ("NameCase", "bookId"),
        ("TypeDiffers", "bookId"),
    }


def test_input_aliases_count_for_input_alone() -> None:
    field = Field(name="book_id", schema=STRING, accepts=("bookId", "book_id"))
    contract, code = obj({"bookId": STRING}), obj({"book_id": field})
    assert differences("request", contract, code) == FITS
    assert differences("response", contract, code) == {("NameCase", "bookId")}


def test_read_only_and_write_only_fields() -> None:
    read_only = Field(name="id", schema=STRING, read_only=True)
    write_only = Field(name="password", schema=STRING, write_only=True)
    contract = obj({"id": read_only, "password": write_only, "name": STRING})
    assert differences("response", contract, obj({"id": STRING, "name": STRING})) == FITS
    assert differences("request", contract, obj({"password": STRING, "name": STRING})) == FITS
    whole = obj({"id": STRING, "password": STRING, "name": STRING})
    assert differences("response", contract, whole) == {("FieldExtra", "password")}
    assert differences("request", contract, whole) == {("?", "id")}
    code = obj({"id": read_only, "password": write_only, "name": STRING})
    assert differences("response", contract, code) == FITS
    assert differences("request", contract, code) == FITS
    assert differences("model", contract, code) == FITS


def test_fields_are_named_by_their_path() -> None:
    contract = obj({"items": array(obj({"price": INTEGER})), "by_id": obj(additional=INTEGER)})
    code = obj({"items": array(obj({"price": STRING})), "by_id": obj(additional=STRING)})
    assert differences("response", contract, code) == {
        ("TypeDiffers", "items[].price"),
        ("TypeDiffers", "by_id{}"),
    }
    assert differences("response", array(INTEGER), array(STRING)) == {("TypeDiffers", "[]")}


def test_tuples_are_compared_by_position() -> None:
    pair = Array(prefix=(STRING, INTEGER), items=Nothing())
    assert differences("response", pair, pair) == FITS
    assert differences("response", Array(prefix=(STRING, STRING), items=Nothing()), pair) == {
        ("TypeDiffers", "[]")
    }
    assert differences("response", array(STRING), pair) == {("TypeDiffers", "[]")}


def test_a_list_where_a_tuple_is_expected() -> None:
    pair = Array(prefix=(STRING, INTEGER), items=Nothing())
    either = Union(options=(STRING, INTEGER))
    assert differences("response", pair, array(either)) == {("?", "[]")}
    assert differences("response", pair, array(STRING)) == {("?", "[]")}
    assert differences("response", pair, array(BOOLEAN)) == {("TypeDiffers", "[]")}


def test_a_map_of_values_that_is_undetermined_may_have_any_optional_key() -> None:
    contract = obj({"id": optional(STRING)})
    vague = obj(additional=Unknown(reason="a dict without its type"))
    assert differences("response", contract, vague) == {("?", "")}
    assert differences("response", contract, obj(additional=Anything())) == {("?", "")}
    assert differences("response", contract, obj(additional=STRING)) == FITS
    assert differences("request", vague, contract) == FITS


def test_a_map_of_other_values_may_or_may_not_have_an_optional_key() -> None:
    contract = obj({"id": optional(STRING), "count": optional(INTEGER)})
    assert differences("response", contract, obj(additional=STRING)) == {("?", "")}
    assert differences("response", contract, obj(additional=array(STRING))) == {("?", "")}
    assert differences("request", obj(additional=STRING), contract) == FITS


def test_a_map_may_have_the_required_key() -> None:
    contract, code = obj({"id": STRING}), obj(additional=STRING)
    assert differences("response", contract, code) == {("?", "id")}


def test_fields_that_is_undetermined_are_neither_missing_nor_extra() -> None:
    partial = obj({"id": INTEGER}, partial="spread of `defaults`")
    contract = obj({"id": STRING, "name": STRING})
    assert differences("response", contract, partial) == {("TypeDiffers", "id"), ("?", "")}
    assert differences("request", contract, partial) == {("TypeDiffers", "id"), ("?", "")}
    ours = obj({"id": STRING}, partial="`then` adds to it")
    code = obj({"id": STRING, "more": STRING})
    assert differences("response", ours, code) == {("?", "")}


def test_a_field_that_may_never_be_sent_is_not_extra() -> None:
    relation = Field(
        name="orders", schema=STRING, required=None, undetermined_reason="only a query loads it"
    )
    code = obj({"id": STRING, "orders": relation})
    assert differences("response", obj({"id": STRING}), code) == {("?", "orders")}
    loose = obj({"id": STRING}, additional=Anything())
    assert differences("response", loose, code) == FITS


def test_a_field_that_a_consumer_only_looks_for_is_not_extra_but_may_be_spelled_wrongly() -> None:
    looked_for = Field(
        name="order_id", schema=Anything(), required=False, undetermined_reason="only looked for"
    )
    code = obj({"id": STRING, "order_id": looked_for})
    assert differences("consumer", obj({"id": STRING}), code) == {("?", "order_id")}
    contract = obj({"id": STRING, "orderId": STRING})
    assert differences("consumer", contract, code) == {("NameCase", "orderId")}


def test_a_reader_that_takes_names_in_any_case() -> None:
    contract = obj({"OrderId": STRING, "a_note": STRING})
    code = msgspec.structs.replace(
        obj({"orderId": INTEGER, "aNote": STRING}), case_insensitive=True
    )
    for direction in ("request", "consumer"):
        found = differences(direction, contract, code)
        assert found == {("TypeDiffers", "OrderId"), ("NameCase", "a_note")}
    cased = {("NameCase", "OrderId"), ("TypeDiffers", "OrderId"), ("NameCase", "a_note")}
    assert differences("response", contract, code) == cased


def test_an_unknown_field_leaves_the_others_compared() -> None:
    contract = obj({"a": STRING, "b": STRING})
    code = obj({"a": Unknown(reason="?"), "b": INTEGER})
    assert differences("response", contract, code) == {("?", "a"), ("TypeDiffers", "b")}


@pytest.mark.parametrize("direction", ["response", "request", "consumer", "model"])
def test_both_places_are_named(direction: Direction) -> None:
    ours, theirs = at("openapi.yaml", 7), at("app.py", 3)
    contract = obj({"a": Field(name="a", schema=Scalar(type="string", origin=ours))})
    code = obj({"a": Field(name="a", schema=Scalar(type="integer", origin=theirs))})
    [difference] = compare(direction, contract, code).differences
    places: tuple[Origin, Origin] = (difference.contract, difference.code)
    assert places == (ours, theirs)
    assert (difference.expected, difference.found) == ("string", "integer")


def test_what_stands_in_no_file_is_shown_at_its_field() -> None:
    ours, theirs = at("openapi.yaml", 7), at("app.py", 3)
    contract = obj({"a": Field(name="a", schema=STRING, origin=ours)})
    code = obj({"a": Field(name="a", schema=array(STRING), origin=theirs)})
    [difference] = compare("response", contract, code).differences
    assert (difference.contract, difference.code) == (ours, theirs)
    unknown = obj({"a": Field(name="a", schema=Unknown(reason="?"), origin=theirs)})
    [place] = compare("response", contract, unknown).undetermined
    assert (place.contract, place.code) == (ours, theirs)


def test_further_properties_of_both_sides() -> None:
    numbers, texts = obj(additional=INTEGER), obj(additional=STRING)
    closed, silent = obj(additional=Nothing()), obj()
    assert differences("response", numbers, texts) == {("TypeDiffers", "{}")}
    assert differences("response", numbers, numbers) == FITS
    assert differences("response", closed, texts) == {("?", "{}")}
    assert differences("response", silent, texts) == FITS
    assert differences("response", texts, silent) == FITS
    assert differences("response", closed, closed) == FITS


def test_a_map_of_nulls_may_have_any_key() -> None:
    nulls = obj(additional=Nothing(nullable=True))
    [place] = compare("response", obj({"id": STRING}), nulls).undetermined
    assert place.reason == "the sender is a map; which keys it has is undetermined"


def test_a_type_of_the_wrong_kind_is_shown_where_it_is_used() -> None:
    declared, used = at("models.py", 3), at("models.py", 9)
    names = Names(Money=obj({"amount": INTEGER}, name="Money", origin=declared))
    code = obj({"price": Reference(key="Money", origin=used)})
    contract = obj({"price": STRING})
    for direction in ("response", "request"):
        [difference] = compare(direction, contract, code, code_names=names).differences
        assert difference.found == "Money"
    [difference] = compare("response", contract, code, code_names=names).differences
    assert difference.code == used
    inside = obj({"price": obj({"amount": STRING})})
    [difference] = compare("response", inside, code, code_names=names).differences
    assert (difference.path, difference.code.path) == ("price.amount", "")


def test_what_is_left_out_where_it_is_null_counts_as_there_unless_something_says_null() -> None:
    contract = obj({"name": STRING})
    unsaid = Field(name="", schema=STRING, required=None, omitted_if_null=True)
    assert differences("response", contract, obj({"name": unsaid})) == FITS
    assert differences("response", contract, obj({"name": optional(STRING)})) == {
        ("RequiredDiffers", "name")
    }
    undetermined = Field(name="", schema=STRING, required=None)
    assert differences("response", contract, obj({"name": undetermined})) == {("?", "name")}
