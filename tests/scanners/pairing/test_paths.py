"""Paths as segments."""

from __future__ import annotations

import pytest

from contract_scan.scanners.pairing.paths import (
    PathIndex,
    catch_all_covers,
    in_order_within,
    literal_count,
    parameter_covers,
    segments,
    shown,
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
    assert {shown(p) for p in index.like(("a", "me"))} == {"/a/{}", "/a/me", "/{}/me"}
    assert {shown(p) for p in index.like(("a", "{}"))} == {"/a/{}", "/a/me", "/{}/me"}
    assert {shown(p) for p in index.like(("{}", "me"))} == {
        "/a/{}",
        "/a/me",
        "/{}/me",
        "/c/me",
    }
    assert index.like(("a",)) == []
