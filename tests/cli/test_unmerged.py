"""A file with the markers of a merge conflict is two versions at once: nothing rests on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_changed import OLD, orders, project, told
from tests.cli.test_check import checked

__all__ = ["project"]

REASON = "holds the markers of a merge conflict; resolve it"
OPEN = "a file that may hold it, or where it is mounted, holds a merge conflict"


def conflict(ours: str, theirs: str) -> str:
    return f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> other\n"


def unread(report: dict[str, list[dict[str, object]]]) -> list[tuple[object, object, object]]:
    return [(each["path"], each["line"], each["reason"]) for each in report["not_analysed"]]


def test_the_types_and_routes_of_the_file_are_undetermined(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = orders("int").replace("    id: int\n", conflict("    id: int\n", "    id: bool\n"))
    (project / "orders.py").write_text(text, encoding="utf-8")
    _, report = checked(capsys)
    assert [(each["kind"], each["path"], each["field"]) for each in report["findings"]] == [OLD]
    assert unread(report) == [("orders.py", 8, REASON)]
    assert [each["operation"]["path"] for each in report["undetermined"]] == ["/orders"]
    assert (report["summary"]["missing"], report["summary"]["undetermined"]) == (0, 1)


def test_a_type_from_the_file_is_undetermined_where_another_uses_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = "class Order(BaseModel):\n    id: int\n"
    text = orders("int").replace(model, "")
    (project / "orders.py").write_text("from models import Order\n" + text, encoding="utf-8")
    models = "from pydantic import BaseModel\n\n" + model
    (project / "models.py").write_text(models, encoding="utf-8")
    assert [(kind, field) for kind, _, field in told(capsys)] == [
        ("type", "[].sku"),
        ("type", "[].id"),
    ]
    (project / "models.py").write_text(
        models.replace("    id: int\n", conflict("    id: int\n", "    id: bool\n")),
        encoding="utf-8",
    )
    _, report = checked(capsys)
    assert [(each["kind"], each["path"], each["field"]) for each in report["findings"]] == [OLD]
    assert unread(report) == [("models.py", 4, REASON)]


def test_routes_that_the_file_mounts_are_neither_missing_nor_undocumented(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = (project / "app.py").read_text(encoding="utf-8")
    line = "app.include_router(orders.router)\n"
    moved = 'app.include_router(orders.router, prefix="/v2")\n'
    (project / "app.py").write_text(app.replace(line, conflict(line, moved)), encoding="utf-8")
    _, report = checked(capsys)
    assert [(each["kind"], each["path"], each["field"]) for each in report["findings"]] == [OLD]
    assert unread(report) == [("app.py", 8, REASON)]


def test_a_route_that_may_stand_in_the_file_is_not_missing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "orders.py").unlink()
    app = "from fastapi import FastAPI\n\napp = FastAPI()\n"
    route = '@app.get("/orders")\ndef all() -> list[str]:\n    return []\n'
    (project / "app.py").write_text(app + conflict(route, ""), encoding="utf-8")
    _, report = checked(capsys)
    assert [(each["kind"], each["path"], each["field"]) for each in report["findings"]] == [OLD]
    assert [(each["reason"], each["operation"]["path"]) for each in report["undetermined"]] == [
        (OPEN, "/orders")
    ]
    assert report["summary"]["missing"] == 0


def test_a_resolved_conflict_is_read_again(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = orders("int")
    unmerged = text.replace("    id: int\n", conflict("    id: int\n", "    id: bool\n"))
    (project / "orders.py").write_text(unmerged, encoding="utf-8")
    assert told(capsys) == [OLD]
    (project / "orders.py").write_text(text, encoding="utf-8")
    assert told(capsys) == [OLD, ("type", "orders.py", "[].id")]
