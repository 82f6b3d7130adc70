"""One of several shapes: each one sent must fit some accepted one, and the nearest is reported."""

from __future__ import annotations

from contract_scan.ir.schema import Anything, Nothing, Object, Reference, Schema, Union, Unknown
from contract_scan.scanners.differences.kinds import EnumDiffers, FieldExtra, TypeDiffers
from tests.scanners.builders import (
    BOOLEAN,
    INTEGER,
    STRING,
    Names,
    array,
    enum,
    obj,
    optional,
    text,
)
from tests.scanners.differences.comparing import compare, differences

FITS: set[tuple[str, str]] = set()

CARD = obj({"kind": enum("card"), "number": STRING}, name="Card")
CASH = obj({"kind": enum("cash"), "amount": INTEGER}, name="Cash")


def one_of(*options: Schema) -> Union:
    return Union(options=options)


def test_each_sent_option_must_fit() -> None:
    contract = one_of(STRING, INTEGER)
    assert differences("response", contract, STRING) == FITS
    assert differences("response", contract, one_of(INTEGER, STRING)) == FITS
    assert differences("response", contract, BOOLEAN) == {("TypeDiffers", "")}
    assert differences("response", contract, one_of(STRING, obj())) == {("ShapeDiffers", "")}
    assert differences("request", contract, STRING) == {("TypeDiffers", "")}


def test_a_tag_that_the_contract_names_may_hold_any_text() -> None:
    options = (obj({"kind": STRING, "number": STRING}), obj({"kind": STRING, "amount": INTEGER}))
    code = one_of(CARD, CASH)
    assert differences("consumer", one_of(*options), code) == {("?", "kind")}
    assert differences("consumer", Union(options=options, discriminator="kind"), code) == FITS


def test_all_accepted_types_are_named() -> None:
    [difference] = compare("response", one_of(STRING, INTEGER), BOOLEAN).differences
    assert (difference.expected, difference.found) == ("string or integer", "boolean")


def test_literals_and_lists_of_values_are_the_same_thing() -> None:
    literals = one_of(enum("a"), enum("b"))
    assert differences("response", enum("a", "b"), literals) == FITS
    assert differences("response", literals, enum("a", "b")) == FITS
    assert differences("response", literals, enum("a", "c")) == {("EnumDiffers", "")}


def test_null_as_an_option_is_the_same_as_nullable() -> None:
    or_null = one_of(STRING, Nothing(nullable=True))
    assert differences("response", text(nullable=True), or_null) == FITS
    assert differences("response", or_null, text(nullable=True)) == FITS
    assert differences("response", STRING, or_null) == {("NullableDiffers", "")}


def test_a_difference_is_shown_at_the_field_of_the_option_with_the_same_tag() -> None:
    contract = one_of(CARD, CASH)
    assert differences("response", contract, one_of(CASH, CARD)) == FITS
    cash = obj({"kind": enum("cash"), "amount": STRING})
    assert differences("response", contract, cash) == {("TypeDiffers", "amount")}
    short = obj({"kind": enum("card")})
    assert differences("response", contract, short) == {("FieldMissing", "number")}


def test_without_a_tag_the_name_tells_then_the_fields_in_common() -> None:
    card = obj({"number": STRING, "holder": STRING}, name="Card")
    cash = obj({"amount": INTEGER, "holder": STRING}, name="Cash")
    named = obj({"holder": STRING}, name="Cash")
    assert differences("response", one_of(card, cash), named) == {("FieldMissing", "amount")}
    like = obj({"number": INTEGER, "holder": STRING})
    assert differences("response", one_of(card, cash), like) == {("TypeDiffers", "number")}


def test_what_two_returns_differ_in_is_said_once() -> None:
    contract = obj({"id": STRING, "total": INTEGER})
    code = one_of(obj({"id": STRING}), obj({"id": STRING, "note": STRING}))
    assert differences("response", contract, code) == {
        ("FieldMissing", "total"),
        ("FieldExtra", "note"),
    }
    assert len(compare("response", contract, code).differences) == 2


