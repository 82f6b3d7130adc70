# Before a teammate goes idle: are there tasks that it could take?
#
# The list is read from disk: a new `claude -p` would see an empty list of its own.

read_hook_input
list=${CLAUDE_CODE_TASK_LIST_ID:-$team}
case $list in
    '' | .* | *[!A-Za-z0-9_.-]*) exit 0 ;;
esac
folder=${CLAUDE_CONFIG_DIR:-${HOME:-}/.claude}/tasks/$list
[ -d "$folder" ] || exit 0

ready=$("$python" -I -S -c '
import json, pathlib, sys

folder, teammate = pathlib.Path(sys.argv[1]), sys.argv[2]
tasks = {}
for file in sorted(folder.glob("*.json"))[:5000]:
    try:
        task = json.loads(file.read_bytes()[:1_000_000])
    except (OSError, ValueError, RecursionError):
        continue
    if isinstance(task, dict):
        tasks[file.stem] = task

def is_open(number):
    return tasks.get(str(number), {}).get("status") in ("pending", "in_progress")

def is_ready(task):
    before = task.get("blockedBy")
    before = before if isinstance(before, list) else []
    is_free = task.get("owner") in (None, "", teammate)
    return task.get("status") == "pending" and is_free and not any(map(is_open, before))

ready = [number for number, task in tasks.items() if number.isdigit() and is_ready(task)]
print(*sorted(ready, key=lambda number: (len(number), number)))
' "$folder" "$teammate" 2>/dev/null) || give_up "cannot read the tasks in $folder"

[ -n "$ready" ] || exit 0
find_state
refused=idle-$session-$teammate

# No limit of Claude Code's ends this: a teammate that was sent back three times to the same tasks
# and took none may rest.
times=0
if [ "$(remembered "$refused.tasks")" = "$ready" ]; then
    times=$(count_of "$refused.count")
fi
[ "$times" -lt 3 ] || exit 0
remember "$refused.tasks" "$ready" || give_up "cannot write into $state"
remember "$refused.count" $((times + 1)) || give_up "cannot write into $state"
# shellcheck disable=SC2086 # the words of the list are counted
set -- $ready
say "$# pending unblocked tasks are left: $ready. Take one with TaskUpdate and carry it out."
exit 2
