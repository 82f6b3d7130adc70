"""CONTRACT-001 over operations written down by hand."""

from __future__ import annotations

import msgspec
import pytest

from contract_scan.ir.operation import Body, Location, Operation, Parameter, Response, RouteTraits
from contract_scan.ir.origin import Origin
from contract_scan.ir.schema import Array, Field, Nothing, Scalar, Schema, Unknown
from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rules.contract_001_endpoint_schema import RULE
from tests.scanners.builders import (
    BOOLEAN,
    INTEGER,
    NUMBER,
    STRING,
    FakeCode,
    array,
    at,
    enum,
    obj,
    openapi,
    optional,
    promised,
    route,
    text,
)
from tests.scanners.rules.checking import check, found, undetermined, verdicts


def outcome(contract: Operation, *routes: Operation) -> tuple[list[str], list[str], Verdict]:
    answer = check(RULE, openapi(contract), FakeCode(routes))
    [verdict] = verdicts(answer).values()
    return found(answer), undetermined(answer), verdict


CLEAN: tuple[list[str], list[str], Verdict] = ([], [], Verdict.VERIFIED)
ORDER = obj({"id": STRING, "total": NUMBER})


def test_an_endpoint_that_agrees_is_verified() -> None:
    assert outcome(promised("GET /a", sends=ORDER), route("GET /a", sends=ORDER)) == CLEAN


def test_findings_name_operation_status_direction_and_field() -> None:
    contract = promised("POST /a", sends=array(ORDER), takes=ORDER)
    code = route(
        "POST /a",
        sends=array(obj({"id": STRING, "total": STRING})),
        takes=obj({"id": INTEGER}, name="Order"),
    )
    assert outcome(contract, code) == (
        [
            "error type @POST /a 200 response: [].total",
            "error type @POST /a request: id",
            "warning missing-field @POST /a request: total",
        ],
        [],
        Verdict.VIOLATED,
    )


def test_both_places_and_the_route_are_named() -> None:
    contract = promised(
        "GET /a", sends=obj({"x": Scalar(type="string", origin=at("openapi.yaml", 9))})
    )
    code = route(
        "GET /a", line=3, sends=obj({"x": Scalar(type="integer", origin=at("models.py", 7))})
    )
    [finding] = check(RULE, openapi(contract), FakeCode([code])).findings
    assert (finding.origin, finding.contract) == (at("models.py", 7), at("openapi.yaml", 9))
    assert finding.reached_from == code.origin
    assert (finding.expected, finding.found) == ("string", "integer")
    assert finding.message == ("`GET /a` response 200: `x` is an integer, expected a string")


def test_a_difference_without_a_place_of_its_own_is_shown_at_the_route() -> None:
    contract = promised("GET /a", line=5, sends=obj({"x": STRING}))
    [finding] = check(
        RULE, openapi(contract), FakeCode([route("GET /a", line=3, sends=obj())])
    ).findings
    assert finding.origin.span.line == 3
    assert finding.contract is not None and finding.contract.span.line == 5
    assert finding.reached_from is None


def test_a_path_that_the_contract_has_twice_may_answer_as_either_says() -> None:
    one = promised("GET /a/{id}", sends=obj({"id": STRING}))
    many = promised("GET /a/{ids}", sends=array(obj({"id": STRING})))
    code = route("GET /a/{id}", sends=obj({"id": STRING}))
    answer = check(RULE, openapi(one, many), FakeCode([code]))
    assert found(answer) == []
    assert undetermined(answer) == [
        "GET /a/{ids} 200 response (the contract has this path as `/a/{id}` too: "
        "which of the two describes an answer is undetermined)"
    ]
    assert list(verdicts(answer).values()) == [Verdict.VERIFIED, Verdict.UNDETERMINED]


def test_what_a_library_adds_is_shown_at_the_route() -> None:
    added = Scalar(type="integer", origin=Origin("routes.py"))
    code = route("GET /a", line=3, sends=obj({"x": added}))
    [finding] = check(
        RULE, openapi(promised("GET /a", sends=obj({"x": STRING}))), FakeCode([code])
    ).findings
    assert (finding.origin, finding.reached_from) == (code.origin, None)


