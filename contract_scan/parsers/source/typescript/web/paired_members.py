"""Status and body that are members of one object: which goes with which.

    const answer: any = {};
    try { answer.body = await run(); answer.status = 200; }
    catch (error) { answer.body = { error }; answer.status = 400; }

What such an object holds under a key is one of several values, and which of them were set together
is not told: each status with each body would be more than is ever sent.
"""

from __future__ import annotations

from contract_scan.ir.reasons import Reason
from contract_scan.ir.schema import Unknown
from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import OneOf, Scope
from contract_scan.parsers.source.facts.nodes import Attribute, Expr, Name

UNPAIRED = Unknown(reason=Reason("content-of-status-undetermined"))


def are_unpaired(program: Program, one: Expr, other: Expr, scope: Scope) -> bool:
    """Whether two expressions read members of one object which are each one of several values."""
    match one, other:
        case Attribute(value=Name(id=left)), Attribute(value=Name(id=right)) if left == right:
            values = [program.evaluate(expr, scope) for expr in (one, other)]
            return all(isinstance(value, OneOf) for value in values)
        case _:
            return False
