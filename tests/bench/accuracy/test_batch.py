"""A batch of repositories: scanned, counted, published."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.accuracy.batch import FOLDER, PAGE, BatchError, main, reasons, scanned
from bench.accuracy.precision import Share, overview, share_of, tables, undetermined_share, wilson
from bench.accuracy.run import promises
from bench.accuracy.sheet import CAP, drawn

BATCHES = sorted(FOLDER.glob("*.json"))


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_interval_is_wilsons(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_debatable_findings_are_no_part_of_precision() -> None:
    assert Share(true=3, false=1, debatable=9).precision == 0.75
    assert Share(true=0, false=0, debatable=9).precision is None


def test_a_repository_is_scanned_without_configuration(tmp_path: Path) -> None:
    repository = tmp_path / "shop+orders"
    repository.mkdir()
    (repository / "app.py").write_text(
        "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n"
        '@app.get("/orders")\ndef orders() -> list[str]:\n    return []\n\n\n'
        '@app.get("/internal")\ndef internal() -> list[str]:\n    return []\n'
    )
    (repository / "openapi.yaml").write_text(
        "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths:\n  /orders:\n    get:\n"
        "      responses:\n        '200':\n          description: ok\n          content:\n"
        "            application/json:\n"
        "              schema: {type: array, items: {type: string}}\n"
    )
    made = scanned({"repository": "shop/orders"}, tmp_path)
    assert [found["message"] for found in drawn(made.report["findings"])] == [
        "`GET /internal` is in no contract"
    ]
    assert promises(made.report["summary"]) == {
        "operations": {
            "total": 1,
            "verified": 1,
            "partly": 0,
            "violated": 0,
            "missing": 0,
            "undetermined": 0,
        }
    }
    assert made.seconds > 0
    assert made.mebibytes > 10


def test_a_repository_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BatchError, match="shop/orders has to lie in it"):
        scanned({"repository": "shop/orders"}, tmp_path)


def test_reasons_come_by_how_many_promises_they_touch() -> None:
    said = [
        ("the result of `a` comes from a library", "/orders"),
        ("the result of `b` comes from a library", "/orders"),
        ("the result of `b` comes from a library", "/items"),
        ("its path is not constant", "/orders"),
    ]
    undetermined = [
        {"reason": reason, "operation": {"method": "GET", "path": path}} for reason, path in said
    ]
    assert reasons(undetermined) == [
        {"reason": "the result of `…` comes from a library", "promises": 2},
        {"reason": "its path is not constant", "promises": 1},
    ]


def test_the_batch_with_the_least_true_errors_comes_first() -> None:
    def batch(name: str, true: int, false: int) -> dict[str, Any]:
        row = {"severity": "error", "rule": "CONTRACT-001", "kind": "type", "debatable": 0}
        told = {"total": 10, "verified": 7, "violated": 0, "missing": 0, "undetermined": 3}
        shop = {"promises": {"operations": told}}
        return {
            "batch": name,
            "repositories": [{**shop, "verdicts": [{**row, "true": true, "false": false}]}],
        }

    assert list(overview([batch("1", 9, 1), batch("2", 1, 1)]))[2:] == [
        "| 2 | 1 | 50 % | – | 50 % | 30 % |",
        "| 1 | 1 | 90 % | – | 90 % | 30 % |",
    ]


def filled_in(verdict: str, cause: str = "") -> str:
    row = {"severity": "error", "rule": "CONTRACT-002", "kind": "missing-endpoint"}
    drawn_row = {**row, "code": "app.py:3", "verdict": verdict, "cause": cause}
    told = {"total": 4, "verified": 1, "violated": 1, "missing": 1, "undetermined": 1}
    figures = {"seconds": 1.5, "mebibytes": 40, "promises": {"operations": told}}
    return json.dumps({**figures, "findings": {"error": 1, "warning": 0}, "drawn": [drawn_row]})


def count(folder: Path, *options: str) -> int:
    words = ["batch", "count", str(folder / "1.json"), str(folder), *options]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        return main()


def test_a_rescan_stands_beside_the_first_figures(tmp_path: Path) -> None:
    shop = {"repository": "a/shop", "commit": "c0", "language": "Java", "framework": "Spring"}
    batch = {"batch": "1", "note": "One.", "scanner": "v1", "seed": 15, "repositories": [shop]}
    (tmp_path / "1.json").write_text(json.dumps(batch))
    (tmp_path / "a+shop.json").write_text(filled_in("false", "a mock is taken for the service"))
    assert count(tmp_path) == 0
    (tmp_path / "a+shop.json").write_text(filled_in("true"))
    assert count(tmp_path, "--rescan", "v2") == 0
    page = list(tables(json.loads((tmp_path / "1.json").read_text())))
    assert "| v1, errors | 0 | 1 | 0 | 0 % | 0 – 79 % | |" in page
    assert "| v2, errors | 1 | 0 | 0 | 100 % | 21 – 100 % | |" in page
    assert "| a mock is taken for the service | a/shop | 1 |" in page


def test_a_sheet_without_verdicts_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1.json").write_text(json.dumps({"repositories": [{"repository": "a/shop"}]}))
    (tmp_path / "a+shop.json").write_text(filled_in(""))
    assert count(tmp_path) == 1
    assert capsys.readouterr().err == (
        "a+shop.json: app.py:3: verdict '' is none of true, false, debatable\n"
    )


@pytest.mark.parametrize("file", BATCHES, ids=lambda file: file.stem)
def test_a_published_batch_adds_up_and_stands_on_the_page(file: Path) -> None:
    batch = json.loads(file.read_text())
    for each in batch["repositories"]:
        verdicts = share_of([each])
        drawn_at_most = each["findings"]["error"] + (each["findings"]["warning"] + 1) // 2
        assert sum(verdicts) == min(drawn_at_most, batch.get("cap", CAP)), each["repository"]
        assert sum(cause["findings"] for cause in each["causes"]) == verdicts.false
    undetermined, total = undetermined_share(batch["repositories"])
    assert 0 <= undetermined <= total
    assert "\n".join(tables(batch)).strip() in PAGE.read_text()
