"""Falcon programs beside their contracts: validators, forms, and bodies that nobody reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.judged import Judged, judged

BODY = """
    /votes:
      post:
        requestBody: {required: true, content: {%s: {schema: {type: object, required: [item],
          properties: {%s}}}}}
        responses: {'200': {description: ok, content: {application/json: {schema: {type: object,
          required: [saved], properties: {saved: {type: boolean}}}}}}}
"""
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"


def of_resource(
    folder: Path, responder: str, paths: str, options: str = "", application: str = "falcon.App()"
) -> Judged:
    source = f"""
import falcon
from falcon.media import validators
from falcon.media.validators import jsonschema
from falcon.media.validators.jsonschema import validate as checked
from elsewhere import hook, remember

STRICT = {{"type": "object", "properties": {{"item": {{"type": "string"}}}},
          "required": ["item"], "additionalProperties": False}}
OPEN = {{**STRICT, "additionalProperties": True}}
NUMBERED = {{**OPEN, "properties": {{"item": {{"type": "integer"}}}}}}

class Votes:
{responder}

app = {application}
{options}
app.add_route("/votes", Votes())
"""
    return judged(folder, {"requirements.txt": "falcon==3.1.3", "app.py": source}, paths)


SAVED = '        resp.media = {"saved": True}\n'


@pytest.mark.parametrize(
    ("decorator", "contract", "findings"),
    [
        ("@jsonschema.validate(STRICT)", "item: {type: string}", []),
        (
            "@jsonschema.validate(STRICT)",
            "item: {type: string}, note: {type: string}",
            ["POST /votes missing-field: note"],
        ),
        (
            "@validators.jsonschema.validate(req_schema=STRICT)",
            "item: {type: string}, note: {type: string}",
            ["POST /votes missing-field: note"],
        ),
        ("@checked(OPEN)", "item: {type: string}, note: {type: string}", []),
        ("@checked(NUMBERED)", "item: {type: string}", ["POST /votes type: item"]),
        ("@checked(resp_schema=STRICT)", "item: {type: string}, note: {type: string}", []),
    ],
)
def test_the_schema_of_a_validator_is_what_is_accepted(
    tmp_path: Path, decorator: str, contract: str, findings: list[str]
) -> None:
    responder = f"    {decorator}\n    def on_post(self, req, resp):\n        req.media\n{SAVED}"
    found = of_resource(tmp_path, responder, BODY % (JSON, contract))
    assert found.findings == findings


@pytest.mark.parametrize(
    ("options", "findings"),
    [
        ("app.req_options.auto_parse_form_urlencoded = True", []),
        ("options = app.req_options\noptions.auto_parse_form_urlencoded=True", []),
        ("", ["POST /votes parameter: item"]),
        (
            "app.req_options.auto_parse_form_urlencoded = False",
            ["POST /votes parameter: item"],
        ),
    ],
)
def test_parameters_come_from_forms_where_falcon_is_told_so(
    tmp_path: Path, options: str, findings: list[str]
) -> None:
    responder = (
        "    def on_post(self, req, resp):\n"
        f'        item = req.get_param("item", required=True)\n{SAVED}'
    )
    found = of_resource(tmp_path, responder, BODY % (FORM, "item: {type: string}"), options)
    assert found.findings == findings
    assert found.verified == (not findings)


@pytest.mark.parametrize(
    ("responder", "application", "is_lost"),
    [
        (
            '    def on_post(self, req, resp):\n        req.get_param("item")\n',
            "falcon.App()",
            True,
        ),
        ("    def on_post(self, req, resp):\n        pass\n", "falcon.App()", True),
        ("    def on_post(self, req, resp):\n        req.media\n", "falcon.App()", False),
        ("    def on_post(self, req, resp):\n        remember(req)\n", "falcon.App()", False),
        (
            "    def on_post(self, req, resp):\n        self.kept = req\n",
            "falcon.App()",
            False,
        ),
        (
            "    @falcon.before(hook)\n    def on_post(self, req, resp):\n        pass\n",
            "falcon.App()",
            False,
        ),
        (
            "    def on_post(self, req, resp):\n        pass\n",
            "falcon.App(middleware=[hook()])",
            False,
        ),
    ],
)
def test_a_body_that_a_known_responder_does_not_read_is_a_warning(
    tmp_path: Path, responder: str, application: str, is_lost: bool
) -> None:
    paths = BODY % (JSON, "item: {type: string}")
    found = of_resource(tmp_path, responder + SAVED, paths, application=application)
    assert found.findings == (["POST /votes shape (warning)"] if is_lost else [])
