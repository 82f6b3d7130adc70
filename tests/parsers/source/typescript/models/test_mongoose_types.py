"""Mongoose documents that are declared as an interface, and what `toJSON` makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

MODEL = """
    import { Document, Schema, Types, model } from 'mongoose';
    export interface UserDocument extends Document { name: string; password: string; team?: any }
    const userSchema = new Schema<UserDocument>({
      name: { type: String, required: true },
      password: { type: String, required: true },
      tags: { type: [String], default: [] },
      team: { type: Types.ObjectId, ref: 'Team', required: true },
    });
    %s
    export const User = model<UserDocument>('User', userSchema);
"""
HIDING = """
    userSchema.set('toJSON', {
      transform: (_doc, ret) => { delete ret.password; delete ret.__v; },
    });
"""


def _declared(root: Path, said: str, **files: str) -> str:
    found = {f"{name}.ts": text for name, text in files.items()}
    return Project(root, {"a.ts": MODEL % said, **found}).type("UserDocument")


def test_the_schema_of_a_type_tells_what_its_documents_are_written_as(tmp_path: Path) -> None:
    told = "{name: string, tags: [string], team: string, _id: string}"
    assert _declared(tmp_path, HIDING) == told


@pytest.mark.parametrize(
    ("query", "told"),
    [
        pytest.param(
            "User.find().populate('team')",
            "{name: string, tags: [string], team: unknown, _id: string}",
            id="references may be put in place",
        ),
        pytest.param(
            "User.find().select('-tags')",
            "{name: string, tags~: [string], team: string, _id: string}",
            id="a path that some query leaves out",
        ),
        pytest.param(
            "User.find().select({ tags: 0 })",
            "{name: string, tags~: [string], team: string, _id: string}",
            id="a path that some query leaves out, as an object",
        ),
        pytest.param(
            "User.find().select('name')",
            "{name~: string, tags~: [string], team~: string, _id~: string}",
            id="a query that names what it takes",
        ),
        pytest.param("User.find().lean()", "unknown", id="lean queries go past toJSON"),
    ],
)
def test_queries_that_a_declared_type_does_not_tell(tmp_path: Path, query: str, told: str) -> None:
    queries = f"import {{ User }} from './a'; export const found = () => {query};"
    assert _declared(tmp_path, HIDING, queries=queries) == told


def test_a_schema_that_switches_the_id_off_among_its_paths(tmp_path: Path) -> None:
    model = MODEL.replace("name: { type", "_id: false, name: { type", 1)
    found = Project(tmp_path, {"a.ts": model % HIDING})
    assert found.type("UserDocument") == "{name: string, tags: [string], team: string}"


def test_two_schemas_for_one_type_tell_nothing(tmp_path: Path) -> None:
    other = """
        import { Schema } from 'mongoose';
        import { UserDocument } from './a';
        export const archived = new Schema<UserDocument>({ name: String });
    """
    assert _declared(tmp_path, HIDING, other=other) == "unknown"


HELPER = """
    import type { Schema } from 'mongoose';
    export const serialized = (schema: any, { dropId = false, omit = [], after }: Options = {}) => {
      const transform = (ret: Record<string, unknown>) => {
        if (dropId) delete ret._id;
        else if (ret._id) { ret.id = String(ret._id); delete ret._id; }
        delete ret.__v;
        for (const key of omit) delete ret[key];
        after?.(ret);
        return ret;
      };
      schema.set('toJSON', {
        versionKey: false,
        transform: (_doc, ret) => transform(ret as Record<string, unknown>),
      });
      return transform;
    };
"""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param(
            "",
            "{name: string, password: string, tags: [string], team: string, id: string}",
            id="defaults",
        ),
        pytest.param(
            ", { omit: ['password', 'team'] }",
            "{name: string, tags: [string], id: string}",
            id="a list of keys",
        ),
        pytest.param(
            ", { dropId: true, omit: ['password', 'team', 'tags'] }",
            "{name: string}",
            id="a branch that a literal decides",
        ),
        pytest.param(
            ", { omit: ['password', 'team'], after: (row) => { row.size = row.tags.length; } }",
            "{name: string, tags: [string], id: string, size: integer}",
            id="a function that is handed the object",
        ),
    ],
)
def test_a_transform_is_followed_statement_by_statement(
    tmp_path: Path, options: str, told: str
) -> None:
    said = f"export const toWire = serialized(userSchema{options});"
    imported = "import { serialized } from './helper';"
    files = {"helper": HELPER, "lean": "import { User } from './a'; User.find().lean();"}

    assert _declared(tmp_path, said + imported, **files) == told


def test_a_transform_that_does_something_unknown_tells_nothing(tmp_path: Path) -> None:
    said = """
        import { hide } from 'somewhere';
        userSchema.set('toJSON', { transform: (_doc, ret) => { hide(ret); return ret; } });
    """
    assert _declared(tmp_path, said) == "unknown"
