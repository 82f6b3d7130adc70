"""YAML and JSON as trees that know their lines and columns."""

from __future__ import annotations

import gc
import json
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract_scan.errors import ContractError
from contract_scan.ir.origin import Span
from contract_scan.parsers.contracts.located_tree import File, Limits, Mapping, Sequence, open_text
from contract_scan.parsers.contracts.yaml_text import resolve_scalar


def yaml(text: str, limits: Limits | None = None) -> File:
    return open_text(dedent(text).encode(), "a.yaml", limits or Limits())


def plain(value: object) -> object:
    """The tree as ordinary values."""
    match value:
        case Mapping():
            return {key: plain(member) for key, member in value.items()}
        case Sequence():
            return [plain(element) for element in value]
        case _:
            return value


def refused(content: bytes, name: str = "a.yaml", limits: Limits | None = None) -> str:
    with pytest.raises(ContractError) as caught:
        open_text(content, name, limits or Limits())
    return str(caught.value)


def test_a_colon_before_a_bracket_ends_a_key_in_braces() -> None:
    file = yaml("a: {\n  x: 1, tags:[ ], ä:{ b: 2 }\n}\n")
    assert plain(file.root.value) == {"a": {"x": 1, "tags": [], "ä": {"b": 2}}}
    assert refused(b"a: {x:[1], y: [2}") == (
        "a.yaml:1: is not valid YAML: while parsing a flow sequence, "
        "expected ',' or ']', but got '}'"
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("True", True),
        ("false", False),
        ("~", None),
        ("", None),
        ("null", None),
        ("010", 10),
        ("0o17", 15),
        ("0xff", 255),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("-12", -12),
        ("1.5e3", 1500.0),
        (".5", 0.5),
        ("1.0.0", "1.0.0"),
        ("2024-01-31", "2024-01-31"),
        ("2020-99-99", "2020-99-99"),
        (".inf", float("inf")),
        ("9" * 5000, "9" * 5000),
        ("=", "="),
    ],
)
def test_plain_scalars_mean_what_yaml_1_2_says(text: str, value: object) -> None:
    found = resolve_scalar(text)
    assert found == value
    assert type(found) is type(value)


def test_quotes_tags_and_keys_make_texts() -> None:
    file = yaml(
        """
        200: a
        null: b
        1.0: c
        quoted: '5'
        tagged: !!str 5
        number: !!int '5'
        own: !Ref thing
        block: |
          7
        """
    )
    assert plain(file.root.value) == {
        "200": "a",
        "null": "b",
        "1.0": "c",
        "quoted": "5",
        "tagged": "5",
        "number": 5,
        "own": "thing",
        "block": "7\n",
    }


def test_places_of_keys_and_values_in_yaml() -> None:
    file = yaml(
        """\
        paths:
          "/ä/{id}":
            - first
            - {get: 1}
        """
    )
    item = file.root.resolve_pointer("/paths/~1ä~1{id}")
    inner = file.root.resolve_pointer("/paths/~1ä~1{id}/1/get")
    assert item is not None
    assert inner is not None
    assert (item.name, item.origin.span) == ("/ä/{id}", Span(2, 3, 2, 12))
    assert item.value_origin.span == Span(3, 5, 4, 15)
    assert (inner.origin.span, inner.value_origin.span) == (Span(4, 8, 4, 11), Span(4, 13, 4, 14))
    assert inner.origin.pointer == "/paths/~1ä~1{id}/1/get"


def test_places_in_json_equal_those_in_yaml() -> None:
    text = '{\r\n "a\\u0062": [1, {"ü": true}, "x"],\r "b": {}\n}'
    as_json = open_text(text.encode(), "a.json")
    as_yaml = open_text(text.encode(), "a.yaml")
    for pointer in ("", "/ab", "/ab/0", "/ab/1", "/ab/1/ü", "/ab/2", "/b"):
        one, other = as_json.root.resolve_pointer(pointer), as_yaml.root.resolve_pointer(pointer)
        assert one is not None
        assert other is not None
        assert one.origin.span == other.origin.span, pointer
        assert one.value_origin.span == other.value_origin.span, pointer
    flag = as_json.root.resolve_pointer("/ab/1/ü")
    assert flag is not None
    assert flag.origin.span == Span(2, 18, 2, 21)


def test_a_comma_behind_the_last_member_or_item_of_json_is_let_pass() -> None:
    file = open_text(b'{"a": [1, ",}",\n],\n"b": {"c": 2,},}', "a.json")
    assert plain(file.root.value) == {"a": [1, ",}"], "b": {"c": 2}}
    inner = file.root.resolve_pointer("/b/c")
    assert inner is not None
    assert inner.value_origin.span == Span(3, 12, 3, 13)


def test_a_byte_order_mark_counts_for_nothing() -> None:
    file = open_text(b'\xef\xbb\xbf{"a": 1}', "a.json")
    place = file.root.get("a")
    assert place is not None
    assert place.origin.span == Span(1, 2, 1, 5)


def test_aliases_and_merge_keys() -> None:
    file = yaml(
        """\
        base: &base {a: 1, b: 2}
        more: &more {b: 3, c: 4}
        same: *base
        one: {<<: *base, b: 9}
        two: {<<: [*base, *more]}
        text: {"<<": plain}
        """
    )
    assert plain(file.root.value) == {
        "base": {"a": 1, "b": 2},
        "more": {"b": 3, "c": 4},
        "same": {"a": 1, "b": 2},
        "one": {"b": 9, "a": 1},
        "two": {"a": 1, "b": 2, "c": 4},
        "text": {"<<": "plain"},
    }
    merged = file.root.resolve_pointer("/one/a")
    assert merged is not None
    assert merged.origin.span == Span(1, 14, 1, 15)