def test_a_shared_component_gives_one_finding_for_each_operation() -> None:
    wrong = obj({"id": INTEGER, "total": NUMBER})
    document = openapi(promised("GET /a", sends=ORDER), promised("GET /b", sends=ORDER))
    code = FakeCode([route("GET /a", sends=wrong), route("GET /b", sends=wrong)])
    assert found(check(RULE, document, code)) == [
        "error type @GET /a 200 response: id",
        "error type @GET /b 200 response: id",
    ]


def test_two_routes_of_an_endpoint_give_a_finding_once() -> None:
    wrong = obj({"id": INTEGER, "total": NUMBER})
    routes = [route("GET /a", sends=wrong, line=n) for n in (1, 2)]
    assert outcome(promised("GET /a", sends=ORDER), *routes)[0] == [
        "error type @GET /a 200 response: id"
    ]


def test_an_unknown_response_is_undetermined() -> None:
    code = route("GET /a", sends=Unknown(reason="`serialize` is not declared here"))
    assert outcome(promised("GET /a", sends=ORDER), code) == (
        [],
        ["GET /a 200 response (`serialize` is not declared here)"],
        Verdict.UNDETERMINED,
    )


def test_no_response_at_all_is_undetermined() -> None:
    assert outcome(promised("GET /a", sends=ORDER), route("GET /a", responses=())) == (
        [],
        ["GET /a 200 response (what the code sends is undetermined)"],
        Verdict.UNDETERMINED,
    )


def test_a_violation_outweighs_what_is_undetermined() -> None:
    code = route("GET /a", sends=obj({"id": INTEGER, "total": Unknown(reason="?")}))
    assert outcome(promised("GET /a", sends=ORDER), code)[2] is Verdict.VIOLATED


# ------------------------------------------------------------------------------- statuses


def response(status: str, schema: Schema | None = None, explicit: bool = True) -> Response:
    bodies = (Body(schema=schema),) if schema is not None else ()
    return Response(status=status, bodies=bodies, explicit_status=explicit)


@pytest.mark.parametrize(
    ("contract", "code", "complete", "findings", "reasons"),
    [
        (["200"], ["200"], True, [], []),
        (["2XX"], ["201"], True, [], []),
        (["default"], ["201"], True, [], []),
        (["200", "201"], ["201"], True, [], []),
        (
            ["200", "404"],
            ["200", "404", "400"],
            True,
            ["note status @GET /a 400 response"],
            [],
        ),
        (["200"], ["200", "?500"], True, [], []),
        (["200", "4XX"], ["200", "400"], True, [], []),
        (["200", "default"], ["200", "500"], True, [], []),
        (["200", "404"], ["200"], True, [], []),
        (["200"], ["2XX"], True, [], []),
        (["200"], ["201"], False, ["error status @GET /a 201 response"], []),
        (["200"], ["201"], True, ["error status @GET /a 201 response"], []),
        (["200", "202"], ["201"], True, ["error status @GET /a 201 response"], []),
        (["302"], ["200"], True, ["error status @GET /a 200 response"], []),
        (["200"], ["302", "400"], True, ["error status @GET /a 302 response"], []),
        (["200", "302"], ["302"], True, [], []),
        (["200", "3XX"], ["302"], True, [], []),
        (["302", "default"], ["302"], True, [], []),
        (
            ["200"],
            ["302"],
            False,
            [],
            ["GET /a 200 response (what the code sends is undetermined)"],
        ),
        (
            ["200"],
            ["?302"],
            True,
            [],
            ["GET /a 200 response (what the code sends is undetermined)"],
        ),
        (
            ["200"],
            ["304"],
            True,
            [],
            ["GET /a 200 response (what the code sends is undetermined)"],
        ),
        (["201"], ["?200"], True, ["error status @GET /a 201 response"], []),
        (
            ["201"],
            ["?200"],
            False,
            [],
            ["GET /a 201 response (whether status 201 is sent is undetermined)"],
        ),
        (
            ["200", "201"],
            ["?202"],
            False,
            [],
            ["GET /a 202 response (which status is sent is undetermined)"],
        ),
        (
            ["404", "409"],
            ["?200"],
            False,
            [],
            [
                "GET /a 200 response (the contract lists no success; the code answers with 200"
                " where nothing says otherwise)"
            ],
        ),
        (["404"], ["200"], False, ["error status @GET /a 200 response"], []),
        (
            ["200", "204", "default"],
            ["201"],
            True,
            [],
            ["GET /a 201 response (status 201 is covered by `default` alone)"],
        ),
    ],
)
def test_statuses(
    contract: list[str], code: list[str], complete: bool, findings: list[str], reasons: list[str]
) -> None:
    ours = promised("GET /a", responses=tuple(map(response, contract)))
    sent = tuple(response(s.removeprefix("?"), explicit=not s.startswith("?")) for s in code)
    theirs = route("GET /a", responses=sent, statuses_complete=complete)
    assert outcome(ours, theirs)[:2] == (findings, reasons)


