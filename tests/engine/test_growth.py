"""Code and contracts that are made to be expensive: what is said of them is bounded, and that there
is more is never silent.

None of these is timed: without the bounds they take minutes and gigabytes, so that a process of its
own with a limit of memory and of processor time ends where one is gone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bench.growth import shapes
from bench.growth.shapes import Files
from contract_scan.parsers.source.bounded_parse import TOO_MUCH_MEMORY
from contract_scan.parsers.source.web import mount_limits
from contract_scan.scanners.differences.result import MAX_PLACES, TOO_MANY, TOO_MANY_UNDETERMINED
from tests.engine.judged import judged
from tests.forked import forked_python

ROOT = Path(__file__).parents[2]
_LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from contract_scan.cli.main import main
sys.exit(main(["check", ".", "--no-cache", "--jobs", "1", "--output-format", "json"]))
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of processes are POSIX")


def report(files: Files, root: Path) -> dict[str, Any]:
    """What a scan says of files, in a process that may not take much."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    words = [forked_python(), "-c", _LIMITED]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=root, env=environment, capture_output=True, check=False)
    assert done.returncode in (0, 1, 2), done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def fields(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["kind"], item["field"]) for item in found["findings"]]


def reasons(found: dict[str, Any]) -> set[str]:
    return {item["reason"] for item in found["undetermined"]}


@pytest.mark.parametrize("files", [shapes.expression_tree, shapes.expression_tree_python])
def test_a_difference_in_a_recursive_union_is_said_once(files: Any, tmp_path: Path) -> None:
    found = report(files(16), tmp_path)
    assert fields(found) == [("type", "value")]
    assert found["undetermined"] == []


@pytest.mark.parametrize("files", [shapes.shared_types, shapes.shared_types_java])
def test_a_few_paths_to_a_shared_difference_are_all_said(files: Any, tmp_path: Path) -> None:
    found = report(files(3), tmp_path)
    ways = [f"{a}.{b}.{c}.value" for a in "ab" for b in "ab" for c in "ab"]
    assert sorted(fields(found)) == [("type", way) for way in ways]
    assert found["undetermined"] == []


@pytest.mark.parametrize(
    ("files", "state"),
    [(shapes.shared_types, "undetermined"), (shapes.shared_types_java, "violated")],
    ids=["declared", "checked"],
)
def test_many_paths_to_a_shared_difference_are_counted(
    files: Any, state: str, tmp_path: Path
) -> None:
    found = report(files(12), tmp_path)
    assert len(found["findings"]) == MAX_PLACES
    assert {kind for kind, _ in fields(found)} == {"type"}
    assert reasons(found) == {TOO_MANY}
    assert found["summary"][state] == 1


def test_paths_deeper_than_is_compared_are_undetermined(tmp_path: Path) -> None:
    found = report(shapes.shared_types(64), tmp_path)
    assert found["findings"] == []
    assert TOO_MANY_UNDETERMINED in reasons(found)
    assert found["summary"]["undetermined"] == 1
    assert found["summary"]["verified"] == 0


def _accepts_every_level(levels: int) -> str:
    """A contract that instances of a growing generic keep, each level with a schema of its own."""
    names = [f"Level{level}" for level in range(levels)]
    schemas = {
        name: shapes.record({"a0": {}, "n": shapes.reference(deeper)})
        for name, deeper in pairwise([*names, "Rest"])
    }
    return shapes.openapi({**schemas, "Rest": {}}, shapes.reference("Level0"))


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (shapes.growing_generic, "the type nests too deeply"),
        (shapes.growing_generic_doubling, "it takes too many steps to follow"),
        (shapes.growing_generic_python, "nested more than 60 levels deep"),
        (shapes.growing_generic_csharp, "nested more than 60 levels deep"),
        (shapes.growing_generic_java, "nested more than 60 levels deep"),
    ],
)
def test_a_growing_generic_is_undetermined_where_it_is_not_followed(
    files: Any, reason: str, tmp_path: Path
) -> None:
    found = report({**files(1), "openapi.json": _accepts_every_level(80)}, tmp_path)
    assert found["findings"] == []
    assert found["summary"]["partly"] == 1
    assert reasons(found) == {reason}


@pytest.mark.parametrize("files", [shapes.doubled_objects, shapes.doubled_objects_csharp])
def test_an_object_that_doubles_at_every_level_is_undetermined(files: Any, tmp_path: Path) -> None:
    found = report(files(30), tmp_path)
    assert found["findings"] == []
    assert found["summary"]["partly"] == 1
    assert reasons(found) == {"it takes too many steps to follow"}


def test_a_list_that_doubles_at_every_level_ends(tmp_path: Path) -> None:
    found = report(shapes.doubled_lists(40), tmp_path)
    assert (found["findings"], found["undetermined"]) == ([], [])
    assert found["summary"]["verified"] == 1


MOUNTED = (
    *(shapes.express_mounts, shapes.koa_mounts, shapes.hono_mounts, shapes.fastify_mounts),
    *(shapes.fastapi_mounts, shapes.flask_mounts, shapes.django_includes, shapes.starlette_mounts),
    *(shapes.minimal_api_groups, shapes.adonis_groups, shapes.vertx_mounts),
)


