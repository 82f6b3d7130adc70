"""What a route answers is evaluated where something is compared with it, and only there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from contract_scan.config import Config
from contract_scan.flow import OpenCode
from contract_scan.ir.operation import Answers, DeferredAnswers, Operation, Response
from contract_scan.ir.origin import Origin, Span
from contract_scan.ir.violation import Finding
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.session import Session
from contract_scan.parsers.source.discovery.discover import SourceTree
from contract_scan.parsers.source.language import Framework
from contract_scan.parsers.source.languages import SUFFIXES, load
from contract_scan.parsers.source.project_model import Code
from contract_scan.parsers.source.reader import SourceReader
from contract_scan.parsers.source.store import Store
from tests.engine.judged import judged


class Shop:
    """A library with two routes, which notes whose answers are evaluated."""

    def __init__(self, *, broken: str = "") -> None:
        self.asked: list[str] = []
        self._broken = broken

    def _answers(self, path: str) -> Answers:
        self.asked.append(path)
        if path == self._broken:
            raise LookupError(path)
        return Answers((Response(status="201"),), statuses_complete=True)

    def operations(self, program: Program, framework: Framework) -> Iterator[Operation]:
        (file,) = program.seeds(framework)
        if self._broken == "all":
            raise LookupError
        for line, path in enumerate(("/kept", "/other"), start=1):
            yield Operation(
                method="GET",
                path=path,
                origin=Origin(file.path, Span(line, 1, line, 2)),
                framework=framework.name,
                deferred=DeferredAnswers(partial(self._answers, path)),
            )


def opened(folder: Path, shop: Shop) -> OpenCode:
    """A program whose only library is the shop, beside a contract of its first route."""
    (folder / "shop.py").write_text("import shop\n\nprint(shop)\n")
    paths = {"/kept": {"get": {"responses": {"200": {"description": ""}}}}}
    document = {"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "paths": paths}
    (folder / "openapi.json").write_text(json.dumps(document))
    framework = Framework(name="Shop", markers=(b"shop",), operations=shop.operations)
    language = replace(load("python"), frameworks=(framework,))
    tree = SourceTree(folder, SUFFIXES)
    reader = SourceReader(tree, {"python": language}, Store(None), filter=True)
    code = Code([Session(language, reader)], reader.all_problems, tree)
    return OpenCode(reader, code, Config())


def kinds(found: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(one.operation.path if one.operation else "", one.kind) for one in found]


def test_routes_that_no_contract_mentions_are_not_evaluated(tmp_path: Path) -> None:
    shop = Shop()
    report = opened(tmp_path, shop).compare([tmp_path / "openapi.json"]).report
    assert kinds(report.findings) == [("/kept", "status"), ("/other", "undocumented-endpoint")]
    assert shop.asked == ["/kept"]


def test_what_all_routes_answer_is_evaluated_once(tmp_path: Path) -> None:
    shop = Shop()
    code = opened(tmp_path, shop).code
    answers = [[each.status for each in o.responses] for o in code.operations_with_answers]
    assert answers == [["201"], ["201"]]
    assert code.operations_with_answers == code.operations_with_answers
    assert shop.asked == ["/kept", "/other"]


def test_a_defect_in_one_route_is_named_and_costs_no_other(tmp_path: Path) -> None:
    code = opened(tmp_path, Shop(broken="/kept")).code
    answers = [[each.status for each in o.responses] for o in code.operations_with_answers]
    assert answers == [[], ["201"]]
    assert [problem.code for problem in code.problems] == ["internal-error"]


def test_a_defect_in_reading_routes_makes_no_operation_missing(tmp_path: Path) -> None:
    report = opened(tmp_path, Shop(broken="all")).compare([tmp_path / "openapi.json"]).report
    assert kinds(report.findings) == []
    assert [each.operation.path for each in report.undetermined if each.operation] == ["/kept"]
    assert [problem.code for problem in report.not_analysed][:1] == ["internal-error"]


def test_a_route_that_always_refuses_is_no_endpoint_wherever_the_refusal_is_written(
    tmp_path: Path,
) -> None:
    said = judged(
        tmp_path,
        {
            "main.py": """
                from fastapi import FastAPI
                from fastapi.responses import JSONResponse
                from later import router

                app = FastAPI()
                app.include_router(router)

                @app.get("/kept")
                def kept() -> str:
                    return "x"

                @app.get("/open")
                def open_() -> str:
                    return "x"

                @app.get("/own")
                def own():
                    return JSONResponse({}, status_code=501)
                """,
            "later.py": """
                from fastapi import APIRouter
                from refusals import refuse

                router = APIRouter()

                @router.get("/led")
                def led():
                    return refuse()
                """,
            "refusals.py": """
                from fastapi.responses import JSONResponse

                def refuse():
                    return JSONResponse({}, status_code=405)
                """,
        },
        "/kept: {get: {responses: {'200': {description: '', content: {application/json: {schema:"
        " {type: string}}}}}}}",
    )
    assert said.findings == ["GET /open undocumented-endpoint (warning)"]