FAULT = obj({"code": INTEGER, "message": STRING})


@pytest.mark.parametrize(
    ("sent", "findings", "reasons"),
    [
        (ORDER, ["error status @GET /a 202 response"], []),
        (FAULT, [], []),
        (
            Unknown(reason="?"),
            [],
            ["GET /a 202 response (status 202 is covered by `default` alone)"],
        ),
        (None, [], ["GET /a 202 response (status 202 is covered by `default` alone)"]),
    ],
)
def test_a_success_beside_the_listed_one_has_the_body_of_default(
    sent: Schema | None, findings: list[str], reasons: list[str]
) -> None:
    ours = promised("GET /a", responses=(response("200", ORDER), response("default", FAULT)))
    theirs = route(
        "GET /a", responses=(response("200", ORDER), response("202", sent)), statuses_complete=True
    )
    assert outcome(ours, theirs)[:2] == (findings, reasons)


def test_a_status_without_body_says_nothing_of_the_body_of_another() -> None:
    ours = promised("GET /a", sends=ORDER)
    sent = (response("200", ORDER), response("204"))
    both = route("GET /a", responses=sent, statuses_complete=True)
    assert outcome(ours, both)[:2] == (["error status @GET /a 204 response"], [])
    alone = route("GET /a", responses=sent[1:], statuses_complete=True)
    assert outcome(ours, alone)[:2] == (["error status @GET /a 204 response"], [])


@pytest.mark.parametrize(("sent", "expected"), [(["204"], ["200"]), (["200", "204"], ["only 200"])])
def test_a_wrong_status_beside_a_right_one_cannot_simply_be_another(
    sent: list[str], expected: list[str]
) -> None:
    ours = promised("GET /a", responses=(response("200"),))
    theirs = route("GET /a", responses=tuple(map(response, sent)), statuses_complete=True)
    answer = check(RULE, openapi(ours), FakeCode((theirs,)))
    assert [f.expected for f in answer.findings if f.kind == "status"] == expected


def test_the_body_of_a_wrong_status_is_still_compared() -> None:
    ours = promised("POST /a", sends=ORDER, status="201")
    theirs = route("POST /a", sends=obj({"id": STRING}), status="200")
    assert outcome(ours, theirs)[0] == [
        "error missing-field @POST /a 201 response: total",
        "error status @POST /a 200 response",
    ]


def test_what_is_told_of_a_body_names_the_status_that_is_sent() -> None:
    ours = promised("POST /a", sends=ORDER, status="201")
    theirs = route("POST /a", sends=obj({"id": INTEGER, "total": NUMBER}), status="200")
    answer = check(RULE, openapi(ours), FakeCode([theirs]))
    assert [finding.message for finding in answer.findings] == [
        "`POST /a` returns 200; the contract defines 201",
        "`POST /a` response 200 (201 in the contract): `id` is an integer, expected a string",
    ]