@pytest.mark.parametrize("files", MOUNTED)
def test_every_place_of_a_router_is_known_where_they_are_few(files: Any, tmp_path: Path) -> None:
    found = report(files(3), tmp_path)
    places = {
        finding["message"].split("`")[1].split(" ")[1]
        for finding in found["findings"]
        if finding["kind"] == "undocumented-endpoint"
    }
    ways = {f"/{a}0/{b}1/{c}2/leaf" for a in "ab" for b in "ab" for c in "ab"}
    assert places == ways - {"/a0/a1/a2/leaf"}  # that one is the operation of the contract


@pytest.mark.parametrize("files", MOUNTED)
def test_nothing_counts_as_missing_behind_places_that_are_not_followed(
    files: Any, tmp_path: Path
) -> None:
    last = "".join(f"/b{level}" for level in range(20)) + "/leaf"
    found = report({**files(20), "openapi.json": shapes.openapi({}, {}, last)}, tmp_path)
    assert "missing-endpoint" not in {kind for kind, _ in fields(found)}
    assert found["summary"]["undetermined"] == 1
    said = "; ".join(reasons(found))
    assert mount_limits.TOO_MANY in said or mount_limits.TOO_DEEP in said or "deeply" in said


def test_a_text_that_doubles_is_known_to_be_a_text(tmp_path: Path) -> None:
    found = report(shapes.template_literals(64), tmp_path)
    assert found["findings"] == []
    assert reasons(found) == {
        "a route is undetermined: the path is not constant: a part of it is computed"
    }


@pytest.mark.parametrize(
    "files", [shapes.conditional_entries, shapes.conditional_entries_typescript]
)
def test_an_object_that_holds_itself_under_many_keys_is_followed(
    files: Callable[[int], Files], tmp_path: Path
) -> None:
    contract = shapes.openapi(
        {}, shapes.record({"id": {"type": "string"}, "k159": {"type": "string"}})
    )
    found = report({**files(160), "openapi.json": contract}, tmp_path)
    assert {field for kind, field in fields(found) if kind == "extra-field"} == {
        f"k{i}" for i in range(159)
    }
    assert reasons(found) == {"`d` is put into itself"}


def test_members_are_not_null_after_as_many_tests(tmp_path: Path) -> None:
    found = report(shapes.tested_members(200), tmp_path)
    assert (found["findings"], found["undetermined"]) == ([], [])
    assert found["summary"]["verified"] == 1


def test_objects_that_hold_each_other_under_many_keys_are_followed(tmp_path: Path) -> None:
    found = report(shapes.conditional_objects(640), tmp_path)
    assert sorted(field for _, field in fields(found)) == sorted(f"k{i}" for i in range(640))


def test_a_dictionary_that_too_many_conditions_replace_is_undetermined(tmp_path: Path) -> None:
    found = report(shapes.conditional_spreads(640), tmp_path)
    assert "some fields are undetermined: it takes too many steps to follow" in reasons(found)


def test_a_key_that_hundreds_of_tests_set_either_way_is_always_there(tmp_path: Path) -> None:
    files = shapes.keys_set_either_way(640)
    contract = shapes.openapi(
        {}, shapes.record({"id": {"type": "string"}, "k": {"type": "integer"}})
    )
    found = report({**files, "openapi.json": contract}, tmp_path)
    assert found["findings"] == []
    assert found["summary"]["verified"] == 1


def test_blocks_are_read_however_deeply_others_nest(tmp_path: Path) -> None:
    found = report(shapes.deep_blocks_python(40_000), tmp_path)
    assert found["summary"]["verified"] == 1
    assert found["not_analysed"] == []


@pytest.mark.parametrize(
    "files",
    [
        shapes.conditional_wrapping,
        shapes.conditional_wrapping_typescript,
        shapes.conditional_wrapping_java,
        shapes.conditional_wrapping_csharp,
    ],
)
def test_an_object_that_stands_in_all_later_ones_is_looked_at_once(
    files: Any, tmp_path: Path
) -> None:
    found = report(files(160), tmp_path)
    assert ("extra-field", "k0") in fields(found)


def test_a_query_that_is_filtered_under_many_conditions_is_followed(tmp_path: Path) -> None:
    found = report(shapes.conditional_filters_csharp(60), tmp_path)
    assert ("extra-field", "[].k0") in fields(found)


@pytest.mark.parametrize("files", [shapes.loops_that_replace, shapes.loops_that_replace_typescript])
def test_what_each_of_many_loops_replaces_is_followed_to_its_beginning(
    files: Any, tmp_path: Path
) -> None:
    found = report(files(40), tmp_path)
    assert "the result of `store.select` comes from a library" in reasons(found)
    assert all(reason.endswith(" comes from a library") for reason in reasons(found))


def test_what_a_parser_makes_up_deep_in_a_script_does_not_end_the_process(tmp_path: Path) -> None:
    files = shapes.conditional_entries_typescript(1)
    opened, closed = "[[[[[[[[\n" * 12_500, "]]]]]]]]\n" * 12_500
    app = f"{files['src/app.ts']}const deep = {opened}2 = x{closed};\n"
    found = report({**files, "src/app.ts": app}, tmp_path)
    assert fields(found) == [("extra-field", "k0")]


