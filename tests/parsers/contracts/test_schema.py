"""Schemas of every dialect, read out of a document around them."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent, indent

import pytest
import yaml

from contract_scan.ir.document import ContractDocument
from contract_scan.ir.origin import Span
from contract_scan.ir.schema import Scalar
from tests.parsers.contracts.rendering import load, problems, render

HEADS = {
    "2.0": "swagger: '2.0'\npaths: {}\n",
    "3.0": "openapi: 3.0.3\n",
    "3.1": "openapi: 3.1.0\n",
}


def components(folder: Path, version: str, schemas: str) -> ContractDocument:
    """A document in which one endpoint sends every one of the schemas."""
    head = HEADS[version]
    holder = "definitions" if version == "2.0" else "components/schemas"
    names = [
        line.partition(":")[0] for line in dedent(schemas).splitlines() if line and line[0] != " "
    ]
    paths = "paths:\n"
    for name in names:
        schema = f"schema: {{$ref: '#/{holder}/{name}'}}"
        body = schema if version == "2.0" else f"content: {{application/json: {{{schema}}}}}"
        paths += f"  /{name}:\n    get:\n      responses:\n        200: {{{body}}}\n"
    written = dedent(schemas)
    if version == "2.0":
        text = "swagger: '2.0'\n" + paths + "definitions:\n" + indent(written, "  ")
    else:
        text = head + paths + "components:\n  schemas:\n" + indent(written, "    ")
    return load(folder, text)


def shapes(folder: Path, version: str, schemas: str) -> dict[str, str]:
    document = components(folder, version, schemas)
    return {key.rpartition("/")[2]: render(one) for key, one in document.schemas.items()}


def test_scalars_keep_type_format_and_values(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Text: {type: string}
        When: {type: string, format: date-time}
        Long: {type: integer, format: int64}
        Price: {type: number}
        Flag: {type: boolean}
        Status: {type: string, enum: [draft, active]}
        Untyped: {enum: [draft, 1, 1.5, true]}
        Whole: {type: integer, enum: [1, 2.0]}
        """,
    ) == {
        "Text": "string",
        "When": "string(date-time)",
        "Long": "integer(int64)",
        "Price": "number",
        "Flag": "boolean",
        "Status": "string of 'draft'/'active'",
        "Untyped": "(string of 'draft' | number of 1/1.5 | boolean of True)",
        "Whole": "integer of 1/2",
    }


def test_const_encoding_and_several_types_are_read_in_3_1(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        One: {const: a}
        Either: {type: [string, integer]}
        Bytes: {type: string, contentEncoding: base64}
        File: {type: string, contentMediaType: application/octet-stream}
        """,
    ) == {
        "One": "string of 'a'",
        "Either": "(string | integer)",
        "Bytes": "string(byte)",
        "File": "string(binary)",
    }


def test_null_is_said_in_the_words_of_each_dialect(tmp_path: Path) -> None:
    assert shapes(
        tmp_path / "a", "3.0", "A: {type: string, nullable: true}\nB: {type: string}"
    ) == {
        "A": "string|null",
        "B": "string",
    }
    assert shapes(
        tmp_path / "b",
        "3.1",
        """
        A: {type: [string, 'null']}
        B: {anyOf: [{type: string}, {type: 'null'}]}
        C: {type: 'null'}
        D: {const: null}
        E: {enum: [a, null]}
        F: {type: string, nullable: true}
        """,
    ) == {
        "A": "string|null",
        "B": "string|null",
        "C": "null",
        "D": "null",
        "E": "string of 'a'|null",
        "F": "string?|null",
    }


@pytest.mark.parametrize(
    ("version", "shape"),
    [
        ("2.0", "Shape{name: any?|null, size?: integer?|null}?|null"),
        ("3.0", "Shape{name: any?|null, size?: integer}"),
        ("3.1", "Shape{name: any|null, size?: integer}"),
    ],
)
def test_a_type_that_was_never_filled_in_says_nothing_however_it_is_written(
    tmp_path: Path, version: str, shape: str
) -> None:
    read = shapes(
        tmp_path,
        version,
        """
        Empty:
          type:
          description: text
        Nothing:
          description: text
        Shape:
          type:
          properties:
            name:
              type:
            size: {type: integer}
          required: [name]
        Null: {type: null}
        """,
    )
    assert read.pop("Empty") == read.pop("Null") == read.pop("Nothing")
    assert read == {"Shape": shape}


def test_among_alternatives_a_type_of_null_without_quotes_is_the_type_null(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        A: {anyOf: [{type: string}, {type: null}]}
        B: {oneOf: [{type: string}, {type: integer}, {type: null}]}
        C: {type: [string, null]}
        """,
    ) == {"A": "string|null", "B": "(string ^ integer)|null", "C": "string|null"}


