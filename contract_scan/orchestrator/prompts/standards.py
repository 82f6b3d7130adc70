"""Standards that code is written and reviewed by, and whom each concerns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CONTRACT_COMPLIANCE_STANDARDS: Final = """\
## Contract compliance

Contracts are the service tables (`SVC-001` …) of the requirements, and the OpenAPI, AsyncAPI
and JSON Schema documents of the project and of the Contract Engine. Violations are errors and
block.

- CONTRACT-001 (error): what an endpoint sends and accepts has exactly the contracted fields:
  names with their case, types, which of them are required, which may be null, and the
  contracted status codes.
- CONTRACT-002 (error): every contracted endpoint has a route of its method and path.
- CONTRACT-003 (error): what is published and consumed has the payload of its AsyncAPI channel.
- CONTRACT-004 (error): types that implement a shared model agree with its JSON Schema, in every
  service.
"""

INTEGRATION_STANDARDS: Final = """\
## Integration of services

- INT-001: addresses of other services come from environment variables, never from code.
- INT-002: a trace id that comes in with a request goes out with every request that it causes.
- INT-003: an error of another service is caught where it is called, and answered in the error
  format of this service; nothing of the other one's internals leaks.
- INT-004: every service answers `GET /health` with its state.
"""

AGENT_STANDARDS: Final[Mapping[str, tuple[str, ...]]] = {
    "architect": (CONTRACT_COMPLIANCE_STANDARDS,),
    "code-writer": (CONTRACT_COMPLIANCE_STANDARDS, INTEGRATION_STANDARDS),
    "code-reviewer": (CONTRACT_COMPLIANCE_STANDARDS, INTEGRATION_STANDARDS),
    "test-engineer": (),
    "wiring-verifier": (),
}
"""Role -> the standards that concern it."""


def standards_for(role: str) -> str:
    """The standards of a role as one text; empty for a role that has none."""
    return "\n".join(AGENT_STANDARDS.get(role, ()))
