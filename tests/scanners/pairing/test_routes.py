"""Which catch-alls may answer a contracted path."""

from __future__ import annotations

from contract_scan.ir.operation import Operation
from contract_scan.ir.origin import Origin, Span
from contract_scan.scanners.pairing.paths import Segments, segments
from contract_scan.scanners.pairing.routes import CatchAlls, Route


def route(path: str, method: str = "GET", line: int = 1) -> Route:
    origin = Origin("app.ts", Span(line, 1, line, 9))
    return Route(Operation(method=method, path=path, origin=origin), segments(path))


def covering(path: str, *routes: Route, method: str = "GET") -> list[str]:
    wanted: Segments = segments(path)
    return [each.operation.path for each in CatchAlls(routes).routes_covering(method, wanted)]


def test_words_may_stand_where_the_fixed_part_has_parameters() -> None:
    routes = [route(path) for path in ("/a/{x}/{r*}", "/a/b/{r*}", "/{r*}/{s*}", "/b/{x}/{r*}")]
    assert covering("/a/b/c/{id}", *routes) == ["/a/{x}/{r*}", "/a/b/{r*}"]
    assert covering("/a/b", *routes) == ["/a/{x}/{r*}", "/a/b/{r*}"]
    assert covering("/a/{id}/c", *routes) == ["/a/{x}/{r*}"]
    assert covering("/a", *routes) == []


def test_one_at_the_root_is_meant_only_where_there_is_nothing_else() -> None:
    root = route("/{r*}")
    assert covering("/a", root) == ["/{r*}"]
    assert covering("/a", root, route("/b")) == []


def test_only_those_of_the_method_count_and_all_of_their_place_are_used() -> None:
    routes = [route("/a/{r*}", "POST"), route("/a/{r*}", "*"), route("/b/{r*}", "*")]
    assert covering("/a/b", *routes) == ["/a/{r*}"]
    beside = CatchAlls(routes).routes_beside("GET", [segments("/a/b")])
    assert [*beside] == routes
    apart = [route("/a/{r*}", "*"), route("/b/{r*}", "*", line=2)]
    assert [*CatchAlls(apart).routes_beside("GET", [segments("/a/b")])] == apart[:1]
