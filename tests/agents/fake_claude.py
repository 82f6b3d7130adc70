"""A stand-in for Claude Code: `claude` on the PATH of a test.

It answers by the rules of a scenario (`install.Scenario`), in lines that are taken from recorded
runs of the real program with ids, paths and contents substituted, and writes the files that a rule
names. In a terminal it is told by typed lines, and runs the hooks of its settings instead. Below
`CLAUDE_CONFIG_DIR` it keeps lists of tasks and teams as the real program does.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

TYPE_CHECKING = False  # of `typing`, which takes as long to import as all else
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

FOLDER = Path(os.environ["FAKE_CLAUDE"])
SCENARIO: dict[str, Any] = json.loads((FOLDER / "scenario.json").read_text())
SESSION = (
    sys.argv[sys.argv.index("--session-id") + 1]
    if "--session-id" in sys.argv
    else f"{os.getpid():08d}-0000-4000-8000-000000000000"
)
CWD = os.getcwd()
VARIABLES = (
    "ANTHROPIC_API_KEY",
    "CLAUDECODE",
    "CLAUDE_CODE_ENABLE_TODO_TOOLS",
    "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS",
    "CLAUDE_CODE_SUBAGENT_MODEL",
)


def recorded(name: str) -> list[dict[str, Any]]:
    text = (Path(SCENARIO["recordings"]) / f"{name}.jsonl").read_text(encoding="utf-8")
    text = text.replace("@CWD@", json.dumps(CWD)[1:-1]).replace("@SESSION@", SESSION)
    return [json.loads(line) for line in text.replace("@CACHE@", "/nowhere").splitlines()]


WRITE = recorded("write_with_hook_events")
WORK = recorded("background_worker")


def of(lines: list[dict[str, Any]], type: str, subtype: str = "", word: str = "") -> dict[str, Any]:
    """A copy of the first recorded line of a type that holds a word."""
    for line in lines:
        if line["type"] == type and line.get("subtype", "") == subtype and word in json.dumps(line):
            copied: dict[str, Any] = json.loads(json.dumps(line))
            return copied
    raise LookupError(f"no line {type} {subtype} with {word!r} was recorded")


class Hooks:
    """Those of the settings that a session in a terminal is started with."""

    def __init__(self) -> None:
        self.entries: dict[str, Any] = {}
        self.workers: dict[str, str] = {}
        """Calls that started workers -> the names of the workers."""
        self.calls: dict[str, tuple[str, dict[str, Any]]] = {}

    def run(self, event: str, parent: str | None = None, **told: Any) -> str:
        import subprocess  # a stand-in for one prompt starts in no time without it

        told |= {"hook_event_name": event, "session_id": SESSION, "cwd": CWD}
        if parent:
            name = self.workers[parent]
            told |= {"agent_id": f"a{name}-1", "agent_type": name}
        said = ""
        for entry in self.entries.get(event, []):
            for hook in entry["hooks"]:
                done = subprocess.run(
                    [hook["command"], *hook["args"]],
                    input=json.dumps({"tool_name": "", **told}).encode(),
                    stdout=subprocess.PIPE,
                    check=True,
                )
                said += done.stdout.decode()
        return said


HOOKS = Hooks()


def tell(line: dict[str, Any]) -> None:
    if HOOKS.entries:
        print("\x1b[2K\r* Working", end="", flush=True)
    else:
        print(json.dumps(line), flush=True)


def note(what: dict[str, Any]) -> None:
    """Write down what happened, for the test to look at."""
    with (FOLDER / "calls.jsonl").open("a") as file:
        file.write(json.dumps({**what, "pid": os.getpid()}) + "\n")


def rule_for(prompt: str) -> dict[str, Any]:
    """The first rule that fits and is not used up."""
    for number, rule in enumerate(SCENARIO["rules"]):
        if not re.search(rule["when"], prompt, re.DOTALL):
            continue
        used = FOLDER / f"used-{number}"
        times = len(used.read_text()) if used.exists() else 0
        if rule.get("times") is None or times < rule["times"]:
            with used.open("a") as file:
                file.write("x")
            return dict(rule)
    return {"text": "There is nothing to do."}


def hang() -> NoReturn:
    while True:
        time.sleep(600)


class Ids:
    def __init__(self) -> None:
        self.count = 0

    def new(self) -> str:
        self.count += 1
        return f"toolu_{os.getpid()}_{self.count}"


IDS = Ids()


def call(name: str, arguments: dict[str, Any], parent: str | None = None) -> str:
    id = IDS.new()
    if HOOKS.entries:
        HOOKS.calls[id] = name, arguments
        if name == "Agent":
            HOOKS.workers[id] = arguments["name"]
        HOOKS.run("PreToolUse", parent, tool_name=name, tool_input=arguments, tool_use_id=id)
        return id
    line = of(WRITE, "assistant", word="tool_use")
    line["message"]["content"] = [{"type": "tool_use", "id": id, "name": name, "input": arguments}]
    line["parent_tool_use_id"] = parent
    tell(line)
    return id


def answer(id: str, text: str, value: Any = None, parent: str | None = None) -> None:
    if HOOKS.entries:
        name, arguments = HOOKS.calls[id]
        told = {"tool_name": name, "tool_input": arguments, "tool_use_id": id}
        HOOKS.run("PostToolUse", parent, **told, tool_response=value)
        return
    line = of(WRITE, "user")
    line["message"]["content"] = [{"tool_use_id": id, "type": "tool_result", "content": text}]
    line["parent_tool_use_id"] = parent
    line["tool_use_result"] = value
    tell(line)


def say(text: str, parent: str | None = None) -> None:
    line = of(WRITE, "assistant", word='"text"')
    line["message"]["content"] = [{"type": "text", "text": text}]
    line["parent_tool_use_id"] = parent
    tell(line)


def result(rule: dict[str, Any], **more: Any) -> None:
    if HOOKS.entries:
        HOOKS.run("Stop", last_assistant_message=rule.get("text", "ok done"))
        return
    line = of(WRITE, "result", "success")
    line |= {"result": rule.get("text", "ok done"), "total_cost_usd": rule.get("cost", 0.01)}
    tell(line | more)


def work(rule: dict[str, Any], parent: str | None = None) -> None:
    """What a rule does to the project."""
    for name, content in rule.get("writes", {}).items():
        path = Path(CWD, name)
        kind = "update" if path.exists() else "create"
        id = call("Write", {"file_path": str(path), "content": content}, parent)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        value = {"type": kind, "filePath": str(path), "content": content}
        answer(id, f"File {kind}d successfully at: {path}", value, parent)
    for name, content in rule.get("writes_by_command", {}).items():
        id = call("Bash", {"command": f"write {name}"}, parent)
        Path(CWD, name).write_text(content)
        answer(id, "", {"stdout": "", "stderr": ""}, parent)
    if "told_only" in rule:
        path = rule["told_only"]
        id = call("Write", {"file_path": path, "content": ""}, parent)
        answer(id, "File created", {"type": "create", "filePath": path}, parent)


# One prompt, one run


def run_once(prompt: str) -> int:
    rule = rule_for(prompt)
    note({"argv": sys.argv[1:], "prompt": prompt, "cwd": CWD, "environment": environment()})
    match rule.get("fault"):
        case "dies before init":
            print("API Error: Connection refused", file=sys.stderr)
            return 1
        case "hangs":
            tell(of(WRITE, "system", "init"))
            hang()
        case "garbage":
            print("Warning: something that is no JSON")
            print("\x00\x01\x02")
        case "half a line":
            tell(of(WRITE, "system", "init"))
            print('{"type": "assistant", "message": {"con', end="", flush=True)
            return 1
        case "no result":
            tell(of(WRITE, "system", "init"))
            return 0
        case "recording":
            for line in recorded(rule["recording"]):
                tell(line)
            return 0
    tell(of(WRITE, "system", "init"))
    time.sleep(rule.get("seconds", 0))
    work(rule)
    say(rule.get("text", "ok done"))
    if rule.get("fault") == "two results":
        result({"text": "waiting for a worker", "cost": 0.01})
        tell(of(WRITE, "system", "init"))
        result(rule)
    elif rule.get("fault") == "error":
        result(rule, is_error=True, result="API Error: 529 overloaded")
    else:
        result(rule)
    return int(rule.get("status", 0))


def environment() -> dict[str, str]:
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


# A lead that works on a wave: messages come in by the standard input


def messages() -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        yield json.loads(line)


class Lead:
    def __init__(self) -> None:
        self.home = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
        has_team = SCENARIO.get("team") or not sys.argv.count("--print")
        self.team = f"session-{SESSION[:8]}" if has_team else ""
        self.list = self.home / "tasks" / (self.team or SESSION)
        self.tasks: dict[str, dict[str, Any]] = {}
        self.rounds = 0
        if self.team and SCENARIO.get("lead_fault") != "forms its team late":
            self.form_team(SCENARIO["teammates"])

    def form_team(self, teammates: list[str]) -> None:
        folder = self.home / "teams" / self.team
        folder.mkdir(parents=True, exist_ok=True)
        team = {
            "name": self.team,
            "leadSessionId": SESSION,
            "leadProcess": {"pid": os.getpid()},
            "members": [{"name": name} for name in ("team-lead", *teammates)],
        }
        (folder / "config.json").write_text(json.dumps(team))

    def serve_terminal(self) -> int:
        """As in a terminal: lines are typed, and hooks tell what is done."""
        if SCENARIO.get("lead_fault") == "dies before init":
            print("API Error: Connection refused", file=sys.stderr)
            return 1
        settings = json.loads(Path(sys.argv[sys.argv.index("--settings") + 1]).read_text())
        HOOKS.entries = settings["hooks"]
        HOOKS.run("SessionStart", source="startup")
        servers = [*self.connected()]
        keys = 1 if SCENARIO.get("lead_fault") == "misses the first key" else 0
        for line in sys.stdin:
            if keys:
                keys -= 1
                kept = line.strip()
                line = kept + next(sys.stdin)
            file = re.search("Read `(.*?)`", line)
            if file is None:
                continue
            text = Path(CWD, file[1]).read_text()
            HOOKS.run("UserPromptSubmit", prompt=line.strip())
            message = {"type": "user", "message": {"role": "user", "content": text}}
            note({"argv": sys.argv[1:], "message": message, "environment": environment()})
            self.hear(text)
        for server in servers:
            server.kill()
        return 0

    def connected(self) -> Iterator[Any]:
        """Start the MCP servers, and ask each for its tools."""
        if "--mcp-config" not in sys.argv:
            return
        import subprocess

        named = json.loads(Path(sys.argv[sys.argv.index("--mcp-config") + 1]).read_text())
        for entry in named["mcpServers"].values():
            if "command" not in entry:
                continue
            server = subprocess.Popen(
                [entry["command"], *entry["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert server.stdin is not None and server.stdout is not None
            version = {"protocolVersion": "2025-06-18"}
            for number, method in enumerate(("initialize", "tools/list")):
                request = {"jsonrpc": "2.0", "id": number, "method": method, "params": version}
                try:
                    server.stdin.write(json.dumps(request).encode() + b"\n")
                    server.stdin.flush()
                except BrokenPipeError:
                    break
                server.stdout.readline()
            yield server

    def serve(self) -> int:
        if SCENARIO.get("lead_fault") == "dies before init":
            print("API Error: Connection refused", file=sys.stderr)
            return 1
        for message in messages():
            note({"argv": sys.argv[1:], "message": message, "environment": environment()})
            match message["type"]:
                case "control_request":
                    self.control(message["request_id"], message["request"])
                case "user":
                    self.hear(message["message"]["content"])
        return 0

    def control(self, id: str, request: dict[str, Any]) -> None:
        if SCENARIO.get("lead_fault") == "hangs" and request["subtype"] == "initialize":
            hang()
        told = {"pid": os.getpid(), "claude_code_version": SCENARIO["version"]}
        response = {"subtype": "success", "request_id": id, "response": told}
        tell({"type": "control_response", "response": response})
        if request["subtype"] == "stop_task":
            self.ended(request["task_id"], self.workers[request["task_id"]], "stopped", "")

    def hear(self, text: str) -> None:
        if "shutdown_request" in text:
            one = re.search('Stop the teammate ("[^"]*") only', text)
            told = f"[{one[1]}]" if one else text.split("```json\n")[1].split("\n```")[0]
            for name in json.loads(told):
                request = {"type": "shutdown_request", "reason": "the build has been stopped"}
                answer(call("SendMessage", {"to": name, "message": request}), "sent")
            result({"text": "The team is gone."})
            return
        found = re.search(r"```json\n(\[.*?\])\n```", text, re.DOTALL)
        if found is None:
            return
        if not self.rounds:
            init = of(WORK, "system", "init")
            init["tools"] = [name for name in init["tools"] if name not in SCENARIO["no_tools"]]
            tell(init)
        self.rounds += 1
        fault = SCENARIO.get("lead_fault")
        asked = json.loads(found[1])
        if fault == "forgets a task" or (fault == "forgets a task once" and self.rounds == 1):
            asked = asked[:-1]
        self.create(asked)
        if fault == "dies amid the wave":
            os._exit(1)
        if fault == "forms its team late":
            self.form_team(SCENARIO["teammates"])
        late = asked[-1:] if fault == "starts a task after its turn" else []
        for task in asked[: len(asked) - len(late)]:
            if all(self.tasks[other]["status"] == "completed" for other in task["blocked_by"]):
                self.start(task)
        cost = 0.02 * self.rounds
        result({"text": "The wave is done.", "cost": cost})
        if fault == "two results":
            tell(of(WORK, "system", "init"))
            result({"text": "The wave is done.", "cost": cost})
        for task in late:
            self.start(task)

    def create(self, asked: list[dict[str, Any]]) -> None:
        self.list.mkdir(parents=True, exist_ok=True)
        for task in asked:
            metadata = {"builder_task_id": task["id"]}
            id = call(
                "TaskCreate",
                {"subject": task["subject"], "description": task["id"], "metadata": metadata},
            )
            number = str(len(self.tasks) + 1)
            self.tasks[task["id"]] = {
                "id": number,
                "subject": task["subject"],
                "status": "pending",
                "blocks": [],
                "blockedBy": [],
                "metadata": metadata,
            }
            self.keep(task["id"])
            answer(id, f"Task #{number} created successfully", {"task": {"id": number}})
        for task in asked:
            blockers = [self.tasks[other]["id"] for other in task["blocked_by"]]
            if blockers:
                self.update(task["id"], {"addBlockedBy": blockers})
                self.tasks[task["id"]]["blockedBy"] = blockers
                self.keep(task["id"])

    def keep(self, task: str) -> None:
        file = self.list / f"{self.tasks[task]['id']}.json"
        file.write_text(json.dumps(self.tasks[task]))

    def update(self, task: str, changes: dict[str, Any], refused: str = "") -> None:
        number = self.tasks[task]["id"]
        id = call("TaskUpdate", {"taskId": number, **changes})
        if refused:
            value = {"success": False, "taskId": number, "updatedFields": [], "error": refused}
            answer(id, refused, value)
            return
        self.tasks[task] |= {"status": changes.get("status", self.tasks[task]["status"])}
        self.keep(task)
        answer(id, f"Updated task #{number}", {"success": True, "taskId": number})

    workers: dict[str, str] = {}

    def start(self, task: dict[str, Any]) -> None:
        instructions = Path(CWD, task["instructions"]).read_text()
        rule = rule_for(instructions)
        arguments = {
            "description": task["id"],
            "prompt": f"Carry out {task['instructions']}.",
            "name": task["worker"],
            "subagent_type": "general-purpose",
        }
        id = call("Agent", arguments)
        worker = f"agent{len(self.workers) + 1}"
        self.workers[worker] = id
        started = of(WORK, "system", "task_started")
        tell(started | {"task_id": worker, "tool_use_id": id, "description": task["id"]})
        if HOOKS.entries:
            self.form_team([*HOOKS.workers.values()])
            spawned = {"status": "teammate_spawned", "agentId": f"a{task['worker']}-1"}
            answer(id, "", spawned)
            HOOKS.run("SubagentStart", id)
        else:
            answer(id, "Async agent launched.", {"isAsync": True, "agentId": worker})
        self.update(task["id"], {"status": "in_progress"})
        progress = of(WORK, "system", "task_progress")
        tell(progress | {"task_id": worker, "tool_use_id": id})
        if rule.get("messages"):
            sent = call("SendMessage", {"to": "team-lead", "message": "half done"}, id)
            answer(sent, "sent", {"success": True}, id)
        if "asks" in rule:
            asked = {"tool_name": "Bash", "tool_input": {"command": rule["asks"]}}
            note({"answered": HOOKS.run("PermissionRequest", id, **asked)})
        if rule.get("fault") == "hangs":
            return
        if rule.get("fault") == "marks its task itself":
            self.tasks[task["id"]] |= {"status": "completed", "owner": task["worker"]}
            self.keep(task["id"])
            return
        work(rule, id)
        report = {"task": task["id"], "status": rule.get("report", "completed")}
        if "error" in rule:
            report["error"] = rule["error"]
        text = rule.get("text", "Done.")
        if rule.get("fault") != "no report":
            text += f"\n```json\n{json.dumps(report)}\n```"
        self.ended(worker, id, "completed", text)
        if report["status"] == "completed":
            self.update(task["id"], {"status": "completed"}, rule.get("refused", ""))

    def ended(self, worker: str, id: str, status: str, text: str) -> None:
        if HOOKS.entries:
            HOOKS.run("SubagentStop", id, last_assistant_message=text)
            HOOKS.run("TeammateIdle", id)
            return
        line = of(WORK, "system", "task_notification")
        line |= {"task_id": worker, "tool_use_id": id, "status": status, "summary": text}
        tell(line | {"usage": {"duration_ms": 1500}})


def main() -> int:
    if "--input-format" in sys.argv:
        return Lead().serve()
    if "--print" not in sys.argv:
        return Lead().serve_terminal()
    return run_once(sys.stdin.read())


sys.exit(main())