@pytest.mark.parametrize("version", ["2.0", "3.0", "3.1"])
def test_a_document_is_read_alike_as_yaml_and_as_json(tmp_path: Path, version: str) -> None:
    document = {
        "openapi" if version != "2.0" else "swagger": {"3.0": "3.0.3"}.get(version, version),
        "paths": {"/nests": {"get": {"responses": {"200": _response(version)}}}},
        **_holding(
            version,
            {
                "Nest": {
                    "type": "object",
                    "properties": {
                        "colour": {"type": None},
                        "eggs": {"type": ["integer", None]},
                        "owner": {"anyOf": [{"type": "string"}, {"type": None}]},
                        "tags": {"enum": ["a", None]},
                    },
                }
            },
        ),
    }
    (tmp_path / "json").mkdir()
    (tmp_path / "yaml").mkdir()
    as_json = load(tmp_path / "json", json.dumps(document), name="api.json")
    as_yaml = load(tmp_path / "yaml", yaml.safe_dump(document), name="api.yaml")
    assert [render(one) for one in as_json.schemas.values()] == [
        render(one) for one in as_yaml.schemas.values()
    ]
    assert problems(as_json) == problems(as_yaml) == []


def _response(version: str) -> dict[str, object]:
    if version == "2.0":
        return {"description": "ok", "schema": {"$ref": "#/definitions/Nest"}}
    schema = {"schema": {"$ref": "#/components/schemas/Nest"}}
    return {"description": "ok", "content": {"application/json": schema}}


def _holding(version: str, schemas: dict[str, object]) -> dict[str, object]:
    return {"definitions": schemas} if version == "2.0" else {"components": {"schemas": schemas}}


def test_version_2_cannot_say_null_unless_it_uses_the_extension(tmp_path: Path) -> None:
    silent = shapes(tmp_path / "a", "2.0", "A: {type: string}")
    spoken = shapes(tmp_path / "b", "2.0", "A: {type: string, x-nullable: true}\nB: {type: string}")
    assert silent == {"A": "string?|null"}
    assert spoken == {"A": "string|null", "B": "string"}


def test_the_nullable_enum_that_forgets_null_is_still_nullable(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        A: {type: string, nullable: true, enum: [x]}
        B: {type: string, nullable: true, enum: [x, null]}
        C: {type: string, enum: [x, null]}
        """,
    ) == {
        "A": "string of 'x'|null",
        "B": "string of 'x'|null",
        "C": "string of 'x'?|null",
    }


def test_objects_keep_required_default_and_direction_apart(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Order:
          type: object
          required: [id, extra]
          properties:
            id: {type: integer, readOnly: true}
            secret: {type: string, writeOnly: true}
            pages: {type: integer, default: 1}
        """,
    ) == {
        "Order": "Order{id<: integer, secret?>: string, pages?=: integer, extra: any?|null}",
    }


def test_direction_and_default_come_through_references(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Order:
          properties:
            id: {$ref: '#/components/schemas/Id'}
            size: {allOf: [{$ref: '#/components/schemas/Size'}], readOnly: true}
        Id: {type: integer, readOnly: true}
        Size: {type: integer, default: 1}
        """,
    ) == {
        "Order": "Order{id?<: <Id>, size?<=: <Size>}",
        "Id": "integer",
        "Size": "integer",
    }


def test_what_further_properties_may_be(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        Silent: {properties: {a: {type: string}}}
        Closed: {properties: {a: {type: string}}, additionalProperties: false}
        Open: {properties: {a: {type: string}}, additionalProperties: true}
        Map: {type: object, additionalProperties: {type: integer}}
        Free: {type: object}
        Unevaluated: {properties: {a: {type: string}}, unevaluatedProperties: false}
        Patterns: {type: object, patternProperties: {^x-: {type: string}}}
        OnlyPatterns:
          type: object
          patternProperties: {^x-: {type: string}, ^y-: {type: integer}}
          additionalProperties: false
        """,
    ) == {
        "Silent": "Silent{a?: string}",
        "Closed": "Closed{a?: string, *: nothing}",
        "Open": "Open{a?: string, *: any|null}",
        "Map": "Map{*: integer}",
        "Free": "Free{*: any|null}",
        "Unevaluated": "Unevaluated{a?: string, *: nothing}",
        "Patterns": "Patterns{*: any|null}",
        "OnlyPatterns": "OnlyPatterns{*: (string | integer)}",
    }


