"""Findings with one cause are one problem, and its name stays while code moves."""

from __future__ import annotations

from msgspec.structs import replace

from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.problem import Problem
from contract_scan.ir.violation import Finding, ObjectPair, OperationRef
from contract_scan.reports.listed import fields
from contract_scan.scanners.fingerprint import with_fingerprints
from contract_scan.scanners.problems import cause_of, groups_of, member_of, problems_of

DTO = Origin("dto.cs", Span(8, 1, 8, 20), symbol="AuthorDto")
AUTHOR = Origin("api.yaml", Span(80, 1, 90, 1), pointer="/components/schemas/Author")
PAIR = ObjectPair(code=DTO, code_type="AuthorDto", contract=AUTHOR, contract_type="Author")


def field(name: str, path: str = "/authors", **changes: object) -> Finding:
    finding = Finding(
        rule="CONTRACT-001",
        kind="missing-field",
        severity="error",
        message=f"`GET {path}` lacks `{name}`",
        origin=Origin("dto.cs", Span(9, 1, 9, 9), symbol="AuthorDto"),
        operation=OperationRef(method="GET", path=path, status="200", direction="response"),
        field=f"items[].{name}",
        expected="string",
        contract=Origin(
            "api.yaml", Span(81, 1, 81, 9), pointer=f"{AUTHOR.pointer}/properties/{name}"
        ),
        objects=PAIR,
    )
    return replace(finding, **changes)


def status(path: str, function: str = "Errors.Send", code: str = "400") -> Finding:
    return Finding(
        rule="CONTRACT-001",
        kind="status",
        severity="error",
        message=f"`GET {path}` returns {code}",
        origin=Origin("errors.cs", Span(3, 1, 3, 9), symbol=function),
        operation=OperationRef(method="GET", path=path, status=code, direction="response"),
        contract=Origin("api.yaml", Span(5, 1, 5, 2), pointer=f"/paths/{path}/get"),
    )


def undocumented(path: str, symbol: str) -> Finding:
    return Finding(
        rule="CONTRACT-002",
        kind="undocumented-endpoint",
        severity="warning",
        message=f"`GET {path}` is in no contract",
        origin=Origin("ui.cs", Span(3, 1, 3, 9), symbol=symbol),
        operation=OperationRef(method="GET", path=path),
    )


def missing(path: str) -> Finding:
    return replace(
        undocumented(path, ""),
        kind="missing-endpoint",
        severity="error",
        message=f"`GET {path}` has no route in the code",
        contract=Origin("api.yaml", Span(5, 1, 5, 2), pointer=f"/paths/{path}/get"),
    )


def problems(*findings: Finding) -> tuple[Problem, ...]:
    return problems_of(with_fingerprints(findings))


def titles(*findings: Finding) -> list[str]:
    return [group.title for group in groups_of(problems(*findings))]


def test_a_type_that_many_operations_send_is_one_problem() -> None:
    found = [field(name, f"/{n}") for n in range(185) for name in ("alias", "born")]
    (problem,) = problems(*found)
    assert problem.name == "CONTRACT-001/missing-field"
    assert problem.title == "`AuthorDto` lacks 2 fields that `Author` requires"
    assert [member.name for member in problem.members] == ["alias", "born"]
    assert (len(problem.operations), len(problem.places), problem.reach) == (185, 370, 185)
    assert (problem.code, problem.contract) == (DTO, AUTHOR)


def test_one_place_speaks_for_itself() -> None:
    assert titles(field("alias")) == ["`GET /authors` lacks `alias`"]


def test_another_component_kind_or_direction_is_another_problem() -> None:
    person = replace(PAIR, contract=replace(AUTHOR, pointer="/components/schemas/Person"))
    found = problems(
        field("alias"),
        field("alias", objects=person),
        field("alias", kind="type"),
        field("alias", objects=replace(PAIR, code_sends=False)),
    )
    assert len(found) == 4


def test_schemas_that_are_written_in_place_are_one_for_each_type_of_the_code() -> None:
    places = [
        replace(PAIR, contract=replace(AUTHOR, pointer=f"/paths/{n}/schema"), contract_type="")
        for n in range(3)
    ]
    assert titles(*(field("alias", f"/{n}", objects=pair) for n, pair in enumerate(places))) == [
        "`AuthorDto` lacks `alias`, which the contract requires"
    ]
    nameless = [replace(pair, code_type="") for pair in places]
    assert len(problems(*(field("alias", objects=pair) for pair in nameless))) == 3


def test_a_wholly_different_type_is_one_problem() -> None:
    other = replace(PAIR, shares_little=True)
    (problem,) = problems(
        field("alias", objects=other),
        field("born", objects=other),
        field("isbn", objects=other, kind="extra-field", severity="warning"),
    )
    assert problem.title == (
        "`AuthorDto` is another type than `Author`: 2 fields missing, 1 not in the contract"
    )
    assert (problem.kind, problem.severity) == ("missing-field", "error")
    assert problem.fingerprint.endswith(":another-type")
    assert problem.places[0].kind == "missing-field"
    assert fields(problem) == "missing: alias, born; not in the contract: isbn"


