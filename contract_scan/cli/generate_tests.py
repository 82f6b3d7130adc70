"""`contract-scan generate-tests`: tests of a running server, from its contract."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from contract_scan.cli import status
from contract_scan.cli.completing import complete_files
from contract_scan.cli.options import option
from contract_scan.cli.outputs import write
from contract_scan.errors import UsageError

if TYPE_CHECKING:
    from contract_scan.generated_tests.files import Framework


@click.command("generate-tests")
@click.argument("contract", metavar="CONTRACT", shell_complete=complete_files)
@option(
    "--framework",
    type=click.Choice(("pytest", "jest")),
    default="pytest",
    help="pytest (with httpx and jsonschema) or jest (with ajv).  [default: pytest]",
)
@option(
    "--no-negative",
    is_flag=True,
    help="Only send what the contract allows.",
)
@option(
    "--output-file",
    metavar="FILE",
    help="Write to this file rather than to standard output.",
    shell_complete=complete_files,
)
def command(contract: str, framework: Framework, no_negative: bool, output_file: str | None) -> int:
    """Write tests of a running server from the OpenAPI file CONTRACT.

    The tests send what the contract allows and, unless told otherwise, what it forbids, and compare
    what comes back with the contract. docs/generated-tests.md says how to run them.

    Exit status: 0 written, 2 the contract cannot be read.
    """
    from contract_scan.api import generate_tests

    path = Path.cwd() / contract
    if not path.is_file():
        raise UsageError("no such contract", contract)
    text = generate_tests(path, framework, include_negative=not no_negative)
    write(iter((text,)), None if output_file is None else Path(output_file))
    return status.CLEAN