def test_error_bodies_that_are_written_out_are_compared() -> None:
    problem = obj({"detail": STRING})
    ours = promised("GET /a", responses=(response("200"), response("404", problem)))
    for sent, expected, open_parts in (
        (response("404", obj({"error": STRING})), 2, []),
        (response("404", obj({"error": STRING}), explicit=False), 0, []),
        (response("404", Unknown(reason="?")), 0, ["GET /a 404 response (?)"]),
    ):
        theirs = route("GET /a", responses=(response("200"), sent))
        findings, reasons, _ = outcome(ours, theirs)
        assert (len(findings), reasons) == (expected, open_parts)


def test_an_unlisted_error_is_a_note_and_the_promise_is_kept() -> None:
    theirs = route("GET /a", responses=(response("200"), response("409")))
    ours = promised("GET /a", responses=(response("200"), response("404")))
    assert outcome(ours, theirs) == (["note status @GET /a 409 response"], [], Verdict.VERIFIED)


def test_an_unlisted_redirect_beside_a_success_is_a_note() -> None:
    theirs = route("GET /a", responses=(response("200"), response("307")))
    ours = promised("GET /a", responses=(response("200"),))
    assert outcome(ours, theirs) == (["note status @GET /a 307 response"], [], Verdict.VERIFIED)
    listed = promised("GET /a", responses=(response("200"), response("307")))
    assert outcome(listed, theirs) == CLEAN


def test_a_contract_that_names_no_error_promises_nothing_of_errors() -> None:
    theirs = route("GET /a", responses=(response("200"), response("409")))
    assert outcome(promised("GET /a", responses=(response("200"),)), theirs) == CLEAN


def test_of_errors_that_are_documented_beside_the_code_nothing_is_said() -> None:
    documented = Response(status="409", documented=True)
    theirs = route("GET /a", responses=(response("200"), documented))
    ours = promised("GET /a", responses=(response("200"), response("404")))
    assert outcome(ours, theirs) == CLEAN


# ------------------------------------------------------------------------------- bodies


def bodies(*entries: tuple[str, Schema]) -> tuple[Body, ...]:
    return tuple(Body(content_type=name, schema=schema) for name, schema in entries)


CSV = ("text/csv", STRING)
JSON = ("application/json", ORDER)
PROBLEM = ("application/problem+json", obj({"type": STRING}))


@pytest.mark.parametrize(
    ("contract", "code", "findings", "reasons"),
    [
        ((JSON,), (), ["error shape @GET /a 200 response"], 0),
        ((), (JSON,), ["warning shape @GET /a 200 response"], 0),
        ((), (("application/json", Unknown(reason="?")),), [], 1),
        ((), (("application/json", Nothing(nullable=True)),), [], 0),
        ((CSV,), (CSV,), [], 0),
        ((CSV,), (JSON,), [], 1),
        ((CSV,), (), [], 1),
        ((JSON,), (CSV,), [], 1),
        ((JSON, CSV), (JSON,), [], 0),
        ((JSON, CSV), (CSV,), [], 1),
        ((("application/json", STRING), CSV), (CSV,), [], 0),
        ((("application/json", INTEGER), CSV), (CSV,), [], 1),
        ((CSV,), (CSV, ("application/json", STRING)), [], 0),
        ((PROBLEM, JSON), (JSON,), [], 0),
        ((("*/*", ORDER),), (JSON,), [], 0),
        ((("application/json; charset=utf-8", ORDER),), (JSON,), [], 0),
    ],
)
def test_bodies(
    contract: tuple[tuple[str, Schema], ...],
    code: tuple[tuple[str, Schema], ...],
    findings: list[str],
    reasons: int,
) -> None:
    ours = promised("GET /a", responses=(Response(status="200", bodies=bodies(*contract)),))
    theirs = route("GET /a", responses=(Response(status="200", bodies=bodies(*code)),))
    said, why, _ = outcome(ours, theirs)
    assert (said, len(why)) == (findings, reasons)


