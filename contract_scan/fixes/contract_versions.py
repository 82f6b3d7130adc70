"""An operation of OpenAPI 3.1 as it is written in the version of a document."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from contract_scan.parsers.contracts.located_tree import Node

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_LARGEST = 20_000
"""Characters of an operation beyond which its schemas want names, which are for people to give."""
_DEEPEST = 60
_FURTHER_VIEW = re.compile(r"_\d+$")
"""How names are told apart that are given twice."""
_REFERENCES = {"2": "#/definitions/", "3": "#/components/schemas/"}


class _ImpossibleError(Exception):
    """The version has no words for it."""


def operation_of(
    operation: dict[str, Any],
    path: str,
    template: str,
    given: Mapping[str, object],
    root: Node,
) -> dict[str, Any] | None:
    """An operation as the document at `root` writes it, below `template`, whose path item holds
    what is `given`. None where its version cannot say it, or only at great length."""
    version = root.text("openapi") or root.text("swagger")
    names = dict(zip(_PLACEHOLDER.findall(path), _PLACEHOLDER.findall(template), strict=True))
    try:
        writer = _Writer(version, root)
        written = writer.swagger(operation) if writer.is_swagger else writer.openapi(operation)
    except _ImpossibleError:
        return None
    already = _path_parameters(given)
    parameters = []
    for parameter in written.pop("parameters", []):
        if parameter["in"] == "path":
            parameter["name"] = names.get(parameter["name"], parameter["name"])
        if (parameter["in"], parameter["name"]) not in already:
            parameters.append(parameter)
    responses = {"responses": written.pop("responses")}
    head = {"operationId": written.pop("operationId")} if "operationId" in written else {}
    found = {**head, **({"parameters": parameters} if parameters else {}), **written, **responses}
    return found if len(json.dumps(found)) <= _LARGEST else None


def _path_parameters(given: Mapping[str, object]) -> set[tuple[object, object]]:
    """The parameters of a whole path."""
    parameters = given.get("parameters")
    if not isinstance(parameters, list):
        return set()
    return {(each.get("in"), each.get("name")) for each in parameters if isinstance(each, dict)}


class _Writer:
    def __init__(self, version: str, root: Node) -> None:
        if not version.startswith(("2.", "3.")):
            raise _ImpossibleError
        self.is_swagger = version.startswith("2.")
        self._has_null = not version.startswith(("2.", "3.0"))
        self._prefix = _REFERENCES[version[0]]
        named = root.resolve_pointer(self._prefix[1:-1])
        self._named = named.value if named is not None and isinstance(named.value, dict) else {}

    def openapi(self, operation: dict[str, Any]) -> dict[str, Any]:
        """For version 3."""
        written = _pick(operation, "operationId")
        if operation.get("parameters"):
            written["parameters"] = [self._parameter(each) for each in operation["parameters"]]
        body = operation.get("requestBody")
        if body is not None:
            written["requestBody"] = {**_pick(body, "required"), "content": self._content(body)}
        written["responses"] = {
            status: {
                "description": _phrase(status),
                **(
                    {"content": self._content(response, is_response=True)}
                    if "content" in response
                    else {}
                ),
            }
            for status, response in operation["responses"].items()
        }
        return written

    def _parameter(self, parameter: dict[str, Any]) -> dict[str, Any]:
        schema = self._schema(parameter)
        if parameter["in"] == "path" and not schema:
            schema = {"type": "string"}  # what a path holds is text
        return {**_pick(parameter, "name", "in", "required"), "schema": schema}

    def _content(self, body: dict[str, Any], *, is_response: bool = False) -> dict[str, Any]:
        content = body["content"].items()
        return {
            kind: {"schema": self._schema(each, is_response=is_response)} for kind, each in content
        }

    def swagger(self, operation: dict[str, Any]) -> dict[str, Any]:
        """For version 2."""
        written = _pick(operation, "operationId")
        parameters = []
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "cookie":
                continue
            schema = self._schema(parameter)
            if not {*schema} <= {"type", "format", "enum", "items", "default"}:
                raise _ImpossibleError
            bare = _pick(parameter, "name", "in", "required")
            parameters.append({**bare, **(schema or {"type": "string"})})
        body = operation.get("requestBody")
        if body is not None:
            required = _pick(body, "required")
            parameters.append(
                {"name": "body", "in": "body", **required, "schema": self._only_schema(body)}
            )
        if parameters:
            written["parameters"] = parameters
        written["responses"] = {
            status: {
                "description": _phrase(status),
                **(
                    {"schema": self._only_schema(response, is_response=True)}
                    if "content" in response
                    else {}
                ),
            }
            for status, response in operation["responses"].items()
        }
        return written

    def _only_schema(self, body: dict[str, Any], *, is_response: bool = False) -> dict[str, Any]:
        """The one schema of a body of JSON."""
        content = body["content"]
        if [*content] != ["application/json"]:
            raise _ImpossibleError
        return self._schema(content["application/json"], is_response=is_response)

    def _schema(self, holder: dict[str, Any], *, is_response: bool = False) -> dict[str, Any]:
        return self._write_schema(holder["schema"], 0, exact=not is_response)

    def _write_schema(self, schema: dict[str, Any], depth: int, *, exact: bool) -> dict[str, Any]:
        """A schema. What is undetermined in the code stays open, and unless it is to be `exact`,
        so does the text or number: that the code happens to send one value is no promise to send
        nothing else."""
        if depth > _DEEPEST:
            raise _ImpossibleError
        if "x-unknown" in schema:
            return {}
        if "$ref" in schema:
            return self._reference(schema["$ref"].rpartition("/")[2])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self._union(key, schema, depth)
        written = {
            key: value
            for key, value in schema.items()
            if not key.startswith("x-") and key not in ("title", "prefixItems")
        }
        if len(written.get("enum", ())) == 1 and "type" in written and not exact:
            del written["enum"]
        if "properties" in written:
            written["properties"] = {
                name: self._write_schema(each, depth + 1, exact=exact)
                for name, each in written["properties"].items()
            }
        if isinstance(written.get("items"), dict):
            open_ = "prefixItems" in schema
            written["items"] = (
                {} if open_ else self._write_schema(written["items"], depth + 1, exact=exact)
            )
        if isinstance(written.get("additionalProperties"), dict):
            further = written["additionalProperties"]
            written["additionalProperties"] = self._write_schema(further, depth + 1, exact=exact)
        if self.is_swagger and "not" in written:
            raise _ImpossibleError
        return self._nullable(self._by_name(schema.get("title", ""), written))

    def _nullable(self, schema: dict[str, Any]) -> dict[str, Any]:
        """`null` among the types, as the version says it."""
        types = schema.get("type")
        if self._has_null:
            return schema
        if types == "null":
            raise _ImpossibleError
        if isinstance(types, list):
            bare = {**schema, "type": types[0]}
            return {**bare, ("x-nullable" if self.is_swagger else "nullable"): True}
        return schema

    def _by_name(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """The document's own schema of the name, where it has the same members of the same
        types."""
        known = self._named.get(name)
        if not isinstance(known, dict) or schema.get("type") != "object":
            return schema
        own, other = schema.get("properties", {}), known.get("properties")
        if not own or not isinstance(other, dict) or own.keys() != other.keys():
            return schema
        if any(_differ(each, other[key]) for key, each in own.items()):
            return schema
        return {"$ref": self._prefix + name}

    def _reference(self, name: str) -> dict[str, Any]:
        """The document's own schema of the name, which may be that of another view of a type
        (what is read of it, what is written)."""
        for each in (name, _FURTHER_VIEW.sub("", name)):
            if each in self._named:
                return {"$ref": self._prefix + each}
        raise _ImpossibleError

    def _union(self, key: str, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        options = [option for option in schema[key] if option != {"type": "null"}]
        nullable = len(options) < len(schema[key])
        if any("x-unknown" in option for option in options):
            return {}
        # What tells options from each other is exact.
        written = [self._write_schema(option, depth + 1, exact=True) for option in options]
        if self._has_null:
            return {key: [*written, *([{"type": "null"}] if nullable else [])]}
        if self.is_swagger and (nullable or len(written) > 1):
            return {}
        if len(written) == 1 and "$ref" not in written[0]:
            return {**written[0], "nullable": True}
        found: dict[str, Any] = {"allOf" if len(written) == 1 else key: written}
        return {**found, "nullable": True} if nullable else found


def _differ(one: object, other: object) -> bool:
    """Whether two schemas say different types."""
    types = [each.get("type") if isinstance(each, dict) else None for each in (one, other)]
    return None not in types and types[0] != types[1]


def _pick(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value[key] for key in keys if key in value}


def _phrase(status: str) -> str:
    """What a status is called."""
    try:
        return HTTPStatus(int(status)).phrase
    except ValueError:
        return "Any other answer" if status == "default" else f"Status {status}"