def test_arrays_and_tuples(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        List: {type: array, items: {type: string}}
        Any: {type: array}
        Untyped: {items: {type: string}}
        Pair: {type: array, prefixItems: [{type: string}, {type: integer}], items: false}
        Old: {type: array, items: [{type: string}], additionalItems: {type: boolean}}
        One: {type: array, items: [{type: string}]}
        Several: {type: array, items: [{type: string}, {type: integer}]}
        First: {type: array, items: [{type: string}], maxItems: 1}
        """,
    ) == {
        "List": "[string]",
        "Any": "[any|null]",
        "Untyped": "[string]",
        "Pair": "[string, integer, ...nothing]",
        "Old": "[string, ...boolean]",
        "One": "[string]",
        "Several": "[string, integer, ...any|null]",
        "First": "[string, ...any|null]",
    }


def test_allof_is_merged_through_references_and_reads_required_from_every_member(
    tmp_path: Path,
) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Base:
          type: object
          required: [id]
          properties: {id: {type: integer}, note: {type: string}}
        Middle:
          allOf:
            - $ref: '#/components/schemas/Base'
            - properties: {middle: {type: string}}
        Full:
          required: [own]
          allOf:
            - $ref: '#/components/schemas/Middle'
            - required: [note]
          properties: {own: {type: boolean}}
        """,
    ) == {
        "Base": "Base{id: integer, note?: string}",
        "Middle": "Middle{id: integer, note?: string, middle?: string}",
        "Full": "Full{own: boolean, id: integer, note: string, middle?: string}",
    }


def test_a_property_given_twice_has_to_satisfy_both(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Both:
          allOf:
            - properties:
                kind: {type: string}
                price: {type: number}
                inner: {properties: {a: {type: string}}}
            - properties:
                kind: {enum: [x, y]}
                price: {type: integer}
                inner: {properties: {b: {type: string}}, required: [a]}
        """,
    ) == {
        "Both": "Both{kind?: string of 'x'/'y', price?: integer, inner?: {a: string, b?: string}}",
    }


def test_a_wrapper_of_one_reference_stays_a_reference(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Order:
          properties:
            a: {allOf: [{$ref: '#/components/schemas/Item'}], description: words}
            b: {nullable: true, allOf: [{$ref: '#/components/schemas/Item'}]}
            c: {$ref: '#/components/schemas/Item', nullable: true}
        Item: {type: object, properties: {n: {type: integer}}}
        """,
    ) == {
        "Order": "Order{a?: <Item>, b?: <Item>|null, c?: <Item>?|null}",
        "Item": "Item{n?: integer}",
    }


def test_keywords_beside_a_reference_count_from_3_1_on(tmp_path: Path) -> None:
    schemas = """
        Order: {$ref: '#/components/schemas/Item', required: [n]}
        Item: {type: object, properties: {n: {type: integer}}}
        """
    old = shapes(tmp_path / "a", "3.0", schemas)
    new = shapes(tmp_path / "b", "3.1", schemas)
    assert old["Order"] == "<Item>"
    assert new["Order"] == "Order{n: integer}"


