"""Content types that constants of libraries stand for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project


@pytest.mark.parametrize(
    ("constant", "media"),
    [
        ("MediaType.APPLICATION_JSON_VALUE", "application/json"),
        ("MediaType.APPLICATION_JSON_UTF8_VALUE", "application/json"),
        ("MediaType.APPLICATION_PROBLEM_JSON_VALUE", "application/problem+json"),
        ("MediaType.APPLICATION_MERGE_PATCH_JSON_VALUE", "application/merge-patch+json"),
        ("MediaType.APPLICATION_ATOM_XML_VALUE", "application/atom+xml"),
        ("MediaTypes.HAL_JSON_VALUE", "application/hal+json"),
        ("MediaType.SERVER_SENT_EVENTS", "text/event-stream"),
        ("MediaType.TEXT_EVENT_STREAM_VALUE", "text/event-stream"),
        ("MediaType.MULTIPART_FORM_DATA_VALUE", "multipart/form-data"),
        ("MediaType.APPLICATION_FORM_URLENCODED", "application/x-www-form-urlencoded"),
    ],
)
def test_constants(tmp_path: Path, constant: str, media: str) -> None:
    source = f"""package shop;
    import org.springframework.web.bind.annotation.*;
    class Order {{ public long id; }}
    @RestController class C {{
      @GetMapping(path = "/x", produces = {constant}) Order one() {{ return null; }} }}
    """
    found = Project(tmp_path, {"src/main/java/shop/C.java": source})
    (operation,) = found.code.operations_with_answers
    assert [body.content_type for body in operation.responses[0].bodies] == [media]
