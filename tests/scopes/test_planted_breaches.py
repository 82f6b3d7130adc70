"""Breaches of every kind are planted in random projects: what is reported is what was planted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from contract_scan.cli.main import main
from contract_scan.ir.violation import KINDS_OF_SCOPE_RULE
from tests.scopes.repositories import Repository

PROJECTS = 40

CONTRACT = """openapi: 3.1.0
info: {{title: Part {0}, version: "1"}}
paths:
  /part{0}/{{id}}:
    get:
      parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]
      responses:
        "200":
          description: ok
          content: {{application/json: {{schema: {{$ref: "#/components/schemas/Part{0}"}}}}}}
components:
  schemas:
    Part{0}:
      type: object
      required: [id, amount]
      properties: {{id: {{type: string}}, amount: {{type: integer}}}}
"""
PROVIDER = """from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Part{0}(BaseModel):
    id: str
    amount: int


class Extra{0}(BaseModel):
    id: str
    count: int


@app.get("/part{0}/{{id}}")
def part(id: str) -> Part{0}:
    return Part{0}(id=id, amount=1)
"""
CONSUMER = """export interface Extra{0} {{
  id: string;
  count: number;
}}
"""
SHARED = "".join(f"line {number}\n" for number in range(20))


class Scope:
    """One scope: what its contract says, what it leaves on its branch, what it hands back."""

    def __init__(self, number: int, neighbour: int) -> None:
        self.number = number
        self.neighbour = neighbour
        self.id = f"part-{number}"
        self.deliverables = [f"s{number}/app.py", f"s{number}/web/**", f"shared/s{number}.txt"]
        self.exports = [f"GET /part{number}/{{id}}", f"type Part{number}", f"type Extra{number}"]
        self.imports = [f"type Extra{neighbour} from part-{neighbour}"]
        self.files = {
            f"s{number}/app.py": PROVIDER.format(number),
            f"s{number}/web/types.ts": CONSUMER.format(neighbour),
            f"shared/s{number}.txt": "first\n" + SHARED,
        }
        self.claims: list[str] = []
        self.silent: set[str] = set()
        self.metadata: dict[str, object] = {}

    def contract(self, others: list[Scope]) -> str:
        def listed(indent: str, items: list[str]) -> str:
            return "".join(f"{indent}- {item}\n" for item in items)

        shared = [f"shared/s{other.number}.txt" for other in others]
        return (
            f"Scope Contract: Part {self.number}\nIdentity:\n  scope_id: {self.id}\n"
            f"Deliverables:\n{listed('  ', self.deliverables)}"
            f"Interfaces:\n  exports:\n{listed('    ', self.exports)}"
            f"  imports:\n{listed('    ', self.imports)}"
            f"Constraints:\n  shared_files:\n{listed('    ', shared)}\n"
        )

    def handoff(self, undelivered: set[str]) -> str:
        outcomes = [
            f"    - {'❌' if item in undelivered else '✅'} {item} → as agreed\n"
            for item in self.deliverables
            if item not in self.silent
        ]
        fields = (
            "Produced",
            "Key decisions",
            "Areas of uncertainty",
            "Integration points",
            "Open questions",
        )
        return (
            "Handoff:\n"
            + "".join(f"{number}. {field}: none\n" for number, field in enumerate(fields, 1))
            + "\nContract Fulfillment:\n  Deliverables:\n"
            + "".join([*outcomes, *(f"    - ✅ {claim} → there\n" for claim in self.claims)])
            + "  Interfaces:\n    exports: none\n    imports: none\n  Deviations: none\n"
        )


class Project:
    """Some scopes, and the breaches that were planted in them."""

    def __init__(self, random: Random) -> None:
        count = random.randint(2, 4)
        self.scopes = [Scope(number, (number + 1) % count) for number in range(count)]
        self.base = {
            f"s{one.number}/openapi.yaml": CONTRACT.format(one.number) for one in self.scopes
        }
        self.base |= {f"shared/s{one.number}.txt": SHARED for one in self.scopes}
        self.base["README.md"] = "parts\n"
        self.undelivered: set[str] = set()
        self.planted: list[tuple[str, str]] = []

    def plant(self, kind: str, scope: Scope) -> None:
        PLANT[kind](self, scope)
        self.planted.append((kind, scope.id))

    def neighbour(self, scope: Scope) -> Scope:
        return self.scopes[scope.neighbour]


def undelivered(project: Project, scope: Scope) -> None:
    scope.deliverables.append(f"s{scope.number}/absent.py")
    project.undelivered.add(f"s{scope.number}/absent.py")


def forbidden_file(project: Project, scope: Scope) -> None:
    name = f"shared/s{scope.neighbour}.txt"
    scope.files[name] = project.base[name] + f"last of {scope.id}\n"


def missing_export(project: Project, scope: Scope) -> None:
    scope.exports.append(f"DELETE /absent{scope.number}")


def wrong_claim(project: Project, scope: Scope) -> None:
    scope.claims.append(f"s{scope.number}/unasked.py")


def unmentioned(project: Project, scope: Scope) -> None:
    scope.silent.add(f"s{scope.number}/web/**")


def merge_conflict(project: Project, scope: Scope) -> None:
    for one in project.scopes:
        one.files.setdefault("README.md", f"parts, as {one.id} has it\n")
    scope.files["README.md"] = f"parts, as {scope.id} has it\n"


def unmet_import(project: Project, scope: Scope) -> None:
    scope.imports.append(f"type Absent{scope.number} from part-{scope.neighbour}")


def double_export(project: Project, scope: Scope) -> None:
    first = project.scopes[0]
    first.exports.append(f"event doubled.{scope.number}")
    scope.exports.append(f"event doubled.{scope.number}")
    for one in (first, scope):
        one.files[f"s{one.number}/events{scope.number}.py"] = (
            f'import redis\n\nredis.Redis().publish("doubled.{scope.number}", "x")\n'
        )


def type_conflict(project: Project, scope: Scope) -> None:
    name = f"s{scope.number}/web/types.ts"
    scope.files[name] = scope.files[name].replace("count: number", "count: string")


def broken_promise(project: Project, scope: Scope) -> None:
    name = f"s{scope.number}/app.py"
    scope.files[name] = scope.files[name].replace("amount", "sum")


def stalled(project: Project, scope: Scope) -> None:
    scope.metadata = {"stalled": True, "reason": "no design"}


def blocked(project: Project, scope: Scope) -> None:
    scope.metadata = {"blocked": True, "blocker_task": "12"}


PLANT: dict[str, Callable[[Project, Scope], None]] = {
    "undelivered": undelivered,
    "forbidden-file": forbidden_file,
    "missing-export": missing_export,
    "wrong-claim": wrong_claim,
    "unmentioned": unmentioned,
    "unmet-import": unmet_import,
    "double-export": double_export,
    "type-conflict": type_conflict,
    "broken-promise": broken_promise,
}
"""Breaches that do not hide each other."""
KIND_OF_SCANS = {"broken-promise": "missing-field"}
"""As the engine calls it."""
ALONE = {"merge-conflict": merge_conflict, "stalled": stalled, "blocked": blocked}
"""Breaches that hide others of the same scope."""
PLANT |= ALONE


def planted(random: Random) -> Project:
    project = Project(random)
    if random.random() < 0.15:
        return project
    if random.random() < 0.25:
        # Of two scopes that change one line, the later one is told.
        project.plant(random.choice(sorted(ALONE)), project.scopes[-1])
        if project.planted[0][0] == "merge-conflict":
            project.planted = [("merge-conflict", one.id) for one in project.scopes[1:]]
        return project
    # `double-export` is told of the later of two scopes.
    choices = [
        (kind, scope)
        for kind in sorted(set(PLANT) - set(ALONE))
        for scope in (project.scopes[1:] if kind == "double-export" else project.scopes)
    ]
    for kind, scope in random.sample(choices, random.randint(1, 5)):
        project.plant(kind, scope)
    return project


@pytest.mark.parametrize("seed", range(PROJECTS))
def test_what_is_reported_is_what_was_planted(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = planted(Random(seed))
    folder = tmp_path / "repository"
    folder.mkdir()
    monkeypatch.chdir(folder)
    repository = Repository(folder, project.base)
    words = ["scopes", "consolidate", "../scopes.md", "--base", "main", "--tasks", "../tasks.json"]
    contracts, tasks = "", []
    for scope in project.scopes:
        contracts += scope.contract([one for one in project.scopes if one is not scope])
        repository.branch(f"main--{scope.id}", scope.files)
        (tmp_path / f"{scope.id}.md").write_text(scope.handoff(project.undelivered))
        words += ["--handoff", f"{scope.id}=../{scope.id}.md"]
        tasks.append({"id": scope.id, "status": "completed", "metadata": scope.metadata})
    (tmp_path / "scopes.md").write_text(contracts)
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    status = main([*words, "--output-format", "json=../report.json"])
    report = json.loads((tmp_path / "report.json").read_text())
    reported = [
        (rule_of(one["kind"]), one["rule"], one["kind"], *one["scopes"])
        for one in report["findings"]
    ]
    assert sorted(reported) == sorted(
        (rule_of(kind), rule_of(kind) or "CONTRACT-001", KIND_OF_SCANS.get(kind, kind), scope_id)
        for kind, scope_id in project.planted
    )
    if "merge-conflict" not in dict(project.planted):  # what such a branch has is not known
        assert report["undetermined"] == []
    assert status == (1 if project.planted else 0)


def test_every_kind_of_every_rule_is_planted_several_times() -> None:
    counts = Counter(kind for seed in range(PROJECTS) for kind, _ in planted(Random(seed)).planted)
    of_rules = {kind for kinds in KINDS_OF_SCOPE_RULE.values() for kind in kinds}
    assert set(counts) == of_rules | {"broken-promise"}
    assert min(counts.values()) > 1


def rule_of(kind: str) -> str:
    """The SCOPE rule of a kind; empty: what scans find themselves."""
    return next((rule for rule, kinds in KINDS_OF_SCOPE_RULE.items() if kind in kinds), "")