@pytest.mark.parametrize(
    ("traits", "expected"),
    [
        (
            RouteTraits(all_json_types_alike=True),
            [
                "error missing-field @POST /a 200 response: extra",
                "error type @POST /a 200 response: total",
                "error type @POST /a request: total",
            ],
        ),
        # What else writes `application/hal+json` may write something else there.
        (RouteTraits(), ["error type @POST /a 200 response: total"]),
    ],
)
def test_json_types_that_a_framework_treats_alike(traits: RouteTraits, expected: list[str]) -> None:
    wrong = obj({"id": STRING, "total": STRING})
    more = obj({"id": STRING, "total": STRING, "extra": STRING})
    sent = bodies(("application/json", wrong), ("text/json", more), ("text/plain", STRING))
    ours = promised(
        "POST /a",
        responses=(Response(status="200", bodies=sent),),
    )
    ours = msgspec.structs.replace(
        ours, request=bodies(("application/json", ORDER), ("text/json", wrong))
    )
    theirs = route("POST /a", takes=ORDER, sends=ORDER, traits=traits)
    assert outcome(ours, theirs)[0] == expected


def test_a_body_that_http_drops_is_no_finding() -> None:
    ours = promised("DELETE /a", responses=(Response(status="204"),))
    assert outcome(ours, route("DELETE /a", sends=ORDER, status="204")) == CLEAN


def test_a_default_response_without_content_says_nothing_of_bodies() -> None:
    ours = promised("GET /a", responses=(Response(status="default"),))
    assert outcome(ours, route("GET /a", sends=ORDER)) == CLEAN


def test_request_bodies() -> None:
    ours = promised("POST /a", takes=ORDER)
    none = route("POST /a")
    assert outcome(ours, none)[:2] == (
        [],
        [
            "POST /a request (the contract has a request body; "
            "where the code reads it is undetermined)"
        ],
    )
    needs = route("POST /a", takes=ORDER)
    sure = Operation(
        statuses_complete=True,
        method="POST",
        path="/a",
        request=(Body(schema=ORDER, required=True),),
        responses=needs.responses,
    )
    assert outcome(promised("POST /a"), needs) == CLEAN
    assert outcome(promised("POST /a"), sure)[0] == ["error shape @POST /a request"]


FORM, UPLOAD, AS_JSON = (
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/json",
)

NEUTRAL, JSON_ONLY = RouteTraits(), RouteTraits(json_only=True)


def takes(
    content_type: str,
    schema: Schema = ORDER,
    traits: RouteTraits = NEUTRAL,
    required: bool | None = None,
) -> Operation:
    body = Body(content_type=content_type, schema=schema, required=required)
    responses = (response("200"),)
    return Operation(
        method="POST",
        path="/a",
        request=(body,),
        responses=responses,
        statuses_complete=True,
        traits=traits,
    )


@pytest.mark.parametrize(
    ("contract", "code", "findings", "reasons"),
    [
        (takes(UPLOAD), takes(UPLOAD), [], []),
        (takes(UPLOAD), takes(FORM), [], []),
        (takes(AS_JSON), takes(FORM), ["error shape @POST /a request"], []),
        (
            takes(AS_JSON),
            takes("application/xml"),
            [],
            ["POST /a request (the code reads a body of type application/xml)"],
        ),
        (
            takes(FORM),
            takes(AS_JSON, traits=JSON_ONLY),
            ["error shape @POST /a request"],
            [],
        ),
        (
            takes(FORM),
            takes(AS_JSON),
            [],
            [
                "POST /a request (the contract sends a form; where the code reads it "
                "is undetermined)"
            ],
        ),
        (
            takes("application/xml"),
            takes(AS_JSON, traits=JSON_ONLY),
            [],
            ["POST /a request (only JSON bodies and forms are compared, not application/xml)"],
        ),
        (
            takes(FORM, obj({"n": INTEGER})),
            takes(FORM, obj({"n": STRING})),
            [],
            [],
        ),
        (
            takes(FORM, obj({"n": STRING})),
            takes(FORM, obj({"n": INTEGER})),
            ["error type @POST /a request: n"],
            [],
        ),
        (
            takes(FORM, obj({"n": STRING})),
            takes(FORM, obj({"n": STRING, "m": STRING})),
            ["error extra-field @POST /a request: m"],
            [],
        ),
    ],
)
def test_forms(
    contract: Operation, code: Operation, findings: list[str], reasons: list[str]
) -> None:
    assert outcome(contract, code)[:2] == (findings, reasons)


