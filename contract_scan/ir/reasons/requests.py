"""Reasons about what handlers read of requests."""

from __future__ import annotations

from contract_scan.ir.reasons.section import Section

SECTIONS = (
    Section(
        title="How handlers read requests",
        advice="declare the type of the body and of the parameters where the handler takes them",
        texts={
            "added-route-unreadable": "what is added here could not be read",
            "attribute-reads-request-itself": "an attribute reads the request itself",
            "body-or-property-undetermined": (
                "`{parameter}` has no `@Body`: it may be the body or a property of it"
            ),
            "body-or-service-undetermined": (
                "whether the class is the body or a service is undetermined"
            ),
            "body-read-as-text": "the body is read as text or bytes",
            "body-reads-undetermined": "what `{function}` reads of the body is undetermined",
            "body-schema-chosen-by-request": (
                "which of several schemas the body is checked by depends on the request"
            ),
            "body-untyped": "the body has no declared type",
            "body-written-in-pieces": "the body is written in several pieces",
            "body-written-piecewise": "the body is written piece by piece",
            "custom-location-not-read": (
                "where the project's own location takes it from is not read"
            ),
            "custom-model-binder": "`{by}` binds it",
            "enum-accepts-tostring": (
                "constants of `{type}` are also taken by their texts (toString)"
            ),
            "file-uploaded": "a file is uploaded",
            "filter-object-in-query": "a filter is an object in the query",
            "form-read-undetermined": (
                "the contract sends a form; where the code reads it is undetermined"
            ),
            "handler-reads-request-itself": "the handler reads the request itself",
            "key-computed": "a key is computed",
            "keys-picked": "`pick` chooses its keys",
            "object-passed-whole": "the code hands the object on as a whole",
            "pagination-not-read": "the pagination cannot be read",
            "paginator-not-read": "the class that pages the response is not read",
            "parameter-not-read": "nothing reads the parameter `{route}`",
            "parameter-part-untyped": "a part of a parameter has no declared type",
            "part-unreadable": "{what} could not be read",
            "query-binding-depends-on-type": (
                "how `{member}` is read from the query depends on its type"
            ),
            "query-object-formats": "an object in the query is written in several ways",
            "query-parameter-untyped": "the query parameter has no declared type",
            "queryset-objects": "objects of a queryset",
            "read-by-binder": "`{simple}` is read by a binder",
            "read-by-converter": "`{type}` is read by a converter",
            "request-body-read-undetermined": (
                "the contract has a request body; where the code reads it is undetermined"
            ),
            "request-body-schema-not-found": "the schema of the request body is not seen",
            "set-beside-spread-body": (
                "the code sets the key in the object that it spreads the body into"
            ),
            "request-body-untyped": "the request body has no declared type",
            "request-matcher-not-followed": "a request matcher could not be followed",
            "request-rerouted": "the request is routed anew",
            "request-validated-by-several-models": (
                "the handler validates the request with several models"
            ),
            "response-declares-no-body": "the response declares no body",
            "result-not-read": "what `{method}` gives is not read",
            "returned-result-unsupported": "what is returned is no result that is read",
            "serializer-input-made-by-view": "the view makes up the serializer's input itself",
            "taken-keys-not-found": "the keys that are taken are not seen",
            "text-not-read": "its text is not read",
            "text-parsing-undetermined": "how `{member}` is read from texts is not known",
            "tree-configuration-not-read": "the configuration of its tree is not read",
            "unwrap-root-name-setting-not-found": (
                "whether the root name of `{type}` stands around the body depends on settings"
                " that are not among the files that were read "
                "(spring.jackson.deserialization.unwrap-root-value)"
            ),
            "view-reads-request-itself": "the view reads the request itself",
            "whole-request": "`{parameter}` is the request as a whole",
        },
    ),
)
