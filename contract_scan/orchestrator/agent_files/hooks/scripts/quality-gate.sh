# Before the agent stops: are the requirements checked off?

read_hook_input

# It was refused once already, and goes on because of that; or it waits for others only.
[ "$stop_hook_active" = no ] || exit 0
[ "$is_waiting" = no ] || exit 0

# Calls a command with each file that has requirements: the one that was given when the hook was
# written; else those of the milestones that are being built; else REQUIREMENTS.md.
with_requirements() {
    for folder in "$cwd" "$project"; do
        case $requirements in
            '') ;;
            /* | [A-Za-z]:*) file=$requirements ;;
            *) file=$folder/$requirements ;;
        esac
        if [ -n "$requirements" ]; then
            [ -f "$file" ] || continue
            "$@" "$file"
            return
        fi
        builder=$folder/.agent-team
        if [ -f "$builder/MASTER_PLAN.md" ]; then
            for milestone in $(milestones_in_progress); do
                file=$builder/milestones/$milestone/REQUIREMENTS.md
                [ ! -f "$file" ] || "$@" "$file" || return
            done
            return
        fi
        for file in "$folder/REQUIREMENTS.md" "$builder/REQUIREMENTS.md"; do
            [ -f "$file" ] || continue
            "$@" "$file"
            return
        done
    done
}

milestones_in_progress() {
    LC_ALL=C awk '
        /^- ID: [A-Za-z0-9][A-Za-z0-9._-]*[ \t\r]*$/ { id = $3 }
        /^- Status: IN_PROGRESS[ \t\r]*$/ { print id }
    ' <"$builder/MASTER_PLAN.md"
}

# The text without its fenced code, where check boxes are examples.
without_code() {
    LC_ALL=C awk '
        match($0, /^ ? ? ?(```+|~~~+)/) {
            mark = substr($0, RSTART, RLENGTH)
            sub(/^ +/, "", mark)
            if (fence == "") fence = mark
            else if (index(mark, fence) == 1) fence = ""
            next
        }
        fence == ""
    ' <"$1"
}

# boxes MARKS: how many items of lists have such a check box.
boxes() {
    printf '%s\n' "$text" | LC_ALL=C grep -cE "^[[:space:]]*[-*+] \\[$1\\][[:space:]]"
}

text=$(with_requirements without_code 2>/dev/null) || give_up "cannot read the requirements"
checked=$(boxes '[xX]')
open=$(boxes ' ')
total=$((checked + open))
[ "$total" -gt 0 ] || exit 0
if [ $((checked * 10000)) -lt $((total * threshold_parts)) ]; then
    percent=$((checked * 100 / total))
    ratio=$(printf '%d.%02d' $((percent / 100)) $((percent % 100)))
    say "REQUIREMENTS.md only $ratio complete (threshold: $threshold)"
    say "$open of $total items are open. Work on them, and check off what is done and tested. Where"
    say "they are no part of your task, end again."
    exit 2
fi
