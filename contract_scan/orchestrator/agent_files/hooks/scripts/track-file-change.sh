# After an edit: which file was written, as a line of JSON. Runs beside the agent.

find_python
project=${CLAUDE_PROJECT_DIR:-}
[ -d "$project" ] || give_up "the folder of the project is not there: $project"
find_state
"$python" -I -S -c '
import json, os, sys

try:
    told = json.loads(sys.stdin.buffer.read())
except (ValueError, RecursionError):
    told = None
if not isinstance(told, dict):
    sys.exit("contract-scan: what came on standard input is no input of a hook")
given = told.get("tool_input")
file = given.get("file_path") if isinstance(given, dict) else None
if not isinstance(file, str):
    sys.exit(0)
keys = ("session_id", "cwd", "hook_event_name", "tool_name")
line = {key: told[key] for key in keys if isinstance(told.get(key), str)}
line["tool_input"] = {"file_path": file}
flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
try:
    handle = os.open(sys.argv[1], flags, 0o666)
    os.write(handle, (json.dumps(line) + "\n").encode())
except OSError as error:
    sys.exit(f"contract-scan: {sys.argv[1]}: {error.strerror}")
' "$state/changes.jsonl"
