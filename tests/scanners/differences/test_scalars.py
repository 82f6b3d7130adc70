"""Strings, numbers, booleans, formats and lists of values."""

from __future__ import annotations

import pytest

from contract_scan.ir.schema import Anything, Nothing, Scalar, Schema, Union, Unknown
from contract_scan.scanners.differences import EnumDiffers
from tests.scanners.builders import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    NUMERIC,
    STRING,
    array,
    enum,
    obj,
    text,
)
from tests.scanners.differences.comparing import compare, differences

TYPE = {("TypeDiffers", "")}
SHAPE = {("ShapeDiffers", "")}
FITS: set[tuple[str, str]] = set()


def either(*options: Schema) -> Union:
    return Union(options=options)


@pytest.mark.parametrize(
    ("contract", "code", "response", "request_"),
    [
        (STRING, STRING, FITS, FITS),
        (STRING, INTEGER, TYPE, TYPE),
        (STRING, BOOLEAN, TYPE, TYPE),
        (BOOLEAN, STRING, TYPE, TYPE),
        (NUMBER, INTEGER, FITS, TYPE),
        (INTEGER, NUMBER, TYPE, FITS),
        (Scalar(type="number", format="int64"), INTEGER, FITS, FITS),
        (Scalar(type="number", values=(3, 4.0)), INTEGER, {("?", "")}, FITS),
        (Scalar(type="number", values=(3, 4.5)), INTEGER, {("?", "")}, TYPE),
        (Scalar(type="number", format="double"), INTEGER, FITS, TYPE),
        (NUMERIC, INTEGER, FITS, FITS),
        (INTEGER, NUMERIC, FITS, FITS),
        (NUMBER, NUMERIC, FITS, FITS),
        (STRING, NUMERIC, TYPE, TYPE),
        (either(INTEGER, text("int32")), INTEGER, FITS, FITS),
        (either(NUMBER, text("double")), STRING, FITS, TYPE),
        (either(INTEGER, STRING), INTEGER, FITS, TYPE),
        (text("date-time"), text("date"), TYPE, TYPE),
        (text("uuid"), text("date-time"), TYPE, TYPE),
        (text("date-time"), STRING, FITS, FITS),
        (STRING, text("uuid"), FITS, FITS),
        (text("password"), text("date"), FITS, FITS),
        (
            Scalar(type="integer", format="int32"),
            Scalar(type="integer", format="int64"),
            FITS,
            FITS,
        ),
        (STRING, obj(), SHAPE, SHAPE),
        (obj(), array(obj()), SHAPE, SHAPE),
        (array(STRING), STRING, SHAPE, SHAPE),
        (Nothing(), STRING, SHAPE, FITS),
        (Nothing(nullable=True), obj(), SHAPE, {("NullableDiffers", "")}),
        (Anything(), obj(), FITS, {("?", "")}),
        (STRING, Anything(), {("?", "")}, FITS),
        (STRING, Unknown(reason="dynamic"), {("?", "")}, {("?", "")}),
        (Anything(), Unknown(reason="dynamic"), FITS, {("?", "")}),
        (STRING, Unknown(reason="dynamic", accepts_any=True), {("?", "")}, {("?", "")}),
        (Anything(), Unknown(reason="dynamic", accepts_any=True), FITS, FITS),
        (STRING, Unknown(reason="raw", is_text=True), FITS, FITS),
        (text("uuid"), Unknown(reason="raw", is_text=True), FITS, FITS),
        (enum("a"), Unknown(reason="raw", is_text=True), {("?", "")}, FITS),
        (obj(), Unknown(reason="raw", is_text=True), {("?", "")}, {("?", "")}),
        (NUMBER, text("decimal"), TYPE, FITS),
        (INTEGER, text("decimal"), TYPE, FITS),
        (NUMBER, text("uuid"), TYPE, TYPE),
    ],
)
def test_types(
    contract: Schema, code: Schema, response: set[object], request_: set[object]
) -> None:
    assert differences("response", contract, code) == response
    assert differences("request", contract, code) == request_