def test_an_option_that_is_unknown() -> None:
    unknown = Unknown(reason="a conditional type")
    assert differences("response", STRING, one_of(STRING, unknown)) == {("?", "")}
    assert differences("response", one_of(STRING, unknown), STRING) == FITS
    assert differences("response", one_of(STRING, unknown), INTEGER) == {("?", "")}


def test_an_option_that_allows_anything() -> None:
    assert differences("response", one_of(STRING, Anything()), obj()) == FITS


def test_of_fitting_options_the_one_told_in_full_counts() -> None:
    vague = obj({"id": Unknown(reason="?")})
    assert differences("response", one_of(vague, obj({"id": STRING})), obj({"id": STRING})) == FITS


def test_options_inside_arrays_and_fields() -> None:
    contract = obj({"payments": array(one_of(CARD, CASH))})
    wrong = obj({"kind": enum("card"), "number": optional(STRING)})
    code = obj({"payments": array(one_of(wrong, CASH))})
    assert differences("response", contract, code) == {("RequiredDiffers", "payments[].number")}


def test_no_shape_at_all_fits_everything() -> None:
    nothing: Object | Union = Union(options=())
    assert differences("response", STRING, nothing) == FITS
    assert differences("response", nothing, STRING) == {("ShapeDiffers", "")}


LICENSE = obj({"license": STRING}, additional=Nothing(), name="Named")
EXPRESSION = obj({"expression": STRING}, additional=Nothing(), name="Expressed")


def test_a_type_with_the_fields_of_several_alternatives_may_send_any_of_them() -> None:
    choice = obj({"license": optional(STRING), "expression": optional(STRING)})
    found = compare("response", one_of(LICENSE, EXPRESSION), choice)
    assert found.differences == ()
    assert [(item.path, item.reason) for item in found.undetermined] == [
        ("", "which of the contract's alternatives is sent depends on the values")
    ]


def test_what_fits_none_of_several_alternatives_is_a_difference_all_the_same() -> None:
    contract = one_of(LICENSE, EXPRESSION)
    other = obj({"license": optional(INTEGER), "expression": optional(STRING)})
    assert differences("response", contract, other) == {("TypeDiffers", "license"), ("?", "")}
    more = obj(
        {"license": optional(STRING), "expression": optional(STRING), "text": optional(STRING)}
    )
    assert differences("response", contract, more) == {("FieldExtra", "text"), ("?", "")}
    always = obj({"license": STRING, "expression": STRING})
    assert differences("response", contract, always) == {("FieldExtra", "expression")}


def test_an_alternative_whose_tag_contradicts_is_not_meant() -> None:
    either = obj({"kind": enum("card"), "number": optional(STRING), "amount": optional(INTEGER)})
    assert differences("response", one_of(CARD, CASH), either) == {
        ("RequiredDiffers", "number"),
        ("FieldExtra", "amount"),
    }


def test_a_type_whose_tag_has_the_values_of_all_alternatives_is_each_of_them() -> None:
    contract = one_of(CARD, CASH)
    kind = enum("card", "cash")
    both = obj({"kind": kind, "number": STRING, "amount": INTEGER})
    assert differences("response", contract, both) == {("?", "")}
    same = one_of(obj({"kind": enum("a"), "id": STRING}), obj({"kind": enum("b"), "id": STRING}))
    assert differences("response", same, obj({"kind": enum("a", "b"), "id": STRING})) == FITS
    loose = obj({"kind": kind, "number": optional(STRING), "amount": optional(INTEGER)})
    found = compare("response", contract, loose)
    assert found.differences == ()
    assert [(item.path, item.reason) for item in found.undetermined] == [
        ("", "which fields are sent with which `kind` depends on values")
    ]


def test_a_tag_that_is_a_named_enum() -> None:
    code = obj({"kind": Reference(key="Kind"), "id": STRING})
    contract = one_of(
        obj({"kind": enum("a"), "id": STRING}),
        obj({"kind": Reference(key="OnlyB"), "id": STRING}),
    )
    found = compare(
        "response",
        contract,
        code,
        contract_names=Names(OnlyB=enum("b")),
        code_names=Names(Kind=enum("a", "b")),
    )
    assert (found.differences, found.undetermined) == ((), ())