def test_alternatives_stay_references_where_nothing_else_holds(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Pet:
          oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
          discriminator: {propertyName: kind}
        Some: {anyOf: [{type: string}, {type: integer}], nullable: true}
        Cat: {type: object, properties: {kind: {type: string}, lives: {type: integer}}}
        Dog: {type: object, properties: {kind: {type: string}}}
        """,
    ) == {
        "Pet": "(<Cat> ^ <Dog>) by kind",
        "Some": "(string | integer)|null",
        "Cat": "Cat{kind?: string, lives?: integer}",
        "Dog": "Dog{kind?: string}",
    }


def test_what_stands_beside_alternatives_holds_for_each_of_them(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Event:
          type: object
          required: [id]
          properties: {id: {type: string}}
          oneOf:
            - {type: object, properties: {a: {type: string}}, title: A}
            - {$ref: '#/components/schemas/Other'}
        Other: {type: object, properties: {b: {type: integer}}}
        Letters: {type: string, oneOf: [{enum: [a]}, {enum: [b]}]}
        """,
    ) == {
        "Event": "(A{a?: string, id: string} ^ Other{b?: integer, id: string})",
        "Other": "Other{b?: integer}",
        "Letters": "(string of 'a' ^ string of 'b')",
    }


def test_alternatives_that_only_require_leave_presence_open(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Contact:
          type: object
          properties: {mail: {type: string}, phone: {type: string}, name: {type: string}}
          required: [name]
          anyOf: [{required: [mail]}, {required: [phone]}]
        """,
    ) == {"Contact": "Contact{mail??: string, phone??: string, name: string}"}


def test_null_alternatives_behind_references_are_null(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Level: {oneOf: [{$ref: '#/components/schemas/Some'}, {$ref: '#/components/schemas/No'}]}
        Some: {type: string, enum: [a]}
        No: {enum: [null]}
        """,
    ) == {"Level": "<Some>|null", "Some": "string of 'a'", "No": "null"}


def test_a_base_with_a_discriminator_may_have_more_fields_and_its_subtype_may_not(
    tmp_path: Path,
) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Pet:
          type: object
          discriminator: {propertyName: kind}
          properties: {kind: {type: string}}
        Cat:
          allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {lives: {type: integer}}}]
        """,
    ) == {
        "Pet": "Pet{kind?: string, ... <subtypes, told apart by `kind`, may add fields>}",
        "Cat": "Cat{kind?: string, lives?: integer}",
    }


def test_a_base_that_lists_its_subtypes_says_nothing_new_about_one(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        Pet:
          properties: {kind: {type: string}}
          oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
        Cat: {allOf: [{$ref: '#/components/schemas/Pet'}], properties: {lives: {type: integer}}}
        Dog: {allOf: [{$ref: '#/components/schemas/Pet'}], properties: {bark: {type: string}}}
        """,
    ) == {
        "Pet": "(Cat{lives?: integer, kind?: string} ^ Dog{bark?: string, kind?: string})",
        "Cat": "Cat{lives?: integer, kind?: string}",
        "Dog": "Dog{bark?: string, kind?: string}",
    }


def test_recursive_schemas_end(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.0",
        """
        Node:
          type: object
          properties:
            next: {$ref: '#/components/schemas/Node'}
            all: {type: array, items: {$ref: '#/components/schemas/Node'}}
        """,
    ) == {"Node": "Node{next?: <Node>, all?: [<Node>]}"}


def test_recursion_through_merged_properties_ends(tmp_path: Path) -> None:
    found = shapes(
        tmp_path,
        "3.0",
        """
        Both: {allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}
        A: {properties: {next: {$ref: '#/components/schemas/A'}, a: {type: string}}}
        B: {properties: {next: {$ref: '#/components/schemas/B'}, b: {type: string}}}
        """,
    )
    assert found == {
        "Both": "Both{next?: A{next?: <next>, a?: string, b?: string}, a?: string, b?: string}",
        "A": "A{next?: <A>, a?: string}",
        "B": "B{next?: <B>, b?: string}",
        "next": "A{next?: <next>, a?: string, b?: string}",
    }


def test_a_schema_that_is_only_itself_is_a_problem(tmp_path: Path) -> None:
    document = components(
        tmp_path,
        "3.0",
        """
        Ring: {$ref: '#/components/schemas/Back'}
        Back: {$ref: '#/components/schemas/Ring'}
        Self: {allOf: [{$ref: '#/components/schemas/Self'}, {properties: {a: {type: string}}}]}
        """,
    )
    assert [(line, reason) for _, line, reason in problems(document)] == [
        (18, "$ref `#/components/schemas/Back` leads back to itself"),
        (19, "$ref `#/components/schemas/Ring` leads back to itself"),
        (20, "the schema is part of itself through `allOf` or `$ref`"),
    ]
    assert {key.rpartition("/")[2]: render(one) for key, one in document.schemas.items()} == {
        "Self": "Self{a?: string, ... <the schema is part of itself>}"
    }


