"""What generated tests send and expect: one plan for every framework, as plain JSON values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from contract_scan.conformance.values import Case, validate_values
from contract_scan.generated_tests.values import (
    UNIQUE,
    as_key,
    kind_of,
    merge_schema,
    valid_value,
    variants,
)
from contract_scan.parsers.contracts.exchanges import (
    Exchange,
    HttpContract,
    InputParameter,
    Media,
    is_json,
)

MOST_NEGATIVE = 80
"""Negative cases for one operation."""
TIMEOUT = 60.0
"""Seconds in which all proposed values have to be validated."""
_ORDER = ("POST", "GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
"""What creates comes first, what removes comes last."""
_FORM = "application/x-www-form-urlencoded"
_PARAMETER = re.compile(r"\{([^{}/]*)\}")
_NOT_A_WORD = re.compile(r"[^A-Za-z0-9]+")
_MISSING = {
    "integer": 999_999_999,
    "number": 999_999_999,
    "uuid": "00000000-0000-4000-8000-00000000dead",
    "string": "does-not-exist",
}


def plan(contract: HttpContract, *, include_negative: bool) -> list[dict[str, Any]]:
    """The operations with their cases, in the order in which they are to run.

    Every value was validated: positive cases send what the contract allows, negative ones what it
    forbids. Raises `ContractError` where validating takes too long.
    """
    exchanges = sorted(
        (one for one in contract.exchanges if one.method in _ORDER),
        key=lambda one: _ORDER.index(one.method),
    )
    names = _names(exchanges)
    planner = _Planner(contract, exchanges, names)
    proposed = [planner.operation(one, include_negative) for one in exchanges]
    _keep_what_holds(proposed, contract)
    return proposed


class _Planner:
    def __init__(
        self, contract: HttpContract, exchanges: Sequence[Exchange], names: Sequence[str]
    ) -> None:
        self.definitions: Mapping[str, Any] = contract.request_definitions
        self.responses: Mapping[str, Any] = contract.response_definitions
        self.exchanges = exchanges
        self.names = dict(zip(map(id, exchanges), names, strict=True))

    def operation(self, exchange: Exchange, include_negative: bool) -> dict[str, Any]:
        """One operation; its cases still hold what has to be validated."""
        bindings = self._bindings(exchange)
        bound = {one["parameter"] for one in bindings}
        return {
            "name": self.names[id(exchange)],
            "method": exchange.method,
            "path": exchange.path,
            "bindings": bindings,
            "credentials": [
                {"scheme": one.scheme, "location": one.location, "name": one.name}
                for one in exchange.credentials
            ],
            "responses": {one.status: _response(one) for one in exchange.responses},
            "cases": [*self._cases(exchange, bound, include_negative)],
        }

    # Where the values of path parameters come from

    def _bindings(self, exchange: Exchange) -> list[dict[str, str]]:
        """What has to be created first: for each parameter the operation that gives its value."""
        found: list[dict[str, str]] = []
        for match in _PARAMETER.finditer(exchange.path):
            parent = exchange.path[: match.start()].rstrip("/")
            creator = next(
                (one for one in self.exchanges if one.method == "POST" and one.path == parent),
                None,
            )
            field = self._field(creator, match[1]) if creator is not None else ""
            if creator is None or not field:
                return found
            name = self.names[id(creator)]
            found.append({"parameter": match[1], "operation": name, "field": field})
        return found

    def _field(self, creator: Exchange, parameter: str) -> str:
        """The property of what a creating operation answers that a parameter stands for."""
        for response in creator.responses:
            body = _json_body(response.bodies) if response.status.startswith("2") else None
            if body is None or not isinstance(body.schema, dict):
                continue
            known = merge_schema(body.schema, self.responses).get("properties", {})
            wanted = (parameter, _NOT_A_WORD.sub("", parameter).lower(), "id")
            for name in wanted:
                for each in known:
                    if each == name or _NOT_A_WORD.sub("", each).lower() == name:
                        return str(each)
        return ""

    # Cases

    def _cases(
        self, exchange: Exchange, bound: set[str], include_negative: bool
    ) -> Iterator[dict[str, Any]]:
        media = _media(exchange)
        reason = self._unsendable(exchange, media)
        if reason:
            yield {"name": "not_sent", "kind": "skipped", "reason": reason}
            return
        certain = all(
            one.examples or one.name in bound
            for one in exchange.parameters
            if one.location == "path"
        )
        base = self._request(exchange, media, bound, whole=False)
        base["kind"] = "positive" if certain else "positive_or_missing"
        yield {**base, "name": "required_only"}
        whole = self._request(exchange, media, bound, whole=True)
        if _request_key(whole) != _request_key(base):
            yield {**whole, "name": "everything", "kind": base["kind"]}
        for number, example in enumerate(media.examples if media is not None else (), 1):
            case = {**base, "name": f"example_{number}", "body": example, "optional": True}
            yield {**case, "check": [[_schema(media), example, True]]}
        if include_negative:
            yield from self._negative(exchange, media, whole)

    def _unsendable(self, exchange: Exchange, media: Media | None) -> str:
        if exchange.body_required and media is None and exchange.bodies:
            types = ", ".join(one.content_type for one in exchange.bodies)
            return f"bodies of the type {types} are not generated"
        for one in exchange.parameters:
            if one.required and not self._is_sendable(one):
                return f"objects in the {one.location} are not generated"
        return ""

    def _is_sendable(self, parameter: InputParameter) -> bool:
        if parameter.is_json:
            return True
        schema = parameter.schema
        kind = (
            kind_of(merge_schema(schema, self.definitions))
            if isinstance(schema, dict)
            else "string"
        )
        return kind != "object"

    def _request(
        self, exchange: Exchange, media: Media | None, bound: set[str], *, whole: bool
    ) -> dict[str, Any]:
        case: dict[str, Any] = {
            "path": {},
            "query": [],
            "headers": {},
            "cookies": {},
            "check": [],
        }
        for one in exchange.parameters:
            wanted = one.required or (whole and self._is_sendable(one))
            if not wanted or (one.name in bound and one.location == "path"):
                continue
            value = self._value(one)
            case["check"].append([one.schema, value, True])
            _set_parameter(case, one, value)
        if media is not None and (whole or exchange.body_required):
            unique = exchange.method == "POST"
            body = valid_value(_schema(media), self.definitions, whole=whole, unique=unique)
            case["check"].append([_schema(media), body, True])
            case |= {"type": media.content_type, "body": body}
        return case

    def _value(self, parameter: InputParameter) -> Any:
        if parameter.examples:
            return parameter.examples[0]
        return valid_value(parameter.schema, self.definitions, whole=True)

    def _negative(
        self, exchange: Exchange, media: Media | None, whole: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        fine = {**whole, "optional": True}
        if media is not None:
            schema, body = _schema(media), whole["body"]
            for words, spoilt in variants(body, schema, self.definitions):
                name = f"body_{_word(words)}"
                check = [*whole["check"], [schema, spoilt, False]]
                if media.content_type == _FORM and not _is_flat(spoilt):
                    continue
                yield {**fine, "name": name, "kind": "negative", "body": spoilt, "check": check}
            if exchange.body_required and "body" in whole:
                rest = {word: given for word, given in fine.items() if word != "body"}
                yield {**rest, "name": "no_body", "kind": "negative"}
        for parameter in exchange.parameters:
            yield from self._negative_parameter(parameter, fine)
        for credential in exchange.credentials[:1]:
            if {"401", "403", "4XX"} & {one.status for one in exchange.responses}:
                name = f"without_{_word(credential.scheme)}"
                yield {**fine, "name": name, "kind": "unauthenticated"}
        if "404" in {one.status for one in exchange.responses} and "{" in exchange.path:
            yield from self._not_found(exchange, fine)

    def _negative_parameter(
        self, parameter: InputParameter, fine: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        place = f"{parameter.location}_{_word(parameter.name)}"
        if parameter.required and parameter.location in ("query", "header", "cookie"):
            without = _without_parameter(fine, parameter)
            yield {**without, "name": f"{place}_missing", "kind": "negative"}
        if not isinstance(parameter.schema, dict) or parameter.is_json:
            return
        schema = merge_schema(parameter.schema, self.definitions)
        kind = kind_of(schema)
        if kind in ("array", "object"):
            return
        value = self._value(parameter)
        for words, spoilt in variants(value, parameter.schema, self.definitions):
            text_is_fine = kind == "string" and not isinstance(spoilt, str)
            if spoilt is None or isinstance(spoilt, (dict, list)) or text_is_fine:
                continue  # whatever stands in an address is text
            if parameter.location == "path" and spoilt == "":
                continue
            if parameter.location in ("header", "cookie") and not str(spoilt).isascii():
                continue
            case = {
                **_without_parameter(fine, parameter),
                "name": f"{place}_{_word(words)}",
                "kind": "negative",
                "check": [*fine["check"], [parameter.schema, spoilt, False]],
            }
            _set_parameter(case, parameter, spoilt)
            yield case

    def _not_found(self, exchange: Exchange, fine: dict[str, Any]) -> Iterator[dict[str, Any]]:
        last = _PARAMETER.findall(exchange.path)[-1]
        parameter = next(
            (one for one in exchange.parameters if one.location == "path" and one.name == last),
            None,
        )
        if parameter is None or not isinstance(parameter.schema, dict):
            return
        schema = merge_schema(parameter.schema, self.definitions)
        value = _MISSING.get(str(schema.get("format"))) or _MISSING.get(kind_of(schema))
        case = {**fine, "name": "unknown_" + _word(last), "kind": "not_found"}
        case["path"] = {**fine["path"], last: str(value)}
        yield {**case, "check": [*fine["check"], [parameter.schema, value, True]]}


def _keep_what_holds(operations: list[dict[str, Any]], contract: HttpContract) -> None:
    """Drop cases whose values are not what they are meant to be, and the notes for the check."""
    checks = [
        (operation, case, check)
        for operation in operations
        for case in operation["cases"]
        for check in case.get("check", ())
    ]
    table = {"request": contract.request_definitions}
    values = [Case("request", check[0], _at_run_time(check[1])) for _, _, check in checks]
    wrong: dict[int, str] = {}
    for (_, case, check), found in zip(
        checks, validate_values(values, table, timeout=TIMEOUT), strict=True
    ):
        if found is None:
            wrong[id(case)] = "its schema cannot be applied"
        elif bool(found) is check[2]:
            wrong[id(case)] = "no value was found that its schema allows"
    for operation in operations:
        remaining: list[dict[str, Any]] = []
        seen: set[str] = set()
        for case in operation["cases"]:
            reason = wrong.get(id(case), "")
            if reason and not case.get("optional"):
                case = {"name": case["name"], "kind": "skipped", "reason": reason}
            elif reason or _request_key(case) in seen:
                continue
            seen.add(_request_key(case))
            remaining.append({w: g for w, g in case.items() if w not in ("check", "optional")})
        negative = [one for one in remaining if one["kind"] == "negative"][MOST_NEGATIVE:]
        operation["cases"] = _with_unique_names([one for one in remaining if one not in negative])


def _at_run_time(value: Any) -> Any:
    """A value as it is when a test runs."""
    if isinstance(value, str):
        return value.replace(UNIQUE, "0")
    if isinstance(value, list):
        return [_at_run_time(one) for one in value]
    if isinstance(value, dict):
        return {name: _at_run_time(one) for name, one in value.items()}
    return value


def _with_unique_names(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cases, each with a name that no other has."""
    used: set[str] = set()
    for case in cases:
        base, number = case["name"], 2
        while case["name"] in used:
            case["name"], number = f"{base}_{number}", number + 1
        used.add(case["name"])
    return cases


