"""CONTRACT-002 over operations written down by hand."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.scanners.report import Verdict
from contract_scan.scanners.rules.contract_002_missing_endpoint import NO_ROUTES, RULE
from tests.scanners.builders import FakeCode, at, openapi, promised, route
from tests.scanners.rules.checking import check, found, undetermined, verdicts


def test_every_operation_has_a_verdict() -> None:
    document = openapi(
        promised("GET /a"), promised("PUT /a"), promised("GET /b"), promised("HEAD /a")
    )
    answer = check(RULE, document, FakeCode([route("GET /a"), route("GET /c")]))
    assert found(answer) == [
        "error method @PUT /a",
        "error missing-endpoint @GET /b",
        "warning undocumented-endpoint @GET /c",
    ]
    assert undetermined(answer) == [
        "HEAD /a (whether the framework answers HEAD by itself is undetermined)"
    ]
    assert verdicts(answer) == {
        "GET /a": Verdict.VERIFIED,
        "PUT /a": Verdict.MISSING,
        "GET /b": Verdict.MISSING,
        "HEAD /a": Verdict.UNDETERMINED,
    }


def test_a_changed_method_is_seen_from_both_sides() -> None:
    document = openapi(promised("POST /a", line=4))
    answer = check(RULE, document, FakeCode([route("PUT /a", line=8)]))
    assert [(f.kind, f.origin, f.message) for f in answer.findings] == [
        (
            "method",
            at("openapi.yaml", 4),
            "`POST /a` has no route; the code defines only PUT for this path",
        ),
        ("undocumented-endpoint", at("app.py", 8, "PUT /a"), "`PUT /a` is in no contract"),
    ]


def test_paths_that_are_seen_to_answer_preflights_alone_are_answered_by_something() -> None:
    names = ("/a", "/b", "/c")
    contracted = [promised(f"GET {name}") for name in names]
    routes = [route(f"OPTIONS {name}", line=line) for line, name in enumerate(names, 1)]
    answer = check(RULE, openapi(*contracted, promised("GET /d")), FakeCode(routes))
    assert found(answer) == ["error missing-endpoint @GET /d", "warning method @"]
    assert undetermined(answer) == [
        f"GET {name} (3 operations differ in one way: the code was seen to answer nothing but "
        "`OPTIONS`; code that was not read may do that)"
        for name in names
    ]
    fewer = check(RULE, openapi(*contracted[:2]), FakeCode(routes[:2]))
    assert found(fewer) == ["error method @GET /a", "error method @GET /b"]


def test_a_missing_endpoint_is_shown_in_the_contract() -> None:
    answer = check(RULE, openapi(promised("GET /a", line=4)), FakeCode([route("GET /b")]))
    [missing] = [f for f in answer.findings if f.kind == "missing-endpoint"]
    assert missing.origin == missing.contract == at("openapi.yaml", 4)


def test_no_route_at_all_says_nothing_of_the_code() -> None:
    answer = check(RULE, openapi(promised("GET /a"), promised("GET /b")), FakeCode())
    assert found(answer) == []
    assert undetermined(answer) == [f"GET /a ({NO_ROUTES})", f"GET /b ({NO_ROUTES})"]
    assert set(verdicts(answer).values()) == {Verdict.UNDETERMINED}


def test_routes_that_a_library_answers_by_itself_are_no_routes_of_the_project() -> None:
    contract = openapi(promised("GET /a"))
    login = route("POST /login", excluded_from_docs=True)
    answer = check(RULE, contract, FakeCode([login]))
    assert (found(answer), undetermined(answer)) == ([], [f"GET /a ({NO_ROUTES})"])
    answer = check(RULE, contract, FakeCode([login, route("GET /b")]))
    assert undetermined(answer) == []
    lost = route("* /{rest*}", excluded_from_docs=True, unresolved="a router could not be read")
    answer = check(RULE, contract, FakeCode([login, lost]))
    assert undetermined(answer) == ["GET /a (a route is undetermined: a router could not be read)"]


def test_names_that_tell_no_paths_are_said_once() -> None:
    contract = openapi(*(promised(f"GET /{name}", operation_id=name) for name in ("a", "b")))
    code = [route("* ", operation_id=name, unresolved="it is generated") for name in ("a", "b")]
    answer = check(RULE, contract, FakeCode(code))
    assert found(answer) == []
    said = [(entry.operation, entry.reason) for entry in answer.undetermined]
    assert said == [(None, "which paths belong to the names in the code: it is generated")]
    assert verdicts(answer) == {"GET /a": Verdict.VERIFIED, "GET /b": Verdict.VERIFIED}


def test_a_prefix_that_the_contract_tells_is_said_once() -> None:
    reason = "the global prefix is not constant"
    code = [
        route(f"{name.replace(' ', ' /{computed}')}", line=line, unresolved=reason)
        for line, name in enumerate(["GET /a", "GET /a/{id}", "POST /a", "GET /b", "PUT /c"])
    ]
    contracted = ("GET /a", "GET /a/{id}", "POST /a", "DELETE /b", "GET /d")
    answer = check(RULE, openapi(*(promised(name) for name in contracted)), FakeCode(code))
    assert found(answer) == [
        "error method @DELETE /b",
        "error missing-endpoint @GET /d",
        "warning undocumented-endpoint @GET /b",
        "warning undocumented-endpoint @PUT /c",
    ]
    said = [(entry.operation, entry.reason) for entry in answer.undetermined]
    assert said == [(None, f"below which base path the code answers: {reason}")]
    assert verdicts(answer) == {
        "GET /a": Verdict.VERIFIED,
        "GET /a/{id}": Verdict.VERIFIED,
        "POST /a": Verdict.VERIFIED,
        "DELETE /b": Verdict.MISSING,
        "GET /d": Verdict.MISSING,
    }


ORDERS = ("GET /orders", "POST /orders", "GET /orders/{id}")


def base_path(contract_prefix: str, code_prefix: str, *bases: str) -> list[tuple[str, str, str]]:
    def moved(name: str, prefix: str) -> str:
        return name.replace(" ", f" {prefix}")

    document = openapi(*(promised(moved(o, contract_prefix)) for o in ORDERS), base_paths=bases)
    code = FakeCode([route(moved(o, code_prefix)) for o in ORDERS])
    answer = check(RULE, document, code)
    assert all(finding.kind == "base-path" for finding in answer.findings)
    assert set(verdicts(answer).values()) == {Verdict.VERIFIED}
    return [(f.severity, f.expected, f.found) for f in answer.findings]


def test_a_constant_offset_is_reported_once() -> None:
    assert base_path("", "", "/api") == [("warning", "/api", "/")]
    assert base_path("", "/api", "/api") == []
    assert base_path("", "/v1") == [("warning", "/", "/v1")]
    assert base_path("/v1", "") == [("warning", "/v1", "/")]
    assert base_path("", "/v1", "/api/v1") == [("warning", "/api/v1", "/v1")]
    assert base_path("", "/v2", "/v1") == [("warning", "/v1", "/v2")]
    assert base_path("", "/api/v{version}", "/api/v1") == []
    assert base_path("", "/api/v{version}", "/api/w1") == [("warning", "/api/w1", "/api/v{}")]


def test_an_address_that_is_filled_in_elsewhere_may_have_any_base_path() -> None:
    document = replace(openapi(*(promised(order) for order in ORDERS)), base_path_undetermined=True)
    code = FakeCode([route(order.replace(" ", " /v1")) for order in ORDERS])
    answer = check(RULE, document, code)
    assert answer.findings == []
    assert set(verdicts(answer).values()) == {Verdict.VERIFIED}


def test_a_base_path_is_shown_at_a_route() -> None:
    document = openapi(promised("GET /a", line=4), base_paths=("/api",))
    [finding] = check(RULE, document, FakeCode([route("GET /a", line=8)])).findings
    assert finding.origin == at("app.py", 8, "GET /a")
    assert finding.contract == at("openapi.yaml", 4)
    assert finding.message == ("the contract's endpoints are below `/api`, the code's below `/`")
