# What all hooks share: what Claude Code says on standard input, and where the project is.
#
# Exit status of a hook: 0 lets the agent go on; 2 refuses, and the agent reads standard error; any
# other is shown to the user only. Trouble of the hook itself ends with 1, so that it traps nobody.

say() {
    printf '%s\n' "$*" >&2
}

give_up() {
    say "contract-scan: $*"
    exit 1
}

# `-I`: neither the working directory nor the environment adds modules, so that no file of the
# project is run. `-S`: nothing that is installed is needed, and looking for it takes half the time.
find_python() {
    for python in python3 "$own_python" python; do
        if [ -n "$python" ] && "$python" -I -S -c '' 2>/dev/null; then
            return
        fi
    done
    give_up "this hook needs Python 3 on the PATH, and did nothing"
}

# Sets event, session, agent, stop_hook_active, is_waiting, team, teammate, cwd and project. `agent`
# is empty for the agent that leads a session.
# shellcheck disable=SC2034 # each hook uses some of them
read_hook_input() {
    find_python
    told=$("$python" -I -S -c '
import json, os, re, sys

try:
    told = json.loads(sys.stdin.buffer.read())
except (ValueError, RecursionError):
    told = None
if not isinstance(told, dict):
    sys.exit("no JSON object")

def name(key):
    value = told.get(key)
    safe = isinstance(value, str) and re.fullmatch("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", value)
    return value if safe else ""

def is_running(task):
    return isinstance(task, dict) and task.get("status") == "running"

tasks = told.get("background_tasks")
try:
    cwd = os.fsencode(told.get("cwd") or "")
except (TypeError, UnicodeError):
    cwd = b""
lines = [
    name("hook_event_name"),
    name("session_id") or "unknown",
    name("agent_id"),
    "yes" if told.get("stop_hook_active") is True else "no",
    "yes" if isinstance(tasks, list) and any(map(is_running, tasks)) else "no",
    name("team_name"),
    name("teammate_name"),
]
cwd = b"" if b"\0" in cwd else cwd
sys.stdout.buffer.write("\n".join(lines).encode() + b"\n" + cwd + b"/")
' 2>/dev/null) || give_up "what came on standard input is no input of a hook"
    {
        IFS= read -r event
        IFS= read -r session
        IFS= read -r agent
        IFS= read -r stop_hook_active
        IFS= read -r is_waiting
        IFS= read -r team
        IFS= read -r teammate
        cwd=$(cat)
    } <<END_OF_INPUT
$told
END_OF_INPUT
    cwd=${cwd%/}
    project=${CLAUDE_PROJECT_DIR:-$cwd}
    [ -d "$project" ] || give_up "the folder of the project is not there: $project"
    [ -d "$cwd" ] || cwd=$project
}
