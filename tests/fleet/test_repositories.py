from __future__ import annotations

from pathlib import Path

import pytest

from contract_scan.errors import ConfigurationError
from contract_scan.fleet.repositories import Repository, read_repositories


def _write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_plain_text_names_a_folder_a_line(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    listed = _write(root, "fleet.txt", "# all of them\n\nservices/orders\n  ../elsewhere/crm\n")
    assert read_repositories(listed) == (
        Repository(name="crm", path=root.parent / "elsewhere" / "crm"),
        Repository(name="services/orders", path=root / "services" / "orders"),
    )


@pytest.mark.parametrize("ending", ["toml", "yaml"])
def test_a_table_says_more_of_each(tmp_path: Path, ending: str) -> None:
    root = tmp_path.resolve()
    toml = (
        'seconds = 30\n[[repositories]]\npath = "a"\nname = "shop/a"\nteam = "Orders"\n'
        'contracts = ["../contracts/a.yaml"]\nbase-path = "v1/"\nshared = true\nmemory = 512\n'
        '[[repositories]]\npath = "b"\nseconds = 2.5\n'
    )
    yaml = (
        "seconds: 30\nrepositories:\n- path: a\n  name: shop/a\n  team: Orders\n"
        "  contracts: [../contracts/a.yaml]\n  base-path: v1/\n  shared: true\n  memory: 512\n"
        "- {path: b, seconds: 2.5}\n"
    )
    listed = _write(root, f"fleet.{ending}", toml if ending == "toml" else yaml)
    assert read_repositories(listed) == (
        Repository(name="b", path=root / "b", seconds=2.5),
        Repository(
            name="shop/a",
            path=root / "a",
            team="Orders",
            contracts=(root / "contracts" / "a.yaml",),
            base_path="/v1",
            shared=True,
            seconds=30,
            memory=512,
        ),
    )


ADDRESS = "is an address: check it out first (`git clone --depth 1`), and write the folder"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("f.txt", "a\nhttps://host/x.git\n", f":2: `https://host/x.git` {ADDRESS}"),
        ("f.txt", "git@host:x/y\n", f":1: `git@host:x/y` {ADDRESS}"),
        ("f.txt", "# nothing\n", ":1: lists no repository: write the path of a folder a line"),
        ("f.txt", "a\nb\n./a\n", ":1: `{root}/a` is listed twice"),
        (
            "f.txt",
            "/srv/one/api\n/srv/two/api\n",
            ":1: two repositories are called `api`: give one another `name`",
        ),
        (
            "f.toml",
            '[[repositories]]\npath = "a"\n\n[[repositories]]\npath = "b"\ntaem = "x"\n',
            ":6: unknown key `taem`; did you mean `team`?",
        ),
        (
            "f.toml",
            '[[repositories]]\nteam = "x"\n',
            ":1: a repository has no `path`: write the folder that it is checked out in",
        ),
        (
            "f.toml",
            "repositories = []\n",
            ":1: lists no repository: write `repositories` with a `path` each",
        ),
        ("f.toml", "repositories = \n", ":1: is not valid TOML: Invalid value"),
        (
            "f.yaml",
            "repositories:\n  - path: a\n    memory: 3\n",
            ":3: `memory`: expected `int` >= 128",
        ),
        (
            "f.yaml",
            "repositories:\n  - path: a\n    base-path: /v1\n",
            ":2: `base-path` goes with `contracts`: name those whose paths it stands before",
        ),
        (
            "f.yaml",
            "repositories:\n  - path: a\n    name: ../a\n",
            ":2: `../a` is no name: paths begin with it, so write words with `/` between them",
        ),
        (
            "f.yaml",
            "repositories:\n  - path: a\n    team: [x, y]\n",
            ":3: `team`: expected `str`, got `array`",
        ),
        (
            "f.yaml",
            "teams:\n  Orders: [a]\n",
            ":1: unknown key `teams`; known are repositories, seconds, memory",
        ),
        *(
            (
                "f.yaml",
                text,
                f":{line}: `repositories` is a list of tables: write a `path` for each, and a"
                " `team`",
            )
            for text, line in (
                ("repositories:\n  - a\n  - b\n", 2),
                ("seconds: 3\nrepositories: {Orders: [a]}\n", 2),
            )
        ),
        ("f.csv", "a\n", ": is no list of repositories: call it .toml, .yaml, .txt, .list, .lst"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, name: str, text: str, complaint: str
) -> None:
    root = tmp_path.resolve()
    listed = _write(root, name, text)
    with pytest.raises(ConfigurationError) as raised:
        read_repositories(listed)
    assert str(raised.value) == f"{listed}{complaint.format(root=root)}"
