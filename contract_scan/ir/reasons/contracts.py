"""Reasons about what contracts say."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Contracts that are not valid, or cannot be read whole",
        advice="correct the contract at this place",
        texts={
            "avro-schema-without-type": "the Avro schema gives no `type`",
            "avro-type-not-found": "the Avro type `{name}` is not in the schema",
            "contract-not-valid": "is not valid: {what}",
            "contract-problem": "{what}",
            "contract-schemas-contradict": "the contract's schemas contradict each other",
            "contract-value-not-json": "a listed value cannot be written in JSON",
            "contract-values-contradict": (
                "no value satisfies all of the contract's lists of values"
            ),
            "contract-values-of-other-type": (
                "the listed values are not of the type that the contract gives"
            ),
            "contract-without-promises": (
                "promises nothing: it has no operation, channel or shared model of the selected"
                " rules (`--allow-empty` if that is meant)"
            ),
            "duplicate-key": (
                "the key `{key}` is given twice in one mapping, which readers take differently;"
                " remove one"
            ),
            "message-reference-not-followed": "the message's `$ref` cannot be followed",
            "newer-version-of-contract": (
                "is version {version} of an interface whose version {newer} is in `{path}`, which"
                " is compared; to compare both, name them with `--contract` or in the configuration"
            ),
            "no-contract-document": "holds no contract document",
            "not-a-json-schema-type": "`{odd}` is not a type of JSON Schema",
            "path-spelled-twice": (
                "the contract has this path as `{spelled}` too: which of the two describes an"
                " answer is undetermined"
            ),
            "path-of-other-version": (
                "the route keeps to `{document}`, which describes this path in another version:"
                " which of the two it is meant for is undetermined"
            ),
            "reference-leads-nowhere": "`{reference}` leads nowhere",
            "request-body-reference-not-followed": "the request body's `$ref` cannot be followed",
            "response-reference-not-followed": "the response's `$ref` cannot be followed",
            "schema-consists-of-itself": "the schema consists of nothing but itself",
            "schema-not-a-mapping": "the schema is not a mapping",
            "schema-not-mapping": "a schema is not a mapping",
            "schema-part-of-itself": "the schema is part of itself",
            "schema-reference-not-followed": "the contract's `$ref` to a schema cannot be followed",
            "table-notation-not-understood": "the notation is not understood",
            "table-type-not-understood": "the type `{text}` is not understood",
        },
    ),
    Section(
        title="Contracts that say too little",
        advice="write the schema, or the response, out in the contract",
        texts={
            "channel-without-message": "the contract describes no message of the channel",
            "channel-without-operation": "no operation of the contract uses the channel",
            "contract-body-without-schema": "the contract gives no schema for this body",
            "contract-message-without-payload": "the contract gives no payload for this message",
            "contract-parameter-without-schema": "the contract gives no schema for this parameter",
            "contract-without-success": (
                "the contract lists no success; the code answers with {status} where nothing says "
                "otherwise"
            ),
            "contract-without-schema": "the contract gives no schema",
            "contract-without-type": "the contract gives no type",
            "table-field-without-type": "the table gives no type for this field",
            "table-item-type-missing": "the items' type is not given",
            "table-omits-fields": "the table leaves fields out (`…`)",
            "table-type-without-fields": "the table names the type `{word}` but not its fields",
            "table-value-type-missing": "the values' type is not given",
        },
    ),
    Section(
        title="Schemas that are not compared",
        advice=(
            "write the schema with keywords and notations that are compared; where none fits,"
            " nothing can be done"
        ),
        texts={
            "avro-logical-type": (
                "how Avro's logical type `{logical}` is held is up to the language"
            ),
            "avro-type-recursive": "the Avro type `{name}` contains itself",
            "conditional-schema": "`{word}` adds to it under a condition",
            "contract-body-is-stream": "the body is a stream of items",
            "contract-lists-objects": "the contract lists whole objects or arrays as values",
            "not-keyword": "`not` is not compared",
            "schema-format-not-read": (
                "the schema is written in `{schema_format}`, which is not read"
            ),
            "subtypes-may-add-fields": "subtypes, told apart by `{part}`, may add fields",
            "too-many-combined-schemas": "the contract combines more schemas than can be compared",
            "too-many-contract-alternatives": (
                "the contract combines too many alternatives to compare"
            ),
        },
    ),
)
