"""Types that any object can be given as, and what is seen of the objects all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

APP = """
    import express from 'express';
    import { Schema, model, Document } from 'mongoose';
    import { helper } from 'somewhere';
    const app = express();
    interface UserDocument extends Document { name: string }
    const user = new Schema<UserDocument>({ name: { type: String, required: true } });
    const User = model('User', user);
    const whole = (): Record<string, unknown> => ({ a: 1, b: true });
    const counts = (): Record<string, number> => ({ a: 1 });
    const find = async (): Promise<UserDocument> => (await User.findOne())!;
    app.get('/x', async (req, res) => { res.json(%s); });
"""


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        pytest.param("whole()", "{a: 1, b: True}", id="what a function gives"),
        pytest.param("counts()", "{*: numeric}", id="a map that says what it holds"),
        pytest.param(
            "{ ...({ a: 1 } as Record<string, unknown>), b: 2 }", "{a: 1, b: 2}", id="a cast"
        ),
        pytest.param(
            "{ ...(await User.create({})).toJSON(), b: 2 }",
            "{name: string, _id: string, __v: integer, b: 2}",
            id="a row as an object",
        ),
        pytest.param(
            "{ ...(req.query.all ? helper() : { a: 1 }), b: 2 }",
            "{a~: 1, b: 2, ...}",
            id="one of two objects, of which one is not known",
        ),
        pytest.param(
            "{ ...(req.query.all ? { c: 3 } : { a: 1 }), b: 2 }",
            "{c?: 3, a?: 1, b: 2}",
            id="one of two objects",
        ),
    ],
)
def test_what_is_sent(tmp_path: Path, sent: str, told: str) -> None:
    assert Project(tmp_path, {"app.ts": APP % sent}).responses("GET /x")["200*"] == told


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ("Object.values({ a: 'x', b: 'y' } as const)", "'x'/'y'"),
        ("{ A: 'x', B: 'y' }", "'x'/'y'"),
        ("Object.keys({ a: 1, b: 2 })", "'a'/'b'"),
        ("Object.values(Kind)", "'p'/'q'"),
        ("Kind", "'p'/'q'"),
        ("[...LIST, 'z']", "'x'/'y'/'z'"),
        ("helper()", "string"),
    ],
)
def test_the_values_that_a_path_of_mongoose_allows(tmp_path: Path, values: str, told: str) -> None:
    source = """
        import express from 'express';
        import { Schema, model } from 'mongoose';
        import { helper } from 'somewhere';
        const app = express();
        enum Kind { P = 'p', Q = 'q' }
        const LIST = ['x', 'y'] as const;
        const Row = model('Row', new Schema({ kind: { type: String, enum: %s, required: true } }));
        app.get('/rows', async (req, res) => { res.json((await Row.create({})).kind); });
    """
    project = Project(tmp_path, {"app.ts": source % values})
    assert project.responses("GET /rows")["200*"] == told


def test_a_promise_of_nothing_and_a_test_for_it(tmp_path: Path) -> None:
    source = """
        import express from 'express';
        const app = express();
        const find = (id: string): Promise<{ a: string } | null> => database.find(id);
        const get = (id?: string) => { if (!id) return Promise.resolve(); return find(id); };
        const send = (res, data) => res.json({ data });
        app.get('/x', (req, res) => {
          get(req.params.id).then((found) => {
            if (!found) { res.status(404).end(); return; }
            send(res, found);
          });
        });
    """
    assert Project(tmp_path, {"app.ts": source}).responses("GET /x") == {
        "200*": "{data: {a: string}}",
        "404": "",
    }