def test_a_tag_with_a_value_that_no_alternative_has() -> None:
    code = obj({"kind": enum("card", "cash", "coin"), "number": STRING, "amount": INTEGER})
    found = compare("response", one_of(CARD, CASH), code)
    [difference] = found.differences
    assert (difference.path, difference.expected, difference.found) == (
        "kind",
        '"card" | "cash"',
        '"card" | "cash" | "coin"',
    )


def test_a_field_that_is_wrong_beside_every_tag() -> None:
    code = obj({"kind": enum("card", "cash"), "number": optional(INTEGER), "amount": INTEGER})
    assert differences("response", one_of(CARD, CASH), code) == {
        ("TypeDiffers", "number"),
        ("?", ""),
    }
    bare = obj({"kind": enum("a", "b")})
    needs = one_of(obj({"kind": enum("a"), "id": STRING}), obj({"kind": enum("b"), "id": STRING}))
    assert differences("response", needs, bare) == {("FieldMissing", "id")}


def test_what_a_field_holds_may_vary_with_the_tag() -> None:
    mail, post = obj({"address": STRING}), obj({"street": STRING, "town": STRING})
    contract = one_of(
        obj({"kind": enum("a"), "to": array(mail)}), obj({"kind": enum("b"), "to": array(post)})
    )
    either = array(one_of(mail, post))
    assert differences("response", contract, obj({"kind": enum("a", "b"), "to": either})) == {
        ("?", "")
    }
    assert differences("response", contract, obj({"kind": STRING, "to": either})) == {
        ("?", ""),
        ("?", "kind"),
    }
    plain = obj({"kind": STRING, "to": array(obj({"phone": STRING}))})
    assert differences("response", contract, plain) == {
        ("FieldMissing", "to[].address"),
        ("FieldExtra", "to[].phone"),
        ("?", "kind"),
    }


def test_a_tag_that_only_some_alternatives_have_takes_nothing_apart() -> None:
    contract = one_of(CARD, obj({"amount": INTEGER}, name="Other"))
    code = obj({"kind": enum("card", "cash"), "number": STRING})
    assert differences("response", contract, code) == {("EnumDiffers", "kind")}


def test_a_type_that_is_taken_apart_may_hold_itself() -> None:
    def node(kind: Schema, key: str) -> Object:
        return obj({"kind": kind, "children": array(Reference(key=key))})

    found = compare(
        "response",
        Reference(key="Any"),
        Reference(key="Node"),
        contract_names=Names(Any=one_of(node(enum("a"), "Any"), node(enum("b"), "Any"))),
        code_names=Names(Node=node(enum("a", "b"), "Node")),
    )
    assert (found.differences, found.undetermined) == ((), ())


def test_clients_may_send_what_any_of_the_code_s_alternatives_takes() -> None:
    contract = obj({"kind": enum("a", "b"), "id": STRING})
    code = one_of(obj({"kind": enum("a"), "id": STRING}), obj({"kind": enum("b"), "id": STRING}))
    assert differences("request", contract, code) == FITS


def test_alternatives_that_the_code_refuses_by_a_field_are_told_once_where_it_takes_others() -> (
    None
):
    disk = obj({"size": INTEGER, "zone": STRING}, name="Disk")
    gate = obj({"domain": STRING, "port": INTEGER}, name="Gate")
    door = obj({"domain": STRING}, name="Door")
    refused = compare("request", one_of(disk, gate, door), disk).differences
    assert [(each.path, each.alternatives) for each in refused if isinstance(each, FieldExtra)] == [
        ("size", ("`Gate`", "`Door`"))
    ]
    assert len(refused) == 1
    neither = obj({"owner": STRING}, name="Owner")
    assert differences("request", one_of(gate, door), neither) >= {("FieldExtra", "owner")}
    [unnamed] = compare("request", one_of(disk, obj({"domain": STRING})), disk).differences
    assert isinstance(unnamed, FieldExtra)
    assert unnamed.alternatives == ("one without a name",)


