"""Values that documentation annotations list for text properties."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

HEAD = """package shop;
import io.swagger.annotations.ApiModelProperty;
import io.swagger.v3.oas.annotations.media.*;
import java.util.*;
"""


def sent(folder: Path, source: str) -> str:
    files = {"src/main/java/shop/Order.java": HEAD + source}
    return Project(folder, files).model("Order")


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        ('@Schema(allowableValues = {"open", "paid"})', "'open' 'paid'"),
        ('@Schema(allowableValues = "card")', "'card'"),
        ('@ApiModelProperty(value = "its state", allowableValues = "open, paid")', "'open' 'paid'"),
        ('@Schema(enumeration = {"open", Order.PAID})', "'open' 'paid'"),
        ('@ApiModelProperty(allowableValues = "range[1, 5]")', "string"),
        ('@Schema(allowableValues = {"open", Other.UNKNOWN})', "string"),
        ('@Schema(allowableValues = "open, paid")', "string"),
        ('@Schema(description = "its state")', "string"),
    ],
)
def test_documented_values_of_a_text(tmp_path: Path, annotation: str, shown: str) -> None:
    source = f"""
    class Order {{
      static final String PAID = "paid";
      private String state;
      {annotation} public String getState() {{ return state; }}
    }}
    """
    assert sent(tmp_path, source) == f"{{state: {shown}~}}"


def test_a_type_says_more_than_documentation(tmp_path: Path) -> None:
    source = """
    enum State { OPEN, PAID }
    class Order {
      @Schema(allowableValues = {"open"}) public State state;
      @Schema(allowableValues = {"1", "2"}) public int priority;
      @Schema(allowableValues = {"a"}) public UUID id;
    }
    """
    assert (
        sent(tmp_path, source)
        == "{state: 'OPEN' 'PAID'~, priority: integer(int32), id: string(uuid)~}"
    )


def test_documented_values_of_items(tmp_path: Path) -> None:
    source = """
    class Order {
      @ArraySchema(schema = @Schema(allowableValues = {"new", "sale"})) public List<String> tags;
      @Schema(allowableValues = {"new", "sale"}) public List<String> words;
    }
    """
    assert sent(tmp_path, source) == "{tags: ['new' 'sale']~, words: [string]~}"


def test_what_is_read_takes_any_text(tmp_path: Path) -> None:
    source = """
    import org.springframework.web.bind.annotation.*;
    @RestController class Orders {
      @PostMapping("/orders") void add(@RequestBody Order order) {}
    }
    class Order { @Schema(allowableValues = {"open"}) public String state; }
    """
    project = Project(tmp_path, {"src/main/java/shop/Orders.java": HEAD + source})
    assert project.request("POST /orders") == ["{state: string~}!"]
