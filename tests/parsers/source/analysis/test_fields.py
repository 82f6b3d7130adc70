"""What a member was given just before it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("this.state = { phase: 'off' }; return { ...this.state };", "{phase: 'off'}"),
        (
            "this.state = { phase: 'off' }; if (a) return this.state; return null;",
            "{phase: 'off'}?",
        ),
        ("this.state = { phase: 'off' }; this.run(); return this.state;", "{phase: 'on'/'off'}"),
        (
            "this.state = { phase: 'off' }; if (a) { this.state.phase = b } return this.state;",
            "{phase: 'on'/'off'}",
        ),
        ("if (a) { this.state = { phase: 'off' } } return this.state;", "{phase: 'on'/'off'}"),
        ("return this.state;", "{phase: 'on'/'off'}"),
    ],
)
def test_what_a_member_was_given(tmp_path: Path, body: str, sent: str) -> None:
    code = """
        import express from 'express';
        interface State { phase: 'on' | 'off' }
        class Machine {
          private state: State = { phase: 'off' };
          stop(a, b) { %s }
          run() { this.state = { phase: 'on' } }
        }
        const machine = new Machine();
        const app = express();
        app.get('/', (req, res) => { res.json(machine.stop(req.query.a, req.query.b)) });
    """
    project = Project(tmp_path, {"a.ts": code % body})

    assert project.responses("GET /") == {"200*": sent}