def test_large_unions_are_compared_by_the_names_of_their_types() -> None:
    types = [obj({f"field{n}": STRING, "id": STRING}, name=f"Type{n}") for n in range(300)]
    assert compare("response", one_of(*types), one_of(*reversed(types))) == compare(
        "response", STRING, STRING
    )


def test_a_list_of_several_things_where_the_contract_keeps_lists_of_them_apart() -> None:
    named = obj({"license": STRING}, name="Named")
    expression = obj({"expression": STRING}, name="Expression")
    contract = one_of(array(named), array(expression))
    mixed = array(one_of(named, expression))
    assert differences("model", contract, array(named)) == FITS
    [place] = compare("model", contract, mixed).undetermined
    assert (place.path, place.reason) == (
        "",
        "which of the contract's lists is sent depends on the items",
    )
    other = array(one_of(named, obj({"expression": INTEGER}, name="Expression")))
    assert differences("model", contract, other) == {("TypeDiffers", "[].expression")}


def test_an_alternative_whose_tag_no_other_side_knows_differs_by_its_tag_alone() -> None:
    cheque = obj({"kind": enum("cheque"), "bank": STRING}, name="Cheque")
    for direction in ("response", "model"):
        [difference] = compare(
            direction, one_of(CARD, CASH), one_of(CASH, CARD, cheque)
        ).differences
        assert (difference.path, difference.found) == ("kind", '"cheque"')
        assert difference.expected == '"card" | "cash"'


def test_what_a_field_of_several_shapes_holds_beside_which_tag_depends_on_the_values() -> None:
    texts = obj({"type": enum("string"), "default": optional(STRING)}, name="Texts")
    many = obj({"type": enum("array"), "items": obj({"enum": array(STRING)})}, name="Many")
    numbers = obj({"type": enum("number"), "default": optional(INTEGER)}, name="Numbers")
    one_class = obj(
        {
            "type": STRING,
            "default": optional(one_of(STRING, INTEGER)),
        }
    )
    assert differences("model", one_of(texts, numbers, many), one_class) == {
        ("?", ""),
        ("?", "type"),
    }
    unknown = obj({"type": STRING, "other": one_of(STRING, INTEGER)})
    assert ("FieldExtra", "other") in differences("model", one_of(texts, numbers), unknown)


def test_the_shapes_of_a_type_hold_a_list_of_values_together() -> None:
    contract = obj({"kind": enum("card", "cash")})
    assert differences("model", contract, one_of(CARD, CASH)) == {
        ("FieldExtra", "number"),
        ("FieldExtra", "amount"),
    }
    three = obj({"kind": enum("card", "cash", "coupon")})
    both = one_of(obj({"kind": enum("card")}), obj({"kind": enum("cash")}))
    [lacks] = compare("model", three, both).differences
    assert isinstance(lacks, EnumDiffers)
    assert lacks.lacking == ('"coupon"',)


def test_a_field_that_makes_a_type_one_of_several_may_be_left_out() -> None:
    ended = obj({"at": STRING})
    begun = obj({"at": STRING, "session": STRING})
    either = obj({"at": STRING, "session": optional(STRING)})
    assert differences("model", one_of(ended, begun), either) == {("?", "")}
    other = obj({"at": STRING, "reason": STRING})
    assert differences("model", one_of(other, begun), either) == {("RequiredDiffers", "session")}


def test_another_type_and_other_values_of_one_place_are_told_once() -> None:
    [difference] = compare("response", enum("a", "b"), one_of(enum("a", "c"), INTEGER)).differences
    assert type(difference) is TypeDiffers
    assert (difference.expected, difference.found) == ('"a" | "b"', '"a" | "c" or integer')
    [difference] = compare("request", one_of(enum("a", "b"), INTEGER), enum("a")).differences
    assert type(difference) is TypeDiffers
    assert (difference.expected, difference.found) == ('"a" | "b" or integer', '"a"')
    assert differences("response", enum("a", "b"), one_of(enum("a"), INTEGER)) == {
        ("TypeDiffers", "")
    }
    assert differences("response", one_of(enum("a"), INTEGER), one_of(enum("b"), INTEGER)) == {
        ("EnumDiffers", "")
    }
