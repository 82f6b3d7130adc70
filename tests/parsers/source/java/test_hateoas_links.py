"""Whether a relation of a model of Spring HATEOAS may hold several links."""

from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.parsers.source.java.serialization.hateoas_links import has_single_links
from tests.parsers.source.java.project import Project

SOURCE = """package shop;
import java.util.List;
import org.springframework.hateoas.*;
import static org.springframework.hateoas.server.mvc.WebMvcLinkBuilder.linkTo;

class Order extends RepresentationModel<Order> { public int id; }
class Bill extends RepresentationModel<Bill> { public int id; }

class Assembler {
  private ModelMapper mapper;
  private String relation;

  Order toModel(int id) {
    Order order = new Order();
    %s
    return order;
  }

  void change(Order order) {
    %s
  }

  Link self() { return linkTo(Assembler.class).withSelfRel(); }
}
"""
SELF = "order.add(linkTo(Assembler.class).withSelfRel());"
BILLS = 'order.add(linkTo(Assembler.class).withRel("bills"));'


def is_single(folder: Path, body: str, change: str = "", model: str = "Order") -> bool:
    path = "src/main/java/shop/Assembler.java"
    program = Project(folder, {path: SOURCE % (body, change)}).program
    classes = {each.decl.name: each for each in program.classes(program.facts(path))}
    return has_single_links(program, classes.get(model), model)


@pytest.mark.parametrize(
    ("body", "change"),
    [
        ("", ""),
        (SELF + BILLS, ""),
        ("order.add(self());" + BILLS, ""),
        ('Link link = Link.of("/a", "a"); order.add(link, Link.of("/b"));', ""),
        (
            'Link link; if (id > 1) { link = linkTo(Assembler.class).withRel("a"); }'
            ' else { link = linkTo(Assembler.class).withRel("b"); } order.add(link);',
            "",
        ),
        ("order.addIf(id > 1, () -> linkTo(Assembler.class).withSelfRel());", ""),
        (SELF, BILLS),
        ('Bill bill = new Bill(); bill.add(Link.of("/a")); bill.add(Link.of("/b"));', ""),
    ],
)
def test_one_link_of_each_relation(tmp_path: Path, body: str, change: str) -> None:
    assert is_single(tmp_path, body, change)


@pytest.mark.parametrize(
    ("body", "change"),
    [
        (SELF + SELF, ""),
        (BILLS + 'order.add(Link.of("/b", "bills"));', ""),
        (SELF, "order.add(self());"),
        ("for (int i = 0; i < id; i++) { " + BILLS + " }", ""),
        ("List.of(1, 2).forEach(one -> " + BILLS.rstrip(";") + ");", ""),
        ("order.add(linkTo(Assembler.class).withRel(relation));", ""),
        ("List<Link> links = links(); order.add(links);", ""),
        ("order.add(mapper.link());", ""),
    ],
)
def test_perhaps_several(tmp_path: Path, body: str, change: str) -> None:
    assert not is_single(tmp_path, body, change)


@pytest.mark.parametrize(
    ("body", "model", "expected"),
    [
        ("PagedModel<Bill> page = read(); page.add(self());", "PagedModel", False),
        ('PagedModel<Bill> page = read(); page.add(Link.of("/a", "a"));', "PagedModel", True),
        ("EntityModel<Bill> one = EntityModel.of(new Bill(), self());", "EntityModel", True),
        ("EntityModel<Bill> one = EntityModel.of(new Bill(), self(), self());", "EntityModel", 0),
        ("EntityModel.of(new Bill(), self()).add(self());", "EntityModel", False),
        (SELF, "PagedModel", True),
    ],
)
def test_models_of_the_library(tmp_path: Path, body: str, model: str, expected: bool) -> None:
    assert is_single(tmp_path, body, model=model) is bool(expected)


def test_settings_that_write_single_links_as_lists(tmp_path: Path) -> None:
    setting = "HalConfiguration halConfiguration() { return new HalConfiguration(); } void x() {"
    assert not is_single(tmp_path, SELF, "} " + setting)
