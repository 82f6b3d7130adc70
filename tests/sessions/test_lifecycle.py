"""Sessions that are started, waited for, ended and taken up again, with and without tmux."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from contract_scan.clients.process_tree import ProcessMark
from contract_scan.sessions.lifecycle import abort, resume, tmux_of, wait
from contract_scan.sessions.session import SessionError
from tests.processes import is_running
from tests.sessions.project import Project, needs_tmux

TERMINALS = pytest.mark.parametrize(
    "uses_tmux", [False, pytest.param(True, marks=needs_tmux)], ids=["plain", "tmux"]
)


@TERMINALS
def test_a_session_does_its_task_and_leaves_its_result(project: Project, uses_tmux: bool) -> None:
    started = project.spawn("say looked at it\nsay all is well", uses_tmux=uses_tmux)
    [ended] = project.ended(started.id)
    assert (ended.state, ended.result, ended.reason) == ("done", "looked at it\nall is well", "")
    assert (ended.task, ended.activity) == ("say looked at it say all is well", "")
    assert ended.tmux_session == ("scope-0" if uses_tmux else "")


@TERMINALS
def test_the_agent_has_the_variables_of_who_started_it(
    project: Project, monkeypatch: pytest.MonkeyPatch, uses_tmux: bool
) -> None:
    project.ended(project.spawn("say starts the server", uses_tmux=uses_tmux).id)
    monkeypatch.setenv("SPEECH", "later than the server\nand in two lines")
    task = "show SPEECH\nshow SCOPE_SESSION_ID\nshow SCOPE_DIR"
    [ended] = project.ended(project.spawn(task, uses_tmux=uses_tmux).id)
    assert ended.result == (
        "SPEECH=later than the server\nand in two lines\n"
        f"SCOPE_SESSION_ID=1\nSCOPE_DIR={project.store.folder}"
    )


@TERMINALS
def test_an_agent_that_fails_is_aborted_with_what_it_complained_of(
    project: Project, uses_tmux: bool
) -> None:
    [ended] = project.ended(project.spawn("say half\nfail 3", uses_tmux=uses_tmux).id)
    assert (ended.state, ended.result) == ("aborted", "half")
    assert ended.reason == "the agent `fake` ended with status 3: no such model"


def test_an_agent_that_is_not_there(project: Project) -> None:
    [ended] = project.ended(project.spawn("anything", agent="aider").id)
    assert ended.state == "aborted"
    assert ended.reason == "cannot start `aider`: No such file or directory"


@TERMINALS
def test_abort_ends_all_below_and_what_left_its_group(project: Project, uses_tmux: bool) -> None:
    pid_file = project.folder / "pid"
    parent = project.spawn(
        f"ignore-hangup\nleave-behind {pid_file}\nsleep 600", uses_tmux=uses_tmux
    )
    project.until(lambda: pid_file.exists() and pid_file.read_text())
    with_parent(project, parent.id, lambda: project.spawn("sleep 600", uses_tmux=uses_tmux))
    with_parent(project, "0.0", lambda: project.spawn("say it", uses_tmux=uses_tmux))
    project.ended("0.0.0")
    left_behind = int(pid_file.read_text())
    assert is_running(left_behind)

    assert abort(project.store, "0") == ["0", "0.0"]

    assert [(one.id, one.state, one.reason) for one in project.store.load_all()] == [
        ("0", "aborted", "aborted on request"),
        ("0.0", "aborted", "aborted with session 0"),
        ("0.0.0", "done", ""),
    ]
    assert not is_running(left_behind)
    for session in project.store.load_all():
        assert session.process is not None
        project.until(lambda pid=session.process.pid: not is_running(pid))
    assert abort(project.store, "0") == []


def with_parent(project: Project, parent: str, call: object) -> None:
    """Call it as an agent of a session would."""
    os.environ.update({"SCOPE_SESSION_ID": parent, "SCOPE_DIR": str(project.store.folder)})
    try:
        call()  # type: ignore[operator]
    finally:
        del os.environ["SCOPE_SESSION_ID"], os.environ["SCOPE_DIR"]


def test_nothing_starts_below_a_session_that_has_ended(project: Project) -> None:
    project.ended(project.spawn("say it").id)
    with pytest.raises(SessionError, match="session 0, which this would belong to, has ended"):
        with_parent(project, "0", lambda: project.spawn("say more"))


def test_sessions_start_after_others(project: Project) -> None:
    first = project.spawn("sleep 0.4\nwrite order first", session_id="first")
    later = project.spawn("write order later", session_id="later", after=("first",))
    assert (first.state, later.state) == ("running", "pending")
    assert [one.state for one in project.ended("first", "later")] == ["done", "done"]
    assert (project.folder / "order").read_text() == "later\n"


def test_a_session_may_come_after_one_that_is_not_there_yet(project: Project) -> None:
    project.spawn("say second", session_id="b", after=("a",))
    project.until(lambda: project.now("b").activity == "waiting for a, which is not there yet")
    assert project.now("b").state == "pending"
    project.spawn("say first", session_id="a")
    assert [one.result for one in project.ended("a", "b")] == ["first", "second"]


def test_what_comes_after_an_aborted_session_is_aborted(project: Project) -> None:
    project.spawn("fail 1", session_id="a")
    project.spawn("say never", session_id="b", after=("a",))
    [_, later] = project.ended("a", "b")
    assert (later.state, later.result) == ("aborted", "")
    assert later.reason == "session a, which it comes after, was aborted"


def test_a_circle_is_refused(project: Project) -> None:
    project.spawn("say it", session_id="a", after=("b",))
    project.spawn("say it", session_id="b", after=("c",))
    with pytest.raises(SessionError, match="in a circle: c after a after b after c"):
        project.spawn("say it", session_id="c", after=("a",))
    assert {one.id for one in project.store.load_all()} == {"a", "b"}


@needs_tmux
def test_a_terminal_that_tmux_has_not_closed_yet_is_in_nobodys_way(project: Project) -> None:
    session = project.spawn("say it", uses_tmux=True)
    project.ended("0")
    project.until(lambda: not tmux_of(project.store).has_session("scope-0"))
    tmux_of(project.store).create_session(
        session.tmux_session, ["sleep", "600"], cwd=project.folder, environment={}
    )
    resume(project.store, "0")
    assert project.ended("0")[0].state == "done"


def test_a_child_works_in_no_place_that_its_parent_may_not_write_to(project: Project) -> None:
    """Else an agent that may write in its own folder alone could start one elsewhere."""
    project.git("init", "--quiet")
    project.git("-c", "user.name=t", "-c", "user.email=t@t", *EMPTY)
    project.git("worktree", "add", "--quiet", "-b", "side", "../side")
    parent = project.spawn("sleep 600")
    outside, side = project.folder.parent, project.folder.parent / "side"
    with pytest.raises(SessionError, match="session 0 may start others in the project and its"):
        with_parent(project, parent.id, lambda: project.spawn("say it", cwd=outside))
    with_parent(project, parent.id, lambda: project.spawn("say it", cwd=side))
    assert [one.id for one in project.store.load_all()] == ["0", "0.0"]


EMPTY = ("commit", "--quiet", "--allow-empty", "-m", "one")


def test_a_child_cannot_come_after_its_parent(project: Project) -> None:
    parent = project.spawn("sleep 600")
    with pytest.raises(SessionError, match=r"`0\.0` cannot come after `0`"):
        with_parent(project, parent.id, lambda: project.spawn("say it", after=("0",)))


def test_ids_never_collide(project: Project) -> None:
    with ThreadPoolExecutor(8) as pool:
        started = list(pool.map(lambda _: project.spawn("say it").id, range(8)))
    assert sorted(started) == [str(number) for number in range(8)]
    assert (project.store.folder / "next_id").read_text() == "8\n"
    with pytest.raises(SessionError, match="the id `3` is taken"):
        project.spawn("say it", session_id="3")


@TERMINALS
def test_a_session_whose_program_was_killed_is_aborted(project: Project, uses_tmux: bool) -> None:
    pid_file = project.folder / "pid"
    task = f"ignore-hangup\nleave-behind {pid_file}\nsleep 600"
    session = project.spawn(task, uses_tmux=uses_tmux)
    project.until(lambda: pid_file.exists() and pid_file.read_text())
    process = project.now(session.id).process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    project.until(lambda: not project.now("0").is_open)
    assert (project.now("0").state, project.now("0").reason) == ("aborted", "its process is gone")
    assert not is_running(int(pid_file.read_text()))


@needs_tmux
def test_a_killed_server_of_tmux_ends_its_sessions(project: Project) -> None:
    project.spawn("sleep 600", uses_tmux=True)
    project.until(lambda: project.now("0").state == "running")
    subprocess.run(["tmux", "-L", tmux_of(project.store).socket, "kill-server"], check=True)
    [ended] = project.ended("0")
    assert ended.state == "aborted"
    assert ended.reason in ("it was ended by SIGHUP", "its process is gone")


@needs_tmux
def test_a_session_starts_while_the_server_of_the_last_one_ends(project: Project) -> None:
    """tmux ends after its last session; whoever asks it just then is sent away."""
    server = tmux_of(project.store)
    for number in range(40):
        name = f"short-{number}"
        here = {"cwd": project.folder, "environment": {}}
        assert server.create_session(name, ["true"], **here) > 0  # type: ignore[arg-type]


def test_a_process_id_that_another_program_got_later(project: Project) -> None:
    session = project.spawn("sleep 600")
    real = project.now(session.id).process
    assert real is not None
    project.store.change("0", process=ProcessMark(os.getpid(), real.started))
    assert project.now("0").reason == "its process is gone"
    assert is_running(os.getpid())


def test_a_session_whose_folder_is_gone_is_aborted(project: Project) -> None:
    place = project.folder / "part"
    place.mkdir()
    project.spawn("sleep 600", cwd=place)
    project.until(lambda: project.now("0").state == "running")
    shutil.rmtree(place)
    assert project.now("0").reason == f"its working folder {place} is gone"


def test_a_session_that_has_ended_is_taken_up_again(project: Project) -> None:
    project.spawn("sleep 600")
    abort(project.store, "0")
    project.store.put_text("0", "contract.md", "# Task\n\nsay this time\n")
    session, goes_on = resume(project.store, "0")
    assert (session.id, goes_on) == ("0", False)
    [ended] = project.ended("0")
    assert (ended.state, ended.result, ended.reason) == ("done", "this time", "")


def test_an_agent_that_begins_anew_is_told_the_message_as_well(project: Project) -> None:
    file = project.folder.parent / "sessions.toml"
    file.write_text(f'{file.read_text()}[agents.echo]\ncommand = ["cat"]\n')
    project.spawn("Build it", agent="echo")
    [first] = project.ended("0")
    _, goes_on = resume(project.store, "0", "Mend the test.")
    [second] = project.ended("0")
    assert not goes_on
    assert second.result == f"{first.result}\n\n## Said Since Then\n\nMend the test."
    resume(project.store, "0")
    [third] = project.ended("0")
    assert third.result == first.result


def test_only_what_has_ended_is_taken_up_again(project: Project) -> None:
    project.spawn("sleep 600")
    with pytest.raises(SessionError, match="session 0 has not ended"):
        resume(project.store, "0")


def test_waiting_gives_up_after_the_timeout(project: Project) -> None:
    project.spawn("sleep 600")
    [still] = wait(project.store, ["0"], 0.3)
    assert still.is_open


def test_nothing_waits_for_itself(project: Project) -> None:
    project.spawn("sleep 600")
    with pytest.raises(SessionError, match="session 0 cannot end before this one"):
        with_parent(project, "0", lambda: wait(project.store, ["0"]))


def test_a_parent_that_waits_says_so(project: Project) -> None:
    project.spawn("sleep 600")
    with_parent(project, "0", lambda: project.spawn("sleep 600"))
    seen: list[str] = []

    def look(_: float) -> None:
        seen.append(project.store.load("0").activity)
        abort(project.store, "0.0")

    with_parent(project, "0", lambda: wait(project.store, ["0.0"], pause=look))
    assert seen == ["waiting on children"]
    assert project.store.load("0").activity == ""


def test_a_session_with_a_working_tree_of_its_own(project: Project) -> None:
    project.git("init", "--quiet")
    (project.folder / "a.txt").write_text("a\n")
    project.git("add", "a.txt")
    project.git("-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m", "one")
    trees = project.folder.parent / "trees"
    project.spawn("write b.txt b", worktrees=trees)
    [ended] = project.ended("0")
    assert ended.state == "done"
    assert sorted(path.name for path in (trees / "0").iterdir()) == [".git", "a.txt", "b.txt"]
    assert not (project.folder / "b.txt").exists()
    assert project.git("branch", "--list", "scope/*").split() == ["+", "scope/0"]
    with pytest.raises(SessionError, match="lies in the repository"):
        project.spawn("say it", worktrees=project.folder / "trees")
