"""What was said of findings is compared with what is found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.accuracy.labels import VERDICTS, disagreements, drafted, read_labels, write_labels
from bench.accuracy.run import pinned


def finding(field: str, kind: str = "extra-field", line: int = 3) -> dict[str, Any]:
    return {
        "rule": "CONTRACT-001",
        "kind": kind,
        "operation": {"method": "GET", "path": "/orders/{id}"},
        "field": field,
        "path": "app.py",
        "line": line,
        "contract": {"path": "openapi.yaml", "line": 12},
    }


def test_a_draft_says_that_nothing_was_read(tmp_path: Path) -> None:
    found = [finding("id"), finding("lines[].id"), finding("name")]
    write_labels(drafted("shop", found, tmp_path), tmp_path)
    assert disagreements("shop", found, tmp_path) == [
        "shop: ? CONTRACT-001 extra-field: verdict 'unread'",
        "shop: ? CONTRACT-001 extra-field: verdict 'unread'",
    ]


def label(tmp_path: Path, *found: dict[str, Any], counted: Sequence[dict[str, Any]] = ()) -> None:
    document = drafted("shop", found, tmp_path)
    for entry in document["findings"]:
        entry.update(verdict="true", reason="it does")
    if counted:
        document["counted"] = list(counted)
    (tmp_path / "shop.json").write_text(json.dumps(document))


def test_what_is_as_labelled_agrees(tmp_path: Path) -> None:
    label(tmp_path, finding("id"))
    assert disagreements("shop", [finding("id", line=99)], tmp_path) == []


def test_what_came_and_what_went_is_shown(tmp_path: Path) -> None:
    label(tmp_path, finding("id"))
    assert disagreements("shop", [finding("name")], tmp_path) == [
        "shop: - CONTRACT-001 extra-field GET /orders/{} id (labelled true)",
        "shop: + CONTRACT-001 extra-field GET /orders/{} name (app.py:3)",
    ]


def test_counted_findings_agree_by_number(tmp_path: Path) -> None:
    counted = [
        {"verdict": "namesake", "rule": "CONTRACT-001", "kind": "type", "count": 2, "reason": "…"}
    ]
    label(tmp_path, finding("id"), counted=counted)
    two = [finding("a", "type"), finding("b", "type")]
    assert disagreements("shop", [finding("id"), *two], tmp_path) == []
    assert disagreements("shop", [finding("id"), two[0]], tmp_path) == [
        "shop: ~ CONTRACT-001 type: 1 unlisted, 2 labelled"
    ]


def test_a_new_draft_keeps_what_was_said(tmp_path: Path) -> None:
    label(tmp_path, finding("id"))
    write_labels(drafted("shop", [finding("id"), finding("name")], tmp_path), tmp_path)
    written = read_labels("shop", tmp_path)
    assert written is not None
    assert written.verdicts() == {"true": 1, "unread": 1}


def test_a_pair_without_labels_says_so(tmp_path: Path) -> None:
    [line] = disagreements("shop", [], tmp_path)
    assert line.startswith("shop: no labels")


@pytest.mark.parametrize("name", [item["name"] for item in pinned()])
def test_every_pair_has_labels_with_a_reason_each(name: str) -> None:
    read = read_labels(name)
    assert read is not None
    entries = [*read.document["findings"], *read.document.get("counted", ())]
    assert all(entry["verdict"] in VERDICTS.keys() - {"unread"} for entry in entries)
    assert all(entry["reason"] for entry in entries)
