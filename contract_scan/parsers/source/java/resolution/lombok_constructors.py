"""The constructors that Lombok writes: https://projectlombok.org/features/constructor, `@Data`,
`@Value` and `@Builder`."""

from __future__ import annotations

from contract_scan.parsers.source.analysis.domain.program import Program
from contract_scan.parsers.source.analysis.domain.values import ClassSymbol
from contract_scan.parsers.source.facts.nodes import Member
from contract_scan.parsers.source.java.resolution.annotations import has

_NAMED = ("NoArgsConstructor", "RequiredArgsConstructor", "AllArgsConstructor")


def lombok_constructors(_program: Program, symbol: ClassSymbol) -> tuple[tuple[str, ...], ...]:
    """The constructors that no text shows, each as the members that its parameters set, in order.
    None where a class has only those that are written, or the one without parameters that every
    class has."""
    decl = symbol.decl
    annotations = decl.annotations
    if decl.kind != "class":
        return ()
    is_value = has(annotations, "Value")
    fields = [
        member
        for member in decl.members
        if member.kind == "field" and "static" not in member.modifiers
    ]

    def is_final(member: Member) -> bool:
        is_open = has(member.annotations, "NonFinal")
        return "final" in member.modifiers or (is_value and not is_open)

    settable = [one for one in fields if not (is_final(one) and one.value is not None)]
    required = [
        one
        for one in fields
        if one.value is None and (is_final(one) or has(one.annotations, "NonNull"))
    ]
    every = tuple(member.name for member in settable)
    found: list[tuple[str, ...]] = []
    if has(annotations, "NoArgsConstructor"):
        found.append(())
    if has(annotations, "RequiredArgsConstructor"):
        found.append(tuple(member.name for member in required))
    if has(annotations, "AllArgsConstructor"):
        found.append(every)
    is_written = any("constructor" in method.modifiers for method in decl.methods)
    if not is_written and not has(annotations, *_NAMED):
        if is_value or has(annotations, "Builder"):
            found.append(every)
        elif has(annotations, "Data"):
            found.append(tuple(member.name for member in required))
    return tuple(dict.fromkeys(found))
