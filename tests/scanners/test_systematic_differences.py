"""Differences that one transformation explains, told once; and what stays an error beside them."""

from __future__ import annotations

import pytest

from contract_scan.ir.evidence import Evidence, uniform
from contract_scan.ir.operation import Body, Operation, Response
from contract_scan.ir.schema import Object, Schema, Union
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rules.contract_001_endpoint_schema import RULE
from tests.scanners.builders import (
    INTEGER,
    STRING,
    FakeCode,
    array,
    at,
    obj,
    openapi,
    promised,
    route,
)
from tests.scanners.rules.checking import check, found, undetermined, verdicts

CHECKED = uniform("checked")


def sends(schema: Schema, evidence: Evidence = CHECKED, status: str = "200") -> Response:
    return Response(status=status, bodies=(Body(schema=schema, evidence=evidence),))


def findings_reasons_and_verdicts(
    *pairs: tuple[Operation, Operation],
) -> tuple[list[str], list[str], list[Verdict]]:
    answer = check(RULE, openapi(*(one for one, _ in pairs)), FakeCode(two for _, two in pairs))
    return found(answer), undetermined(answer), list(verdicts(answer).values())


def pair(
    name: str, contract: Schema, code: Schema, evidence: Evidence = CHECKED
) -> tuple[Operation, Operation]:
    return promised(name, sends=contract), route(name, responses=(sends(code, evidence),))


def typed(name: str, line: int, *fields: str) -> Object:
    return obj(dict.fromkeys(fields, STRING), name=name, origin=at("models.py", line))


ORDER = typed("Order", 1, "orderId", "createdAt", "note")
LINE = typed("Line", 2, "unitPrice", "note")
ORDER_SNAKE = typed("Order", 1, "order_id", "created_at", "note")
LINE_SNAKE = typed("Line", 2, "unit_price", "note")
CASED = "names of several words are written in another case style (`created_at` for `createdAt`)"


WAY = "{} operations differ in one way: {}; code that was not read may do that"


def test_names_that_all_differ_by_their_case_style_are_told_once() -> None:
    assert findings_reasons_and_verdicts(
        pair("GET /orders", array(ORDER), array(ORDER_SNAKE)),
        pair("GET /lines", LINE, LINE_SNAKE),
        pair("GET /health", obj({"status": STRING}), obj({"status": STRING})),
    ) == (
        ["warning name-case @"],
        [f"GET /{name} 200 response ({WAY.format(2, CASED)})" for name in ("lines", "orders")],
        [Verdict.UNDETERMINED, Verdict.UNDETERMINED, Verdict.VERIFIED],
    )


def test_what_else_differs_under_such_names_is_told_beside_them() -> None:
    other = obj({"unit_price": INTEGER, "note": STRING}, name="Line", origin=at("models.py", 2))
    assert findings_reasons_and_verdicts(
        pair("GET /a", ORDER, ORDER_SNAKE), pair("GET /b", LINE, other)
    )[0] == [
        "error type @GET /b 200 response: unitPrice",
        "warning name-case @",
    ]


CASED_FIELDS = [
    "error name-case @GET /a 200 response: createdAt",
    "error name-case @GET /a 200 response: orderId",
    "error name-case @GET /b 200 response: unitPrice",
]


def test_names_that_known_code_writes_are_what_they_are() -> None:
    written = pair("GET /b", LINE, LINE_SNAKE, uniform("enforced"))
    assert (
        findings_reasons_and_verdicts(pair("GET /a", ORDER, ORDER_SNAKE), written)[0]
        == CASED_FIELDS
    )


def test_what_converts_names_leaves_some_as_they_are() -> None:
    names = ("orderId", "createdAt", "unitPrice", "shelfNumber", "bookTitle")
    words = ("order_id", "created_at", "unit_price", "shelf_number", "bookTitle")
    wide = pair("GET /a", typed("Order", 1, *names), typed("Order", 1, *words))
    other = pair("GET /b", typed("Line", 2, "lineNote"), typed("Line", 2, "line_note"))
    assert findings_reasons_and_verdicts(wide, other)[0] == ["warning name-case @"]


@pytest.mark.parametrize("where", ["beside", "inside"])
def test_one_name_that_agrees_shows_that_nothing_converts_names(where: str) -> None:
    agrees = obj({"shelfNumber": STRING})
    third = pair("GET /c", agrees, agrees)
    if where == "inside":
        third = pair("GET /c", obj({"bookShelf": agrees}), obj({"bookShelf": agrees}))
    pairs = (pair("GET /a", ORDER, ORDER_SNAKE), pair("GET /b", LINE, LINE_SNAKE), third)
    assert findings_reasons_and_verdicts(*pairs)[0] == CASED_FIELDS


def test_names_of_one_type_alone_are_its_own_fault() -> None:
    wide = typed("Order", 1, "orderId", "createdAt", "unitPrice")
    snake = typed("Order", 1, "order_id", "created_at", "unit_price")
    assert findings_reasons_and_verdicts(
        pair("GET /a", wide, snake), pair("GET /b", array(wide), array(snake))
    )[0] == [
        f"error name-case @GET /{path} 200 response: {field}"
        for path, below in (("a", ""), ("b", "[]."))
        for field in (f"{below}createdAt", f"{below}orderId", f"{below}unitPrice")
    ]


