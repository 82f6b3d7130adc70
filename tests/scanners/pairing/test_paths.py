"""Paths as segments."""

from __future__ import annotations

import pytest

from contract_scan.scanners.pairing.paths import (
    PathIndex,
    catch_all_covers,
    in_order_within,
    is_of_version,
    literal_count,
    parameter_covers,
    path_text,
    segments,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", ()),
        ("", ()),
        ("/a/b", ("a", "b")),
        ("/a//b/", ("a", "b")),
        ("/a/{id}/{rest*}", ("a", "{}", "{*}")),
        ("/{name}.json", ("{}.json",)),
        ("/{from}..{to}", ("{}..{}",)),
        ("/orders/{id}:cancel", ("orders", "{}:cancel")),
        ("/orders/:id/items/:no", ("orders", "{}", "items", "{}")),
        ("/:batch/:", ("{}", ":")),
    ],
)
def test_segments(path: str, expected: tuple[str, ...]) -> None:
    assert segments(path) == expected


def test_fixed_words_are_counted() -> None:
    assert literal_count(segments("/a/{id}/b/{x}.json/{rest*}")) == 2


def test_what_a_catch_all_answers() -> None:
    assert catch_all_covers(("a", "{*}"), ("a", "b", "c"))
    assert catch_all_covers(("a", "{*}"), ("a",))
    assert not catch_all_covers(("a", "{*}"), ("b", "c"))
    assert not catch_all_covers(("a", "{}"), ("a", "b"))
    assert not catch_all_covers(("a", "{}", "{*}"), ("a", "b", "c"))


def test_the_paths_that_a_beginning_of_another_is() -> None:
    index = PathIndex([(), ("a", "{}"), ("a", "b"), ("a", "b", "c"), ("{}", "b")])
    assert [*index.starts_of(("a", "b"))] == [(), ("a", "b"), ("a", "{}"), ("{}", "b")]
    assert [*index.starts_of(("a", "{}", "c"))] == [(), ("a", "{}")]
    assert [*index.starts_of(("a",))] == [()]


def test_what_a_parameter_answers() -> None:
    assert parameter_covers(("a", "{}"), ("a", "me"))
    assert not parameter_covers(("a", "me"), ("a", "{}"))
    assert not parameter_covers(("a", "{}"), ("a", "b", "c"))


def test_words_in_order() -> None:
    assert in_order_within(("orders", "{}"), ("shop", "orders", "{}", "lines"))
    assert not in_order_within(("lines", "orders"), ("orders", "lines"))
    assert in_order_within((), ("a",))


def test_paths_that_differ_in_parameters_alone() -> None:
    paths = [segments(p) for p in ("/a/{id}", "/a/me", "/a/{id}/b", "/{x}/me", "/c/me")]
    index = PathIndex(paths)
    assert {path_text(p) for p in index.like(("a", "me"))} == {"/a/{}", "/a/me", "/{}/me"}
    assert {path_text(p) for p in index.like(("a", "{}"))} == {"/a/{}", "/a/me", "/{}/me"}
    assert {path_text(p) for p in index.like(("{}", "me"))} == {
        "/a/{}",
        "/a/me",
        "/{}/me",
        "/c/me",
    }
    assert index.like(("a",)) == []


def test_segments_that_are_partly_parameters() -> None:
    index = PathIndex([("v1", "a"), ("v{}", "b"), ("w1", "a"), ("{}", "b")])
    assert index.like(("v{}", "a")) == [("v1", "a")]
    assert index.like(("v2", "b")) == [("{}", "b"), ("v{}", "b")]
    assert index.like(("v", "b")) == [("{}", "b")]


@pytest.mark.parametrize(
    ("route", "template", "same"),
    [
        ("/api/v1/a/{id}", "/api/v{version}/a/{id}", True),
        ("/api/v1.2/a", "/api/v{apiVersion}/a", True),
        ("/api/1/a", "/api/{api-version}/a", True),
        ("/api/vx/a", "/api/v{version}/a", False),
        ("/api/v1/b", "/api/v{version}/a", False),
        ("/api/v1/me", "/api/v{version}/{id}", False),
        ("/api/v1/a", "/api/v{number}/a", False),
        ("/api/v1/a", "/api/v1/a", False),
    ],
)
def test_routes_of_a_version_that_a_contract_leaves_open(
    route: str, template: str, same: bool
) -> None:
    assert is_of_version(segments(route), segments(template), template) is same
    mounted = ("base", *segments(template))
    assert is_of_version(("base", *segments(route)), mounted, template) is same
