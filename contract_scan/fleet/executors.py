"""Where repositories are read: executors by name.

An executor is opened by its name and what stands behind a colon (`dask:tcp://host:8786`). Another
package adds one by an entry point of the group `contract_scan.executors` that leads to a function
such as those here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from contract_scan.errors import ContractScanError, UsageError

if TYPE_CHECKING:
    from distributed import Client

GROUP: Final = "contract_scan.executors"
"""The group of entry points."""
CONNECTING: Final = 5.0
"""Seconds in which a scheduler answers, and has a worker."""
_LOST_AFTER: Final = 20.0
"""Seconds after which a scheduler that is gone is not waited for any more."""


class ExecutorLostError(ContractScanError):
    """What runs the work is gone, and will not come back."""


class OpenExecutor(Struct, frozen=True):
    """An executor at work."""

    executor: Executor
    width: int
    """How many repositories it reads at a time."""
    require_running: Callable[[], None]
    """Raises ExecutorLostError where nothing will be read any more."""


Opener: TypeAlias = Callable[[str, int], AbstractContextManager[OpenExecutor]]
"""(what stands behind the colon, the number of jobs asked for) -> the executor. Raises UsageError
where it cannot be opened."""


def open_executor(written: str, jobs: int) -> AbstractContextManager[OpenExecutor]:
    """The executor that is written `NAME` or `NAME:ADDRESS`.

    Raises UsageError for an unknown name.
    """
    name, _, address = written.partition(":")
    opener = EXECUTORS.get(name) or _from_entry_point(name)
    if opener is None:
        known = ", ".join(sorted((*EXECUTORS, *_entry_points())))
        raise UsageError(f"unknown executor `{name}`; known are {known}")
    return opener(address, jobs)


def _entry_points() -> list[str]:
    from importlib.metadata import entry_points

    return [point.name for point in entry_points(group=GROUP)]


def _from_entry_point(name: str) -> Opener | None:
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP, name=name)
    opener: Opener | None = next((point.load() for point in found), None)
    return opener


@contextmanager
def _processes(address: str, jobs: int) -> Iterator[OpenExecutor]:
    """Processes of this machine: each thread here waits for one of them."""
    if address:
        raise UsageError(f"`processes` takes no address; write --jobs {address}")
    from contract_scan.fleet.reader_process import end_readers

    with ThreadPoolExecutor(jobs, thread_name_prefix="fleet") as threads:
        try:
            yield OpenExecutor(threads, jobs, lambda: None)
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            end_readers()


@contextmanager
def _dask(address: str, jobs: int) -> Iterator[OpenExecutor]:
    """The workers of a Dask cluster. They see the repositories under the same paths."""
    if not address:
        raise UsageError("`dask` needs the address of a scheduler: --executor dask:HOST:8786")
    client = _connect(address)
    try:
        width = sum(client.nthreads().values())
        with client.get_executor(pure=False) as executor:
            try:
                yield OpenExecutor(executor, width, _Watch(client, address).require_running)
            except BaseException:
                executor.shutdown(wait=False)
                raise
    finally:
        client.close(timeout=CONNECTING)


def _connect(address: str) -> Client:
    import logging

    try:
        from distributed import Client
    except ImportError:
        message = "the executor `dask` needs an extra: pip install 'contract-scan[dask]'"
        raise UsageError(message) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are said in one line here
    try:
        client = Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        said = str(error).partition("\n")[0]
        message = f"no Dask scheduler answers at {address} ({said or type(error).__name__})"
        raise UsageError(f"{message}; start one with `dask scheduler`") from None
    try:
        client.wait_for_workers(1, timeout=CONNECTING)
    except TimeoutError:
        client.close()
        message = f"the Dask scheduler at {address} has no worker; start some with `dask worker`"
        raise UsageError(message) from None
    return client


class _Watch:
    """Whether a scheduler is still there."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address
        self._gone_since: float | None = None

    def require_running(self) -> None:
        """Raise ExecutorLostError where the scheduler has been gone for long."""
        import time

        if self._client.status == "running":
            self._gone_since = None
            return
        now = time.monotonic()
        if self._gone_since is None:
            self._gone_since = now
        if self._client.status in ("closing", "closed") or now - self._gone_since > _LOST_AFTER:
            raise ExecutorLostError(f"the Dask scheduler at {self._address} is gone")


EXECUTORS: Final[Mapping[str, Opener]] = {"processes": _processes, "dask": _dask}