# ---------------------------------------------------------------------- envelopes


def envelope(held: Schema, line: int) -> Object:
    return obj({"statusCode": INTEGER, "body": held}, name="Answer", origin=at("answers.py", line))


PLAIN = (ORDER, array(ORDER), LINE)
UNWRAPPED = WAY.format(3, "the handler gives in `body` what the contract has")


def test_an_envelope_that_every_handler_gives_may_be_taken_off() -> None:
    pairs = [pair(f"GET /{n}", bare, envelope(bare, n)) for n, bare in enumerate(PLAIN)]
    assert findings_reasons_and_verdicts(*pairs) == (
        ["warning shape @"],
        [f"GET /{n} 200 response ({UNWRAPPED})" for n in range(3)],
        [Verdict.UNDETERMINED] * 3,
    )


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(pair("GET /x", LINE, LINE), id="one is sent as it is"),
        pytest.param(
            pair("GET /x", LINE, envelope(LINE, 9), uniform("enforced")), id="one is written out"
        ),
    ],
)
def test_an_envelope_that_is_seen_to_be_sent_is_wrong(other: tuple[Operation, Operation]) -> None:
    pairs = [pair(f"GET /{n}", bare, envelope(bare, n)) for n, bare in enumerate(PLAIN)]
    assert (
        "error missing-field @GET /0 200 response: orderId"
        in findings_reasons_and_verdicts(*pairs, other)[0]
    )


def test_an_envelope_of_two_operations_is_wrong() -> None:
    pairs = [pair(f"GET /{n}", bare, envelope(bare, n)) for n, bare in enumerate(PLAIN[:2])]
    assert (
        "error missing-field @GET /0 200 response: orderId"
        in findings_reasons_and_verdicts(*pairs)[0]
    )


# ---------------------------------------------------------------------- statuses

ERROR = typed("Problem", 8, "code", "message")
CROSSED = WAY.format(3, "the handler gives, for any status, what the contract has for several")


def answers(name: str, evidence: Evidence) -> tuple[Operation, Operation]:
    either = Union(options=(ORDER, ERROR))
    contract = promised(name, responses=(sends(ORDER), sends(ERROR, status="400")))
    code = tuple(
        Response(
            status=status,
            explicit_status=True,
            bodies=(Body(schema=either, evidence=evidence),),
        )
        for status in ("200", "400")
    )
    return contract, route(name, responses=code)


def test_a_body_of_any_status_that_the_contract_has_for_several() -> None:
    pairs = [answers(f"GET /{n}", CHECKED) for n in range(3)]
    assert findings_reasons_and_verdicts(*pairs) == (
        ["warning shape @"],
        sorted(f"GET /{n} {s} response ({CROSSED})" for n in range(3) for s in (200, 400)),
        [Verdict.UNDETERMINED] * 3,
    )
    wrong = [pair(f"GET /wrong{n}", LINE, typed("Line", n, "unitPrice")) for n in range(9)]
    assert set(findings_reasons_and_verdicts(*pairs, *wrong)[0]) == {
        "warning shape @",
        *(f"error missing-field @GET /wrong{n} 200 response: note" for n in range(9)),
    }


def test_a_body_of_any_status_in_two_operations_is_wrong() -> None:
    pairs = [answers(f"GET /{n}", CHECKED) for n in range(2)]
    assert (
        "error required @GET /0 200 response: orderId" in findings_reasons_and_verdicts(*pairs)[0]
    )


def by_place(
    name: str, listed: str, *given: str, place: str = "answer"
) -> tuple[Operation, Operation]:
    code = tuple(
        Response(status=status, explicit_status=True, origin=at("answers.py", line, symbol=place))
        for line, status in enumerate(given, 1)
    )
    return promised(name, responses=(Response(status=listed),)), route(name, responses=code)


def test_statuses_of_one_place_of_which_each_operation_lists_its_own() -> None:
    pairs = [
        by_place("GET /a", "200", "200", "201"),
        by_place("POST /a", "201", "200", "201"),
        by_place("POST /b", "201", "200", "201"),
    ]
    way = WAY.format(
        3, "`answer` gives any of several statuses, of which each operation lists its own"
    )
    assert findings_reasons_and_verdicts(*pairs) == (
        ["warning status @"],
        [
            f"GET /a 201 response ({way})",
            f"POST /a 200 response ({way})",
            f"POST /b 200 response ({way})",
        ],
        [Verdict.UNDETERMINED] * 3,
    )
    # One that none of them lists is wrong in all of them, and so is what a handler gives itself.
    same = [by_place(f"GET /{n}", "200", "200", "204") for n in "abc"]
    assert findings_reasons_and_verdicts(*same)[0] == [
        f"error status @GET /{n} 204 response" for n in "abc"
    ]
    alone = by_place("GET /c", "200", "200", "201", place="c")
    assert findings_reasons_and_verdicts(*pairs, alone)[0] == [
        "error status @GET /c 201 response",
        "warning status @",
    ]