def test_a_function_that_answers_all_errors_is_one_problem() -> None:
    assert titles(*(status(f"/{n}") for n in range(40))) == [
        "`Errors.Send` returns 400, which the contract does not define"
    ]


def test_functions_that_do_the_same_are_told_together_and_counted_one_by_one() -> None:
    nameless = [status(f"/{n}", "") for n in range(4)]
    assert titles(*nameless) == [
        "`GET /0` returns 400, which the contract does not define; 3 more operations do the same"
    ]
    found = [status(f"/{n}", f"Author{n}.Get") for n in range(4)]
    assert len(problems(*found)) == 4
    assert titles(*found) == [
        "`Author0.Get` returns 400, which the contract does not define; "
        "3 more functions do the same"
    ]


def test_an_envelope_that_all_responses_lack_is_told_once() -> None:
    pairs = [
        ObjectPair(
            code=replace(DTO, path=f"{n}.cs"),
            code_type=f"Dto{n}",
            contract=replace(AUTHOR, pointer=f"/components/schemas/Page{n}"),
            contract_type=f"Page{n}",
        )
        for n in range(5)
    ]
    found = [field("data", f"/{n}", objects=pair) for n, pair in enumerate(pairs)]
    assert titles(*found) == ["`Dto0` lacks `data`, which `Page0` requires; 4 more do the same"]


def test_functions_that_never_succeed_are_told_by_what_they_return() -> None:
    found = [
        replace(
            status(f"/{n}", f"Author{n}.Get", "200"),
            predicate="returns only 500; the contract defines 200",
            found="500",
        )
        for n in range(4)
    ]
    assert titles(*found) == [
        "`Author0.Get` returns only 500; the contract defines 200; 3 more functions do the same"
    ]


def test_opposite_differences_of_one_wrapper_are_not_told_by_the_words_of_the_first() -> None:
    in_place = replace(
        PAIR, contract=replace(AUTHOR, pointer="/paths/~1authors/get"), contract_type=""
    )
    pages = field(
        "data", "/pages", kind="shape", objects=in_place, expected="array", found="object"
    )
    page = replace(
        pages,
        operation=OperationRef(method="GET", path="/page", status="200", direction="response"),
        expected="object",
        found="array",
    )
    assert titles(pages) == ["`GET /pages` lacks `data`"]
    assert titles(pages, page) == ["`AuthorDto` has another type than the contract for `data`"]


def test_types_that_one_component_stands_for_are_told_together() -> None:
    found = [
        field(f"own{n}", objects=replace(PAIR, code_type=f"Command{n}"), kind="extra-field")
        for n in range(3)
    ]
    assert titles(*found) == [
        "`Command0` has `own0`, which `Author` does not define;"
        " 2 more differ from it in the same way"
    ]


def test_a_contract_that_covers_only_a_part_is_one_line() -> None:
    found = [undocumented(f"/ui/{n}/edit", f"Ui{n}.Edit") for n in range(37)]
    assert titles(*found) == ["37 routes below `/ui` are in no contract"]
    covered = [replace(each, expected="paths below /api") for each in found]
    assert titles(*covered, undocumented("/api/old", "Old.Get")) == [
        "`GET /api/old` is in no contract",
        "37 routes below `/ui` are in no contract; the contract covers paths below /api only",
    ]
    elsewhere = [undocumented(f"/{n}", f"Page{n}.Get") for n in range(9)]
    assert titles(*found, *elsewhere) == ["46 routes are in no contract, 37 of them below `/ui`"]
    assert titles(*(missing(f"/v2/{n}") for n in range(12))) == [
        "12 operations below `/v2` have no route in the code"
    ]


def test_routes_of_one_controller_are_one_problem() -> None:
    assert titles(undocumented("/a", "Home.Get"), undocumented("/b", "Home.Put")) == [
        "2 routes of `Home` are in no contract"
    ]


def test_the_worst_and_most_far_reaching_come_first() -> None:
    found = problems(
        undocumented("/z", "Home.Get"),
        field("alias"),
        *(status(f"/{n}") for n in range(2)),
        replace(status("/x", "Other.Send"), severity="note"),
    )
    assert [(each.severity, each.reach) for each in found] == [
        ("error", 2),
        ("error", 1),
        ("warning", 1),
        ("note", 1),
    ]


def test_a_fingerprint_stays_while_lines_move_and_operations_come_and_go() -> None:
    (before,) = problems(field("alias"))
    moved = Origin("dto.cs", Span(90, 1, 90, 9), symbol="AuthorDto")
    (after,) = problems(
        field("alias", "/other", origin=moved, field="data.alias", message="in other words")
    )
    assert after.fingerprint == before.fingerprint


def test_what_is_wrong_between_one_type_and_one_component_has_one_cause() -> None:
    found = problems(field("alias"), field("alias", kind="type"))
    assert len({each.fingerprint for each in found}) == 2
    assert len({cause_of(each.fingerprint) for each in found}) == 1
    assert [member_of(each.places[0]) for each in found] == ["missing-field alias", "type alias"]