def test_duplicate_keys_are_told_except_in_examples() -> None:
    text = "a: 1\nb: {c: 1, c: 2}\na: 3\nexample: {x: 1, x: 2}\n"
    expected = [
        (
            2,
            "the key `c` is given twice in one mapping, which readers take differently; remove one",
        ),
        (
            3,
            "the key `a` is given twice in one mapping, which readers take differently; remove one",
        ),
    ]
    as_json = '{"a": 1,\n"b": {"c": 1, "c": 2},\n"a": 3,\n"example": {"x": 1, "x": 2}}'
    for file in (yaml(text), open_text(as_json.encode(), "a.json")):
        assert [(one.line, one.reason) for one in file.duplicate_key_problems()] == expected
        assert file.root.value["a"] == 3  # type: ignore[index]


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"a: [1", "a.yaml", "a.yaml:1: is not valid YAML: while parsing a flow sequence, "),
        (b"a: 1\nb: \x01", "a.yaml", "a.yaml:2: is not valid YAML: "),
        (b"a: *gone", "a.yaml", "a.yaml:1: the alias `*gone` has no anchor"),
        (b"a: &a [*a]", "a.yaml", "a.yaml:1: the alias `*a` stands inside what it repeats"),
        (b"a: 1\n---\nb: 2", "a.yaml", "a.yaml:2: holds several YAML documents; "),
        (b"? [a]\n: 1", "a.yaml", "a.yaml:1: uses a mapping or a list as a key; "),
        (b"a: 1\ntype: {{ kind }}", "a.yaml", "a.yaml:2: is a template, which cannot be read "),
        (b"{% if a %}\na: 1", "a.yaml", "a.yaml:1: is a template, which cannot be read "),
        (b"a: {<<: 1}", "a.yaml", "a.yaml:1: the merge key `<<` takes mappings only"),
        (b"a: \xff", "a.yaml", "a.yaml:1: holds bytes that are not UTF-8; "),
        (b"\xff\xfea\x00", "a.yaml", "a.yaml:1: is encoded in UTF-16 or UTF-32; "),
        (b'{"a": 1,,}', "a.json", "a.json:1: is not valid JSON: "),
        (b'{\n"a": NaN}', "a.json", "a.json: is not valid JSON: NaN is not a JSON value"),
        (b'{"a": 1} x', "a.json", "a.json:1: is not valid JSON: extra data"),
    ],
)
def test_what_cannot_be_read_names_the_line(content: bytes, name: str, message: str) -> None:
    assert refused(content, name).startswith(message)


def test_limits_of_size_depth_and_values() -> None:
    small = Limits(max_bytes=1_000_000, max_depth=3, max_nodes=10)
    deep = "is nested more than 3 levels deep; flatten it"
    assert refused(b"a" * 1_000_001, "a.yaml", small) == (
        "a.yaml: is larger than 1 MB; raise the limit to read it"
    )
    assert refused(b"a:\n b:\n  c:\n   d: 1", "a.yaml", small) == f"a.yaml:4: {deep}"
    assert refused(b"[[[\n[1]]]]", "a.json", small) == f"a.json:2: {deep}"
    assert refused(b"[" + b"1," * 20 + b"1]", "a.json", small) == (
        "a.json:1: holds more than 10 values; split it, or raise the limit"
    )
    aliases = b"a: &a [1, 2, 3]\nb: [*a, *a, *a]"
    assert refused(aliases, "a.yaml", small) == (
        "a.yaml:2: holds more than 10 values once its aliases are written out; "
        "split it, or raise the limit"
    )


def test_lone_surrogates_never_get_out() -> None:
    file = open_text(b'{"a": "\\ud800", "\\udc00": 1}', "a.json")
    assert plain(file.root.value) == {"a": "\ufffd", "\ufffd": 1}


def test_an_empty_file_is_null() -> None:
    assert yaml("").root.value is None


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(_JSON, st.sampled_from([None, 2]), st.booleans())
def test_any_json_is_read_as_the_standard_library_reads_it(
    value: object, space: int | None, escaped: bool
) -> None:
    text = json.dumps(value, indent=space, ensure_ascii=escaped)
    assert plain(open_text(text.encode(), "a.json").root.value) == json.loads(text)


@given(st.binary(max_size=200), st.sampled_from(["a.json", "a.yaml", "a.yml"]))
def test_any_bytes_are_read_or_refused(content: bytes, name: str) -> None:
    try:
        file = open_text(content, name)
    except ContractError:
        return
    assert file.root.origin.path == name


@given(st.text(alphabet="{}[]:,&*<-? \n\"'ab1|>!#%", max_size=60))
def test_any_yaml_like_text_is_read_or_refused(text: str) -> None:
    try:
        file = open_text(text.encode(), "a.yaml")
    except ContractError:
        return
    pending = [file.root]
    while pending:
        node = pending.pop()
        assert node.value_origin.span.line >= 1
        pending += [member for _, member in node.members()]
        pending += list(node.elements())


def test_a_file_is_gone_with_its_last_user() -> None:
    """Without garbage being looked for, which a scan does not do."""
    file = open_text(b"openapi: 3.1.0", "gone.yaml")
    assert file.root.get("openapi") is not None
    gc.disable()
    try:
        del file
        left = [each for each in gc.get_objects() if isinstance(each, File)]
    finally:
        gc.enable()
    assert [each.path for each in left if each.path == "gone.yaml"] == []
