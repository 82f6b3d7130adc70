"""Statuses that a handler sends for one kind of caught error alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.api import scan

CONTRACT = """
openapi: 3.0.3
info: {title: Kinds, version: "1"}
paths:
  /one: {get: {responses: {"200": {description: One}, "500": {description: Anything}}}}
"""
ERRORS = """
export const isDuplicate = (error: unknown): boolean =>
  (error as { code?: number } | undefined)?.code === 11_000;

export function interpret(error: Error): [number, string] {
  if (Object.prototype.hasOwnProperty.call(error, 'kind')) return [422, 'Invalid'];
  if (isDuplicate(error)) return [409, 'Already there'];
  return [500, error.message || 'Unknown'];
}

const reject = (response, status = 400) => response.status(status).end();

export const catchAs = (response, context: string) => (error: Error): void => {
  const [status, detail] = interpret(error);
  console.log(context, detail);
  reject(response, status);
};

export class Conflict extends Error { code = 'TAKEN'; }
export class Taken extends Conflict {}
"""
CALLED = """
export async function find() { return 1; }
export async function take() { await find(); return deeper(); }
async function deeper() { if (Math.random() > 0.5) throw new Taken('x'); return 2; }
"""


def undocumented(folder: Path, handler: str) -> list[str]:
    """The statuses of which a note says that the contract does not define them."""
    source = folder / "src"
    source.mkdir()
    (folder / "contract.yaml").write_text(CONTRACT)
    (source / "errors.ts").write_text(ERRORS)
    (source / "service.ts").write_text("import { Taken } from './errors';" + CALLED)
    (source / "app.ts").write_text(
        f"""
        import express from 'express';
        import {{ ZodError }} from 'zod';
        import {{ catchAs, Conflict, interpret, Taken }} from './errors';
        import {{ find, take }} from './service';
        const app = express();
        app.get('/one', async (req, res) => {{ {handler} }});
        app.listen(3000);
        """
    )
    report = scan(source, contracts=[folder / "contract.yaml"], cache=False)
    return sorted(f.found for f in report.findings if (f.severity, f.kind) == ("note", "status"))


def in_catch(handling: str, called: str = "find()") -> str:
    return f"try {{ await {called}; res.end(); }} catch (e) {{ {handling} }}"


CLASS = "if (e instanceof Taken) return res.status(409).end(); res.status(500).end();"
BASE = CLASS.replace("Taken", "Conflict")
NEGATED = "if (!(e instanceof Taken)) return res.status(500).end(); res.status(409).end();"
CODE = "res.status(e.code === 'TAKEN' ? 409 : 500).end();"
SWITCH = """switch (e.code) {
  case 'TAKEN': return res.status(409).end();
  case 'GONE': return res.status(410).end();
  default: res.status(500).end();
}"""
MESSAGE = (
    "let status = 500; if (e.message.includes('none')) status = 404; res.status(status).end();"
)
CALLBACK = "return find().then(() => res.end()).catch(catchAs(res, 'one'));"
THROWN_HERE = "if (!req.query.q) throw new Error('none'); await find()"


@pytest.mark.parametrize("handling", [CLASS, BASE, NEGATED, CODE, SWITCH, MESSAGE])
def test_a_kind_of_error_that_nothing_throws_is_not_told(tmp_path: Path, handling: str) -> None:
    assert undocumented(tmp_path, in_catch(handling)) == []


@pytest.mark.parametrize("handling", [CLASS, BASE, NEGATED, CODE, SWITCH])
def test_a_kind_of_error_that_a_call_throws_is_told(tmp_path: Path, handling: str) -> None:
    assert undocumented(tmp_path, in_catch(handling, "take()")) == ["409"]


def test_what_is_thrown_before_is_told_by_its_message(tmp_path: Path) -> None:
    assert undocumented(tmp_path, in_catch(MESSAGE, THROWN_HERE).replace("await if", "if")) == [
        "404"
    ]


def test_functions_say_the_status_of_an_error(tmp_path: Path) -> None:
    assert undocumented(tmp_path, CALLBACK) == []


def test_a_status_that_is_sent_besides_is_told(tmp_path: Path) -> None:
    assert undocumented(tmp_path, f"if (req.query.q) return res.status(409).end(); {CALLBACK}") == [
        "409"
    ]


def test_every_error_is_told_that_is_not_tested(tmp_path: Path) -> None:
    assert undocumented(tmp_path, in_catch("res.status(503).end();")) == ["503"]


def test_errors_of_a_library_that_is_used_are_told(tmp_path: Path) -> None:
    handling = "if (e instanceof ZodError) return res.status(400).end(); res.status(500).end();"
    assert undocumented(tmp_path, in_catch(handling)) == ["400"]
