"""The two databases that the registry runs on."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.servers.postgres import Postgres, postgres, programs


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    if find_spec("sqlalchemy") is None or find_spec("psycopg") is None:
        pytest.skip("the extra `postgres` is not installed")
    with postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database; empty: a SQLite file."""
    if request.param == "sqlite":
        return ""
    server: Postgres = request.getfixturevalue("postgres_server")
    return server.new_database()


@pytest.fixture
def database_environment(database_url: str, tmp_path: Path) -> dict[str, str]:
    """What makes a server process use that database."""
    if database_url:
        return {"DATABASE_URL": database_url}
    return {"DATABASE_PATH": str(tmp_path / "registry" / "contracts.db")}
