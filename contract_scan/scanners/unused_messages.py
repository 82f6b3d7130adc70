"""Which messages of a channel no place is seen to send or take."""

from __future__ import annotations

from collections.abc import Sequence

from contract_scan.ir.document import CodeModel, ContractDocument
from contract_scan.ir.event import EventUse, Message
from contract_scan.ir.schema import Anything, Schema, Unknown
from contract_scan.scanners.alternatives import Alternative, alternatives
from contract_scan.scanners.differences import Comparer
from contract_scan.scanners.differences.names import fold
from contract_scan.scanners.differences.union_members import alternatives as shapes


def unused_messages(
    uses: Sequence[EventUse],
    messages: Sequence[Message],
    others: Sequence[Message],
    contract: ContractDocument,
    code: CodeModel,
    comparer: Comparer,
) -> list[Alternative]:
    """The messages, of several, that what uses carry is not meant for: each use is meant for the
    ones that it fits, else for the one it is most like. `others`: further messages that it may be
    meant for. None where what a use carries is undetermined, or where names tell messages."""
    own = alternatives(messages, contract)
    known = (*own, *alternatives(others, contract))
    carried = [option for use in uses for option in shapes(use.payload, code).options]
    if len(own) < 2 or not carried or any(use.has_wire_name or use.kinds for use in uses):
        return []
    if any(isinstance(option.shape, Unknown | Anything) for option in carried):
        return []
    meant: set[int] = set()
    for option in carried:
        called = {i for i, one in enumerate(known) if fold(option.name) in one.spellings}
        meant |= called or _nearest_alternatives(option.shape, known, comparer)
    return [one for position, one in enumerate(own) if position not in meant]


def _nearest_alternatives(
    carried: Schema, known: Sequence[Alternative], comparer: Comparer
) -> set[int]:
    differing = [
        len(comparer.compare(contract=one.message.payload, code=carried).differences)
        for one in known
    ]
    fitting = {position for position, number in enumerate(differing) if not number}
    return fitting or {differing.index(min(differing))}
