"""What went wrong while a contract was read, each thing once."""

from __future__ import annotations

from contract_scan.errors import ContractError
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason
from contract_scan.parsers.contracts.located_tree import Node


class Problems:
    """Collects problems that leave the rest of the contract readable."""

    def __init__(self) -> None:
        self._problems: dict[tuple[str, int, str], NotAnalysed] = {}

    def add(self, node: Node, what: str) -> None:
        """Something is wrong at a place."""
        self.add_problem(
            NotAnalysed(
                path=node.file.path,
                line=node.line,
                reason=Reason("contract-problem", what=what),
                fatal=False,
            )
        )

    def add_error(self, error: ContractError) -> None:
        """An error that concerns one place only."""
        self.add_problem(
            NotAnalysed(path=error.path, line=error.line, reason=error.message, fatal=False)
        )

    def add_problem(self, problem: NotAnalysed) -> None:
        """Keep a problem unless it is known."""
        self._problems.setdefault((problem.path, problem.line, problem.reason), problem)

    def all(self) -> tuple[NotAnalysed, ...]:
        """Every problem, ordered by place."""
        return tuple(
            sorted(self._problems.values(), key=lambda one: (one.path, one.line, one.reason))
        )
