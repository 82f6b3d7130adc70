"""The keys of a configuration: the one place that says what they are called, hold and mean.

The reader, the JSON Schema, `contract-scan config` and the table in docs/configuration.md are all
made of these classes.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from contract_scan.config.values import FailOn, Level, Naming, SeveritySetting
from contract_scan.ir.evidence import Grade
from contract_scan.memory_limit import DEFAULT, LEAST, MOST

Texts: TypeAlias = tuple[str, ...]


class WrittenService(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Which contracts govern which source folders."""

    name: Annotated[str, Meta(description="Shown in reports.", examples=["orders"], min_length=1)]
    contracts: Annotated[
        Texts,
        Meta(
            description="As `contracts` at the top.",
            examples=[["contracts/orders.openapi.yaml"]],
        ),
    ] = ()
    source: Annotated[
        str | Texts,
        Meta(
            description="Folder, or list of folders, of the code that these contracts govern.",
            examples=["services/orders", ["services/orders", "services/orders-worker"]],
        ),
    ] = "."
    base_path: Annotated[
        str,
        Meta(description="Put before every path of the contracts.", examples=["/api/v1"]),
    ] = ""
    naming: Annotated[
        Naming | None,
        Meta(
            description="How names on the wire are made of names in the code. Counts only where the"
            " code has a naming policy that is undetermined; without it such shapes are not"
            " compared.",
            examples=["camelCase"],
        ),
    ] = None