@pytest.mark.parametrize(
    ("contract", "code", "findings"),
    [
        (False, True, ["error required @POST /a request"]),
        (None, True, []),
        (True, True, []),
        (False, False, []),
        (False, None, []),
    ],
)
def test_a_body_that_the_contract_lets_clients_leave_out(
    contract: bool | None, code: bool | None, findings: list[str]
) -> None:
    ours, theirs = takes(AS_JSON, required=contract), takes(AS_JSON, required=code)
    assert outcome(ours, theirs)[:2] == (findings, [])


@pytest.mark.parametrize(
    ("traits", "findings"),
    [
        (RouteTraits(form_fields_as_query=True), []),
        (RouteTraits(), ["error parameter @POST /a request: n"]),
    ],
)
def test_fields_of_a_form_that_stand_as_parameters(
    traits: RouteTraits, findings: list[str]
) -> None:
    theirs = Operation(
        statuses_complete=True,
        method="POST",
        path="/a",
        parameters=(parameter("n", required=True),),
        responses=(response("200"),),
        traits=traits,
    )
    assert outcome(takes(FORM, obj({"n": STRING})), theirs)[0] == findings


def test_a_contract_without_responses_promises_none() -> None:
    assert outcome(promised("GET /a", responses=()), route("GET /a", sends=ORDER)) == CLEAN


# ------------------------------------------------------------------------------- parameters


def parameter(
    name: str,
    location: Location = "query",
    schema: Schema = STRING,
    required: bool | None = False,
    has_default: bool = False,
) -> Parameter:
    return Parameter(
        name=name, location=location, schema=schema, required=required, has_default=has_default
    )


@pytest.mark.parametrize(
    ("contract", "code", "finding"),
    [
        ([parameter("q")], [parameter("q")], ""),
        ([parameter("q")], [], "warning"),
        ([], [parameter("q")], "warning"),
        ([], [parameter("q", required=True)], "error"),
        ([], [parameter("q", required=True, has_default=True)], "warning"),
        ([parameter("q", "header")], [], ""),
        ([parameter("q")], [parameter("q[name]")], ""),
        ([parameter("q")], [parameter("q", required=True)], "error"),
        ([parameter("q", required=True)], [parameter("q", required=True)], ""),
        ([parameter("q", required=True)], [parameter("q")], ""),
        ([parameter("q", required=True)], [], "warning"),
        ([parameter("X-Key", "header", required=True)], [], ""),
        ([], [parameter("q", "header", required=True)], "warning"),
        ([], [parameter("q", "cookie", required=True)], "warning"),
        ([], [parameter("q", "header")], ""),
        ([], [parameter("q", "header", required=True, has_default=True)], ""),
        ([parameter("q", "header")], [parameter("q")], "warning"),
        ([parameter("q", "header", required=True)], [parameter("q")], "error"),
        ([parameter("q")], [parameter("Q", "header", required=True)], "error"),
        ([parameter("q")], [parameter("q"), parameter("q", "header")], ""),
        ([parameter("x-key", "header")], [parameter("X-Key", "header", required=True)], "error"),
        ([parameter("q", schema=INTEGER)], [parameter("q", schema=STRING)], ""),
        ([parameter("q", schema=INTEGER)], [parameter("q", schema=NUMBER)], ""),
        ([parameter("q", schema=NUMBER)], [parameter("q", schema=INTEGER)], "error"),
        ([parameter("q", schema=STRING)], [parameter("q", schema=INTEGER)], "error"),
        ([parameter("q", schema=STRING)], [parameter("q", schema=BOOLEAN)], "error"),
        ([parameter("q", schema=STRING)], [parameter("q", schema=text("uuid"))], ""),
        ([parameter("q", schema=INTEGER)], [parameter("q", schema=text("uuid"))], "error"),
        ([parameter("q", schema=enum("1", "2"))], [parameter("q", schema=INTEGER)], ""),
        ([parameter("q", schema=enum("a", "b"))], [parameter("q", schema=enum("a"))], "error"),
        ([parameter("q", schema=enum("a"))], [parameter("q", schema=enum("a", "b"))], ""),
        ([parameter("q", schema=STRING)], [parameter("q", schema=enum("a"))], ""),
        ([parameter("q", schema=array(STRING))], [parameter("q", schema=STRING)], ""),
        ([parameter("q", schema=array(INTEGER))], [parameter("q", schema=INTEGER)], "error"),
        ([parameter("q", schema=array(INTEGER))], [parameter("q", schema=STRING)], ""),
        ([parameter("q", schema=STRING)], [parameter("q", schema=array(INTEGER))], "error"),
        ([parameter("q", schema=STRING)], [parameter("q", schema=enum("a", "b"))], "warning"),
        ([parameter("pageSize")], [parameter("page_size")], "error"),
    ],
)
def test_parameters(contract: list[Parameter], code: list[Parameter], finding: str) -> None:
    name = contract[0].name if contract else "q"
    ours = promised("GET /a", parameters=tuple(contract))
    theirs = route("GET /a", parameters=tuple(code))
    expected = [f"{finding} parameter @GET /a request: {name}"] if finding else []
    assert outcome(ours, theirs)[:2] == (expected, [])


