from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from contract_scan.config import (
    Config,
    ConfiguredSuppression,
    ContractEngine,
    FileIgnore,
    Limits,
    Pattern,
    Service,
    SeverityOf,
    find_configuration,
    line_of,
    read_configuration,
)
from contract_scan.errors import ConfigurationError
from contract_scan.ir.violation import KINDS_OF_RULE


def kinds(rule: str) -> tuple[str, ...]:
    return tuple(sorted(f"{rule}/{kind}" for kind in KINDS_OF_RULE[rule]))


def written(folder: Path, text: str, name: str = "contract-scan.toml") -> Path:
    (folder / "src").mkdir(exist_ok=True)
    for contract in ("one.yaml", "two.yaml"):
        (folder / contract).touch()
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


EXCEPTION = "[[exceptions]]\nrules = ['CONTRACT-001']\nreason = 'r'\nowner = 'o'\n"


def test_every_key(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
contracts = ["one.yaml"]
exclude = ["legacy/"]
extend-exclude = ["sandbox/"]
select = ["CONTRACT-001"]
extend-select = ["CONTRACT-002"]
ignore = ["CONTRACT-004"]
fail-on = "warning"
required-models = ["Order"]
output-format = ["concise", "sarif=out/scan.sarif"]
baseline = "old.json"
jobs = 2

[per-file-ignores]
"old/**" = ["CONTRACT-001/enum", "contract-002"]

[severities]
CONTRACT-002 = "warning"
"CONTRACT-001.nullable" = "off"
CONTRACT-003.type = "note"

[limits]
source-bytes = 2_000_000
contract-files = 9

[[services]]
name = "shop"
contracts = ["*.yaml"]
source = ["src", "src/inner", "worker"]
base-path = "api/v1/"

[[exceptions]]
rules = ["CONTRACT-001"]
path = "old/**"
operation = "GET /orders/{id}"
channel = "order.*"
model = "Order"
field = "items[].price"
reason = "moves to version 3"
owner = "team-orders"
expires = 2027-03-31

[contract-engine]
enabled = true
""",
    )
    (tmp_path / "src" / "inner").mkdir()
    (tmp_path / "worker").mkdir()
    assert read_configuration(file) == Config(
        file=file,
        contracts=(tmp_path / "one.yaml",),
        exclude=(Pattern("legacy/", tmp_path),),
        extend_exclude=(Pattern("sandbox/", tmp_path),),
        select=("CONTRACT-001",),
        extend_select=("CONTRACT-002",),
        ignore=("CONTRACT-004",),
        fail_on="warning",
        required_models=("Order",),
        output_format=("concise", f"sarif={tmp_path}/out/scan.sarif"),
        baseline=tmp_path / "old.json",
        jobs=2,
        per_file_ignores=(
            FileIgnore(Pattern("old/**", tmp_path), ("CONTRACT-001/enum", *kinds("CONTRACT-002"))),
        ),
        severities=(
            SeverityOf("CONTRACT-002", "", "warning"),
            SeverityOf("CONTRACT-001", "nullable", "off"),
            SeverityOf("CONTRACT-003", "type", "note"),
        ),
        limits=Limits(source_bytes=2_000_000, contract_files=9),
        services=(
            Service(
                name="shop",
                contracts=(tmp_path / "one.yaml", tmp_path / "two.yaml"),
                sources=(tmp_path / "src", tmp_path / "worker"),
                base_path="/api/v1",
            ),
        ),
        exceptions=(
            ConfiguredSuppression(
                rules=kinds("CONTRACT-001"),
                path=Pattern("old/**", tmp_path),
                operation="GET /orders/{id}",
                channel="order.*",
                model="Order",
                field="items[].price",
                reason="moves to version 3",
                owner="team-orders",
                expires=date(2027, 3, 31),
                file=file,
            ),
        ),
        contract_engine=ContractEngine(enabled=True),
    )


def test_an_empty_file_is_the_default(tmp_path: Path) -> None:
    file = written(tmp_path, "")
    assert read_configuration(file) == Config(file=file)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("\n\nselct = []\n", ":3: unknown key `selct`; did you mean `select`?"),
        ("fail_on = 'note'\n", ":1: unknown key `fail_on`; did you mean `fail-on`?"),
        (
            "zebra = 1\n",
            ":1: unknown key `zebra`; known are contracts, exclude, extend-exclude, select,"
            " extend-select, ignore, fixable, unfixable, fail-on, max-warnings, min-verified,"
            " min-confidence, min-severity, per-file-ignores, severities, required-models,"
            " output-format, baseline, jobs, memory-limit, services, exceptions,"
            " limits, contract-engine",
        ),
        (
            '[[services]]\nname = "a"\n\n[[services]]\n# second\nnmae = "b"\n',
            ":6: unknown key `services[1].nmae`; did you mean `name`?",
        ),
        (
            "[contract-engine]\nenable = true\n",
            ":2: unknown key `contract-engine.enable`; did you mean `enabled`?",
        ),
        ('\nselect = "all"\n', ":2: `select` must be a list, not a string"),
        ("exclude = [\n  'a',\n  3,\n]\n", ":1: `exclude[1]` must be a string, not a number"),
        ("[[services]]\nsource = 'src'\n", ":1: `services[0]` needs the key `name`"),
        (
            "fail-on = 'errors'\n",
            ":1: `fail-on` must be one of error, warning, note; did you mean `error`?",
        ),
        ("\ncontracts = ['no*.yaml']\n", ":2: no contract matches `no*.yaml`"),
        (
            "[[services]]\nname = 'a'\nsource = 'gone'\n",
            ":3: the source folder `gone` does not exist",
        ),
        (
            "[[services]]\nname = 'a'\nsource = ['src', 'gone']\n",
            ":3: the source folder `gone` does not exist",
        ),
        ("[[services]]\nname = 'a'\nsource = []\n", ":3: a service needs a source folder"),
        (
            "[[services]]\nname = 'a'\nsource = 3\n",
            ":3: `services[0].source` must be a string or a list, not a number",
        ),
        ("[[services]]\nname = ''\n", ":2: `services[0].name` must not be empty"),
        (
            "[[services]]\nname = 'a'\n\n[[services]]\nname = 'a'\n",
            ":5: two services are called `a`",
        ),
        (
            "fail-on = 'often'\n",
            ":1: `fail-on` must be one of error, warning, note",
        ),
        ("jobs = 0\n", ":1: `jobs` must be at least 1"),
        ("[limits]\nsource-bytes = 6000000\n", ":2: `limits.source-bytes` must be at most 5000000"),
        (
            "[limits]\nsource-byte = 1\n",
            ":2: unknown key `limits.source-byte`; did you mean `source-bytes`?",
        ),
        (
            "select = ['CONTRACT-01']\n",
            ":1: `select`: unknown rule `CONTRACT-01`; did you mean `CONTRACT-001`?",
        ),
        (
            "[per-file-ignores]\n'a/**' = ['CONTRACT-001']\n'b/**' = ['X']\n",
            ":3: `per-file-ignores`: unknown rule `X`; known are CONTRACT-000, CONTRACT-001,"
            " CONTRACT-002, CONTRACT-003, CONTRACT-004",
        ),
        (
            "[per-file-ignores]\n'a/**' = ['CONTRACT-001']\n'b/**' = 'X'\n",
            ':3: `per-file-ignores."b/**"` must be a list, not a string',
        ),
        (
            "[severities]\nCONTRACT-001 = 'note'\nCONTRACT-002 = 'warn'\n",
            ":3: `severities.CONTRACT-002` must be one of error, warning, note, off;"
            " did you mean `warning`?",
        ),
        (
            "[severities]\nCONTRACT-001.type = 'errors'\n",
            ":2: `severities.CONTRACT-001.type` must be one of error, warning, note, off;"
            " did you mean `error`?",
        ),
        (
            "[severities]\n'CONTRACT-001.nulable' = 'off'\n",
            ":2: `severities`: unknown kind `nulable` of CONTRACT-001;"
            " did you mean `CONTRACT-001/nullable`?",
        ),
        (
            "[severities]\n'CONTRACT-01' = 'off'\n",
            ":2: `severities`: unknown rule `CONTRACT-01`; did you mean `CONTRACT-001`?",
        ),
        (
            "[[exceptions]]\nrules = ['CONTRACT-001']\nowner = 'o'\n",
            ":1: `exceptions[0]` needs the key `reason`",
        ),
        (
            "[[exceptions]]\nrules = ['CONTRACT-001']\nreason = 'r'\n",
            ":1: `exceptions[0]` needs the key `owner`",
        ),
        (
            EXCEPTION,
            ":1: `exceptions[0]` needs one of path, operation, channel, model, field;"
            " `ignore` turns rules off",
        ),
        (
            EXCEPTION + "until = 2027-01-01\n",
            ":5: unknown key `exceptions[0].until`; known are rules,"
            " reason, owner, expires, path, operation, channel, model, field",
        ),
        (
            EXCEPTION + "expires = 2027\n",
            ":5: `exceptions[0].expires` must be a date such as 2027-03-31, not a number",
        ),
        (
            EXCEPTION + "expires = 'soon'\n",
            ":5: `exceptions[0].expires` must be a date such as 2027-03-31",
        ),
        (
            EXCEPTION + "expires = 2027-03-31T10:00:00\n",
            ":5: `exceptions[0].expires` must be a date such as 2027-03-31, not a date with a time",
        ),
        (
            EXCEPTION.replace("-001", "-000") + "path = 'a'\n",
            ":2: there is no exception from CONTRACT-000",
        ),
        (
            EXCEPTION.replace("'r'", "''") + "path = 'a'\n",
            ":3: `exceptions[0].reason` must not be empty",
        ),
        (
            "output-format = ['json=../out.json']\n",
            ":1: `output-format`: `../out.json` does not lie below the folder of this file",
        ),
        (
            "output-format = ['full', 'json=/tmp/out.json']\n",
            ":1: `output-format`: `/tmp/out.json` does not lie below the folder of this file",
        ),
        ("exclude = ['a', '!']\n", ":1: `!` is no pattern of files"),
        ("\nextend-exclude = ['a\\']\n", ":2: `a\\` is no pattern of files"),
        (
            "[per-file-ignores]\n'*a*a*a*a*a*b' = ['ALL']\n",
            ":2: `*a*a*a*a*a*b` has more than 5 wildcards",
        ),
        (EXCEPTION + "path = '!'\n", ":5: `!` is no pattern of files"),
        ("a = 1\na = 2\n", ":2: is not valid TOML: Cannot overwrite a value"),
        ("x =", ":1: is not valid TOML: Invalid value"),
        ("contracts = ['\\u0000']", ":1: no contract matches `\\u0000`"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(ConfigurationError) as raised:
        read_configuration(file)
    assert str(raised.value) == f"{file}{complaint}"


def test_a_key_below_a_text_of_many_lines_has_the_right_line(tmp_path: Path) -> None:
    text = 'exclude = [\n"""\nselct = 1\n""",\n]\n\nselct = 2\n'
    with pytest.raises(ConfigurationError) as raised:
        read_configuration(written(tmp_path, text))
    assert raised.value.line == 7


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "contract-scan.toml"
    file.write_bytes(b"# fine\n# \xff\n")
    with pytest.raises(ConfigurationError, match=r":2: is not UTF-8; save it as UTF-8$"):
        read_configuration(file)


@pytest.mark.parametrize("content", [b"a = [" * 5000, b"#" * 1_000_001], ids=["deep", "large"])
def test_hostile_files_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "contract-scan.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError):
        read_configuration(file)


def test_a_folder_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_configuration(tmp_path)


def test_the_nearest_file_upwards_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert find_configuration(inner) is None
    top = written(tmp_path, "")
    assert find_configuration(inner) == top
    hidden = written(tmp_path / "a", "", ".contract-scan.toml")
    assert find_configuration(inner) == hidden


def test_an_own_file_wins_over_pyproject_and_both_over_the_folder_above(tmp_path: Path) -> None:
    inner = tmp_path / "a"
    inner.mkdir()
    written(tmp_path, "")
    project = written(inner, "[tool.contract-scan]\n", "pyproject.toml")
    assert find_configuration(inner) == project
    own = written(inner, "")
    assert find_configuration(inner) == own


def test_a_pyproject_without_our_table_does_not_count(tmp_path: Path) -> None:
    top = written(tmp_path, "")
    inner = tmp_path / "a"
    inner.mkdir()
    written(inner, "[tool.other]\n", "pyproject.toml")
    assert find_configuration(inner) == top


def test_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    written(tmp_path, "")
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "src").mkdir()
    assert find_configuration(repository / "src") is None


def test_the_table_in_pyproject_is_read_with_its_lines(tmp_path: Path) -> None:
    text = "[project]\nname = 'x'\n\n[tool.contract-scan]\nignore = ['CONTRACT-004']\nnope = 1\n"
    file = written(tmp_path, text, "pyproject.toml")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:6: unknown key `nope`"):
        read_configuration(file)
    assert line_of(file, ("ignore",)) == 5
    file.write_text(text.replace("nope = 1\n", ""), encoding="utf-8")
    assert read_configuration(file).ignore == ("CONTRACT-004",)


def test_a_table_of_the_wrong_kind_in_pyproject(tmp_path: Path) -> None:
    file = written(tmp_path, "[tool]\ncontract-scan = 3\n", "pyproject.toml")
    with pytest.raises(ConfigurationError, match=r"`tool\.contract-scan` must be a table"):
        read_configuration(file)


def test_a_key_of_very_many_parts_is_refused_before_it_takes_memory(tmp_path: Path) -> None:
    text = f'jobs = 2\nexclude = ["{60 * "a."}b"]  # {60 * "c."}\n{60_000 * "d."}e = 1\n'
    file = written(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        read_configuration(file)
    assert str(caught.value) == f"{file}:3: a key has more than 50 parts"
