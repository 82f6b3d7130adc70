"""Reasons about how values become JSON."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="Code and libraries that write values in a way of their own",
        advice=(
            "write the value with the types that the library knows, or declare in the "
            "contract what this code writes; it is not compared"
        ),
        texts={
            "added-converter-undetermined": (
                "a converter that is added to the serializer is undetermined"
            ),
            "alias-generator-not-read": "its alias generator cannot be read",
            "alias-written-where-asked": (
                "calls decide whether it is written under its alias (`by_alias`)"
            ),
            "any-subclass-sent": "what is sent may be of any class that is a `{general}`",
            "constant-name-computed": "the name of `{type}.{member}` is not constant",
            "constructor-changes-fields": "its constructor changes the fields",
            "converter-may-write-enums": "`{name}` may write enums",
            "converter-unreadable": (
                "it is written by the converter `{name}`, which could not be read"
            ),
            "converter-writes-itself": "a converter writes it inside of itself",
            "custom-encoder-may-write": "an encoder of the project may write it in its own way",
            "custom-list-format": "`{type}` writes lists in its own way",
            "data-overridden": "`{type}.data` is overridden",
            "declared-result-differs": "`{name}` is declared to give something else than it gives",
            "derived-types-declared-elsewhere": "which types derive from `{own}` is told elsewhere",
            "deserialize-method-decides": "`{name}._deserialize` decides what is read",
            "dict-overridden": "`{owner}.dict` is overridden",
            "empty-enum": "an empty enum",
            "enum-texts-writer-not-found": (
                "nothing is seen that writes the enum, whose constants have texts of their own"
            ),
            "enum-type-undetermined": "an enum's type is not known",
            "enum-value-chosen-by-method": "`{function}` chooses",
            "enum-value-names-undetermined": "how its values are named is not known",
            "enum-writer-not-found": "nothing is seen that writes the enum",
            "excluded-fields-not-constant": "which fields are left out is not constant",
            "exposed-in-some-versions": "`{member}` is exposed in some versions only",
            "exposed-to-some-groups": "`{member}` is exposed to some groups only",
            "extension-data": "extension data",
            "field-class-undetermined": "nothing says what the class of the field `{name}` writes",
            "field-constructor-decides": "the constructor of `{name}` decides what the field holds",
            "field-items-undetermined": "the items of the field are undetermined",
            "field-renaming-unreadable": "`{type}` renames its fields in a way that cannot be read",
            "field-type-undetermined": "nothing says what a `{type}` field is",
            "fields-not-constant": "the fields of `{owner}` are not constant",
            "fields-undetermined": "the fields of `{base}` are not known",
            "hateoas-links-not-followed": (
                "links are written only where some are added, which was not followed"
            ),
            "hateoas-relation-may-have-several-links": (
                "a relation holds one link, or a list where the code adds several of it, which was"
                " not followed"
            ),
            "hook-result-undetermined": (
                "what the hook `{function}` makes of its input is undetermined"
            ),
            "hook-returns-nothing": "the hook `{function}` returns nothing that can be seen",
            "hook-takes-no-data": "the hook `{function}` takes no data",
            "in-field": "field `{member}`: {why}",
            "in-type": "`{type}`: {unclear}",
            "instancetype-class-undetermined": "the class whose instance this is is undetermined",
            "items-undetermined": "the items of `{name}` are undetermined",
            "items-written-by-converter": (
                "it is written by a converter or a serializer for its items"
            ),
            "jackson-no-visible-property": (
                "Jackson sees no property of `{type}`: it has no public getter, public field "
                "or annotated member"
            ),
            "jaxb-annotations-not-read": (
                "MOXy writes `{type}` by annotations of JAXB or settings that are not read"
            ),
            "json-format-shape": "it is written with shape {shape} (@JsonFormat)",
            "json-view-without-properties": (
                "no property of `{type}` is part of the view that is sent (@JsonView)"
            ),
            "known-to-database-only": "what a `{type}` holds is known to the database alone",
            "library-serializer-writes": "a `{base}` of `{value}` writes its own",
            "list-serializer-overridden": "a list serializer writes its own",
            "mapper-module-may-omit": "a module of the mapper may leave it out",
            "method-decides-serialization": "`{owner}.{method}` decides what is written",
            "method-overridden": "`{name}` is overridden",
            "model-json-encoder-not-read": "a JSON encoder of the model cannot be read",
            "model-not-an-object": "a model is no object",
            "model-written-as-json-schema": "the model is written as a JSON Schema",
            "names-made-by-function": "the names of `{type}` are made by a function",
            "naming-strategy-unknown": "properties are renamed by `{naming}`, which is not known",
            "no-class": "no class is given",
            "no-constants": "`{type}` has no constants",
            "nothing-written-to-document": "nothing is written to it",
            "one-or-many-objects-undetermined": (
                "whether one object is written or many is undetermined"
            ),
            "option-not-constant": "its `{name}` is not constant",
            "output-fields-undetermined": "the output fields are undetermined",
            "parts-excluded": "parts of it are left out",
            "payload-construction-not-followed": "how the payload is made cannot be followed",
            "payload-serialization-not-followed": (
                "how the payload is serialised cannot be followed"
            ),
            "problem-detail-properties": "a `ProblemDetail` may carry further properties",
            "problem-details-extensions": "extension members of problem details",
            "properties-from-map": "further properties come from a map",
            "property-changed-at-run-time": "`{name}` changes `{property}` at run time",
            "property-name-not-constant": "the name of the property `{name}` is not constant",
            "property-type-not-read": "the type of the property is not read",
            "property-written-conditionally": (
                "`{name}` decides at run time whether `{property}` is written (@{annotation})"
            ),
            "py-serializable-helper": "a helper of py-serializable writes it",
            "py-serializable-naming": "the project chooses how py-serializable names properties",
            "raw-json-value": "it is written as raw JSON (@JsonRawValue)",
            "read-by-deserializer": "`{of}` is read by the deserializer `{deserializer}`",
            "read-by-type-adapter": "`{of}` is read by the type adapter `{adapter}`",
            "member-copied-by-mapper": (
                "a mapper copies `{member}` from another object, where it may be null and is then "
                "left out"
            ),
            "moxy-getter-alone": (
                "whether MOXy writes `{member}`, which has a getter without annotations and no "
                "setter, is undetermined"
            ),
            "moxy-type-key": (
                "MOXy writes `type` beside the members of `{type}` where it tells classes apart"
            ),
            "navigation-not-loaded": (
                "no query is seen to load `{member}` (`Include`): what it holds is undetermined"
            ),
            "recursive-partial": "a recursive type made partial is undetermined",
            "member-not-stored": "`{member}` is not stored, and sent only where code sets it",
            "relation-sent-if-loaded": "`{member}` is sent only where a query loads it",
            "relation-written-as-loaded": "a relation is written as it is loaded",
            "relations-nested": "relations are written out (`depth`)",
            "returntype-function-undetermined": "the function whose result this is is undetermined",
            "root-name-undetermined": (
                "which root name stands around it is undetermined (WRAP_ROOT_VALUE)"
            ),
            "schema-model-not-found": "the model of a schema is not seen",
            "secret-masked": "a secret is masked where it is written",
            "serialize-method-decides": "`{name}._serialize` decides what is written",
            "serializer-converters-undetermined": (
                "the converters of the serializer are undetermined"
            ),
            "serializer-mapping-undetermined": (
                "which serializer `{type}` chooses for which value is undetermined"
            ),
            "serializer-model-undetermined": "the model of the serializer is undetermined",
            "serializer-used-undetermined": "the serializer that is used here is undetermined",
            "serializer-without-function": "a serializer without a function",
            "shape-decided-at-run-time": (
                "which of several shapes is written is decided at run time"
            ),
            "skip-json-schema": "its annotation keeps it out of schemas (SkipJsonSchema)",
            "source-object-undetermined": "the object behind `{source}` is undetermined",
            "stands-for-several-classes": "`{type}` stands for any of {found} classes",
            "to-representation-overridden": "`{type}.to_representation` is overridden",
            "to-representation-returns-nothing": "`to_representation` returns nothing",
            "transform-function": "`{member}` is made by a @Transform function",
            "type-and-decorator-disagree": "the type and the decorator of the property disagree",
            "type-is-namespace": "`{type}` is a namespace",
            "type-or-identity-information": (
                "it is written with type or identity information of its own"
            ),
            "type-taken-from-object": "the type of `{name}` is taken from the object",
            "type-wrapper": "`{type}` is written inside a wrapper with its type",
            "unwrapped-property": "an unwrapped property",
            "validator-replaces-null": (
                "the validator `{method}` may put a value in place of null"
            ),
            "value-computed": "the value of `{type}.{member}` is computed",
            "value-not-constant": "the value of `{type}.{member}` is not constant",
            "wrapping-model-serializer": "`{owner}` has a wrapping model serializer",
            "written-by-converter": "`{converter}` writes it",
            "written-by-library": "`{of}` is written by `{type}`, which is in a library",
            "written-by-own-serializer": "`{of}` is written by a serializer of its own",
            "written-by-own-type-adapter": "`{of}` is written by a type adapter of its own",
            "written-by-serializer": "`{of}` is written by the serializer `{serializer}`",
            "written-by-type-adapter": "`{of}` is written by the type adapter `{adapter}`",
            "written-conditionally": "it is written under a condition",
            "written-fields-chosen": "which fields of the model are written, `{chooser}` decides",
            "written-in-some-views": "`{method}` is written in some views only",
            "written-items-undetermined": "which items `{name}` writes is undetermined",
        },
    ),
    Section(
        title="Settings of serializers",
        advice=(
            "set it once, as a constant, in start-up code or a settings file that is part of "
            "the scan"
        ),
        texts={
            "camel-case-setting-not-found": (
                "settings that cannot be seen decide whether names are written in camel case"
            ),
            "changed-by-contract-modifier": (
                "a modifier of the contracts of types may change how it is written"
            ),
            "custom-enum-code": (
                "enums are {verb} by code of the project's own, which is not followed"
            ),
            "enum-formats-differ": "enums are written in different ways",
            "enum-read-by-gson": (
                "Gson reads a text that is no constant of `{type}` as null, and refuses none"
            ),
            "enum-naming-undetermined": "how enums are named is not known",
            "error-object-serialization": (
                "what an Error is written as depends on the error handler"
            ),
            "gson-naming-policy-unknown": (
                "fields are renamed by Gson's policy `{policy}`, which is not known"
            ),
            "json-formatter-settings-not-followed": (
                "the settings of the JSON formatter cannot be followed"
            ),
            "loaded-fields-depend-on-query": (
                "which fields and relations are loaded depends on the query"
            ),
            "naming-policies-differ": "{places} set different naming policies",
            "page-metadata-naming-unknown": (
                "properties of `PageMetadata` are renamed by a strategy that is not known"
            ),
            "serializer-configuration-not-followed": (
                "how the serializer is configured cannot be followed"
            ),
            "serializer-naming-policy-undetermined": (
                "the naming policy of the serializer is undetermined"
            ),
            "serializer-options-not-followed": (
                "the options that are passed to the serializer cannot be followed"
            ),
            "tuple-serialization": "how a tuple is written depends on the serializer",
            "type-naming-strategy-unknown": (
                "properties of `{name}` are renamed by a strategy that is not known"
            ),
        },
    ),
    Section(
        title="Schemas that validators are written with",
        advice="write the schema out with literal names and types where it is declared",
        texts={
            "accepts-any-type": "it may be of any type",
            "construct-not-read": "`{type}` is not read",
            "declared-as-joi-any": "it is declared as Joi.any()",
            "declared-as-typebox-type": "it is declared as Type.{name}()",
            "declared-as-z-any": "it is declared as z.any()",
            "declared-as-z-unknown": "it is declared as z.unknown()",
            "joi-alternatives-undetermined": "the alternatives of a Joi schema are not known",
            "joi-depends-on-field": "what a Joi schema takes depends on another field",
            "joi-items-not-declared": "the items of a Joi array are not declared",
            "joi-keys-changed": "`{name}` changes the keys of a Joi object",
            "joi-keys-not-named": "the keys of a Joi object are not named",
            "joi-keys-undetermined": "the keys of a Joi object are not known",
            "joi-method-not-read": "Joi's `{name}` is not read",
            "joi-options-undetermined": (
                "options that may allow keys which a Joi object does not name are undetermined"
            ),
            "joi-recursive-schema": "a Joi schema that holds itself is not read",
            "joi-schema-construction": "a Joi schema is made in an unusual way",
            "joi-schema-not-found": "a Joi schema is not seen",
            "joi-schema-not-found-because": "a Joi schema is not seen: {reason}",
            "nested-schema-undetermined": "the schema nested in `{name}` is undetermined",
            "object-fields-not-declared": "the fields of the object are not named",
            "only-null-valid": "only null is valid",
            "plucked-field-undetermined": "the field that `{name}` plucks is undetermined",
            "schema-made-by-function": "the schema is made by a function",
            "schema-used-undetermined": "the schema that is used here is undetermined",
            "transform-result-undetermined": "what `{name}` makes of a value is not known",
            "typebox-keys-undetermined": "the keys of TypeBox's `{name}` are not known",
            "typebox-method-not-read": "TypeBox's `{name}` is not read",
            "typebox-properties-undetermined": "the properties of a TypeBox object are not known",
            "typebox-schema-missing": "a TypeBox schema is missing here",
            "typebox-union-undetermined": "the options of a TypeBox union are not known",
            "validator-fields-changed": "`{name}` changes the fields of a validator",
            "validator-method-not-read": "a validator's `{name}` is not read",
            "validator-schema-not-found": "the schema of a validator is not seen",
            "validator-values-not-constant": "the values of a validator are not constants",
            "zod-computed-names": "some fields of a zod object have computed names",
            "zod-enum-no-values": "a zod enum has no values",
            "zod-enum-values-not-constant": "the values of a zod enum are not constants",
            "zod-enum-values-undetermined": "the values of a zod enum are not known",
            "zod-fields-undetermined": "the fields of a zod object are not known",
            "zod-keys-undetermined": "the keys of zod's `{name}` are not known",
            "zod-lazy-schema-undetermined": "what a lazy zod schema gives is not known",
            "zod-literal-not-constant": "a zod literal is not a constant",
            "zod-merge-undetermined": "what is merged into a zod object is not known",
            "zod-method-not-read": "zod's `{name}` is not read",
            "zod-options-spread": "zod options are spread here",
            "zod-preprocess": "what zod's `preprocess` is given may be anything",
            "zod-recursive-schema": "a zod schema that holds itself is not read",
            "zod-schema-construction": "a zod schema is made in an unusual way",
            "zod-schema-missing": "a zod schema is missing here",
            "zod-spread-undetermined": "what is spread into a zod object is not known",
            "zod-table-not-found": "the table of a zod schema is not seen",
            "zod-union-undetermined": "the options of a zod union are not known",
        },
    ),
    Section(
        title="Models, columns and queries",
        advice="declare the type of what the query gives, or name the columns with literals",
        texts={
            "array-items-undetermined": "the items of the array are undetermined",
            "bigint-no-json-form": "a bigint has no JSON form of its own",
            "class-serialization-undetermined": "nothing says how the class `{type}` is written",
            "column-not-found": "`{type}.{name}` is no column that can be seen",
            "column-serialization-undetermined": "how the column is written is not known",
            "column-type-undetermined": "the type of the column is undetermined",
            "column-type-unknown": "the type of the column is not known",
            "columns-undetermined": "which columns `{base_name}` has is not known",
            "computed-by-query": "what the query computes as `{name}`",
            "custom-column-naming": "a naming strategy of the project says how columns are called",
            "database-filled-columns": "the columns that the database fills in",
            "document-path-set-later": "`{member}` is sent only where code or saving has set it",
            "document-path-undetermined": "what a path of documents holds is undetermined",
            "driver-change-result-undetermined": (
                "what the database's driver gives for a change is undetermined"
            ),
            "driver-result-undetermined": "what the database's driver gives is undetermined",
            "drizzle-columns-not-found": "the columns of a Drizzle table are not seen",
            "field-class-serialization-undetermined": (
                "how a field of class `{kind}` is written is not known"
            ),
            "field-not-found": "`{type}.{name}` is no field that can be seen",
            "foreign-key-name-not-declared": (
                "an association adds a foreign key whose name is not written out"
            ),
            "foreign-key-type-not-declared": (
                "the type of the foreign key `{key}` is not written out"
            ),
            "included-rows-undetermined": (
                "which rows of other models the query includes is undetermined"
            ),
            "inserted-row-undetermined": "what is given to insert a row is undetermined",
            "joined-table-undetermined": "a table that is joined is undetermined",
            "key-field-class": "the key is a field of class `{others}`",
            "key-undetermined": "the key of `{base}` is not known",
            "lean-query": "a lean query is written without `toJSON`",
            "library-model-members": "a model also has what its library adds",
            "loaded-columns-depend-on-query": (
                "which columns and relations are loaded depends on the query"
            ),
            "model-method-decides-serialization": "`{method}` of `{owner}` says what is written",
            "model-serialization-changed": "the project changes how this model is written",
            "member-is-private": ("`{member}` is private: who shares the type does not know of it"),
            "mongoose-document-members": "a Mongoose document also has what Mongoose adds",
            "mongoose-lean-undetermined": (
                "whether a query is lean, which is written without `toJSON`, its type does not say"
            ),
            "mongoose-path-of-type": "a path of type `{name}`",
            "mongoose-path-schema-not-found": "a path whose schema is not seen",
            "mongoose-path-type-not-found": "a path whose type is not seen",
            "mongoose-tojson-changed": (
                "a Mongoose document is written by `toJSON`, which the project changes"
            ),
            "mongoose-tojson-not-followed": (
                "what is written by `toJSON` is changed in ways that are not followed"
            ),
            "mongoose-virtual": "`{name}` is a virtual of a Mongoose schema",
            "named-column-type-undetermined": "the type of the column `{name}` is not known",
            "not-a-column": "`{owner}.{member}` is no column",
            "prisma-bigint-no-json-form": "a BigInt has no JSON form of its own",
            "prisma-schema-not-found": "schema.prisma is not part of the scan",
            "query-adds-computed-values": "the query adds what it computes itself",
            "query-column-type-undetermined": "the type of `{entry}` in the query is not known",
            "query-given-whole-value": "a query is given the whole of it",
            "query-selects-columns": "the query chooses what it gives (`select`)",
            "query-selects-not-declared": (
                "what the query selects is not written out where it is made"
            ),
            "query-selects-result": "the query chooses what it gives (`{name}`)",
            "query-step-not-read": "what `{unread}` makes of a query is not read",
            "read-by-getter": "`{name}` is read by a getter",
            "reference-or-document": (
                "a reference is written as an id or as the document it leads to"
            ),
            "related-model-undetermined": "the related model is undetermined",
            "relation-depth-undetermined": "how deep a relation is loaded is not known",
            "relation-sent-where-loaded": "a relation is sent where a query has loaded it",
            "selected-fields-undetermined": "which fields the query selects is undetermined",
            "sequelize-attributes-not-declared": (
                "some attributes of a Sequelize model are not written out"
            ),
            "sequelize-timestamps-undetermined": (
                "whether Sequelize adds time stamps is undetermined"
            ),
            "serialization-undetermined": "how `{kind}` is written is undetermined",
            "serialize-option-decides": "`serialize` says what is written",
            "table-name-not-constant": "the name of a table is not constant",
            "tojson-result-not-visible": "what `toJSON` gives is not seen",
            "type-name-undetermined": "`{type}` is not known",
            "type-undetermined": "the type of `{name}` is undetermined",
            "writes-more-than-columns": "`{owner}` writes more than its columns",
        },
    ),
)