@pytest.mark.parametrize("name", ["Authorization", "User-Agent", "Content-Length", "If-Match"])
def test_headers_that_clients_send_anyway(name: str) -> None:
    theirs = route("GET /a", parameters=(parameter(name, "header", required=True),))
    assert outcome(promised("GET /a"), theirs)[0] == []


@pytest.mark.parametrize("location", ["query", "header", "cookie"])
def test_keys_of_security_schemes_are_no_parameters(location: Location) -> None:
    ours = promised("GET /a", keys=((location, "X-Key"),))
    theirs = route("GET /a", parameters=(parameter("x-key", location, required=True),))
    assert outcome(ours, theirs)[0] == []


def test_handlers_that_may_read_more_may_read_the_right_place() -> None:
    ours = promised("GET /a", parameters=(parameter("q", "header"),))
    theirs = route("GET /a", parameters=(parameter("q"),), parameters_complete=False)
    assert outcome(ours, theirs)[:2] == ([], [])


def test_members_of_enums_are_read_by_name_and_in_any_letter_case_in_aspnet() -> None:
    ours = promised("GET /a", parameters=(parameter("q", schema=enum("asc", "desc")),))
    for values in (enum("Asc", "Desc"), Scalar(type="integer", values=(0, 1))):
        theirs = route(
            "GET /a",
            parameters=(parameter("q", schema=values),),
            traits=RouteTraits(enum_values_case_insensitive=True),
        )
        assert outcome(ours, theirs)[0] == []


def test_path_parameters_match_by_position() -> None:
    ours = promised(
        "GET /a/{x}/{y}",
        parameters=(
            parameter("y", "path", INTEGER, required=True),
            parameter("x", "path", STRING, required=True),
        ),
    )
    theirs = route(
        "GET /{tenant}/a/{id}/{n}",
        parameters=(
            parameter("tenant", "path", INTEGER, required=True),
            parameter("id", "path", INTEGER, required=True),
            parameter("n", "path", INTEGER, required=True),
        ),
    )
    assert outcome(ours, theirs)[0] == ["error parameter @GET /a/{x}/{y} request: x"]


