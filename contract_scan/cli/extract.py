"""`contract-scan extract`: print the endpoints, models and events that the code has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from contract_scan.cli import status
from contract_scan.cli.options import option, scanning
from contract_scan.cli.outputs import write
from contract_scan.cli.settings import ScanOptions, cache_place, configuration, processes
from contract_scan.cli.target import Target, prefix, target
from contract_scan.cli.terminal import Progress, name_problems
from contract_scan.errors import UsageError
from contract_scan.reports.formats import EXTRACT_FORMATS, ExtractFormat, extract_renderer

if TYPE_CHECKING:
    from typing import Unpack

    from contract_scan.api import Extraction
    from contract_scan.config import Config
    from contract_scan.ir.event import EventUse
    from contract_scan.ir.model import Model
    from contract_scan.ir.operation import Operation


class ExtractOptions(ScanOptions):
    """The values of all options of the verb."""

    format: ExtractFormat
    framework_routes: bool
    output_file: str | None
    exit_zero: bool
    allow_empty: bool
    quiet: bool


@click.command("extract")
@scanning
@option(
    "--format",
    "format",
    type=click.Choice(EXTRACT_FORMATS),
    default="json",
    help="What to print.  [default: json]",
)
@option(
    "--framework-routes",
    is_flag=True,
    help="List routes, too, that a framework adds by itself (health, metrics, API documents).",
)
@option("--output-file", "-o", metavar="FILE", help="Write it there.")
@option("--exit-zero", "-e", is_flag=True, help="Exit with 0 even if something was not read.")
@option("--allow-empty", is_flag=True, help="Finding nothing is no reason to fail.")
@option("--quiet", "-q", is_flag=True, help="Do not name what was not read.")
def command(**options: Unpack[ExtractOptions]) -> int:
    """Print the endpoints, models and events of the code below PATHS.

    One folder is read whole; several paths, or files, limit what is printed.

    Exit status: 0 all was read, 2 something could not be read (named on the error stream).
    """
    here = Path.cwd()
    what = target(options["paths"], here)
    config = configuration(options, what.root)
    file = Path(options["output_file"]) if options["output_file"] else None
    extraction = limit_to_target(_extract(options, what.root, config), what)
    if not extraction.files and not options["allow_empty"]:
        message = "no source file of TypeScript, JavaScript, Python, C# or Java was found"
        raise UsageError(message, str(what.root))
    write(extract_renderer(options["format"])(extraction), file)
    if not options["quiet"]:
        name_problems(extraction.problems, prefix(what.root, here))
    complete = status.is_complete(extraction.problems) or options["exit_zero"]
    return status.CLEAN if complete else status.COULD_NOT_JUDGE


def _extract(options: ExtractOptions, root: Path, config: Config) -> Extraction:
    from contract_scan.api import extract

    progress = Progress(enabled=not options["quiet"])
    try:
        return extract(
            root,
            config=config,
            cache=cache_place(options, root),
            jobs=processes(config),
            models=options["format"] in ("json", "jsonschema"),
            framework_routes=options["framework_routes"],
            progress=progress,
        )
    finally:
        progress.clear()


def limit_to_target(extraction: Extraction, what: Target) -> Extraction:
    """What is declared in the files and folders that were named."""
    if not what.only:
        return extraction
    import msgspec

    def is_named(item: Operation | Model | EventUse) -> bool:
        file = what.root / item.origin.path
        return any(file.is_relative_to(path) for path in what.only)

    return msgspec.structs.replace(
        extraction,
        endpoints=tuple(filter(is_named, extraction.endpoints)),
        models=tuple(filter(is_named, extraction.models)),
        events=tuple(filter(is_named, extraction.events)),
    )
