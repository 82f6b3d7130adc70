"""Properties that a constructor binds although another accessor says that they are only sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.parsers.source.java.project import Project

READ_ONLY = "@JsonProperty(access = JsonProperty.Access.READ_ONLY)"


def guest(folder: Path, members: str, imports: str = "") -> str:
    source = f"""package inn;
        import com.fasterxml.jackson.annotation.*;
        {imports}
        class Guest {{ {members} public String getBadge() {{ return badge; }} }}"""
    return Project(folder, {"src/main/java/inn/Guest.java": source}).model("Guest")


@pytest.mark.parametrize(
    "members",
    [
        f"""{READ_ONLY} private final String badge;
        @JsonCreator Guest(@JsonProperty("badge") String badge) {{ this.badge = badge; }}""",
        f"""{READ_ONLY} private final String badge;
        Guest(@JsonProperty("badge") String badge) {{ this.badge = badge; }}""",
        f"""private final String badge; @JsonCreator
        Guest(@JsonProperty(value = "badge") String badge) {{ this.badge = badge; }}
        {READ_ONLY} public String badge() {{ return badge; }}""",
    ],
)
def test_a_parameter_that_is_named_binds(tmp_path: Path, members: str) -> None:
    assert guest(tmp_path, members) == "{badge: string~}"


def test_spring_boot_keeps_the_names_of_parameters(tmp_path: Path) -> None:
    members = f"""{READ_ONLY} private final String badge;
        @JsonCreator Guest(String badge) {{ this.badge = badge; }}"""
    boot = "import org.springframework.boot.autoconfigure.SpringBootApplication;"
    assert guest(tmp_path / "boot", members, boot) == "{badge: string~}"
    assert guest(tmp_path / "plain", members) == "{badge: string~ (sent only)}"


@pytest.mark.parametrize(
    "members",
    [
        f"{READ_ONLY} private String badge;",
        f"{READ_ONLY} private String badge; public void setBadge(String badge) {{}}",
        f"{READ_ONLY} private String badge; Guest(String badge) {{ this.badge = badge; }}",
    ],
)
def test_without_a_creator_it_is_only_sent(tmp_path: Path, members: str) -> None:
    assert guest(tmp_path, members) == "{badge: string~ (sent only)}"
