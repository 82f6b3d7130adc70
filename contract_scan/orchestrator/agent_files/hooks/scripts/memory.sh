# What a hook remembers from one call to the next.

# Sets state: the folder of what hooks remember. Links are not followed: they may lead anywhere.
find_state() {
    state=$project/.agent-team/hooks
    if [ -L "$project/.agent-team" ] || [ -L "$state" ]; then
        give_up "$state is reached by a link; nothing is written there"
    fi
    mkdir -p "$state" 2>/dev/null || give_up "cannot make $state"
}

# remember NAME TEXT: fails where it cannot be written.
remember() {
    [ ! -L "$state/$1" ] || return 1
    { printf '%s\n' "$2" >"$state/$1"; } 2>/dev/null
}

# remembered NAME: the text, or nothing.
remembered() {
    [ ! -L "$state/$1" ] || return 0
    cat "$state/$1" 2>/dev/null
}

# count_of NAME: the number that is remembered, 0 where there is none.
count_of() {
    count=$(remembered "$1")
    case $count in
        '' | *[!0-9]* | ?????*) count=0 ;;
    esac
    printf '%s' "$count"
}
