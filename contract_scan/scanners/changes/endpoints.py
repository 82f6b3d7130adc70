"""What differs between the endpoints of two documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from contract_scan.ir.contract_changes import ChangeSubject
from contract_scan.ir.origin import Origin
from contract_scan.ir.wire_contract import (
    Credential,
    Endpoint,
    Fact,
    SecurityOption,
    WireBody,
    WireContract,
    WireParameter,
    WireResponse,
)
from contract_scan.scanners.changes.found import Findings
from contract_scan.scanners.changes.judgements.judgement import Prefix
from contract_scan.scanners.changes.schemas import Encoding, Pair

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_FORMS = ("application/x-www-form-urlencoded", "multipart/", "text/")
_LISTS = frozenset({"array", "object"})

_Key = tuple[str, str, str]
"""Kind, method, path with the names of its parameters left out."""


def compare_endpoints(base: WireContract, revision: WireContract, findings: Findings) -> None:
    """Compare everything that two documents say of HTTP."""
    _DocumentComparison(base, revision, findings).compare_endpoints()


class _DocumentComparison:
    def __init__(self, base: WireContract, revision: WireContract, findings: Findings) -> None:
        self.base, self.revision, self.findings = base, revision, findings
        self.document = ChangeSubject(contract=base.path)

    def compare_endpoints(self) -> None:
        old = {_key(one): one for one in self.base.endpoints}
        new = {_key(one): one for one in self.revision.endpoints}
        pairs = self._pairs(old, new)
        left = {id(other) for _, other in pairs}
        found = {id(one) for one, _ in pairs}
        for one in old.values():
            if id(one) not in found:
                place = self.revision_place(one, new)
                self._add_finding(f"{one.kind}-removed", one, one.origin, place, before=_name(one))
        for one in new.values():
            if id(one) not in left:
                place = self.base_place(one, old)
                self._add_finding(f"{one.kind}-added", one, place, one.origin, after=_name(one))
        for one, other in pairs:
            _EndpointComparison(one, other, self).compare_parts()
        self._servers()

    def revision_place(self, one: Endpoint, others: Mapping[_Key, Endpoint]) -> Origin:
        """Where the revision would say it: the path if it is still there, else the document."""
        return _origin_of_path(one, others) or Origin(self.revision.path)

    def base_place(self, one: Endpoint, others: Mapping[_Key, Endpoint]) -> Origin:
        """The same in the base."""
        return _origin_of_path(one, others) or Origin(self.base.path)

    def _add_finding(
        self, kind: str, one: Endpoint, base: Origin, revision: Origin, before: str = "",
        after: str = "",
    ) -> None:  # fmt: skip
        subject = replace(self.document, operation=_name(one))
        self.findings.add(kind, "", subject, base, revision, before, after)

    def _pairs(
        self, old: Mapping[_Key, Endpoint], new: Mapping[_Key, Endpoint]
    ) -> list[tuple[Endpoint, Endpoint]]:
        """Endpoints under the same whole path; a base path that moved into the paths, or out of
        them, changes nothing. Otherwise one that changed is said once, for all of them."""
        before = {fact.text for fact in self.base.base_paths}
        after = {fact.text for fact in self.revision.base_paths}
        if before & after or not before or not after:
            return [(one, new[key]) for key, one in old.items() if key in new]
        first, second = min(before), min(after)
        whole = {(kind, method, second + path): one for (kind, method, path), one in new.items()}
        pairs = [
            (one, whole[kind, method, first + path])
            for (kind, method, path), one in old.items()
            if (kind, method, first + path) in whole
        ]
        if pairs:
            return pairs
        self.findings.add(
            "base-path-changed",
            "",
            self.document,
            self.base.base_paths[0].origin,
            self.revision.base_paths[0].origin,
            ", ".join(sorted(before)) or "/",
            ", ".join(sorted(after)) or "/",
        )
        return [(one, new[key]) for key, one in old.items() if key in new]

    def _servers(self) -> None:
        compare_servers(self.base, self.revision, self.findings)


def compare_servers(base: WireContract, revision: WireContract, findings: Findings) -> None:
    """Compare the addresses of servers, where both documents give some."""
    document = ChangeSubject(contract=base.path)
    before = {fact.text: fact for fact in base.servers}
    after = {fact.text: fact for fact in revision.servers}
    if not before or not after:
        return
    there, here = base.servers[0].origin, revision.servers[0].origin
    for text, fact in before.items():
        if text not in after:
            findings.add("server-removed", "", document, fact.origin, here, before=text)
    for text, fact in after.items():
        if text not in before:
            findings.add("server-added", "", document, there, fact.origin, after=text)


class _EndpointComparison:
    """One endpoint, before and after. `outward`: what the API makes itself."""

    def __init__(self, base: Endpoint, revision: Endpoint, document: _DocumentComparison) -> None:
        self.base, self.revision = base, revision
        self.findings = document.findings
        self.subject = replace(document.document, operation=_name(base))
        self.inward: Prefix = "request" if base.incoming else "response"
        self.outward: Prefix = "response" if base.incoming else "request"

    def compare_parts(self) -> None:
        self._lifecycle()
        if self.base.incoming:
            self._security()
        renamed = _renamed_parameters(self.base.path, self.revision.path)
        self._parameters(
            "parameter",
            {_parameter_key(one, renamed): one for one in self.base.parameters},
            {_parameter_key(one, {}): one for one in self.revision.parameters},
            self.inward,
            self.subject,
            (self.base.origin, self.revision.origin),
        )
        self._request_body()
        self._responses()

    def _add_finding(
        self, kind: str, base: Origin, revision: Origin, before: str = "", after: str = ""
    ) -> None:
        self.findings.add(kind, "", self.subject, base, revision, before, after)

    def _lifecycle(self) -> None:
        base, revision = self.base, self.revision
        places = base.deprecated or base.origin, revision.deprecated or revision.origin
        if (base.deprecated is None) != (revision.deprecated is None):
            went = base.deprecated is not None
            self._add_finding("endpoint-reactivated" if went else "endpoint-deprecated", *places)
        old, new = base.sunset, revision.sunset
        if old is not None and new is not None:
            self.findings.add_text("endpoint-sunset-changed", "", self.subject, old, new)
        elif old is not None:
            self._add_finding("endpoint-sunset-removed", old.origin, revision.origin, old.text)
        elif new is not None:
            self._add_finding("endpoint-sunset-added", base.origin, new.origin, "", new.text)
        if base.operation_id is not None:
            given = revision.operation_id or Fact("", revision.origin)
            self.findings.add_text(
                "operation-id-changed", "", self.subject, base.operation_id, given
            )

    # Security

    def _security(self) -> None:
        old, new = self.base.security, self.revision.security
        places = self.base.security_origin, self.revision.security_origin
        if _lets_anybody_in(old) or _lets_anybody_in(new):
            if not _lets_anybody_in(new):
                self._add_finding("security-added", *places, after=_options_text(new))
            elif not _lets_anybody_in(old):
                self._add_finding("security-removed", *places, before=_options_text(old))
            return
        for option in old:
            if any(_is_enough(option, other) for other in new):
                continue
            alike = [other for other in new if _schemes(other) == _schemes(option)]
            if alike:
                more = ", ".join(sorted(_scopes(alike[0]) - _scopes(option)))
                self._add_finding(
                    "security-scope-added", option.origin, alike[0].origin, after=more
                )
            else:
                text = _option_text(option)
                self._add_finding("security-option-removed", option.origin, places[1], before=text)
        for option in new:
            if any(_is_enough(option, other) for other in old):
                continue
            alike = [other for other in old if _schemes(other) == _schemes(option)]
            if alike:
                fewer = ", ".join(sorted(_scopes(alike[0]) - _scopes(option)))
                self._add_finding(
                    "security-scope-removed", alike[0].origin, option.origin, before=fewer
                )
            else:
                text = _option_text(option)
                self._add_finding("security-option-added", places[0], option.origin, after=text)

    # Parameters and headers

    def _parameters(
        self,
        noun: str,
        old: Mapping[tuple[str, str], WireParameter],
        new: Mapping[tuple[str, str], WireParameter],
        prefix: Prefix,
        around: ChangeSubject,
        places: tuple[Origin, Origin],
    ) -> None:
        for key, one in old.items():
            if key not in new:
                need = "required" if one.required else "optional"
                subject = replace(around, part=_part_name(noun, one, around))
                kind = f"{need}-{noun}-removed"
                self.findings.add(kind, prefix, subject, one.origin, places[1], before=one.name)
        for key, other in new.items():
            if key not in old:
                need = "required" if other.required else "optional"
                subject = replace(around, part=_part_name(noun, other, around))
                kind = f"{need}-{noun}-added"
                self.findings.add(kind, prefix, subject, places[0], other.origin, after=other.name)
            else:
                subject = replace(around, part=_part_name(noun, old[key], around))
                self._parameter(noun, old[key], other, prefix, subject)

    def _parameter(
        self,
        noun: str,
        old: WireParameter,
        new: WireParameter,
        prefix: Prefix,
        subject: ChangeSubject,
    ) -> None:
        places = old.origin, new.origin
        if old.required != new.required:
            kind = f"{noun}-became-{'required' if new.required else 'optional'}"
            self.findings.add(kind, prefix, subject, *places)
        if self._is_written_in_parts(old, new):
            kind = f"{noun}-serialization-changed"
            self.findings.add_text(kind, prefix, subject, old.serialization, new.serialization)
        if (old.deprecated is None) != (new.deprecated is None):
            kind = "deprecated" if old.deprecated is None else "no-longer-deprecated"
            there, here = old.deprecated or old.origin, new.deprecated or new.origin
            self.findings.add(kind, prefix, subject, there, here)
        self._sunset(old, new, prefix, subject)
        encoding: Encoding = "json" if "content" in new.serialization.text else "text"
        pair = Pair(old.schema, new.schema)
        self.findings.compare_values(pair, prefix, subject, encoding)

    def _sunset(
        self, old: WireParameter, new: WireParameter, prefix: Prefix, subject: ChangeSubject
    ) -> None:
        before, after = old.sunset, new.sunset
        if before is not None and after is not None:
            self.findings.add_text("sunset-changed", prefix, subject, before, after)
        elif before is not None:
            self.findings.add(
                "sunset-removed", prefix, subject, before.origin, new.origin, before.text
            )
        elif after is not None:
            self.findings.add(
                "sunset-added", prefix, subject, old.origin, after.origin, "", after.text
            )

    def _is_written_in_parts(self, old: WireParameter, new: WireParameter) -> bool:
        """Whether it matters how the parts of a value are written: a single one is what it is."""
        if ("content" in old.serialization.text) != ("content" in new.serialization.text):
            return True
        schemas = self.findings.schemas
        both = (schemas.base[old.schema], schemas.revision[new.schema])
        return all(one.types is None or one.types & _LISTS for one in both)

    # Bodies

    def _request_body(self) -> None:
        base, revision = self.base, self.revision
        subject = replace(self.subject, part="request body")
        there, here = base.body_origin, revision.body_origin
        if there is None and here is None:
            return
        if there is None:
            kind = "required-body-added" if revision.body_required else "optional-body-added"
            self.findings.add(kind, self.inward, subject, base.origin, here or revision.origin)
        elif here is None:
            self.findings.add("body-removed", self.inward, subject, there, revision.origin)
        else:
            if base.body_required != revision.body_required:
                need = "required" if revision.body_required else "optional"
                self.findings.add(f"body-became-{need}", self.inward, subject, there, here)
            self._bodies(base.bodies, revision.bodies, self.inward, subject, (there, here))

    def _bodies(
        self,
        old: Sequence[WireBody],
        new: Sequence[WireBody],
        prefix: Prefix,
        around: ChangeSubject,
        places: tuple[Origin, Origin],
    ) -> None:
        before = {body.media_type: body for body in old}
        after = {body.media_type: body for body in new}
        matched = {name for name in before if name in after}
        for name in matched:
            self._body(before[name], after[name], prefix, around)
        left = [body for name, body in after.items() if name not in matched]
        for name, body in before.items():
            if name in matched:
                continue
            subject = replace(around, part=f"{around.part} ({name})")
            other = next((one for one in after.values() if _covers(one.media_type, name)), None)
            kind = "media-type-widened"
            if other is None:
                other = next((one for one in left if _covers(name, one.media_type)), None)
                kind = "media-type-narrowed"
            if other is None:
                self.findings.add(
                    "media-type-removed", prefix, subject, body.origin, places[1], before=name
                )
                continue
            left = [one for one in left if one is not other]
            self.findings.add(
                kind, prefix, subject, body.origin, other.origin, name, other.media_type
            )
            self._body(body, other, prefix, around)
        for body in left:
            if not any(_covers(name, body.media_type) for name in before):
                subject = replace(around, part=f"{around.part} ({body.media_type})")
                self.findings.add(
                    "media-type-added", prefix, subject, places[0], body.origin,
                    after=body.media_type,
                )  # fmt: skip

    def _body(self, old: WireBody, new: WireBody, prefix: Prefix, around: ChangeSubject) -> None:
        subject = replace(around, part=f"{around.part} ({old.media_type})")
        is_text = old.media_type.startswith(_FORMS)
        pair = Pair(old.schema, new.schema)
        self.findings.compare_values(pair, prefix, subject, "text" if is_text else "json")
        for name in dict.fromkeys((*old.encoding, *new.encoding)):
            before = old.encoding.get(name) or Fact("", old.origin)
            after = new.encoding.get(name) or Fact("", new.origin)
            part = replace(subject, field=name)
            self.findings.add_text("part-encoding-changed", prefix, part, before, after)

    # Responses

    def _responses(self) -> None:
        old = {one.status: one for one in self.base.responses}
        new = {one.status: one for one in self.revision.responses}
        compared: set[str] = set()
        for status, response in old.items():
            other = _response_for(status, new)
            subject = replace(self.subject, part=f"response {status}")
            if other is None:
                self.findings.add(
                    f"{_outcome(status)}-status-removed",
                    self.outward,
                    subject,
                    response.origin,
                    self.revision.origin,
                    before=status,
                )
            else:
                compared.add(other.status)
                self._response(response, other, subject)
        for status, response in new.items():
            if status not in compared and _response_for(status, old) is None:
                subject = replace(self.subject, part=f"response {status}")
                self.findings.add(
                    f"{_outcome(status)}-status-added",
                    self.outward,
                    subject,
                    self.base.origin,
                    response.origin,
                    after=status,
                )

    def _response(self, old: WireResponse, new: WireResponse, subject: ChangeSubject) -> None:
        places = old.origin, new.origin
        self._parameters(
            "header",
            {("header", one.name.lower()): one for one in old.headers},
            {("header", one.name.lower()): one for one in new.headers},
            self.outward,
            subject,
            places,
        )
        if old.bodies and not new.bodies:
            self.findings.add("body-removed", self.outward, subject, *places)
        elif new.bodies and not old.bodies:
            self.findings.add("optional-body-added", self.outward, subject, *places)
        else:
            self._bodies(old.bodies, new.bodies, self.outward, subject, places)


# Private helpers


def _key(endpoint: Endpoint) -> _Key:
    path = endpoint.path
    if endpoint.kind == "endpoint":
        path = _PLACEHOLDER.sub("{}", path if path.startswith("/") else f"/{path}")
    return endpoint.kind, endpoint.method, path


def _name(endpoint: Endpoint) -> str:
    if endpoint.kind == "endpoint":
        return f"{endpoint.method} {endpoint.path}"
    return f"{endpoint.kind} {endpoint.path} {endpoint.method}"


def _origin_of_path(one: Endpoint, others: Mapping[_Key, Endpoint]) -> Origin | None:
    """Where another method of the same path stands."""
    kind, _, path = _key(one)
    return next((o.origin for (k, _, p), o in others.items() if (k, p) == (kind, path)), None)


def _renamed_parameters(base: str, revision: str) -> dict[str, str]:
    """Path parameters of the base → those in the same places in the revision."""
    return dict(zip(_PLACEHOLDER.findall(base), _PLACEHOLDER.findall(revision), strict=False))


def _parameter_key(one: WireParameter, renamed: Mapping[str, str]) -> tuple[str, str]:
    if one.location == "path":
        return one.location, renamed.get(one.name, one.name)
    return one.location, one.name.lower() if one.location == "header" else one.name


def _part_name(noun: str, one: WireParameter, around: ChangeSubject) -> str:
    if noun == "header":
        return f"{around.part} header `{one.name}`"
    return f"{one.location} parameter `{one.name}`"


def _covers(wide: str, narrow: str) -> bool:
    """Whether a range of media types holds another one."""
    if wide == narrow or "*" not in wide:
        return False
    if wide == "*/*":
        return True
    return wide.endswith("/*") and narrow.startswith(wide[:-1])


def _response_for(status: str, others: Mapping[str, WireResponse]) -> WireResponse | None:
    """The response that stands for a status: its own, that of its range, or one of the range."""
    if status in others:
        return others[status]
    ranged = f"{status[:1]}XX"
    if ranged in others:
        return others[ranged]
    if status.endswith("XX"):
        return next((one for key, one in others.items() if key[:1] == status[:1]), None)
    return None


def _outcome(status: str) -> str:
    return "success" if status[:1] in ("1", "2", "3") else "error"


def _lets_anybody_in(options: Sequence[SecurityOption]) -> bool:
    return not options or any(not option.credentials for option in options)


def _schemes(option: SecurityOption) -> frozenset[str]:
    return frozenset(one.scheme for one in option.credentials)


def _scopes(option: SecurityOption) -> frozenset[str]:
    return frozenset(scope for one in option.credentials for scope in one.scopes)


def _is_enough(given: SecurityOption, wanted: SecurityOption) -> bool:
    """Whether whoever has some credentials has all that are wanted."""
    held = {one.scheme: one.scopes for one in given.credentials}
    return all(one.scheme in held and one.scopes <= held[one.scheme] for one in wanted.credentials)


def _credential_text(one: Credential) -> str:
    scopes = f" ({', '.join(sorted(one.scopes))})" if one.scopes else ""
    return one.scheme + scopes


def _option_text(option: SecurityOption) -> str:
    return " and ".join(map(_credential_text, option.credentials))


def _options_text(options: Iterable[SecurityOption]) -> str:
    return " or ".join(map(_option_text, options))
