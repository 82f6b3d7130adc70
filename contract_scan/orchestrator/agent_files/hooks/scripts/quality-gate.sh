# Before the agent stops: are the requirements checked off?

read_hook_input

# It was refused once already, and goes on because of that; or it waits for others only.
[ "$stop_hook_active" = no ] || exit 0
[ "$is_waiting" = no ] || exit 0

find_requirements() {
    if [ -n "$requirements" ]; then
        set -- "$requirements"
    else
        set -- REQUIREMENTS.md .agent-team/REQUIREMENTS.md
    fi
    for folder in "$cwd" "$project"; do
        for file in "$@"; do
            case $file in
                /* | [A-Za-z]:*) ;;
                *) file=$folder/$file ;;
            esac
            [ ! -f "$file" ] || return 0
        done
    done
    return 1
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
    ' <"$file"
}

# boxes MARKS: how many items of lists have such a check box.
boxes() {
    printf '%s\n' "$text" | LC_ALL=C grep -cE "^[[:space:]]*[-*+] \\[$1\\][[:space:]]"
}

find_requirements || exit 0
text=$(without_code 2>/dev/null) || give_up "cannot read $file"
checked=$(boxes '[xX]')
open=$(boxes ' ')
total=$((checked + open))
[ "$total" -gt 0 ] || exit 0
if [ $((checked * 10000)) -lt $((total * threshold_parts)) ]; then
    percent=$((checked * 100 / total))
    ratio=$(printf '%d.%02d' $((percent / 100)) $((percent % 100)))
    say "REQUIREMENTS.md only $ratio complete (threshold: $threshold)"
    say "$open of $total items are open. Work on them, and check off what is done and tested."
    exit 2
fi
