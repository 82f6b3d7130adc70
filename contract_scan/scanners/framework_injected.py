"""What generators of contracts write down for what the framework itself hands to a handler.

springfox and swagger-core know nothing of `Principal principal` or `@Auth Account account` beside
the parameters of a request: they make a body of it, or a parameter of each of its getters.
"""

from __future__ import annotations

from typing import Final

from contract_scan.ir.operation import Body, Operation, Parameter

_GETTERS: Final = {
    "Principal": frozenset({"name"}),
    "Authentication": frozenset(
        {
            *("authenticated", "authorities[0].authority", "credentials", "details", "name"),
            "principal",
        }
    ),
}
"""Getters of types that no code of a project shows."""


def bodies_meant(contract: Operation, route: Operation) -> tuple[Body, ...]:
    """The bodies of a contract that clients send."""
    return tuple(b for b in contract.request if b.type_name not in route.framework_injected)


def is_filled_in(parameter: Parameter, route: Operation) -> bool:
    """Whether a parameter of a contract is a getter of what the framework fills in."""
    return any(parameter.name in _GETTERS.get(name, ()) for name in route.framework_injected)