class WrittenException(
    Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """Findings that somebody answers for, until a day."""

    rules: Annotated[
        Texts,
        Meta(
            description="What is excepted from: ids of rules, their beginnings, or kinds as"
            " `RULE/kind`.",
            examples=[["CONTRACT-002"], ["CONTRACT-001/nullable"]],
            min_length=1,
        ),
    ]
    reason: Annotated[
        str,
        Meta(description="Why it is excepted.", examples=["moves to version 3"], min_length=1),
    ]
    owner: Annotated[
        str, Meta(description="Who answers for it.", examples=["team-orders"], min_length=1)
    ]
    expires: Annotated[
        date | None,
        Meta(
            description="The last day on which it holds. Afterwards the findings are back, and"
            " so is one of CONTRACT-000 about the exception.",
            examples=["2027-03-31"],
        ),
    ] = None
    path: Annotated[
        str | None,
        Meta(
            description="Pattern, as in `.gitignore`, of a file that the finding names: the code,"
            " the contract, or the route that leads there.",
            examples=["services/legacy/**"],
        ),
    ] = None
    operation: Annotated[
        str | None,
        Meta(
            description="The operation: `METHOD /path` or `/path`, `*` for anything. Names of"
            " parameters do not matter.",
            examples=["GET /orders/{id}", "/internal/*"],
        ),
    ] = None
    channel: Annotated[
        str | None,
        Meta(description="The channel, `*` for anything.", examples=["order.*"]),
    ] = None
    model: Annotated[
        str | None, Meta(description="The shared model, `*` for anything.", examples=["Order"])
    ] = None
    field: Annotated[
        str | None,
        Meta(
            description="The field, as reports write it, `*` for anything.",
            examples=["items[].price"],
        ),
    ] = None


class WrittenLimits(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """How much of a file is read."""

    source_bytes: Annotated[
        Annotated[int, Meta(ge=1_000, le=5_000_000)] | None,
        Meta(
            description="A larger source file is left out; it is named where it may hold a route"
            " or event. At most 5000000.",
            examples=[2_000_000],
        ),
    ] = None
    contract_bytes: Annotated[
        Annotated[int, Meta(ge=1_000, le=1_000_000_000)] | None,
        Meta(
            description="A larger contract is refused.",
            examples=[50_000_000],
        ),
    ] = None
    contract_values: Annotated[
        Annotated[int, Meta(ge=1_000, le=100_000_000)] | None,
        Meta(
            description="A contract with more values, aliases written out, is refused.",
            examples=[2_000_000],
        ),
    ] = None
    contract_files: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None,
        Meta(
            description="A contract that spreads over more files is refused.",
            examples=[5_000],
        ),
    ] = None


class WrittenEngine(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Where the contracts of compliance scans come from."""

    enabled: Annotated[
        bool | None,
        Meta(
            description="Whether contracts come from a Contract Engine; the compliance scans of the"
            " library ask for it.",
            examples=[True],
        ),
    ] = None


class WrittenFile(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Configuration of contract-scan."""

    contracts: Annotated[
        Texts,
        Meta(
            description="Contract documents, folders of JSON Schemas, or patterns such as"
            ' `"contracts/*.yaml"`. Without it they are searched for.',
            examples=[["contracts/*.yaml"]],
        ),
    ] = ()
    exclude: Annotated[
        Texts,
        Meta(
            description="What to leave out, as in `.gitignore`.",
            examples=[["legacy/", "*.generated.cs"]],
        ),
    ] = ()
    extend_exclude: Annotated[
        Texts,
        Meta(
            description="What to leave out besides. Later settings add to it.",
            examples=[["sandbox/"]],
        ),
    ] = ()
    select: Annotated[
        Texts,
        Meta(
            description="What to report: ids of rules, their beginnings, kinds as `RULE/kind`, or"
            " `ALL` (the default).",
            examples=[["CONTRACT-001", "CONTRACT-002/missing-endpoint"]],
        ),
    ] = ()
    extend_select: Annotated[
        Texts,
        Meta(
            description="Rules and kinds to report besides those of `select`. Later settings add to"
            " it.",
            examples=[["CONTRACT-004"]],
        ),
    ] = ()
    ignore: Annotated[
        Texts,
        Meta(
            description="Rules and kinds not to report.",
            examples=[["CONTRACT-004", "CONTRACT-001/nullable"]],
        ),
    ] = ()
    fixable: Annotated[
        Texts,
        Meta(
            description="Rules and kinds that `--fix` may mend. Default: all.",
            examples=[["CONTRACT-001/name-case"]],
        ),
    ] = ()
    unfixable: Annotated[
        Texts,
        Meta(
            description="Rules and kinds that `--fix` leaves alone.",
            examples=[["CONTRACT-001/required"]],
        ),
    ] = ()
    fail_on: Annotated[
        FailOn,
        Meta(
            description="The mildest severity that makes the exit status 1; `never`: none does.",
            examples=["warning"],
        ),
    ] = "error"
    max_warnings: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(
            description="How many problems may be warnings; more make the exit status 1. Default:"
            " any number.",
            examples=[20],
        ),
    ] = None
    min_verified: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="How much of what contracts promise has to be verified, in percent; with"
            " less the exit status is 2.",
            examples=[80],
        ),
    ] = 0
    min_confidence: Annotated[
        Grade,
        Meta(
            description="The weakest evidence of which findings are reported: `enforced` (code that"
            " runs makes it so), `checked` (by a type that is checked), `declared` (by one that is"
            " not), `inferred`, or `guessed` (all).",
            examples=["checked"],
        ),
    ] = "guessed"
    min_severity: Annotated[
        Level,
        Meta(
            description="The mildest severity of which findings are reported.",
            examples=["warning"],
        ),
    ] = "note"
    per_file_ignores: Annotated[
        dict[str, Texts],
        Meta(
            description="Patterns of files, as in `.gitignore`, with the rules and kinds that are"
            " not reported of what is found in them.",
            examples=[{"legacy/**": ["CONTRACT-002", "CONTRACT-001/nullable"]}],
        ),
    ] = {}
    severities: Annotated[
        dict[str, SeveritySetting | dict[str, SeveritySetting]],
        Meta(
            description="How grave findings are: of a rule, or of one kind as `RULE/kind`."
            " `off` leaves them out.",
            examples=[{"CONTRACT-002": "warning", "CONTRACT-001/nullable": "off"}],
        ),
    ] = {}
    required_models: Annotated[
        Texts,
        Meta(
            description="Shared models that must have a type in the code; one without is a"
            " finding of CONTRACT-004.",
            examples=[["Order", "Customer"]],
        ),
    ] = ()
    output_format: Annotated[
        Texts,
        Meta(
            description="Reports to write, as `FORMAT` or `FORMAT=FILE`; a file must lie below the"
            " folder of the configuration. Default: `full`.",
            examples=[["concise", "sarif=contract-scan.sarif"]],
        ),
    ] = ()
    baseline: Annotated[
        str | None,
        Meta(
            description="Baseline whose findings are left out.",
            examples=["contract-scan-baseline.json"],
        ),
    ] = None
    jobs: Annotated[
        Annotated[int, Meta(ge=1, le=1_000)] | None,
        Meta(
            description="Processes to use at most. Default: all cores.",
            examples=[2],
        ),
    ] = None
    memory_limit: Annotated[
        int,
        Meta(
            ge=LEAST,
            le=MOST,
            description="Memory in MiB that each process may take (on Linux); where more is needed,"
            " the exit status is 2 and nothing is reported.",
            examples=[8192],
        ),
    ] = DEFAULT
    services: Annotated[
        tuple[WrittenService, ...],
        Meta(
            description="Which contracts govern which folders. Where one folder is scanned,"
            " services elsewhere have no say."
        ),
    ] = ()
    exceptions: Annotated[
        tuple[WrittenException, ...],
        Meta(
            description="Findings that are left out and counted. Each names a reason, an owner and"
            " at least one of `path`, `operation`, `channel`, `model` and `field`."
        ),
    ] = ()
    limits: Annotated[WrittenLimits, Meta(description="How much of a file is read.")] = (
        WrittenLimits()
    )
    contract_engine: Annotated[
        WrittenEngine, Meta(description="Where the contracts of compliance scans come from.")
    ] = WrittenEngine()
