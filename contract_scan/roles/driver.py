"""The driver of gates: what a run needs next, who is asked for it, and what of it may count.

It decides nothing. Every look holds what was written since the last one against what its roles may
write, then goes from gate to gate until an artifact is missing that a role has to hand in.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from contract_scan.atomic import replace_file
from contract_scan.clients.git import repository_around
from contract_scan.clients.git_command import output_of
from contract_scan.clients.git_merges import commit_of
from contract_scan.clients.git_patches import apply_patch, is_applied
from contract_scan.clients.processes import ProcessError, run_program
from contract_scan.errors import UsageError
from contract_scan.folder_lock import folder_lock
from contract_scan.regular_file import read_regular
from contract_scan.roles import layout
from contract_scan.roles.conduct import misconduct
from contract_scan.roles.decisions import read_adjudication, read_deployment
from contract_scan.roles.dispatcher import ask_by_prompt, read_config, write_config
from contract_scan.roles.externals import allowed_domains, read_externals
from contract_scan.roles.gates import (
    REVIEWS,
    ClosedGate,
    Desk,
    blocking_reviews,
    check_signature,
    closed_reviews,
    first_closed,
)
from contract_scan.roles.key_lines import ArtifactError
from contract_scan.roles.layout import kind_of
from contract_scan.roles.librarian import context_pack, read_file_request, write_context_pack
from contract_scan.roles.patches import read_patch
from contract_scan.roles.resolver import resolve, workflows_of, write_find_result
from contract_scan.roles.run_folder import RunFolder, digest, fingerprint
from contract_scan.roles.state import (
    RUN_ID,
    Ending,
    Limits,
    Reviewed,
    RunState,
    Snapshot,
    load_state,
    note_event,
    runs_of,
    save_state,
)
from contract_scan.roles.team import OUTSIDE_OUTPUTS, ROLES, Role, RoleName, Step
from contract_scan.roles.verifier import verify
from contract_scan.roles.writes import (
    ABSENT,
    Breach,
    Change,
    breach,
    breach_of,
    changes,
    keep_contents,
    snapshot,
    undo,
)

Status: TypeAlias = Literal["waiting", "blocked", "ended"]

FOLDER_VARIABLE: Final = "CONTRACT_SCAN_RUN_FOLDER"
"""Environment variable of the program that carries out a role: the folder of the run."""
_OWN_KINDS: Final = frozenset({"record", "prompt", "find result", "context pack", "verification"})
_AFTER_PLAN: Final = ("build", "verify", "fix", "deploy")
_LONGEST_SLUG: Final = 40
_MOST_RUNS: Final = 100_000


class Standing(Struct, frozen=True, kw_only=True):
    """Where a run stands after a look."""

    run_id: str
    step: Step
    status: Status
    role: str = ""
    """Who has to hand something in."""
    target: str = ""
    """What, in the folder of the run."""
    reason: str = ""
    prompt: str = ""
    """The prompt that asks for it, in the folder of the run."""
    ending: Ending = ""
    breaches: tuple[Breach, ...] = ()


def start(
    root: Path,
    goal: str,
    verify_words: Sequence[str],
    *,
    run_id: str = "",
    limits: Limits | None = None,
    domains: Sequence[str] = (),
) -> str:
    """Begin a run at the commit that is checked out, and let the run pointer name it; its id.
    `domains` are those that the web researcher may look at; without any there is none.

    Raises UsageError where there is no repository with a commit, the id is taken or is none, or the
    folder cannot be written.
    """
    limits = limits or Limits()
    top = repository_around(root)
    if not verify_words or not goal.strip():
        raise UsageError("a run needs a goal and a command that verifies")
    base = commit_of(top, "HEAD")
    pointer = _pointer(top)
    folder = _new_folder(top, goal, run_id)
    mode = "resolver_plus_web" if domains else "resolver_only"
    guardrails = (
        f"find_mode: {mode}\nallow_domains: {', '.join(domains)}\n"
        f"max_iterations: {limits.max_iterations}\n"
        f"max_review_rounds: {limits.max_review_rounds}\n"
    )
    folder.write(layout.GUARDRAILS, guardrails.encode())
    folder.write(layout.DISPATCH_CONFIG, write_config(limits.max_outbox_prompts))
    state = RunState(
        run_id=folder.run_id, goal=goal, base=base, verify=tuple(verify_words), limits=limits
    )
    note_event(folder, "orchestrator", "run started")
    replace_file(pointer, f"{folder.run_id}\n".encode())
    save_state(folder, replace(state, snapshot=_archived_snapshot(top, folder)))
    return folder.run_id


def latest_run(root: Path) -> str:
    """The run that the pointer names. Raises UsageError where there is none."""
    place = _pointer(repository_around(root))
    try:
        return read_regular(place, 100).decode("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise UsageError("no run was started here", str(place)) from None


class RunStatus(Struct, frozen=True, kw_only=True):
    """A run as it is, for people who look at it."""

    run_id: str
    goal: str
    base: str
    """The commit that it began at."""
    step: Step
    status: Status
    role: str
    """Who has to hand something in, as far as was looked."""
    target: str
    reason: str
    ending: Ending
    review_round: int
    max_review_rounds: int
    signature: str
    """Of the plan; empty: it is not signed."""
    iteration: int
    """Patches that were verified."""
    max_iterations: int
    passed_patch: str
    """The hash of the patch that passed; empty: none did."""
    open_breaches: tuple[str, ...]
    """Paths of the repository that a role changed and that are not as they were."""
    breaches: int
    changed: tuple[str, ...]
    """What was written since the last look, which `advance` takes into account."""


def run_status(root: Path, run_id: str) -> RunStatus:
    """Where a run stands, without going on or writing anything.

    Raises UsageError where there is no such run.
    """
    run = _Run(root, run_id)
    state = run.state
    desk = Desk(run.root, run.folder, state)
    closed, reason = None, state.reason
    if not state.ending:
        try:
            check_signature(desk)
            closed = first_closed(desk)
            reason = closed.reason if closed is not None else ""
        except ArtifactError as error:
            reason = str(error)
    waits = not (state.ending or state.open_breaches)
    return RunStatus(
        run_id=state.run_id,
        goal=state.goal,
        base=state.base,
        step=state.step,
        status="ended" if state.ending else "waiting" if waits and closed else "blocked",
        role=closed.gate.supplier if closed else "",
        target=closed.gate.target if closed else "",
        reason=reason,
        ending=state.ending,
        review_round=state.review_round,
        max_review_rounds=state.limits.max_review_rounds,
        signature=state.signature,
        iteration=state.iteration,
        max_iterations=state.limits.max_iterations,
        passed_patch=state.passed_patch,
        open_breaches=tuple(sorted(state.open_breaches)),
        breaches=state.breaches,
        changed=()
        if state.ending
        else tuple(
            sorted(one.path for one in changes(state.snapshot, snapshot(run.root, run.folder)))
        ),
    )


def advance(root: Path, run_id: str, *, own_changes: bool = False) -> Standing:
    """Look at what was handed in, and go as far as it leads. With `own_changes`, what differs since
    the last look is taken for the owner's own, and no role's.

    Raises UsageError where there is no such run, or it cannot be written.
    """
    with _open_run(root, run_id) as run:
        if own_changes:
            run.take_as_it_is()
            return run.drive()
        return run.stopped_by(run.roles_on_turn()) or run.drive()


def act(
    root: Path, run_id: str, name: RoleName, command: Sequence[str], seconds: float
) -> Standing:
    """Run a program as a role, in the repository, and hold everything that it wrote against what
    this role may write; then go as far as it leads.

    Raises UsageError as `advance` does, and where the program cannot be started, fails, or takes
    longer than `seconds`; what it wrote until then is looked at all the same.
    """
    with _open_run(root, run_id) as run:
        if run.state.ending:
            return run.drive()  # nobody has anything to do in it any more
        before = run.stopped_by(run.roles_on_turn())
        if before is not None:
            return before
        run.save()
        failure = ""
        try:
            variables = {FOLDER_VARIABLE: str(run.folder.path)}
            run_program(command, cwd=run.root, timeout=seconds, environment=variables)
        except ProcessError as error:
            failure = error.message
        found = run.stopped_by([ROLES[name]], watch_state=True)
        if found is None and failure:
            run.save()
            raise UsageError(failure, name)
        return found or run.drive()


class _Run:
    """A run while it is looked at."""

    def __init__(self, root: Path, run_id: str) -> None:
        self.root = repository_around(root)
        runs_of(self.root)
        if RUN_ID.fullmatch(run_id) is None:
            raise UsageError(f"{run_id!r:.80} is no id of a run")
        self.folder = RunFolder(self.root, run_id)
        self.state = load_state(self.folder)
        _refuse_tracked(self.root, self.folder)

    # What was written

    def roles_on_turn(self) -> list[Role]:
        return [ROLES[name] for name in self.state.on_turn]

    def stopped_by(self, roles: Sequence[Role], *, watch_state: bool = False) -> Standing | None:
        """Where the run stands if one of the roles did what it must not; None where none did."""
        if self.state.ending:
            return None
        now = snapshot(self.root, self.folder)
        found = self._breaches(roles, now)
        if watch_state:
            found = [*self._state_breaches(roles[0]), *found]
        in_repository = {one.path: one.after for one in found if one.place == "repository"}
        new = [one for one in found if self.state.open_breaches.get(one.path) != one.after]
        recorded = undo(self.folder, new, self.state.breaches + 1)
        records = {(one.place, one.path): one for one in recorded}
        for one in recorded:
            note_event(self.folder, one.role, f"blocked: {one.prohibition}", one.path)
        self._update_state(breaches=self.state.breaches + len(new), open_breaches=in_repository)
        if not found:
            self._update_state(snapshot=now)
            return None
        before = self.state.snapshot.repository
        self._update_state(snapshot=Snapshot(self.folder.fingerprints(), before))
        first = found[0]
        left = "; put it back, or say that the change is your own" if in_repository else ""
        self.save()
        return Standing(
            run_id=self.state.run_id,
            step=self.state.step,
            status="blocked",
            role=first.role,
            target=first.path,
            reason=f"{first.role} must not {first.must_not}{left}",
            breaches=tuple(records.get((one.place, one.path), one) for one in found),
        )

    def take_as_it_is(self) -> None:
        """Take everything that is there now for what it was."""
        now = snapshot(self.root, self.folder)
        for change in changes(self.state.snapshot, now):
            note_event(self.folder, "owner", "changed", change.path)
        self._update_state(snapshot=now, open_breaches={})

    def _breaches(self, roles: Sequence[Role], now: Snapshot) -> list[Breach]:
        found: list[Breach] = []
        step = self.state.step
        desk = Desk(self.root, self.folder, self.state)
        for change in changes(self.state.snapshot, now):
            if self.state.is_driven and self._is_own(change):
                continue  # the driver was killed
            one = breach_of(change, roles, step)
            if one is not None:
                found.append(one)
                continue
            wrong = misconduct(desk, change.path) if change.after != ABSENT else None
            if wrong is not None:
                author = next(role for role in roles if role.may_write(change.path, step))
                found.append(breach(change, author, step, *wrong))
        return found

    def _is_own(self, change: Change) -> bool:
        """Whether the driver itself may have made a change before it was killed: it writes its own
        files, puts others away, and applies the patch at the end."""
        if change.place == "run":
            return change.after == ABSENT or change.kind in _OWN_KINDS
        if self.state.step != "deploy":
            return False
        try:
            patch = read_patch(self._desk().text(layout.PATCH), layout.PATCH)
        except ArtifactError:
            return False
        return change.path in patch.files

    def _state_breaches(self, role: Role) -> Iterable[Breach]:
        """The state is ours alone. What a program made of it is put away, and it is written
        again."""
        after = fingerprint(self.folder.path / layout.STATE)
        if after != self._saved:
            change = Change("run", layout.STATE, self._saved, after)
            yield breach(change, role, self.state.step, OUTSIDE_OUTPUTS)

    # From gate to gate

    def drive(self) -> Standing:
        """Go on until something is missing that a role has to hand in."""
        self._update_state(is_driven=True)
        try:
            standing = self._drive()
        except ArtifactError as error:
            standing = self._outcome("blocked", reason=str(error))
        finally:
            self._update_state(is_driven=False)
        now = Snapshot(self.folder.fingerprints(), self.state.snapshot.repository)
        keep_contents(self.folder, now)
        self._update_state(snapshot=now)
        self.save()
        return standing

    def _drive(self) -> Standing:
        while True:
            self.save()
            if self.state.ending:
                return self._outcome("ended", reason=self.state.reason)
            check_signature(self._desk())
            self._check_externals()
            self._count_reviews()
            closed = None if self.state.ending else first_closed(self._desk())
            if closed is None:
                continue
            self._pass(closed)
            if self._settle(closed) or self._supply(closed):
                continue
            return self._ask(closed)

    def _count_reviews(self) -> None:
        """Note which draft a review is about. One of an earlier draft is put away."""
        if self.state.signature:
            return
        draft = self.folder.hash_of(layout.PLAN_DRAFT)
        for name, _ in REVIEWS:
            review = self.folder.hash_of(name)
            if not review:
                self._put_away(layout.ADJUDICATION)  # it answers nothing yet
            known = self.state.reviews.get(name)
            if known is not None and known.draft != draft:
                self._next_round(f"{layout.PLAN_DRAFT} is another one than was reviewed")
                return
            if review and (known is None or known.review != review):
                self._update_state(reviews={**self.state.reviews, name: Reviewed(review, draft)})
                note_event(self.folder, "orchestrator", "review counted", name)

    def _check_externals(self) -> None:
        """Put away what the web researcher may not hand in. Nothing waits for better."""
        for name in self.folder.fingerprints():
            if kind_of(name) == "externals":
                try:
                    read_externals(self.folder.raw(name) or b"", name, self._domains())
                except ArtifactError as error:
                    self._put_away(name)
                    note_event(self.folder, "web_researcher", f"put away: {error.message}", name)

    def _pass(self, closed: ClosedGate) -> None:
        if closed.step != self.state.step:
            note_event(self.folder, "orchestrator", f"{self.state.step} -> {closed.step}")
            self._update_state(step=closed.step)

    def _settle(self, closed: ClosedGate) -> bool:
        """Note what was decided since the last gate; whether that changes what is missing."""
        if closed.step in _AFTER_PLAN and not self.state.signature:
            signature = self.folder.hash_of(layout.PLAN)
            self._update_state(signature=signature)
            note_event(self.folder, "chair", f"signed {signature}", layout.PLAN)
            return True
        if closed.gate.target == layout.PLAN and blocking_reviews(self._desk()):
            answer = read_adjudication(self._desk().text(layout.ADJUDICATION), layout.ADJUDICATION)
            if answer.decision == "REVISE":
                self._put_away(layout.PLAN_DRAFT)
            self._next_round(f"{answer.decision}: {answer.reason}")
            return True
        return False

    def _supply(self, closed: ClosedGate) -> bool:
        """Make what the driver's own helpers make; whether they did."""
        supplier = closed.gate.supplier
        if supplier == "resolver":
            text = f"{self.state.goal}\n{self._desk().text(layout.ANALYSIS)}"
            self._make(
                layout.FIND_RESULT, write_find_result(resolve(text, workflows_of(self.root)))
            )
        elif supplier == "librarian":
            request = self.folder.raw(layout.FILE_REQUEST) or b""
            pack = context_pack(read_file_request(request, layout.FILE_REQUEST), self.root)
            self._make(layout.CONTEXT_PACK, write_context_pack(pack).encode())
            self._update_state(packed_request=digest(request))
        elif supplier == "verifier":
            self._verify()
        elif supplier == "orchestrator":
            self._deploy()
        else:
            return False
        return True

    def _verify(self) -> None:
        report = verify(self.root, self.folder, self.state)
        made = {**self.state.made, layout.REPORT: self.folder.hash_of(layout.REPORT)}
        self._update_state(iteration=report.iteration, made=made)
        note_event(self.folder, "verifier", report.result, layout.REPORT)
        if report.result == "PASS":
            self._update_state(passed_patch=report.patch_sha256)
            return
        self._update_state(failed_patches=(*self.state.failed_patches, report.patch_sha256))
        self.folder.move(layout.PATCH, f"{layout.HISTORY}/iteration-{report.iteration}.patch")
        if report.iteration >= self.state.limits.max_iterations:
            self._end("budget_exceeded", f"{report.iteration} patches failed")

    def _deploy(self) -> None:
        decision = read_deployment(self._desk().text(layout.DEPLOYMENT), layout.DEPLOYMENT)
        if decision.decision == "REJECT":
            self._end("rejected", decision.reason)
            return
        patch = self.folder.path / layout.PATCH
        try:
            if not is_applied(self.root, patch):  # before the driver was killed
                apply_patch(self.root, patch)
        except UsageError as error:
            message = f"does not fit the working tree: {error.message}"
            raise ArtifactError(message, layout.PATCH) from None
        self._end("done", decision.reason)

    def _ask(self, closed: ClosedGate) -> Standing:
        """Ask for what is missing, all that can be made at the same time."""
        config = read_config(self.folder.raw(layout.DISPATCH_CONFIG) or b"", layout.DISPATCH_CONFIG)
        prompts = []
        missing = self._missing_with(closed)
        for one in missing:
            role = ROLES[cast(RoleName, one.gate.supplier)]  # the resolver is never asked
            asked = ask_by_prompt(self.folder, self.state, one, role, config)
            if asked.status == "budget_exceeded":
                most = config.budgets.max_outbox_prompts
                return self._outcome(
                    "blocked", closed, reason=f"budget_exceeded: {most} prompts were written"
                )
            if asked.status == "outbox_created":
                note_event(self.folder, "orchestrator", "prompt written", asked.path)
            prompts.append(asked.path)
        names = {one.gate.supplier for one in missing} - {"resolver"}
        if self._domains():
            names.add("web_researcher")
        self._update_state(on_turn=tuple(name for name in ROLES if name in names))
        return self._outcome("waiting", closed, reason=closed.reason, prompt=prompts[0])

    def _missing_with(self, closed: ClosedGate) -> list[ClosedGate]:
        """The gates that are closed beside one; both reviews are written at the same time."""
        if closed.gate.target not in dict(REVIEWS):
            return [closed]
        return closed_reviews(self._desk())

    def _domains(self) -> tuple[str, ...]:
        return allowed_domains(self.folder.text(layout.GUARDRAILS) or "")

    # Small things

    def save(self) -> None:
        save_state(self.folder, self.state)
        self._saved = fingerprint(self.folder.path / layout.STATE)

    def _desk(self) -> Desk:
        return Desk(self.root, self.folder, self.state)

    def _update_state(self, **values: object) -> None:
        self.state = replace(self.state, **values)

    def _make(self, name: str, raw: bytes) -> None:
        self.folder.write(name, raw)
        self._update_state(made={**self.state.made, name: digest(raw)})
        note_event(self.folder, "orchestrator", "made", name)

    def _put_away(self, name: str) -> None:
        at = f"{layout.HISTORY}/round-{self.state.review_round}-{Path(name).name}"
        self.folder.move(name, at)

    def _next_round(self, reason: str) -> None:
        for name in (*dict(REVIEWS), layout.ADJUDICATION):
            self._put_away(name)
        note_event(self.folder, "orchestrator", f"next round: {reason}")
        self._update_state(reviews={}, review_round=self.state.review_round + 1)
        if self.state.review_round > self.state.limits.max_review_rounds:
            rounds = self.state.limits.max_review_rounds
            self._end("budget_exceeded", f"{rounds} rounds of reviews were not enough")

    def _end(self, ending: Ending, reason: str) -> None:
        self._update_state(ending=ending, reason=reason, on_turn=("orchestrator",))
        note_event(self.folder, "orchestrator", f"ended: {ending}")

    def _outcome(
        self, status: Status, closed: ClosedGate | None = None, *, reason: str, prompt: str = ""
    ) -> Standing:
        return Standing(
            run_id=self.state.run_id,
            step=self.state.step,
            status=status,
            role=closed.gate.supplier if closed is not None else "",
            target=closed.gate.target if closed is not None else "",
            reason=reason,
            prompt=prompt,
            ending=self.state.ending,
        )


