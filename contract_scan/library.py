"""What programs that embed contract-scan call: a folder in, a report out, as on the command line.

The nearest configuration and the baseline beside it count unless a call says otherwise. Nothing is
written into the scanned folder: what is kept between runs lies in the user's cache folder. All
names are offered by the package itself (`from contract_scan import scan`); what is listed there is
what versions keep stable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from contract_scan import api
from contract_scan.api import Extraction
from contract_scan.config import Config
from contract_scan.config.effective import configuration_of, selected_kinds, with_kinds_off
from contract_scan.config.rules import SELECTORS, kinds_named
from contract_scan.errors import UsageError
from contract_scan.flow import OpenCode
from contract_scan.scanners.report import Report
from contract_scan.scanners.scope import ScanScope

AnyPath: TypeAlias = str | PathLike[str]
"""A file or folder, as text or as a path, absolute or as seen from the working directory."""
AnyContract: TypeAlias = AnyPath | Mapping[str, Any]
"""A contract: a file, a folder of JSON Schemas, or a record of a Contract Engine."""


def load_configuration(root: AnyPath = ".", file: AnyPath | None = None) -> Config:
    """The configuration that is in force for the folder `root`: that of `file`, else of the nearest
    `contract-scan.toml` or `[tool.contract-scan]` at or above it, else the defaults.

    Its `baseline` is the file that is used: the one it names, else `contract-scan-baseline.json`
    beside it (beside nothing: in `root`), where there is one.

    Raises ConfigurationError, with file and line, for a file that cannot be read or says something
    that is not allowed, and UsageError where `root` is no folder.
    """
    return configuration_of(_folder(root), None if file is None else Path(file).absolute())


def scan(
    root: AnyPath = ".",
    *,
    contracts: Sequence[AnyContract] = (),
    select: Collection[str] = (),
    config: Config | AnyPath | None = None,
    baseline: AnyPath | bool = True,
    scope: ScanScope | None = None,
    cache: AnyPath | bool = True,
    jobs: int = 1,
    allow_empty: bool = False,
    validate: bool = False,
) -> Report:
    """Compare the code below `root` with its contracts.

    `contracts` takes the place of the ones that are configured or found. `select` limits the report
    to rules (`CONTRACT-001`) and kinds (`CONTRACT-001/nullable`); what the configuration ignores
    stays ignored. `config` is a configuration or the file of one; None stands for the nearest, and
    `Config()` for the defaults. `baseline` is the file of known findings; True stands for the one
    of the configuration, False for none. `scope` limits the report to what changed. `cache` is a
    folder for what is kept between runs; True stands for the user's, False keeps nothing. `jobs` is
    the number of processes to use at most. Without a contract, or without source files, UsageError
    is raised unless `allow_empty`. `validate` also checks contracts against their specification
    (the extra `validate`).

    The report lists `problems`, each with its `places`, the `findings`; `undetermined`; what was
    `not_analysed`; `summary` counts promises. `to_json` writes it down.

    Raises UsageError for a wrong argument, ConfigurationError for a configuration or baseline that
    cannot be read, ContractError for the one contract that was named and cannot be read. All are
    `ContractScanError`, whose text is one line that names the file and what to do.
    """
    folder = _folder(root)
    config = _configuration(config, folder)
    wanted = kinds_named(select or _RULES)
    reported = selected_kinds(config)
    config = with_kinds_off(config, wanted - reported) if wanted - reported else config
    return api.scan(
        folder,
        contracts=[_contract(each) for each in contracts],
        select=wanted,
        scope=scope,
        config=config,
        baseline=_baseline(baseline, config),
        cache=cache,
        jobs=jobs,
        allow_empty=allow_empty,
        validate=validate,
    )


def extract(
    root: AnyPath = ".",
    *,
    config: Config | AnyPath | None = None,
    cache: AnyPath | bool = True,
    jobs: int = 1,
    models: bool = True,
    framework_routes: bool = False,
) -> Extraction:
    """Say which `endpoints`, `models` and `events` the code below `root` has, without any contract.

    Arguments as for `scan`. Without `models` only files that may hold routes or messages are
    looked into. With `framework_routes`, endpoints are listed, too, that a framework adds by
    itself (Spring Boot's actuator). `to_json` writes the answer down.

    Raises UsageError where `root` is no folder, ConfigurationError as `scan`.
    """
    folder = _folder(root)
    config = _configuration(config, folder)
    return api.extract(
        folder,
        config=config,
        cache=cache,
        jobs=jobs,
        models=models,
        framework_routes=framework_routes,
    )


@contextmanager
def open_code(
    root: AnyPath = ".",
    *,
    config: Config | AnyPath | None = None,
    cache: AnyPath | bool = True,
) -> Iterator[OpenCode]:
    """Open the code below `root` once, to compare it with one contract after the other:

        with open_code("services/orders") as code:
            report, _ = code.compare([Path("openapi.yaml")])

    Exceptions, severities and baselines are not applied. Arguments and errors as for `extract`.
    """
    folder = _folder(root)
    with api.open_code(folder, config=_configuration(config, folder), cache=cache) as code:
        yield code


def to_json(answer: Report | Extraction) -> str:
    """A report as `check --output-format json` writes it, an extraction as `extract` does: in
    ASCII, described by `docs/schema/check.schema.json` and `docs/schema/extract.schema.json`."""
    if isinstance(answer, Report):
        from contract_scan.reports import json
        from contract_scan.reports.report import Setting

        return "".join(json.render(answer, Setting(root=Path())))
    from contract_scan.reports import extract_json

    return "".join(extract_json.render(answer))


_RULES = frozenset(name for name in SELECTORS if "/" not in name)


def _folder(root: AnyPath) -> Path:
    folder = Path(root)
    if not folder.is_dir():
        raise UsageError("is not a folder", str(root))
    return folder.resolve()


def _configuration(config: Config | AnyPath | None, root: Path) -> Config:
    return config if isinstance(config, Config) else load_configuration(root, config)


def _baseline(baseline: AnyPath | bool, config: Config) -> Path | None:
    if isinstance(baseline, bool):
        return config.baseline if baseline else None
    return Path(baseline).absolute()


def _contract(given: AnyContract) -> Path | dict[str, object]:
    """A contract as the engine takes it. Raises UsageError for a file that is not there."""
    if isinstance(given, Mapping):
        return dict(given)
    file = Path(given)
    if not file.exists():
        raise UsageError("no such contract", str(given))
    return file.resolve()
