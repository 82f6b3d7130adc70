"""What an interrupted run has read already, so that another one goes on from there.

It lies in the user's cache, sealed with the user's key, in a folder for the file that lists the
repositories. An answer is known by its whole request and by the code that reads, so that nothing of
another version, list or option is taken.
"""

from __future__ import annotations

import msgspec

from contract_scan.cache import Place, open_cache
from contract_scan.fleet.reader_process import ReadAnswer
from contract_scan.fleet.reading import ReadRequest
from contract_scan.parsers.source.version import reader_version
from contract_scan.private_folder import RECORD, PrivateFolder, blake2b


class Journal:
    """Answers by their requests. Where there is no cache, nothing is kept."""

    def __init__(self, file: str, place: Place) -> None:
        """`file` is the absolute path of the list of repositories."""
        self._folder: PrivateFolder | None = open_cache(file, place)

    def answer(self, request: ReadRequest) -> ReadAnswer | None:
        """What came of a request; None where nothing is known."""
        found = self._folder.get(_name(request)) if self._folder is not None else None
        if found is None:
            return None
        try:
            return msgspec.msgpack.decode(found, type=ReadAnswer)
        except msgspec.DecodeError:
            return None

    def keep(self, request: ReadRequest, answer: ReadAnswer) -> None:
        """Keep what came of a request, unless it failed."""
        if self._folder is not None and not answer.failure:
            self._folder.put(_name(request), msgspec.msgpack.encode(answer))

    def clear(self) -> None:
        """Forget everything."""
        if self._folder is not None:
            self._folder.clear()

    def close(self) -> None:
        """Let go of the folder."""
        if self._folder is not None:
            self._folder.close()


def _name(request: ReadRequest) -> str:
    digest = blake2b(reader_version().encode(), digest_size=16)
    digest.update(msgspec.msgpack.encode(request))
    return f"{RECORD}-{digest.hexdigest()}"
