"""Parameters of the contract beside those that the code reads."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.operation import Body, Location, Operation, Parameter, RouteTraits
from contract_scan.ir.schema import Anything, Array, Field, Object, Scalar, Schema, Union, Unknown
from contract_scan.scanners.parameters import (
    ParameterDrift,
    UndeterminedParameter,
    compare_parameters,
    with_alternatives,
)

NOTHING = ContractDocument(path="openapi.yaml", kind="openapi")


NEUTRAL = RouteTraits()


def operation(name: str, traits: RouteTraits = NEUTRAL) -> Operation:
    parameter = Parameter(name=name, location="query", schema=Scalar(type="integer"), required=True)
    return Operation(method="GET", path="/x", parameters=(parameter,), traits=traits)


@pytest.mark.parametrize(
    ("traits", "said"),
    [(RouteTraits(names_case_insensitive=True), []), (NEUTRAL, ["pageSize"])],
)
def test_letter_case_of_query_parameters_counts_where_the_framework_tells_it_apart(
    traits: RouteTraits, said: list[str]
) -> None:
    contract, route = operation("pageSize"), operation("PageSize", traits)
    found = list(compare_parameters(contract, route, NOTHING, NOTHING))
    assert [drift.name for drift in found if isinstance(drift, ParameterDrift)] == said


LIBRARY = Unknown(reason="type `Limit` comes from a library")
ANY, TEXT = Unknown(reason="object", accepts_any=True), Unknown(reason="text", is_text=True)


@pytest.mark.parametrize(
    ("schema", "reasons"),
    [
        (LIBRARY, ["type `Limit` comes from a library"]),
        (Array(items=LIBRARY), ["type `Limit` comes from a library"]),
        (Union(options=(Scalar(type="integer"), LIBRARY)), ["type `Limit` comes from a library"]),
        (ANY, []),
        (TEXT, ["text"]),
        (Anything(), []),
    ],
)
def test_a_parameter_of_an_unknown_type_is_not_verified(schema: Schema, reasons: list[str]) -> None:
    route = operation("limit")
    (read,) = route.parameters
    route = replace(route, parameters=(replace(read, schema=schema),))
    found = list(compare_parameters(operation("limit"), route, NOTHING, NOTHING))
    assert [entry.reason for entry in found if isinstance(entry, UndeterminedParameter)] == reasons
    assert len(found) == len(reasons)


@pytest.mark.parametrize(
    ("contracted", "reasons"),
    [
        (Scalar(type="string"), []),
        (Scalar(type="string", format="uuid"), ["text"]),
        (Scalar(type="string", values=("a", "b")), ["text"]),
    ],
)
def test_what_is_read_as_text_takes_any_text_and_no_more_is_known(
    contracted: Schema, reasons: list[str]
) -> None:
    contract, route = operation("q"), operation("q")
    contract = replace(contract, parameters=(replace(contract.parameters[0], schema=contracted),))
    route = replace(route, parameters=(replace(route.parameters[0], schema=TEXT),))
    found = list(compare_parameters(contract, route, NOTHING, NOTHING))
    assert [entry.reason for entry in found if isinstance(entry, UndeterminedParameter)] == reasons
    assert len(found) == len(reasons)


@pytest.mark.parametrize(
    ("filled_in", "said"),
    [
        ((), ["name"]),
        (("Principal",), []),
        (("Authentication",), []),
        (("HttpServletRequest",), ["name"]),
    ],
)
def test_getters_of_what_the_framework_fills_in_are_no_parameters(
    filled_in: tuple[str, ...], said: list[str]
) -> None:
    route = Operation(method="GET", path="/x", framework_injected=filled_in)
    found = list(compare_parameters(operation("name"), route, NOTHING, NOTHING))
    assert [drift.name for drift in found] == said


def test_an_object_in_the_query_stands_for_its_properties() -> None:
    page = Object(
        fields=(
            Field(name="page", schema=Scalar(type="integer")),
            Field(name="size", schema=Scalar(type="integer"), required=False),
            Field(name="sort", schema=Scalar(type="string"), required=False),
        )
    )
    whole = Parameter(name="pageable", location="query", schema=page, required=True)
    contract = Operation(method="GET", path="/x", parameters=(whole,))

    def said(*read: Parameter) -> list[tuple[str, str]]:
        route = Operation(method="GET", path="/x", parameters=read, parameters_complete=True)
        found = compare_parameters(contract, route, NOTHING, NOTHING)
        return [(d.name, d.severity) for d in found if isinstance(d, ParameterDrift)]

    number, text = Scalar(type="integer"), Scalar(type="string")
    pages = Parameter(name="page", location="query", schema=number, required=True)
    sizes = Parameter(name="size", location="query", schema=number, required=True)
    orders = Parameter(name="sort", location="query", schema=number, required=False)
    other = Parameter(name="other", location="query", schema=text, required=False)
    assert said(pages, other) == [("other", "warning")]
    assert said(pages, sizes) == [("size", "error")]
    assert said(pages, orders) == [("sort", "error")]
    assert said(other) == [("pageable", "warning"), ("other", "warning")]


def optional(name: str, location: Location = "query", *, of_other_path: bool = False) -> Parameter:
    schema = Scalar(type="string")
    return Parameter(
        name=name, location=location, schema=schema, required=False, of_other_path=of_other_path
    )


@pytest.mark.parametrize(
    ("contracted", "read", "complete", "said"),
    [
        ([optional("shelf")], [], True, ["shelf"]),
        ([optional("shelf")], [], False, ["shelf?"]),
        ([], [optional("days")], True, ["days"]),
        ([], [optional("days")], False, ["days"]),
        ([optional("shelf")], [optional("shelf")], True, []),
        ([optional("filter")], [optional("filter[name]")], True, []),
        ([optional("filter")], [optional("filter.name")], True, []),
        ([optional("tag[*]")], [optional("tag")], False, []),
        ([optional("tags[]")], [optional("tag")], False, ["tags[]?", "tag"]),
        ([optional("filter")], [optional("filtered")], True, ["filter", "filtered"]),
        ([optional("trace", "header")], [], True, []),
        ([], [optional("trace", "header")], True, []),
        ([], [optional("id", of_other_path=True)], True, []),
    ],
)
def test_an_optional_query_parameter_that_one_side_knows_is_a_warning(
    contracted: list[Parameter], read: list[Parameter], complete: bool, said: list[str]
) -> None:
    contract = Operation(method="GET", path="/x", parameters=tuple(contracted))
    route = Operation(method="GET", path="/x", parameters=tuple(read), parameters_complete=complete)
    found = list(compare_parameters(contract, route, NOTHING, NOTHING))
    drifts = [d for d in found if isinstance(d, ParameterDrift)]
    assert [d.name if d in drifts else f"{d.name}?" for d in found] == said
    assert all(d.severity == "warning" for d in drifts)


def test_what_the_contract_has_in_the_body_may_be_read_from_the_query() -> None:
    fields = (Field(name="page", schema=Scalar(type="integer")),)
    contract = Operation(method="POST", path="/x", request=(Body(schema=Object(fields=fields)),))
    route = Operation(method="POST", path="/x", parameters=(optional("page"), optional("other")))
    found = compare_parameters(contract, route, NOTHING, NOTHING)
    assert [drift.name for drift in found] == ["other"]


UUID, INTEGER, BOOLEAN = (
    Scalar(type="string", format="uuid"),
    Scalar(type="integer"),
    Scalar(type="boolean"),
)


@pytest.mark.parametrize(
    ("contracted", "handler", "said"),
    [
        (Scalar(type="string"), "show", []),
        (INTEGER, "show", []),
        (BOOLEAN, "show", ["reads the path parameter `id` as a string (uuid) or an integer"]),
        (Scalar(type="string"), "other", ["reads the path parameter `id` as an integer"]),
    ],
)
def test_paths_of_one_handler_for_a_kind_of_value_each(
    contracted: Schema, handler: str, said: list[str]
) -> None:
    """Each path of one view takes what the others take; another view is compared by itself."""

    def of(schema: Schema, handler: str) -> Operation:
        parameter = Parameter(name="id", location="path", schema=schema, required=True)
        path = "/users/{id}"
        return Operation(method="GET", path=path, parameters=(parameter,), handler=handler)

    integers, uuids = of(INTEGER, "show"), of(UUID, handler)
    route = with_alternatives(integers, [uuids, integers])
    found = compare_parameters(of(contracted, ""), route, NOTHING, NOTHING)
    texts = [drift.says.partition(";")[0] for drift in found if isinstance(drift, ParameterDrift)]
    assert texts == said


def at(path: str, schema: Schema, *expressions: tuple[str, str]) -> Operation:
    parameter = Parameter(name="id", location="path", schema=schema, required=True)
    return Operation(method="GET", path=path, parameters=(parameter,), path_expressions=expressions)


@pytest.mark.parametrize(
    ("expression", "schema", "is_told"),
    [
        ("[0-9a-f]{24}", Scalar(type="integer"), True),
        ("[0-9a-f]{24}", Object(), True),
        ("[0-9a-f]{24}", Scalar(type="string", format="uuid"), True),
        ("[0-9a-f]{24}", Scalar(type="string"), False),
        ("[0-9a-f-]{36}", Scalar(type="string", format="uuid"), False),
        ("[1-9][0-9]*", Scalar(type="integer"), False),
        ("[0-9]{4}", Scalar(type="integer"), False),
        ("svg|txt", Scalar(type="string", values=("svg", "png")), False),
        ("svg|txt", Scalar(type="string", values=("png", "gif")), True),
        ("(a+)+", Scalar(type="integer"), False),
        ("", Object(), False),
    ],
)
def test_the_form_that_a_route_states_takes_a_value_of_the_contract(
    expression: str, schema: Schema, is_told: bool
) -> None:
    contract, text = at("/x/{id}", schema), Scalar(type="string")
    route = at("/x/{id}", text, ("id", expression))
    assert bool(list(compare_parameters(contract, route, NOTHING, NOTHING))) == is_told


def test_routes_that_state_different_forms_take_values_in_turn() -> None:
    text = Scalar(type="string")
    letters, digits = (at("/x/{id}", text, ("id", each)) for each in ("[a-z]+", "[0-9]+"))
    contract = at("/x/{id}", Scalar(type="integer"))
    route = with_alternatives(letters, (letters, digits))
    assert list(compare_parameters(contract, route, NOTHING, NOTHING)) == []
