"""What can be compared: files, folders, revisions of git, documents; and what cannot."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from contract_scan.api import compare_contracts
from contract_scan.errors import ContractError, UsageError
from contract_scan.ir.contract_changes import ContractChange

OLD = """\
openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /things/{id}:
    get:
      responses:
        '200':
          content:
            application/json:
              schema: {$ref: 'parts/thing.yaml#/Thing'}
"""
THING = "Thing:\n  type: object\n  required: [id]\n  properties:\n    id: {type: string}\n"
NEW_THING = THING.replace("required: [id]", "required: []")
SCHEMA = {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def git(folder: Path, *words: str) -> None:
    person = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", *person, *words], cwd=folder, check=True, capture_output=True, env=quiet)


def places(change: ContractChange) -> tuple[str, str, str]:
    base, revision = change.base, change.revision
    return (
        change.id,
        f"{base.path}:{base.span.line}",
        f"{revision.path}:{revision.span.line}",
    )


def test_files_with_the_place_in_both(tmp_path: Path) -> None:
    write(tmp_path / "old", {"api.yaml": OLD, "parts/thing.yaml": THING})
    write(tmp_path / "new", {"api.yaml": OLD, "parts/thing.yaml": NEW_THING})
    found = compare_contracts("old/api.yaml", "new/api.yaml", here=tmp_path)
    assert [places(one) for one in found.changes] == [
        ("response-property-became-optional", "old/parts/thing.yaml:5", "new/parts/thing.yaml:5")
    ]
    (subject,) = found.changes[0].subjects
    assert subject.place == "GET /things/{id} response 200 (application/json) id"
    assert subject.contract == "old/api.yaml"


def test_a_revision_with_the_files_that_it_leads_to(tmp_path: Path) -> None:
    write(tmp_path, {"docs/api.yaml": OLD, "docs/parts/thing.yaml": THING})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    write(tmp_path, {"docs/parts/thing.yaml": NEW_THING})
    found = compare_contracts("git:HEAD:docs/api.yaml", "docs/api.yaml", here=tmp_path)
    assert [places(one) for one in found.changes] == [
        (
            "response-property-became-optional",
            "HEAD:docs/parts/thing.yaml:5",
            "docs/parts/thing.yaml:5",
        )
    ]
    assert found.problems == ()
    again = compare_contracts("git:HEAD:docs", "docs", here=tmp_path)
    assert [one.id for one in again.changes] == ["response-property-became-optional"]
    from_below = compare_contracts("git:HEAD:./api.yaml", "api.yaml", here=tmp_path / "docs")
    assert [one.id for one in from_below.changes] == ["response-property-became-optional"]


def test_links_of_a_revision_lead_nowhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text(THING)
    folder = write(tmp_path / "repository", {"api.yaml": OLD})
    (folder / "parts").mkdir()
    (folder / "parts/thing.yaml").symlink_to(secret)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    found = compare_contracts("git:HEAD:api.yaml", "git:HEAD:api.yaml", here=folder)
    assert found.changes == ()
    reason = "$ref `parts/thing.yaml#/Thing` leads to a file that does not exist"
    assert [(one.path, one.line, one.reason) for one in found.problems] == [
        ("HEAD:api.yaml", 10, reason),
        ("HEAD:api.yaml", 10, reason),
    ]
    assert [one.reason for one in found.undetermined] == [reason]


def test_folders_by_path_name_and_title(tmp_path: Path) -> None:
    kept, moved = {**SCHEMA, "title": "Kept"}, {**SCHEMA, "$id": "https://e.example/m"}
    gone, new = {**SCHEMA, "title": "Gone"}, {**SCHEMA, "title": "New"}
    before = {"kept.json": kept, "a/moved.json": moved, "gone.json": gone}
    after = {"kept.json": kept, "b/moved.json": moved, "new.json": new, "notes.json": [1]}
    write(tmp_path / "old", {name: json.dumps(one) for name, one in before.items()})
    write(tmp_path / "new", {name: json.dumps(one) for name, one in after.items()})
    found = compare_contracts("old", "new", here=tmp_path)
    assert found.contracts == 2
    assert [(one.id, one.before, one.after) for one in found.changes] == [
        ("contract-removed", "gone.json", ""),
        ("contract-added", "", "new.json"),
    ]


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("none.yaml", "none.yaml: no such file or folder"),
        ("git:HEAD", "`git:HEAD` names no file of a revision: write `git:REF:PATH`"),
        ("git:nope:api.yaml", "git:nope:api.yaml: git knows no revision `nope`"),
        ("git:--all:api.yaml", "git:--all:api.yaml: git knows no revision `--all`"),
        (
            "git:HEAD:none.yaml",
            "git:HEAD:none.yaml: there is no such file or folder in that revision",
        ),
    ],
)
def test_a_source_that_is_not_there(tmp_path: Path, base: str, said: str) -> None:
    write(tmp_path, {"api.yaml": OLD})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    with pytest.raises(UsageError) as error:
        compare_contracts(base, "api.yaml", here=tmp_path)
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "bad.yaml: is empty"),
        ("a: [", "bad.yaml:1: "),
        ("a: 1", "bad.yaml: is no contract that can be compared"),
        ("openapi: 9.9.9\n", "bad.yaml:1: `openapi: 9.9.9` is a version that is not read"),
        ("openapi: 3.0.0\npaths: []\n", "bad.yaml:2: `paths` must be a mapping"),
    ],
)
def test_a_file_that_is_no_contract(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path, {"bad.yaml": text, "api.yaml": OLD})
    for pair in (("bad.yaml", "api.yaml"), ("api.yaml", "bad.yaml")):
        with pytest.raises(ContractError) as error:
            compare_contracts(*pair, here=tmp_path)
        assert str(error.value).startswith(said)
        assert "\n" not in str(error.value)


def test_two_kinds_of_contracts(tmp_path: Path) -> None:
    write(tmp_path, {"api.yaml": OLD, "schema.json": json.dumps(SCHEMA)})
    with pytest.raises(UsageError) as error:
        compare_contracts("api.yaml", "schema.json", here=tmp_path)
    assert str(error.value) == (
        "schema.json: is a JSON Schema document, and `api.yaml` is an OpenAPI document:"
        " only revisions of one contract can be compared"
    )


def test_documents_as_a_store_holds_them() -> None:
    found = compare_contracts(
        {**SCHEMA, "type": "string"}, {**SCHEMA, "type": "string", "maxLength": 5}
    )
    assert [places(one) for one in found.changes] == [
        ("model-max-length-added", "document:1", "document:1")
    ]
    assert found.is_breaking


def test_ids_are_chosen_by_pattern() -> None:
    before, after = {**SCHEMA, "type": "string"}, {**SCHEMA, "type": "string", "maxLength": 5}
    left_out = compare_contracts(before, after, ignore=["*-added"])
    assert (left_out.changes, left_out.suppressed) == ((), 1)
    chosen = compare_contracts(before, after, select=["model-*"])
    assert [one.id for one in chosen.changes] == ["model-max-length-added"]
    with pytest.raises(UsageError) as error:
        compare_contracts(before, after, ignore=["model-max-length-aded"])
    assert str(error.value) == (
        "no kind of change has the id `model-max-length-aded`;"
        " did you mean `model-max-length-added`?"
    )
