"""Handlers that parse their body by one of several schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import judged

PATHS = """
    /orders:
      post:
        requestBody: {required: true, content: {application/json: {schema: {type: object,
          required: [%s], properties: {%s: {type: string}}}}}}
        responses: {'204': {description: ok}}
"""
OTHER = "const b = B.parse(req.body); return res.status(204).end();"


@pytest.mark.parametrize(
    "statements",
    [
        "if (isNew(req)) { const a = A.parse(req.body); return res.status(204).end(); }" + OTHER,
        "if (isNew(req)) { A.parse(req.body); } else { B.parse(req.body); } res.status(204).end();",
        "if (isNew(req)) { if (!A.safeParse(req.body).success) { throw new Error('a'); }"
        " res.status(204).end(); return; }" + OTHER,
        "switch (req.headers.kind) { case 'a': A.parse(req.body); break;"
        " case 'b': B.parse(req.body); break; } res.status(204).end();",
    ],
)
def test_schemas_on_paths_of_their_own_are_alternatives(tmp_path: Path, statements: str) -> None:
    source = {
        "main.ts": f"""
            import express from 'express';
            import {{ z }} from 'zod';
            import {{ isNew }} from 'elsewhere';
            const A = z.object({{ a: z.string() }});
            const B = z.object({{ b: z.string() }});
            const app = express();
            app.use(express.json());
            app.post('/orders', (req, res) => {{ {statements} }});
        """
    }
    assert judged(tmp_path / "a", source, PATHS % ("a", "a")).undetermined == []
    assert judged(tmp_path / "b", source, PATHS % ("b", "b")).findings == []
    guilty = judged(tmp_path / "c", source, PATHS % ("c", "c"))
    assert any(finding.startswith("POST /orders") for finding in guilty.findings)


@pytest.mark.parametrize(
    "statements",
    [
        "A.parse(req.body); B.parse(req.body); res.status(204).end();",
        "if (isNew(req)) { A.parse(req.body); } B.parse(req.body); res.status(204).end();",
        "for (const one of [1, 2]) { if (isNew(req)) { A.parse(req.body); }"
        " else { B.parse(req.body); } } res.status(204).end();",
    ],
)
def test_schemas_that_may_both_be_asked_are_no_alternatives(
    tmp_path: Path, statements: str
) -> None:
    source = {
        "main.ts": f"""
            import express from 'express';
            import {{ z }} from 'zod';
            import {{ isNew }} from 'elsewhere';
            const A = z.object({{ a: z.string() }});
            const B = z.object({{ b: z.string() }});
            const app = express();
            app.use(express.json());
            app.post('/orders', (req, res) => {{ {statements} }});
        """
    }
    found = judged(tmp_path, source, PATHS % ("a", "a"))
    assert (found.findings, found.undetermined) == ([], ["POST /orders"])
