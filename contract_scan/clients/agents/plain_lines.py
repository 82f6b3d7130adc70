"""Lines of an agent that prints text for people: all of it is what the agent says.

Aider names each file that it has edited, but not whether the file is new; the files themselves
tell that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from contract_scan.clients.agents.events import Event, FileWritten, TextWritten

_EDITED: Final = "Applied edit to "


class PlainLines:
    """Reads the lines of one run."""

    def read(self, line: bytes) -> Iterator[Event]:
        """The events that a line tells of."""
        text = line.decode("utf-8", "replace").rstrip()
        yield TextWritten(text)
        if text.startswith(_EDITED):
            yield FileWritten(text.removeprefix(_EDITED), created=False)
