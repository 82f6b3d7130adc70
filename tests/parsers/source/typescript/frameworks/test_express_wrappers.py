"""Handlers of Express that a function of the project wraps: what sends, it or what it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.typescript.project import Project

_RUN = "async (request) => ({ id: request.params.id, page: request.query.page })"


@pytest.mark.parametrize(
    ("wrapper", "handler", "status"),
    [
        (
            """(run) => async (req, res, next) => {
                 try { const result = await run(req); res.status(201).json(result); }
                 catch (error) { next(error); }
               }""",
            _RUN,
            "201",
        ),
        (
            """(run) => (req, res, next) =>
                 Promise.resolve(run(req)).then((found) => res.json(found)).catch(next)""",
            _RUN,
            "200*",
        ),
        (
            """(controller) => async (req, res) => {
                 const request = { params: req.params, query: req.query };
                 const { statusCode, body } = await controller(request);
                 res.status(statusCode).send(body);
               }""",
            """async ({ params, query }) =>
                 ({ statusCode: 202, body: { id: params.id, page: query.page } })""",
            "202",
        ),
        (
            """((write) => (container) => (resource) => (req, res, next) =>
                 resource(container, { params: req.params, query: req.query }, req)
                   .then((result) => { write(result, res); }).catch(next)
               )((result, response) => { response.send(result); })({ notes: [] })""",
            "async ({ notes }, { params, query }) => ({ id: params.id, page: query.page })",
            "200*",
        ),
    ],
)
def test_a_wrapper_sends_what_the_function_returns_that_it_is_given(
    tmp_path: Path, wrapper: str, handler: str, status: str
) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": f"""
                const app = require('express')();
                const wrap = {wrapper};
                app.get('/notes/:id', wrap({handler}));
            """,
        },
    )
    [(sent, body)] = project.responses("GET /notes/{id}").items()
    assert (sent, body) == (status, "{id: string, page: unknown}")
    assert project.parameters("GET /notes/{id}") == {"path id: string", "query page?: unknown"}


def test_a_function_that_sends_by_itself_answers_whatever_wraps_it(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                const app = require('express')();
                const tracer = require('tracer');
                const traced = (handle) => async (req, res) => {
                  try { await tracer.with(handle, req, res); }
                  catch (error) { res.status(500).json({ error: error.message }); }
                };
                app.get('/notes', traced((req, res) => { res.status(203).json({ n: 1 }); }));
            """,
        },
    )
    assert set(project.responses("GET /notes")) == {"203"}


def test_what_is_sent_of_one_kind_of_result_is_open_where_the_kind_is(tmp_path: Path) -> None:
    project = Project(
        tmp_path,
        {
            "a.js": """
                const app = require('express')();
                const { store } = require('store');
                const shown = (found) => {
                  if (Array.isArray(found)) return found.map((one) => one.id);
                  if (found == null) return 'nothing';
                  return found;
                };
                const wrap = (run) => async (req, res) => { res.json(shown(await run(req))); };
                app.get('/open', wrap(() => store.find()));
                app.get('/list', wrap(() => [{ id: 1 }]));
            """,
        },
    )
    assert project.responses("GET /open") == {"200*": "unknown"}
    assert project.responses("GET /list") == {"200*": "[1]"}
