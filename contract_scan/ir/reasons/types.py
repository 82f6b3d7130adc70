"""Reasons about declared types."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Missing types",
        advice="declare its type: an annotation, a return type, a type argument",
        texts={
            "attribute-of-declared-type": "`{name}` is read of something declared as {qualified}",
            "declared-response-not-a-type": "the declared response is no type",
            "declared-type-uninformative": "the declared type says nothing",
            "missing-type": "no type",
            "no-declared-type": "`{member}` has no declared type",
            "no-type": "`{member}` has no type",
            "null-initialiser": "`{member}` starts as null; what it is given later is not declared",
            "own-type-not-declared": "its type is not declared",
            "parameter-untyped": "parameter `{parameter}` has no declared type",
            "schema-without-type": "the schema says no type",
        },
    ),
    Section(
        title="Types that say little",
        advice=(
            "declare a type that names the properties and their types, instead of one that "
            "accepts anything"
        ),
        texts={
            "any-value-allowed": "the {who} allows any value here",
            "collection-items-not-declared": "the items of a {name} are not declared",
            "collection-values-not-declared": "the values of a {name} are not declared",
            "column-untyped": "the column has no declared type",
            "declared-and-created-classes-differ": (
                "`{member}` is declared as one class and made as `{made_as}`"
            ),
            "declared-as-any-type": "it is declared as {name}",
            "declared-as-json": "it is declared as JSON",
            "declared-as-object": "declared as object",
            "declared-as-prisma-json": "it is declared as Json",
            "declared-as-quoted-type": "it is declared as `{simple}`",
            "declared-as-type": "declared as {name}",
            "declared-type-accepts-anything": "it is declared as `{type}`, which may be anything",
            "declares-no-fields": "`{type}` declares no fields",
            "field-class-accepts-anything": "a field of class `{kind}` may be anything",
            "member-not-declared": "`{type}.{name}` is not declared",
            "mongoose-path-items-not-declared": "the items of this path are not declared",
            "name-not-declared": "`{name}` is not declared",
            "property-accepts-any-object": "the property may be any object",
            "property-items-not-declared": "the items of the property are not declared",
            "property-untyped": "the property has no declared type",
            "relation-not-declared": "the relation is not declared in code that can be seen",
            "validator-may-take-more": (
                "a validator of `{name}` sees the input before its type does, and may take more"
            ),
        },
    ),
    Section(
        title="Types that have no JSON form, or are not worked out",
        advice="declare a type with properties that JSON can hold, written out at this place",
        texts={
            "binary-data": "binary data",
            "class-not-serialisable": "`{type}` itself is not sent",
            "converter-not-serialisable": "a converter itself is not sent",
            "function-not-serialisable": "a function is not sent",
            "functions-not-serialisable": "functions are not sent",
            "keys-undetermined": "the keys of `{name}` are undetermined",
            "literals-unknown": "`{type}` of no known literals",
            "map-entry-serialization": "how a pair of a map is written depends on the serializer",
            "map-written-as-empty-object": "a Map is written as {}",
            "module-not-serialisable": "the module {path} is not sent",
            "nested-type-not-declared": "type `{type}.{part}` is not declared",
            "property-picked-undetermined": "the property that is picked is not known",
            "recursive-type": "the type is defined by itself",
            "regexp-written-as-empty-object": "a RegExp is written as {}",
            "schema-document-written": "a library writes the document that describes a schema",
            "schema-not-declared": "the schema is not written out where it is used",
            "schema-not-found": "the schema {text} is not found",
            "schema-properties-not-declared": (
                "the properties of the schema are not written out where it is used"
            ),
            "schema-type-unsupported": "the schema says type {kind}",
            "schema-values-not-constant": "the values of the schema are not constant",
            "set-written-as-empty-object": "a Set is written as {}",
            "symbols-not-serialisable": "symbols are not sent",
            "type-inferred-by-compiler": "the type is left to the compiler",
            "type-is": "the type is {what}",
            "type-parameter-undetermined": (
                "type parameter `{parameter}` stands for no known type here"
            ),
            "types-intersection-undetermined": "the intersection of these types is undetermined",
            "unions-intersection-undetermined": "an intersection of unions is undetermined",
            "used-without-type": "`{type}` is used without its type",
            "utility-type-keys-undetermined": "the keys of `{type}` is undetermined",
            "utility-type-operand": (
                "a utility type is used on something that is not an object that can be seen"
            ),
            "weakmap-written-as-empty-object": "a WeakMap is written as {}",
            "weakset-written-as-empty-object": "a WeakSet is written as {}",
        },
    ),
)