def test_an_unknown_shape_gives_its_reason() -> None:
    comparison = compare("response", STRING, Unknown(reason="the value comes from a library"))
    assert [item.reason for item in comparison.undetermined] == ["the value comes from a library"]
    assert comparison.fits is None


@pytest.mark.parametrize(
    ("contract", "code", "response", "request_"),
    [
        (False, False, FITS, FITS),
        (True, True, FITS, FITS),
        (False, True, {("NullableDiffers", "")}, FITS),
        (True, False, FITS, {("NullableDiffers", "")}),
        (False, None, FITS, FITS),
        (True, None, FITS, FITS),
        (None, True, FITS, FITS),
    ],
)
def test_null(
    contract: bool | None, code: bool | None, response: set[object], request_: set[object]
) -> None:
    ours, theirs = text(nullable=contract), text(nullable=code)
    assert differences("response", ours, theirs) == response
    assert differences("request", ours, theirs) == request_
    assert differences("consumer", ours, theirs) == request_
    inside = differences("model", obj({"a": ours}), obj({"a": theirs}))
    assert bool(inside) == bool(response | request_)
    assert inside <= {("NullableDiffers", "a")}
    assert differences("model", ours, theirs) == FITS


def test_null_beside_another_type_is_not_said_twice() -> None:
    assert differences("response", STRING, Scalar(type="integer", nullable=True)) == TYPE


def test_anything_says_nothing_of_null() -> None:
    assert differences("response", STRING, Anything(nullable=True)) == {("?", "")}


def test_anything_includes_null() -> None:
    assert differences("response", Anything(), text(nullable=True)) == FITS


@pytest.mark.parametrize(
    ("contract", "code", "response", "request_", "consumer", "model"),
    [
        (enum("a", "b"), enum("a", "b"), FITS, FITS, FITS, FITS),
        (enum("a", "b"), enum("a"), FITS, "b", "b", "b"),
        (enum("a"), enum("a", "b"), "b", FITS, "b", "b"),
        (enum("a", "x"), enum("a", "y"), "y", "x", "xy", "xy"),
        (STRING, enum("a", "b"), FITS, "", "", "?"),
        (STRING, enum("a"), FITS, "?", "?", "?"),
        (enum("a"), STRING, "?", FITS, FITS, "?"),
    ],
)
def test_lists_of_values(
    contract: Scalar,
    code: Scalar,
    response: object,
    request_: object,
    consumer: object,
    model: object,
) -> None:
    for direction, expected in (
        ("response", response),
        ("request", request_),
        ("consumer", consumer),
        ("model", model),
    ):
        comparison = compare(direction, contract, code)  # type: ignore[arg-type]
        if expected == "?":
            assert [item.path for item in comparison.undetermined] == [""], direction
        elif isinstance(expected, str):
            [difference] = comparison.differences
            assert isinstance(difference, EnumDiffers)
            values = {value.strip('"') for value in difference.values + difference.lacking}
            assert values == set(expected), direction
        else:
            assert comparison.fits is True, direction


def test_values_are_told_apart_by_their_json_type() -> None:
    one = Scalar(type="integer", values=(1, 2))
    assert differences("response", one, Scalar(type="integer", values=(1, 2))) == FITS
    strings = Scalar(type="string", values=("1",))
    assert differences("response", strings, Scalar(type="string", values=("1",))) == FITS


def test_both_booleans_are_any_boolean() -> None:
    both = Scalar(type="boolean", values=(True, False))
    assert differences("response", both, BOOLEAN) == FITS
    assert differences("response", Scalar(type="boolean", values=(True,)), BOOLEAN) == {("?", "")}


def test_whole_values_that_are_listed_are_values_not_another_type() -> None:
    whole = Scalar(type="integer", values=(1, 2, 3))
    assert differences("request", NUMBER, whole) == {("EnumDiffers", "")}
    assert differences("request", NUMBER, INTEGER) == {("TypeDiffers", "")}
    assert differences("response", whole, NUMBER) == {("?", "")}
