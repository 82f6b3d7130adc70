"""What a route takes and what it sends are compared on their own; this is common to both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec
from msgspec import Struct

from contract_scan.ir.document import CodeModel, ContractDocument
from contract_scan.ir.operation import Body, Operation
from contract_scan.ir.violation import Finding, Kind, RuleId, Severity, Undetermined
from contract_scan.scanners.body_uses import proved_differences, without_settled
from contract_scan.scanners.differences import Comparer, Comparison
from contract_scan.scanners.finding_builder import Subject, findings, undetermined_entries
from contract_scan.scanners.media import is_error, is_json

Said: TypeAlias = Finding | Undetermined


class Comparers(Struct, frozen=True):
    """The comparers of one document and one body of code, by direction."""

    document: ContractDocument
    code: CodeModel
    response: Comparer
    request: Comparer

    lists_errors: bool
    """Whether the document says which errors there are. One that names no error anywhere (a table
    of services, a contract of successes alone) promises nothing of them."""


def comparers(document: ContractDocument, code: CodeModel) -> Comparers:
    """Make the comparers of a document."""
    return Comparers(
        document,
        code,
        Comparer(contract=document, code=code, direction="response"),
        Comparer(contract=document, code=code, direction="request"),
        lists_errors=any(
            (is_error(response.status) and not response.generated)
            or (response.status == "default" and len(operation.responses) > 1)
            for operation in document.operations
            for response in operation.responses
        ),
    )


class Side:
    """One route beside the operation that it implements."""

    def __init__(
        self, contract: Operation, route: Operation, tools: Comparers, rule: RuleId
    ) -> None:
        self.contract, self.route, self.tools, self.rule = contract, route, tools, rule
        self.name = f"`{contract.method} {contract.path}`"

    def compare_body(
        self, subject: Subject, comparer: Comparer, ours: Sequence[Body], theirs: Body
    ) -> Iterator[Said]:
        """The entries on a body of the code that differs from the contract's bodies of one or
        several JSON types; common differences are reported once."""
        subject = msgspec.structs.replace(subject, evidence=theirs.evidence)
        identities: set[tuple[str, ...]] = set()
        for comparison in self._comparisons(subject, comparer, ours, theirs):
            for finding in findings(subject, comparison):
                key = (finding.kind, finding.field, finding.expected, finding.found)
                if key not in identities:
                    identities.add(key)
                    yield finding
            for entry in undetermined_entries(subject, comparison):
                if (entry.field, entry.reason) not in identities:
                    identities.add((entry.field, entry.reason))
                    yield entry

    def _comparisons(
        self, subject: Subject, comparer: Comparer, ours: Sequence[Body], theirs: Body
    ) -> Iterator[Comparison]:
        for body in ours:
            comparison = comparer.compare(contract=body.schema, code=theirs.schema)
            if theirs.uses is None:
                yield comparison
            else:
                yield without_settled(comparison, theirs.uses, subject)
                yield proved_differences(comparer.compare(contract=body.schema, code=theirs.uses))

    def json_types(self, bodies: Sequence[Body], first: Body) -> list[Body]:
        """A JSON body of the contract, and others of further JSON types that the framework reads
        and writes like that one."""
        if not self.route.traits.all_json_types_alike:
            return [first]
        others = (body for body in bodies if body is not first and is_json(body.content_type))
        return [first, *(body for body in others if body.schema != first.schema)]

    def whole(
        self,
        subject: Subject,
        kind: Kind,
        severity: Severity,
        says: str,
        *,
        expected: str = "",
        found: str = "",
        help: str = "",
    ) -> Finding:
        """A finding about the operation as a whole rather than one field."""
        return Finding(
            rule=self.rule,
            kind=kind,
            severity=severity,
            message=f"{self.name} {says}",
            predicate=says,
            origin=subject.code if subject.code.path else subject.contract,
            operation=subject.operation,
            expected=expected,
            found=found,
            contract=subject.contract,
            reached_from=self.route.origin if self.route.origin != subject.code else None,
            help=help,
        )
