"""Where the routes of a router are reached, in the graph that every language fills."""

from __future__ import annotations

import pytest

from contract_scan.ir.operation import DYNAMIC_PREFIX
from contract_scan.ir.origin import Span
from contract_scan.parsers.source.web.mount_limits import MAX_PLACES, TOO_DEEP, TOO_MANY
from contract_scan.parsers.source.web.route_graph import (
    MAX_DEPTH,
    Mount,
    MountedPath,
    Prefix,
    Role,
    RouteGraph,
    RouterId,
    application_of,
)

LOST = "nothing mounts it"


def made(line: int, instance: str = "") -> RouterId:
    return RouterId("app.py", Span(line, 1, line, 9), instance)


APP, ADMIN, ORDERS, ITEMS = made(1), made(2), made(3), made(4)


def graph(*applications: RouterId) -> RouteGraph[str, str]:
    new: RouteGraph[str, str] = RouteGraph(lambda id, role: LOST)
    for id in applications:
        new.add(id, "application")
    return new


def test_an_application_is_reached_at_its_root() -> None:
    routes = graph(APP)
    assert routes.places(APP) == (MountedPath("", application=APP),)


def test_prefixes_of_mounts_and_of_routers_come_in_the_order_of_the_path() -> None:
    routes = graph(APP)
    routes.add(ORDERS, prefix=Prefix("/orders"))
    routes.add(ITEMS, prefix=Prefix("/items"))
    routes.mount(ORDERS, Mount(APP, Prefix("/v1"), site="app.include(orders)"))
    routes.mount(ITEMS, Mount(ORDERS, Prefix("/{id}"), site="orders.include(items)"))
    sites = ("app.include(orders)", "orders.include(items)")
    assert routes.places(ITEMS) == (MountedPath("/v1/orders/{id}/items", "", sites, APP),)


def test_a_prefix_that_stands_instead_of_the_routers_own() -> None:
    routes = graph(APP)
    routes.add(ORDERS, prefix=Prefix("/orders"))
    routes.mount(ORDERS, Mount(APP, Prefix("/sales"), replaces=True))
    assert routes.places(ORDERS) == (MountedPath("/sales", application=APP),)


def test_a_part_of_a_prefix_that_is_undetermined_says_why_once() -> None:
    routes = graph(APP)
    routes.mount(ORDERS, Mount(APP, Prefix("/?", "from the environment")))
    routes.mount(ITEMS, Mount(ORDERS, Prefix("/??", "from a file")))
    assert routes.places(ITEMS) == (MountedPath("/?/??", "from the environment", application=APP),)


def test_a_router_of_two_applications() -> None:
    routes = graph(APP, ADMIN)
    routes.mount(ORDERS, Mount(APP, Prefix("/a")))
    routes.mount(ORDERS, Mount(ADMIN, Prefix("/b")))
    assert routes.places(ORDERS) == (
        MountedPath("/a", application=APP),
        MountedPath("/b", application=ADMIN),
    )
    routes.mount(ITEMS, Mount(APP))
    routes.mount(ITEMS, Mount(ADMIN))
    assert routes.places(ITEMS) == (MountedPath("", application=None),)


def test_what_a_factory_registers_is_registered_with_each_application_that_it_makes() -> None:
    first, second = made(7, "main.py:1"), made(7, "main.py:2")
    routes = graph(made(7), first, second)
    routes.specialise(first)
    assert routes.places(made(7)) == (MountedPath("", application=first),)
    routes.specialise(second)
    assert routes.places(made(7)) == (MountedPath("", application=None),)
    assert routes.places(second) == (MountedPath("", application=second),)


@pytest.mark.parametrize(
    ("role", "places"),
    [
        ("router", (MountedPath(DYNAMIC_PREFIX, LOST),)),
        ("likely parameter", (MountedPath(DYNAMIC_PREFIX, LOST),)),
        ("parameter", ()),
        ("specialised parameter", ()),
    ],
)
def test_a_router_that_nothing_mounts(role: Role, places: tuple[MountedPath[str], ...]) -> None:
    routes = graph(APP)
    routes.add(ORDERS, role)
    assert routes.places(ORDERS) == places


@pytest.mark.parametrize(
    ("role", "count"),
    [("router", 1), ("likely parameter", 0), ("parameter", 0), ("specialised parameter", 0)],
)
def test_without_any_application_a_router_is_served_by_itself(role: Role, count: int) -> None:
    routes = graph()
    routes.add(ORDERS, role)
    assert routes.places(ORDERS) == (MountedPath(""),) * count


def test_a_router_below_itself_has_no_place() -> None:
    routes = graph(APP)
    routes.mount(ORDERS, Mount(ITEMS))
    routes.mount(ITEMS, Mount(ORDERS))
    assert routes.places(ORDERS) == ()


def test_bounds() -> None:
    deep = graph(made(0))
    for line in range(1, MAX_DEPTH + 2):
        deep.mount(made(line), Mount(made(line - 1), Prefix("/x")))
    assert deep.places(made(MAX_DEPTH)) == (MountedPath("/x" * MAX_DEPTH, application=made(0)),)
    assert [place.unresolved for place in deep.places(made(MAX_DEPTH + 1))] == [TOO_DEEP]
    wide = graph(APP)
    for number in range(MAX_PLACES + 5):
        wide.mount(ORDERS, Mount(APP, Prefix(f"/{number}")))
    places = wide.places(ORDERS)
    assert len(places) == MAX_PLACES + 1
    assert places[-1].unresolved == TOO_MANY


def test_what_an_operation_says_of_its_application() -> None:
    served = application_of(MountedPath("/x", application=made(7, "main.py:2")))
    assert served is not None
    assert (served.origin.path, served.origin.span.line, served.instance) == (
        "app.py",
        7,
        "main.py:2",
    )
    assert application_of(MountedPath("/x")) is None
