"""Types of packages that bear the name of a known type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project


@pytest.mark.parametrize(
    ("imports", "type", "shown"),
    [
        ("import java.util.UUID;", "UUID", "string(uuid)"),
        ("import java.util.*;", "UUID", "string(uuid)"),
        ("import com.acme.ids.*; import java.util.*;", "UUID", "string(uuid)"),
        ("", "java.util.UUID", "string(uuid)"),
        ("import com.acme.ids.UUID;", "UUID", "<type `UUID` comes from a library>"),
        ("import com.acme.ids.*;", "UUID", "<type `UUID` comes from a library>"),
        ("", "com.acme.ids.UUID", "<type `com.acme.ids.UUID` comes from a library>"),
        ("import com.acme.time.Instant;", "Instant", "<type `Instant` comes from a library>"),
        ("import com.acme.time.DayOfWeek;", "DayOfWeek", "<type `DayOfWeek` comes from a library>"),
    ],
)
def test_the_import_decides(tmp_path: Path, imports: str, type: str, shown: str) -> None:
    source = f"package shop; {imports} class Order {{ public {type} value; }}"
    found = Project(tmp_path, {"src/main/java/shop/Order.java": source})
    assert found.model("Order") in (f"{{value: {shown}}}", f"{{value: {shown}~}}")