@contextmanager
def _open_run(root: Path, run_id: str) -> Iterator[_Run]:
    """A run that nobody else looks at meanwhile. Raises UsageError where somebody does."""
    run = _Run(root, run_id)
    with folder_lock(run.folder.path) as is_free:
        if not is_free:
            raise UsageError("another process is at work in this run", str(run.folder.path))
        yield run


def _pointer(top: Path) -> Path:
    """The run pointer. Raises UsageError where a link leads there."""
    place = runs_of(top) / Path(layout.POINTER).name
    if place.is_symlink():
        raise UsageError("is a link; the pointer is a file", str(place))
    return place


def _refuse_tracked(top: Path, folder: RunFolder) -> None:
    """Raise UsageError for a run that came with the repository: its state says which command
    verifies, and whoever wrote the repository must not choose one."""
    place = f"{layout.RUNS}/{folder.run_id}/{layout.STATE}"
    if output_of(str(top), ("ls-files", "-z", "--cached", "--", f":(literal){place}")):
        raise UsageError("is tracked by git: only a run that was started here goes on", place)


def _new_folder(top: Path, goal: str, run_id: str) -> RunFolder:
    """A folder for a new run, which two starts at the same instant never share."""
    runs = runs_of(top)
    try:
        runs.mkdir(parents=True, exist_ok=True)
        ignored = runs / ".gitignore"
        if not os.path.lexists(ignored):
            ignored.write_text("*\n", encoding="utf-8")
        for name in [run_id] if run_id else _names(goal):
            if RUN_ID.fullmatch(name) is None:
                raise UsageError(
                    f"{name!r:.80} is no id of a run: lower case letters, digits and `-`, "
                    "64 at most",
                    "--id",
                )
            try:
                (runs / name).mkdir()
            except FileExistsError:
                continue
            return RunFolder(top, name)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", str(runs)) from None
    raise UsageError(f"the run `{run_id}` is there already", str(runs))


def _names(goal: str) -> Iterable[str]:
    words = re.sub(r"[^a-z0-9]+", "-", goal.lower()[:200]).strip("-")
    slug = words[:_LONGEST_SLUG].strip("-") or "run"
    return (f"{slug}-{number}" for number in range(1, _MOST_RUNS))


def _archived_snapshot(root: Path, folder: RunFolder) -> Snapshot:
    """What is there now; what the artifacts hold is kept."""
    now = snapshot(root, folder)
    keep_contents(folder, now)
    return now
