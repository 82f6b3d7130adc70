"""A PostgreSQL of its own for tests: started in a temporary folder, reached by a socket in it."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "tester"
_ACCOUNTS = ("postgres", "nobody")


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`; None where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A running server, stopped and removed in the end. It demands a password."""
    binaries = programs()
    assert binaries is not None
    account = _account()
    folder = Path(tempfile.mkdtemp(prefix="contract-scan-postgres-"))
    try:
        folder.chmod(0o755)
        data, password = folder / "data", secrets.token_hex(8)
        (folder / "password").write_text(password)
        passfile = folder / "passfile"
        passfile.write_text(f"*:*:*:{USER}:{password}\n")
        passfile.chmod(0o600)
        if account is not None:
            for path in (folder, folder / "password"):
                shutil.chown(path, account)
        started = _Programs(binaries, account, folder)
        started.run(
            "initdb",
            *("-D", str(data), "-U", USER, "--pwfile", str(folder / "password")),
            *("--auth", "scram-sha-256", "--no-sync", "-E", "UTF8", "--locale", "C"),
        )
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        log = str(folder / "log")
        started.run("pg_ctl", "-D", str(data), "-o", options, "-l", log, "-w", "start")
        try:
            yield Postgres(folder, passfile)
        finally:
            started.run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Postgres:
    """Where a running server is."""

    def __init__(self, folder: Path, passfile: Path) -> None:
        self._folder = folder
        self._passfile = passfile
        self._count = 0

    def new_database(self) -> str:
        """The URL of an empty database."""
        import psycopg

        self._count += 1
        name = f"registry_{self._count}"
        with psycopg.connect(self._conninfo("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type]
        return f"postgresql://{USER}@/{name}?host={self._folder}&passfile={self._passfile}"

    def execute(self, url: str, statement: str) -> None:
        """Run a statement in one of the databases."""
        import psycopg

        name = url.partition("@/")[2].partition("?")[0]
        with psycopg.connect(self._conninfo(name), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[arg-type]

    def _conninfo(self, name: str) -> str:
        return f"host={self._folder} user={USER} dbname={name} passfile={self._passfile}"


class _Programs:
    def __init__(self, folder: Path, account: str | None, cwd: Path) -> None:
        self._folder = folder
        self._account = account
        self._cwd = cwd

    def run(self, name: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._folder / name, *arguments],
            cwd=self._cwd,
            user=self._account,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr


def _account() -> str | None:
    """PostgreSQL refuses to run as root: another account in its place."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _ACCOUNTS if name in known)