def test_parameters_that_handlers_read_without_declaring_them() -> None:
    ours = promised("GET /a", parameters=(parameter("q", required=True),))
    theirs = route("GET /a", parameters_complete=False)
    assert outcome(ours, theirs)[:2] == (
        [],
        ["GET /a request: q (whether the code reads the parameter is undetermined)"],
    )
    unsure = route("GET /a", parameters=(parameter("q", required=None),))
    assert outcome(promised("GET /a", parameters=(parameter("q"),)), unsure)[1] == [
        "GET /a request: q (whether the code needs the parameter is undetermined)"
    ]


def test_of_head_all_but_the_bodies_of_responses_is_compared() -> None:
    assert outcome(promised("HEAD /a", sends=ORDER), route("HEAD /a", sends=obj({}))) == CLEAN
    route_with_q = route("HEAD /a", parameters=(parameter("q"),))
    assert outcome(promised("HEAD /a"), route_with_q)[0] == [
        "warning parameter @HEAD /a request: q"
    ]


def test_options_are_compared_like_any_other_method() -> None:
    assert outcome(promised("OPTIONS /a", sends=ORDER), route("OPTIONS /a", sends=obj({})))[0] == [
        "error missing-field @OPTIONS /a 200 response: id",
        "error missing-field @OPTIONS /a 200 response: total",
    ]


def test_optional_and_nullable_fields_of_a_response() -> None:
    contract = obj({"a": STRING, "b": STRING, "c": optional(STRING)})
    code = obj({"a": optional(STRING), "b": text(nullable=True), "c": text(nullable=None)})
    assert outcome(promised("GET /a", sends=contract), route("GET /a", sends=code))[0] == [
        "error nullable @GET /a 200 response: b",
        "error required @GET /a 200 response: a",
    ]


def test_an_extra_field_is_an_error_where_it_is_forbidden() -> None:
    code = obj({"a": STRING, "b": Array(items=STRING)})
    for additional, severity in ((None, "warning"), (Nothing(), "error")):
        contract = obj({"a": STRING}, additional=additional)
        assert outcome(promised("GET /a", sends=contract), route("GET /a", sends=code))[0] == [
            f"{severity} extra-field @GET /a 200 response: b"
        ]


def test_a_default_of_the_code_makes_a_field_optional_in_requests() -> None:
    contract = obj({"a": optional(STRING), "b": optional(STRING)})
    code = obj({"a": Field(name="a", schema=STRING, has_default=True), "b": STRING})
    assert outcome(promised("POST /a", takes=contract), route("POST /a", takes=code))[0] == [
        "error required @POST /a request: b"
    ]


def of_type(content_type: str, schema: Schema, **more: bool) -> tuple[Response, ...]:
    return (
        Response(status="200", bodies=(Body(schema=schema, content_type=content_type),), **more),
    )


def test_json_that_only_documentation_beside_the_code_tells_of_may_be_something_else() -> None:
    ours = promised("GET /a", responses=of_type("application/octet-stream", STRING))
    written = route("GET /a", responses=of_type("application/json", ORDER))
    documented = route("GET /a", responses=of_type("application/json", ORDER, documented=True))
    assert outcome(ours, written) == (
        ["error shape @GET /a 200 response"],
        [],
        Verdict.VIOLATED,
    )
    assert outcome(ours, documented) == (
        [],
        ["GET /a 200 response (only JSON bodies are compared, not application/octet-stream)"],
        Verdict.UNDETERMINED,
    )


def test_a_status_that_is_listed_alone_says_nothing_of_its_body() -> None:
    listed = Response(status="200", documented=True)
    assert outcome(promised("GET /a", sends=ORDER), route("GET /a", responses=(listed,))) == (
        [],
        ["GET /a 200 response (an annotation lists the status, not what is sent with it)"],
        Verdict.UNDETERMINED,
    )


def test_a_body_with_a_status_that_has_none_is_no_promise() -> None:
    ours = promised("DELETE /a", status="204", sends=ORDER)
    assert outcome(ours, route("DELETE /a", status="204")) == CLEAN
    assert outcome(ours, route("DELETE /a", status="204", sends=STRING)) == CLEAN
