"""How the schema languages differ: one value for each dialect."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Dialect(Struct, frozen=True, kw_only=True):
    """What a schema keyword means in one version of one specification."""

    name: str
    nullable_keyword: Literal["nullable", "x-nullable", ""] = ""
    """The keyword that adds null, where the dialect has one."""
    sibling_keywords: bool = False
    """Keywords beside a `$ref` count."""
    null_sayable: bool = True
    """False: there is no standard way to allow null, so leaving it out promises nothing."""


OPENAPI_2 = Dialect(name="OpenAPI 2.0", nullable_keyword="x-nullable", null_sayable=False)
OPENAPI_2_WITH_NULL = Dialect(name="OpenAPI 2.0", nullable_keyword="x-nullable")
"""A document that uses `x-nullable`: where it does not, null is not meant."""
OPENAPI_3_0 = Dialect(name="OpenAPI 3.0", nullable_keyword="nullable")
OPENAPI_3_1 = Dialect(name="OpenAPI 3.1", sibling_keywords=True)
JSON_SCHEMA_OLD = Dialect(name="JSON Schema draft 4 to 7")
JSON_SCHEMA_NEW = Dialect(name="JSON Schema 2019-09 and later", sibling_keywords=True)
ASYNCAPI = Dialect(name="AsyncAPI schema object")

_OLD_DRAFTS = ("draft-03", "draft-04", "draft-05", "draft-06", "draft-07")


def dialect_of_schema_uri(uri: str, default: Dialect) -> Dialect:
    """The dialect that `$schema` (or `jsonSchemaDialect`) names; the default where unknown."""
    if any(draft in uri for draft in _OLD_DRAFTS):
        return JSON_SCHEMA_OLD
    if "draft/2019-09" in uri or "draft/2020-12" in uri or "draft/next" in uri:
        return JSON_SCHEMA_NEW
    if "spec.openapis.org/oas/3." in uri:
        return OPENAPI_3_1
    return default


def dialect_of_schema_format(schema_format: str) -> Dialect | None:
    """The dialect that AsyncAPI's `schemaFormat` names; None for one that is not read."""
    media_type = schema_format.partition(";")[0].strip().lower()
    if not media_type or media_type.startswith("application/vnd.aai.asyncapi"):
        return ASYNCAPI
    if media_type.startswith("application/schema+"):
        return dialect_of_schema_uri(schema_format.replace("version=", "/"), JSON_SCHEMA_OLD)
    if media_type.startswith("application/vnd.oai.openapi"):
        return OPENAPI_3_1 if "version=3.1" in schema_format else OPENAPI_3_0
    return None
