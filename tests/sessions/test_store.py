"""The folder of sessions: what is in it, whoever put it there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contract_scan.clients.process_tree import own_mark
from contract_scan.sessions.session import Session, SessionError, checked_id, tmux_name
from contract_scan.sessions.store import Store, found_store, store_to_make


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / ".scope")


def put(store: Store, session_id: str = "", parent: str = "", **values: object) -> Session:
    def make(given: str) -> Session:
        return Session(
            id=given,
            agent="fake",
            parent=parent,
            cwd=store.folder.parent,
            created_at="2026-01-01T00:00:00",
            process=own_mark(),
            **values,  # type: ignore[arg-type]
        )

    return store.create(make, parent, session_id, lambda _: {})


def test_what_is_written_is_read_again(store: Store) -> None:
    session = put(
        store,
        task="Fix it",
        task_type="test",
        mode="interactive",
        after=("a", "b.1"),
        state="done",
        result="two\nlines, \u00fc\n",
        reason="r",
        model="large",
        inputs=("src dir/", "it's.py"),
        tmux_session="scope-0",
        agent_session="c",
        since="abc",
    )
    assert store.load("0") == session
    assert (store.folder / "sessions" / "0" / "state").read_text() == "done\n"
    assert (store.folder / ".gitignore").read_text().endswith("\n*\n")


def test_ids_count_below_each_parent(store: Store) -> None:
    ids = [put(store, parent=parent).id for parent in ("", "0", "0", "", "0.1", "0")]
    assert ids == ["0", "0.0", "0.1", "1", "0.1.0", "0.2"]


@pytest.mark.parametrize(
    "text", ["", "..", "../x", "a/b", ".a", "a.", "a b", "a\n", 'a"', "-a", "x" * 65, "main", "é"]
)
def test_what_could_lead_elsewhere_is_no_id(text: str) -> None:
    with pytest.raises(SessionError, match="cannot be the id of a session"):
        checked_id(text)


def test_terminals_of_different_ids_have_different_names() -> None:
    assert {tmux_name(one) for one in ("0.1", "0_1", "0-1")} == {
        "scope-0/1",
        "scope-0_1",
        "scope-0-1",
    }


def test_a_session_ends_once(store: Store) -> None:
    put(store, state="running")
    assert store.change("0", only_in=("running",), state="aborted", reason="first")
    assert not store.change("0", only_in=("running",), state="done", reason="")
    assert (store.load("0").state, store.load("0").reason) == ("aborted", "first")


def test_spoilt_folders_are_passed_over(store: Store) -> None:
    put(store)
    sessions = store.sessions_folder
    (sessions / "1").mkdir()  # nothing in it
    (sessions / "not an id").mkdir()
    (sessions / "2").symlink_to(sessions / "0")
    (sessions / "file").write_text("")
    (sessions / "3").mkdir()
    (sessions / "3" / "state").write_bytes(b"\xff\x00 running")
    (sessions / "0" / "process").write_text("-5 x")
    (sessions / "0" / "mode").write_text("odd")
    os.mkfifo(sessions / "3" / "cwd")
    [only] = store.load_all()
    assert (only.id, only.process, only.mode) == ("0", None, "task")
    with pytest.raises(SessionError, match="there is no session '3'"):
        store.load("3")


def test_nothing_is_written_through_a_link(store: Store, tmp_path: Path) -> None:
    put(store)
    precious = tmp_path / "precious"
    precious.write_text("mine")
    state = store.folder_of("0") / "activity"
    state.unlink()
    state.symlink_to(precious)
    store.change("0", activity="editing it")
    assert (precious.read_text(), store.load("0").activity) == ("mine", "editing it")


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".scope").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SessionError, match="is a link"):
        put(Store(tmp_path / ".scope"))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / ".scope").write_text("a file")
    with pytest.raises(SessionError, match="cannot be written"):
        put(Store(tmp_path / ".scope"))


def test_a_refused_session_leaves_nothing(store: Store) -> None:
    put(store)

    def refuse(_: Session) -> None:
        raise SessionError("no")

    with pytest.raises(SessionError, match="no"):
        store.create(lambda _: store.load("0"), "", "x", lambda _: {}, refuse)
    assert [entry.name for entry in store.sessions_folder.iterdir()] == ["0"]


def test_the_folder_is_at_the_top_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCOPE_DIR", raising=False)
    inner = tmp_path / "repository" / "src"
    inner.mkdir(parents=True)
    (tmp_path / ".scope").mkdir()
    (inner.parent / ".git").mkdir()
    assert found_store(inner) is None  # the one outside is another project's
    assert store_to_make(inner).folder == inner.parent / ".scope"
    (inner.parent / ".scope").mkdir()
    found = found_store(inner)
    assert found is not None
    assert found.folder == inner.parent / ".scope"
