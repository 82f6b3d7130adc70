"""Fields of pydantic's settings: the environment may set each, what is written is the default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contract_scan.parsers.source.analysis.domain.memo import memoised
from contract_scan.parsers.source.analysis.evaluation.setting_defaults import assume_default
from contract_scan.parsers.source.facts.nodes import NamedType

if TYPE_CHECKING:
    from contract_scan.parsers.source.analysis.domain.program import Program
    from contract_scan.parsers.source.analysis.domain.values import ClassSymbol

_BASE = "BaseSettings"


@memoised
def assume_settings(program: Program) -> None:
    """Remember the defaults of all settings classes as texts that stand in."""
    for path in program.files_containing(_BASE.encode()):
        for symbol in program.classes(program.facts(path)):
            if any(_is_settings(one) for one in (symbol, *program.bases(symbol))):
                scope = program.class_scope(symbol)
                for member in symbol.decl.members:
                    if member.value is not None:
                        assume_default(program, program.evaluate(member.value, scope))


def _is_settings(symbol: ClassSymbol) -> bool:
    return any(
        isinstance(base, NamedType) and base.name.rpartition(".")[2] == _BASE
        for base in symbol.decl.bases
    )
