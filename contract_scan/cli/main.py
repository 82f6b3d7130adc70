"""The way in: runs a verb and turns every error into one clear line and an exit status.

Kept free of imports that take time: `--version` answers as fast as Python starts.
"""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys

from contract_scan.cli import status

TYPE_CHECKING = False  # importing it takes longer than all the rest here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    import click

_NAME = "contract-scan"
TRACEBACK = "CONTRACT_SCAN_TRACEBACK"
"""Environment variable: set, an internal error prints where it happened."""
COMPLETE = "_CONTRACT_SCAN_COMPLETE"
"""Environment variable by which the completion script of a shell asks for words."""


def program() -> NoReturn:
    """The command: run it, and leave with its exit status."""
    result = main()
    if "click" not in sys.modules:
        # Nothing was started that has to be put away, and to put away every module takes a tenth of
        # the whole run.
        os._exit(result)
    sys.exit(result)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)

    def run() -> int:
        if COMPLETE in os.environ:
            return _complete(os.environ[COMPLETE])
        return _version() if words in (["--version"], ["-V"]) else _run_with_shared_git_time(words)

    return with_streams(run)


def with_streams(run: Callable[[], int], name: str = _NAME) -> int:
    """Run what prints, and return its status; an interrupt, and an output that nobody reads or that
    cannot be written, end it with theirs."""
    try:
        _prepare_streams()
        result = run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return status.INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return status.BROKEN_PIPE
    except OSError as error:
        _discard_output()
        return _fail(f"the output cannot be written: {error.strerror}", name)
    return result


def _version() -> int:
    from contract_scan import __version__

    print(f"contract-scan {__version__}")
    return status.CLEAN


def _complete(instruction: str) -> int:
    """Offer words, and say nothing where there are none: a shell is waiting, not a reader."""
    import click

    from contract_scan.cli.completions import answer

    try:
        return answer(instruction)
    except (click.ClickException, KeyError, ValueError):
        return status.COULD_NOT_JUDGE


def _run_with_shared_git_time(words: list[str]) -> int:
    """Run a verb. All git commands of it share their time."""
    from contract_scan.clients.git_command import GitRun

    with GitRun():
        return _run_verb(words)


def _run_verb(words: list[str]) -> int:
    gc.disable()  # what is said again is read from one record
    atexit.register(gc.freeze)  # else Python looks for it once more as it ends, in all there is
    from contract_scan.cli.output_replay import question, replay_output

    asked = question(words)
    said = None if asked is None else replay_output(asked)
    if said is not None:
        return said
    from contract_scan.cli.verbs import verbs
    from contract_scan.memory_limit import FEW_COLLECTIONS, watch_memory

    gc.enable()
    gc.set_threshold(*FEW_COLLECTIONS)

    def invoke() -> object:
        # Not `verbs.main`: it would turn an interrupt and a broken pipe into statuses of its own.
        with watch_memory(), verbs.make_context(_NAME, words, obj=asked) as context:
            return verbs.invoke(context)

    return run_guarded(invoke)


def run_guarded(
    invoke: Callable[[], object], name: str = _NAME, failure: int = status.COULD_NOT_JUDGE
) -> int:
    """Run a command of click, and turn every error into one line that begins with the name of the
    program, and the status `failure`. Raises KeyboardInterrupt, and OSError where the output cannot
    be written."""
    import click

    from contract_scan.errors import ContractScanError
    from contract_scan.memory_limit import MemoryLimitError

    def fail(message: str) -> int:
        return _fail(message, name, failure)

    try:
        result = invoke()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.Abort:
        return status.INTERRUPTED
    except click.ClickException as error:
        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            print(error.format_message(), file=sys.stderr)
            return failure
        return fail(_click_message(error))
    except ContractScanError as error:
        return fail(_own_message(error))
    except MemoryLimitError as error:
        return fail(str(error))
    except MemoryError:
        return fail("the system gives no more memory; leave files out with --exclude")
    except OSError as error:
        if error.errno in (errno.EPIPE, errno.ENOSPC):
            raise
        return fail(_internal_error(error))
    except Exception as error:
        return fail(_internal_error(error))
    return result if isinstance(result, int) else status.CLEAN


def _click_message(error: click.ClickException) -> str:
    import click

    message = error.format_message()
    if isinstance(error, click.BadParameter) and error.param is not None:
        near = _nearest_choice(error.param.type, message)
        message = message.rstrip(".") + _where_it_stands(error.param, error.ctx) + near
    if isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{message.rstrip('.')} (see `{error.ctx.command_path} --help`)"
    return message


def _where_it_stands(parameter: click.Parameter, context: click.Context | None) -> str:
    """The variable that a wrong value comes from, where it was not written on the command line."""
    from click.core import ParameterSource

    name = parameter.name or ""
    source = context.get_parameter_source(name) if context is not None else None
    from_variable = source is ParameterSource.ENVIRONMENT and isinstance(parameter.envvar, str)
    return f" (in the variable {parameter.envvar})" if from_variable else ""


def _nearest_choice(kind: object, message: str) -> str:
    """What a mistyped value was probably meant to be."""
    import click

    given, is_choice, _ = message.partition("' is not one of")
    if not is_choice or not isinstance(kind, click.Choice):
        return ""
    import difflib

    close = difflib.get_close_matches(
        given.partition(": '")[2], [str(choice) for choice in kind.choices], n=1
    )
    return f"; did you mean '{close[0]}'?" if close else ""


def said_of(error: Exception) -> str:
    """The line that a user sees of an error raised on purpose."""
    from contract_scan.reports.display import display

    return f"contract-scan: {display(_own_message(error))}"


def _own_message(error: Exception) -> str:
    """The message, with the path as seen from the working directory."""
    path = getattr(error, "path", "")
    here = os.getcwd() + os.sep  # noqa: PTH109 - pathlib costs more than the rest of the start
    message = str(error)
    if path.startswith(here):
        message = message.replace(path, path[len(here) :], 1)
    return message


def _internal_error(error: Exception) -> str:
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exc()
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"internal error: {said} (set {TRACEBACK}=1 to see where)"


def _fail(message: str, name: str = _NAME, failure: int = status.COULD_NOT_JUDGE) -> int:
    from contract_scan.reports.display import display

    print(f"{name}: {display(message)}", file=sys.stderr)
    return failure


def _prepare_streams() -> None:
    """Print what the terminal's encoding lacks as escapes rather than fail; a stream that was
    closed before the start swallows everything."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Nobody reads any more: keep the interpreter from complaining when it flushes at its end."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        return