def test_what_a_parser_makes_up_deep_in_java_does_not_end_the_search_for_uses(
    tmp_path: Path,
) -> None:
    opened, closed = "{{{{{{{{\n" * 10_000, "}}}}}}}}\n" * 10_000
    deep = f"class Deep {{ Order value; void f() {{ {opened}[]{closed} }} }}\n"
    answer = "record Order(String value) {}"
    files = {
        "openapi.json": shapes.openapi({}, shapes.record({"value": {"type": "number"}})),
        "src/ThingsController.java": shapes.spring(answer, "Order"),
        "src/Deep.java": deep,
    }
    found = report(files, tmp_path)
    assert fields(found) == [("type", "value")]
    assert [item["fix"] for item in found["findings"]] == [None]


def test_a_file_that_takes_its_parser_too_much_memory_is_named(tmp_path: Path) -> None:
    found = report(shapes.ambiguous_operators(40_000), tmp_path)
    assert found["summary"]["verified"] == 1
    said = [(each["path"], each["code"]) for each in found["not_analysed"]]
    assert said == [("src/Others.java", TOO_MUCH_MEMORY)]


def test_every_constant_of_a_file_with_thousands_is_known(tmp_path: Path) -> None:
    found = report(shapes.many_constants(4500), tmp_path)
    assert (found["findings"], found["undetermined"]) == ([], [])
    assert found["summary"]["verified"] == 1


def test_every_route_of_a_file_with_thousands_is_verified(tmp_path: Path) -> None:
    found = report(shapes.many_routes(3000), tmp_path)
    assert found["summary"]["verified"] == 3000


LOOPS = (
    shapes.nested_loops,
    shapes.nested_loops_python,
    shapes.nested_loops_java,
    shapes.nested_loops_csharp,
)


@pytest.mark.parametrize("files", LOOPS)
def test_each_turn_of_a_few_loops_in_loops_is_told_apart(files: Any, tmp_path: Path) -> None:
    found = report(files(6), tmp_path)
    assert missing(found) == {*shapes.NESTED[1:]}


@pytest.mark.parametrize("files", LOOPS)
def test_what_too_many_loops_in_loops_register_is_undetermined(files: Any, tmp_path: Path) -> None:
    found = report(files(60), tmp_path)
    assert missing(found) <= {shapes.NESTED[2]}
    told = {item["operation"]["path"] for item in found["undetermined"]}
    assert told >= {*shapes.NESTED[:2]}


def missing(found: dict[str, Any]) -> set[str]:
    """The paths of operations without a route."""
    return {
        item["operation"]["path"]
        for item in found["findings"]
        if item["kind"] == "missing-endpoint"
    }


def test_operations_that_none_of_hundreds_of_catch_alls_answers(tmp_path: Path) -> None:
    found = report(shapes.catch_alls(1600), tmp_path)
    assert (found["summary"]["verified"], found["summary"]["violated"]) == (0, 0)


def test_routes_of_one_of_very_many_applications(tmp_path: Path) -> None:
    """A part of a file that stands in it 150 times, to the middle of a function."""
    part = """
    const app = express();
    app.get("/jobs", (req, res) => { res.status(204).end(); });
    s;
      switch (everything) {
        case true:
          return results;
        default:
          return results[0];
      }
    }
    """
    last = (
        'const app = express();\napp.get("/jobs/last", (req, res) => { res.status(204).end(); });'
    )
    source = f'import express from "express";\n{150 * dedent(part)}{last}\n'
    verdict = judged(
        tmp_path,
        {"server.ts": source},
        """
        /jobs/last:
          get: {responses: {"204": {description: Jobs}}}
        """,
    )
    assert verdict.undetermined == ["GET /jobs/last"]
    assert verdict.findings == ["GET /jobs undocumented-endpoint (warning)"]


def test_routes_of_very_many_flask_applications_under_one_name(tmp_path: Path) -> None:
    """Where something is broken between them, each route may belong to each one before it."""
    part = """
    app = Flask(__name__)


    @app.get("/jobs")
    def jobs():
        return {}


    @app.get("/others")
    def others():
        return {}
    sk
    """
    (tmp_path / "jobs.py").write_text(f"from flask import Flask\n{300 * dedent(part)}")
    (tmp_path / "openapi.yaml").write_text(
        'openapi: 3.0.3\ninfo: {title: Shop, version: "1"}\npaths:\n'
        '  /gone:\n    get: {responses: {"200": {description: Gone}}}\n'
    )
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_CPU, (20, 20));"
        "from contract_scan.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["check", str(tmp_path), "--output-format", "json", "--no-cache", "--jobs", "1"]
    ended = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1, ended.stderr
    found = {
        (each["kind"], each["operation"]["path"]) for each in json.loads(ended.stdout)["findings"]
    }
    assert ("missing-endpoint", "/gone") in found
    assert ("undocumented-endpoint", "/others") in found
