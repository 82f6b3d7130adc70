"""Names on the wire of properties that classes of libraries have."""

from __future__ import annotations

from collections.abc import Callable

from contract_scan.parsers.source.analysis.domain.hooks import TypeUse
from contract_scan.parsers.source.java.serialization.jackson.settings import jackson_settings
from contract_scan.parsers.source.java.serialization.naming import STATED, STRATEGIES


def wire_names(use: TypeUse) -> Callable[[str], str] | None:
    """How the mapper of the code at hand names properties that no annotation names; None where its
    strategy is not known."""
    path = use.scope.file.path
    naming = jackson_settings(use.program, path, use.variant).naming
    if naming.startswith("?"):
        naming = STATED.get(use.program.stated_naming(path), naming)
    return STRATEGIES.get(naming)