def test_conditions_leave_open_what_they_may_change(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        Order:
          type: object
          properties: {kind: {type: string}, a: {type: string}, b: {type: string}}
          dependentRequired: {kind: [a]}
          if: {properties: {kind: {const: x}}}
          then: {required: [b]}
        Wider:
          type: object
          properties: {kind: {type: string}}
          if: {properties: {kind: {const: x}}}
          then: {properties: {more: {type: string}}, required: [more]}
          else: {properties: {more: {type: integer}, other: {}, kind: {maxLength: 2}}}
        Deeper:
          type: object
          properties: {kind: {type: string}}
          if: {properties: {kind: {const: x}}}
          then: {anyOf: [{properties: {more: {type: string}}}]}
        """,
    ) == {
        "Order": "Order{kind?: string, a??: string, b??: string}",
        "Wider": "Wider{kind?: string, more??: (string | integer), other?: any|null}",
        "Deeper": "Deeper{kind?: string, ... <`then` adds to it under a condition>}",
    }


def test_alternatives_that_refuse_each_other_are_none(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        Done:
          {type: object, required: [id], properties: {id: {type: string}},
           additionalProperties: false}
        Failed:
          {type: object, required: [why], properties: {why: {type: string}},
           additionalProperties: false}
        Any: {oneOf: [{type: object}, {$ref: '#/components/schemas/Failed'}]}
        Both:
          allOf:
            - $ref: '#/components/schemas/Any'
            - oneOf: [{$ref: '#/components/schemas/Done'}, {$ref: '#/components/schemas/Failed'}]
        Meant:
          allOf:
            - $ref: '#/components/schemas/Done'
            - oneOf: [{required: [why], properties: {why: {type: string}}}, {type: object}]
        """,
    ) == {
        "Done": "Done{id: string, *: nothing}",
        "Failed": "Failed{why: string, *: nothing}",
        "Any": "({*: any|null} ^ <Failed>)",
        "Both": "((<Done> ^ <Failed>) ^ Failed{why: string, *: nothing})",
        "Meant": "({why: string, id: string, *: nothing} ^ {id: string, *: nothing})",
    }


