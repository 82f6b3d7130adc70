"""Changes that somebody accepted, listed in a file that is committed beside the contract.

One on a line: an id (`*` stands for any letters), and after a blank the promise that it is accepted
in, as reports show it; without one, it is accepted everywhere. `#` begins a comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.errors import ConfigurationError
from contract_scan.ir.contract_changes import ChangeSubject, ContractChange
from contract_scan.ir.document import NotAnalysed
from contract_scan.ir.reasons import Reason
from contract_scan.regular_file import read_regular

_LARGEST = 1_000_000


class AcceptedChange(Struct, frozen=True):
    """One line of the file."""

    id: str
    place: str
    """Empty: everywhere."""
    line: int

    def covers(self, change: ContractChange, subject: ChangeSubject) -> bool:
        """Whether a change is accepted in a promise."""
        return fnmatchcase(change.id, self.id) and self.place in ("", subject.place)


class UnacceptedChanges(Struct, frozen=True):
    """The changes that are left, and the lines of the file that fit none."""

    changes: list[ContractChange]
    problems: tuple[NotAnalysed, ...]


def read_accepted(file: Path) -> tuple[AcceptedChange, ...]:
    """The lines of a file. Raises ConfigurationError where it cannot be read."""
    try:
        content = read_regular(file, _LARGEST + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise ConfigurationError(f"cannot be read: {error.strerror}", str(file)) from None
    except UnicodeDecodeError:
        raise ConfigurationError("holds bytes that are not UTF-8", str(file)) from None
    if len(content) > _LARGEST:
        raise ConfigurationError(f"is larger than {_LARGEST // 1_000_000} MB", str(file))
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if words and not words.startswith("#"):
            identity, _, place = words.partition(" ")
            found.append(AcceptedChange(identity, place.strip(), number))
    return tuple(found)


def without_accepted(
    changes: Iterable[ContractChange], accepted: Sequence[AcceptedChange], file: str
) -> UnacceptedChanges:
    """Leave out what is accepted. A line that fits no change any more is said, since it would hide
    the next one."""
    left: list[ContractChange] = []
    used: set[AcceptedChange] = set()
    for change in changes:
        remaining = []
        for subject in change.subjects:
            covering = [one for one in accepted if one.covers(change, subject)]
            used.update(covering)
            if not covering:
                remaining.append(subject)
        if remaining:
            left.append(replace(change, subjects=tuple(remaining)))
    problems = tuple(
        NotAnalysed(
            path=file,
            line=one.line,
            reason=Reason("accepts-no-change", id=one.id),
            fatal=False,
            expected=True,
        )
        for one in accepted
        if one not in used
    )
    return UnacceptedChanges(left, problems)
