"""Objects of libraries: models with links, pages, documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.ir.schema import Object
from tests.parsers.source.java.project import Project

HEAD = """package com.shop;
import com.mongodb.DBObject;
import java.util.List;
import org.springframework.data.domain.Page;
import org.springframework.data.mongodb.core.geo.GeoJsonPoint;
import org.springframework.hateoas.*;
import org.springframework.hateoas.server.core.Relation;
import org.springframework.web.bind.annotation.*;
class Order { public long id; }
@Relation(collectionRelation = "lines")
class Line extends RepresentationModel<Line> { public int n; }
@RestController class C { @GetMapping("/x") public TYPE x() { return null; } }
"""
LINK = (
    "{href: string, templated~: boolean, hreflang~: string, title~: string, "
    "type~: string, deprecation~: string, profile~: string, name~: string}"
)
LINKS = f"_links~: {{*: {LINK}}} (sent only)"
ORDER = f"{{id: integer(int64), {LINKS}}}"
PAGE = (
    "page!: {size!: integer(int64), totalElements!: integer(int64), totalPages!: integer(int64), "
    "number!: integer(int64)}"
)
PLAIN = LINK.replace("{href:", "{rel!: string, href!:").replace(
    "title~:", "media~: string, title~:"
)


def sent(folder: Path, type: str, **files: str) -> str:
    source = {"src/main/java/com/shop/C.java": HEAD.replace("TYPE", type)}
    found = Project(folder, source | {f"src/main/resources/{n}": t for n, t in files.items()})
    ((response,),) = [o.responses for o in found.code.operations_with_answers if o.path == "/x"]
    return found.body(response.bodies[0]).replace("~!:", "~:")


@pytest.mark.parametrize(
    ("type", "shape"),
    [
        ("EntityModel<Order>", ORDER),
        ("Line", f"{{n: integer(int32), {LINKS}}}"),
        (
            "CollectionModel<EntityModel<Order>>",
            f"{{_embedded~: {{orderList!: [{ORDER}]}}, {LINKS}}}",
        ),
        (
            "PagedModel<Line>",
            f"{{_embedded~: {{lines!: [{{n: integer(int32), {LINKS}}}]}}, {LINKS}, {PAGE}}}",
        ),
        (
            "org.springframework.data.web.PagedModel<Order>",
            f"{{content!: [{{id: integer(int64)}}], {PAGE}}}",
        ),
        ("DBObject", "{*: <what a `DBObject` holds is known to the database alone>}"),
        (
            "GeoJsonPoint",
            "{type: string, coordinates: [number(double)], x~: number(double), y~: number(double)}",
        ),
    ],
)
def test_objects(tmp_path: Path, type: str, shape: str) -> None:
    told = sent(tmp_path, type).replace("href!:", "href:")
    assert told == shape


def test_links_as_plain_json(tmp_path: Path) -> None:
    text = "spring.hateoas.use-hal-as-default-json-media-type=false"
    told = sent(tmp_path, "CollectionModel<Order>", **{"application.properties": text})
    assert told == f"{{links: [{PLAIN}] (sent only), content!: [{{id: integer(int64)}}]}}"


def test_pages_written_as_models(tmp_path: Path) -> None:
    text = "spring.data.web.pageable.serialization-mode=via-dto"
    told = sent(tmp_path, "Page<Order>", **{"application.properties": text})
    assert told == f"{{content!: [{{id: integer(int64)}}], {PAGE}}}"


def test_pages_follow_the_naming_of_the_mapper(tmp_path: Path) -> None:
    sort = "{empty!: boolean, sorted!: boolean, unsorted!: boolean}"
    pageable = (
        "{page_number!: integer(int32), page_size!: integer(int32), "
        f"sort!: {sort}, offset!: integer(int64), paged!: boolean, unpaged!: boolean}}"
    )
    text = "spring.jackson.property-naming-strategy=SNAKE_CASE"
    told = sent(tmp_path, "Page<Order>", **{"application.properties": text})
    assert told == (
        f"{{content!: [{{id: integer(int64)}}], pageable!: {pageable}, size!: integer(int32), "
        f"number!: integer(int32), sort!: {sort}, first!: boolean, last!: boolean, "
        "number_of_elements!: integer(int32), empty!: boolean, total_pages!: integer(int32), "
        "total_elements!: integer(int64)}"
    )


def test_names_of_a_page_where_the_naming_is_not_known(tmp_path: Path) -> None:
    text = "spring.jackson.property-naming-strategy=com.elsewhere.Shouting"
    told = sent(tmp_path, "Page<Integer>", **{"application.properties": text})
    assert told == "<properties of `Page` are renamed by a strategy that is not known>"


def test_links_that_a_class_inherits_may_never_be_added(tmp_path: Path) -> None:
    found = Project(tmp_path, {"C.java": HEAD.replace("TYPE", "Line")})
    (model,) = found.code.models(frozenset({"Line"}))
    shape = found.program.types.flat(model.schema)
    assert isinstance(shape, Object)
    assert [(field.name, bool(field.undetermined_reason)) for field in shape.fields] == [
        ("n", False),
        ("_links", True),
    ]