def test_not_is_read_where_it_is_plain_and_otherwise_unknown(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        NotNull: {type: [string, 'null'], not: {type: 'null'}}
        NotText: {type: [string, integer], not: {type: string}}
        NotTogether: {type: object, properties: {a: {type: string}}, not: {required: [a, b]}}
        NotThis: {type: string, not: {enum: [x]}}
        Deep: {type: object, not: {properties: {a: {type: string}}}}
        """,
    ) == {
        "NotNull": "string|null",
        "NotText": "integer",
        "NotTogether": "NotTogether{a??: string}",
        "NotThis": "string",
        "Deep": "unknown <`not` is not compared>",
    }


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{type: uuid}", "`uuid` is not a type of JSON Schema"),
        ("{minimum: 1}", "the contract gives no type"),
        ("{enum: [{a: 1}]}", "the contract lists whole objects or arrays as values"),
        ("{enum: [.nan]}", "a listed value cannot be written in JSON"),
        (
            "{type: string, enum: [1, 2]}",
            "the listed values are not of the type that the contract gives",
        ),
        (
            "{allOf: [{type: string}, {type: integer}]}",
            "the contract's schemas contradict each other",
        ),
        (
            "{allOf: [{enum: [a]}, {enum: [b]}]}",
            "no value satisfies all of the contract's lists of values",
        ),
    ],
)
def test_what_is_undetermined_says_why(tmp_path: Path, schema: str, reason: str) -> None:
    assert shapes(tmp_path, "3.0", f"A: {schema}") == {"A": f"unknown <{reason}>"}


def test_booleans_and_empty_schemas(tmp_path: Path) -> None:
    assert shapes(
        tmp_path,
        "3.1",
        """
        Holder: {properties: {a: true, b: false, c: {}, d: {description: words}}}
        """,
    ) == {"Holder": "Holder{a?: any|null, b?: nothing, c?: any|null, d?: any|null}"}


def test_a_member_that_cannot_be_read_leaves_the_rest(tmp_path: Path) -> None:
    document = components(
        tmp_path,
        "3.0",
        """
        Order:
          allOf:
            - $ref: '#/components/schemas/Gone'
            - properties: {a: {type: string}}
        """,
    )
    reason = (
        "$ref `#/components/schemas/Gone` leads nowhere: there is no `Gone` "
        "in contract.yaml#/components/schemas"
    )
    assert problems(document) == [("contract.yaml", 12, reason)]
    assert [render(one) for one in document.schemas.values()] == [
        f"Order{{a?: string, ... <{reason}>}}"
    ]


def test_every_field_knows_the_place_of_its_key(tmp_path: Path) -> None:
    document = components(
        tmp_path,
        "3.0",
        """
        Order:
          properties:
            id: {type: integer}
        """,
    )
    (order,) = document.schemas.values()
    (field,) = order.fields  # type: ignore[union-attr]
    assert field.origin.path == "contract.yaml"
    assert field.origin.pointer == "/components/schemas/Order/properties/id"
    assert field.origin.span == Span(12, 9, 12, 11)


def test_schemas_in_other_files_are_named_by_key_or_file(tmp_path: Path) -> None:
    (tmp_path / "Order.yaml").write_text("type: object\nproperties: {a: {type: string}}\n")
    (tmp_path / "shared.yaml").write_text("Line: {type: object, properties: {b: {type: string}}}\n")
    document = components(
        tmp_path,
        "3.0",
        """
        All:
          properties: {order: {$ref: Order.yaml}, line: {$ref: 'shared.yaml#/Line'}}
        """,
    )
    assert {key: render(one) for key, one in document.schemas.items()} == {
        "contract.yaml#/components/schemas/All": "All{order?: <Order.yaml#>, line?: <Line>}",
        "Order.yaml#": "Order{a?: string}",
        "shared.yaml#/Line": "Line{b?: string}",
    }


@pytest.mark.parametrize(
    ("section", "component"),
    [
        ("parameters", "a parameter"),
        ("responses", "a response"),
        ("requestBodies", "a request body"),
        ("headers", "a header"),
        ("examples", "an example"),
    ],
)
def test_a_reference_to_another_component_where_a_schema_belongs_is_a_fault_of_the_contract(
    tmp_path: Path, section: str, component: str
) -> None:
    document = load(
        tmp_path,
        f"""
        openapi: 3.0.3
        paths:
          /maps:
            get:
              responses:
                '200':
                  content: {{application/json: {{schema: {{$ref: '#/components/schemas/Map'}}}}}}
        components:
          {section}:
            region: {{description: text}}
          schemas:
            Map:
              properties:
                region: {{$ref: '#/components/{section}/region'}}
                whole: {{allOf: [{{$ref: '#/components/{section}/region'}}]}}
        """,
    )
    reason = f"$ref `#/components/{section}/region` leads to {component} where a schema belongs"
    assert render(document.schemas["contract.yaml#/components/schemas/Map"]) == (
        f"Map{{region?: unknown <{reason}>, whole?: unknown <{reason}>}}"
    )
    assert [(line, text) for _, line, text in problems(document)] == [(15, reason), (16, reason)]


def test_a_schema_within_another_component_is_a_schema(tmp_path: Path) -> None:
    document = load(
        tmp_path,
        """
        openapi: 3.0.3
        paths:
          /maps:
            get:
              responses:
                '200':
                  content:
                    application/json:
                      schema: {$ref: '#/components/parameters/region/schema'}
        components:
          parameters:
            region: {name: region, in: query, schema: {type: string}}
        """,
    )
    assert {key.partition("#")[2]: render(one) for key, one in document.schemas.items()} == {
        "/components/parameters/region/schema": "string"
    }
    assert problems(document) == []


def test_an_extensible_enum_names_values_and_limits_none(tmp_path: Path) -> None:
    document = components(
        tmp_path,
        "3.0",
        """
        Size: {type: string, x-extensible-enum: [S, L, 7]}
        Level: {type: integer, x-extensible-enum: [1, 2]}
        """,
    )
    assert [
        (one.type, one.values, one.current_values)
        for one in document.schemas.values()
        if isinstance(one, Scalar)
    ] == [("string", None, ("S", "L")), ("integer", None, (1, 2))]
