"""What a configuration says, read and checked. All paths are absolute."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from contract_scan.ir.evidence import Grade
from contract_scan.memory_limit import DEFAULT

Level: TypeAlias = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = get_args(Level)
FailOn: TypeAlias = Literal["error", "warning", "note", "never"]
FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)
SeveritySetting: TypeAlias = Literal["error", "warning", "note", "off"]
SEVERITY_SETTINGS: tuple[SeveritySetting, ...] = get_args(SeveritySetting)


Naming: TypeAlias = Literal["as-declared", "camelCase", "PascalCase", "snake_case", "kebab-case"]
NAMINGS: tuple[Naming, ...] = get_args(Naming)


class Service(Struct, frozen=True, kw_only=True):
    """Which contracts govern which source folders."""

    name: str
    contracts: tuple[Path, ...] = ()
    sources: tuple[Path, ...]
    """One folder or several, none of them inside another."""
    base_path: str = ""
    """Put before every path of the contracts, with a leading and without a trailing slash."""
    naming: Naming | None = None
    """How names on the wire are made of those in the code, where the code does not tell."""


class ContractEngine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether contracts come from a Contract Engine (see `run_contract_compliance_scan`)."""

    enabled: bool = False


class Pattern(Struct, frozen=True):
    """A pattern of paths, as in `.gitignore`."""

    text: str
    base: Path | None = None
    """The folder it is relative to; None: the scanned one."""


class FileIgnore(Struct, frozen=True):
    """Kinds of drift that are not reported of what is found in some files."""

    pattern: Pattern
    rules: tuple[str, ...]
    """Names of kinds: `CONTRACT-001/missing-field`."""


class SeverityOf(Struct, frozen=True):
    """How grave findings of a rule, or of one kind of them, are."""

    rule: str
    kind: str
    """Empty: every kind that has no severity of its own."""
    severity: SeveritySetting


class Limits(Struct, frozen=True, kw_only=True):
    """How much of a file is read before it is left out or refused."""

    source_bytes: int = 1_000_000
    contract_bytes: int = 20_000_000
    contract_values: int = 1_000_000
    contract_files: int = 2_000


class ConfiguredSuppression(Struct, frozen=True, kw_only=True):
    """An exception: findings that somebody answers for, until a day."""

    rules: tuple[str, ...]
    """Names of kinds: `CONTRACT-001/missing-field`."""
    reason: str
    owner: str
    expires: date | None = None
    """The last day on which it holds."""
    path: Pattern | None = None
    operation: str = ""
    channel: str = ""
    model: str = ""
    field: str = ""
    file: Path | None = None
    """Where it is written; None: not in a file."""
    index: int = 0
    """Which one of that place it is."""


class Config(Struct, frozen=True, kw_only=True):
    """Everything a scan can be told."""

    file: Path | None = None
    """Where it was read; None without a configuration file."""
    contracts: tuple[Path, ...] = ()
    """Contract documents, or folders of JSON Schemas."""
    exclude: tuple[Pattern, ...] = ()
    """Files to leave out."""
    extend_exclude: tuple[Pattern, ...] = ()
    """Files to leave out besides."""
    select: tuple[str, ...] = ()
    """Rules and kinds to report, as they are written; empty: all."""
    extend_select: tuple[str, ...] = ()
    """Rules and kinds to report besides."""
    ignore: tuple[str, ...] = ()
    """Rules and kinds not to report."""
    fixable: tuple[str, ...] = ()
    """Rules and kinds that may be mended; empty: all."""
    unfixable: tuple[str, ...] = ()
    """Rules and kinds that may not be mended."""
    fail_on: FailOn = "error"
    """The mildest severity that makes the exit status 1."""
    max_warnings: int | None = None
    """More problems that are warnings make the exit status 1; None: any number is fine."""
    min_verified: int = 0
    """The share of what contracts promise, in percent, below which the exit status is 2."""
    min_confidence: Grade = "guessed"
    """The weakest evidence of which findings are reported."""
    min_severity: Level = "note"
    """The mildest severity of which findings are reported."""
    services: tuple[Service, ...] = ()
    per_file_ignores: tuple[FileIgnore, ...] = ()
    severities: tuple[SeverityOf, ...] = ()
    limits: Limits = Limits()
    required_models: tuple[str, ...] = ()
    """Names of shared models that must have a type in the code."""
    exceptions: tuple[ConfiguredSuppression, ...] = ()
    output_format: tuple[str, ...] = ()
    """`FORMAT` or `FORMAT=FILE`; empty: `full`."""
    baseline: Path | None = None
    jobs: int | None = None
    """None: all cores."""
    memory_limit: int = DEFAULT
    """MiB that each process of a run may take."""
    contract_engine: ContractEngine = ContractEngine()