def _names(exchanges: Sequence[Exchange]) -> list[str]:
    names: list[str] = []
    for one in exchanges:
        base = f"{one.method.lower()}_{_word(one.path) or 'root'}"
        name, number = base, 2
        while name in names:
            name, number = f"{base}_{number}", number + 1
        names.append(name)
    return names


def _word(text: str) -> str:
    """Text of a contract as part of a name: ASCII letters, digits and `_`, nothing else."""
    return _NOT_A_WORD.sub("_", text).strip("_").lower()[:60]


def _media(exchange: Exchange) -> Media | None:
    """The body that is sent: JSON, else a form of plain values."""
    if exchange.method in ("GET", "HEAD"):
        return None
    json_body = _json_body(exchange.bodies)
    if json_body is not None:
        return json_body
    return next((one for one in exchange.bodies if one.content_type == _FORM), None)


def _json_body(bodies: Sequence[Media]) -> Media | None:
    return next((one for one in bodies if is_json(one.content_type)), None)


def _schema(media: Media | None) -> Any:
    return True if media is None or media.schema is None else media.schema


def _response(response: Any) -> dict[str, Any]:
    body = _json_body(response.bodies)
    headers = {
        one.name: {"required": one.required, "schema": one.schema} for one in response.headers
    }
    return {
        "types": [one.content_type for one in response.bodies],
        "schema": body.schema if body is not None else None,
        "headers": headers,
    }


