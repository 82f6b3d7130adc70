"""`contract-scan config`: what can be configured, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from contract_scan.cli import status
from contract_scan.cli.options import PREFIX, option
from contract_scan.errors import UsageError

if TYPE_CHECKING:
    from contract_scan.config.keys import Key


@click.command("config")
@click.argument("key", metavar="[KEY]", required=False)
@option("--schema", is_flag=True, help="Print the JSON Schema of the configuration.")
def command(key: str | None, schema: bool) -> int:
    """Explain a key of the configuration, or list all of them."""
    from contract_scan.config.keys import every_key

    if schema:
        from contract_scan.config.schema import config_schema_text

        click.echo(config_schema_text(), nl=False)
        return status.CLEAN
    known = {each.name: each for each in every_key()}
    if key is None:
        width = max(map(len, known))
        for name, each in known.items():
            click.echo(f"{name:<{width}}  {each.meaning.partition('. ')[0].rstrip('.')}.")
        return status.CLEAN
    if key not in known:
        from contract_scan.config.validation_errors import suggestion

        raise UsageError(f"unknown key `{key}`{suggestion(key, list(known))}")
    click.echo("\n".join(_page(known[key])))
    return status.CLEAN


def _page(key: Key) -> Iterator[str]:
    from contract_scan.cli.settings import FLAGS
    from contract_scan.config.keys import example

    top = key.name.partition(".")[0]
    yield from (key.name, "", key.meaning, "")
    yield f"Type: {key.holds}"
    if key.required:
        yield "Required: yes"
    elif key.default:
        yield f"Default: {key.default}"
    if top == "contracts":
        yield "Environment: CONTRACT_SCAN_CONTRACT"
        yield "Option: --contract"
    else:
        yield f"Environment: {PREFIX}{top.replace('-', '_').upper()}"
        flag = f"--{top}" if top in FLAGS.values() else f"--config '{top} = …'"
        yield f"Option: {flag}"
    for inner in key.inner:
        yield from ("", f"{inner.name}: {inner.meaning}")
    yield from ("", "Example:", "", example(key))
