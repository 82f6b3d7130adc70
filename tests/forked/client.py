"""Has a process forked that gets the streams, the folder and the environment of this one; hands
signals on to it, and ends as it does. Imports only what is built into Python, since starting is
all that it costs."""

import _signal  # type: ignore[import-not-found]
import _socket
import posix
import sys
from types import FrameType

PACKET = 60_000
STATUS = 8
HANDED_ON = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM, _signal.SIGUSR1, _signal.SIGUSR2)
LOST = 70
"""The status where the server that forks is gone."""


def main() -> int:
    """Ask for the process, and wait for its end."""
    server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    try:
        ask(server)
    except OSError as error:
        posix.write(2, f"the process that tests fork from has ended: {error}\n".encode())
        return LOST
    nowhere = posix.open("/dev/null", posix.O_RDWR)
    for number in (0, 1, 2):  # whoever reads them sees the end when the process closes them
        posix.dup2(nowhere, number)
    try:
        answer = server.recv(STATUS)
    except OSError:
        answer = b""
    status = int.from_bytes(answer, "big", signed=True) if answer else LOST
    if status < 0:
        _signal.signal(-status, _signal.SIG_DFL)
        posix.kill(posix.getpid(), -status)
    return status


def ask(server: "_socket.socket") -> None:
    """Say what the process is to do, and hand over what it is to have."""
    server.connect(sys.argv[1])

    def hand_on(number: int, _frame: FrameType | None) -> None:
        server.send(bytes([number]))

    for number in HANDED_ON:
        _signal.signal(number, hand_on)
    here = posix.open(".", posix.O_RDONLY | posix.O_DIRECTORY)
    words = [word.encode("utf-8", "surrogateescape") for word in sys.argv[2:]]
    variables = [name + b"=" + value for name, value in posix.environ.items()]
    question = b"\0".join([str(len(words)).encode(), *words, *variables])
    files = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2, here))
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)]
    server.sendmsg([len(question).to_bytes(8, "big")], rights)
    for start in range(0, len(question), PACKET):
        server.send(question[start : start + PACKET])


if __name__ == "__main__":
    posix._exit(main())