def _request_key(case: dict[str, Any]) -> str:
    words = ("kind", "path", "query", "headers", "cookies", "type", "body")
    return as_key({word: case[word] for word in words if word in case and word != "kind"}) + (
        "" if case.get("kind") != "unauthenticated" else "unauthenticated"
    )


def _is_flat(value: Any) -> bool:
    return isinstance(value, dict) and not any(
        one is None or isinstance(one, (dict, list)) for one in value.values()
    )


def _without_parameter(case: dict[str, Any], parameter: InputParameter) -> dict[str, Any]:
    name = parameter.name
    return {
        **case,
        "path": dict(case["path"]),
        "query": [
            pair for pair in case["query"] if parameter.location != "query" or pair[0] != name
        ],
        "headers": {
            key: given
            for key, given in case["headers"].items()
            if parameter.location != "header" or key != name
        },
        "cookies": {
            key: given
            for key, given in case["cookies"].items()
            if parameter.location != "cookie" or key != name
        },
    }


def _set_parameter(case: dict[str, Any], parameter: InputParameter, value: Any) -> None:
    """Put the value of a parameter where it is sent, as text."""
    name = parameter.name
    if parameter.location == "query":
        if isinstance(value, list) and parameter.explode and not parameter.is_json:
            case["query"] = [*case["query"], *([name, _as_text(one, False)] for one in value)]
        else:
            case["query"] = [*case["query"], [name, _as_text(value, parameter.is_json)]]
        return
    word = {"path": "path", "header": "headers", "cookie": "cookies"}[parameter.location]
    case[word] = {**case[word], name: _as_text(value, parameter.is_json)}


def _as_text(value: Any, as_json: bool) -> str:
    if as_json:
        return as_key(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(_as_text(one, False) for one in value)
    return str(value)
