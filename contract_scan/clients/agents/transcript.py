"""What is left to know of a run of an agent, gathered from its events."""

from __future__ import annotations

from contract_scan.clients.agents.events import (
    Event,
    FileWritten,
    TextWritten,
    TurnEnded,
    Unreadable,
)


class Transcript:
    """Gathers the events of one run of one agent, or of one of its workers."""

    def __init__(self) -> None:
        self.total_cost_usd = 0.0
        self.turns = 0
        """Turns that have ended."""
        self.unreadable = 0
        """Lines that were not understood."""
        self.files: dict[str, bool] = {}
        """Path, as the agent names it -> whether the agent made the file."""
        self._texts: list[str] = []
        self._result = ""
        self._error = ""

    def add(self, event: Event) -> None:
        """Take an event into account."""
        match event:
            case FileWritten():
                self.files.setdefault(event.path, event.created)
            case TextWritten():
                self._texts.append(event.text)
            case TurnEnded():
                self.turns += 1
                # Turns tell what the whole run has cost, and may come out of order.
                self.total_cost_usd = max(self.total_cost_usd, event.total_cost_usd)
                self._result, self._error = event.text, event.error
            case Unreadable():
                self.unreadable += 1

    @property
    def text(self) -> str:
        """What the agent said at the end of its last turn; of one that tells no turns, all.

        A turn that a hook has kept from ending too often ends without a text; then it is the last
        one that was written.
        """
        if self.turns:
            return self._result or (self._texts[-1] if self._texts else "")
        return "\n".join(self._texts)

    @property
    def error(self) -> str:
        """Why its last turn failed; empty where it did not."""
        return self._error
