#!/usr/bin/env bash
# The step "Check contracts" of action.yml. Everything that a workflow gives comes in as an
# environment variable and reaches the command as separate words, never as shell text.
set -uo pipefail

words=()
read -r -a paths <<<"${PATHS:-.}"
read -r -a more <<<"${ARGS:-}"
[ -z "${CHANGED:-}" ] || words+=("--changed=$CHANGED")
[ -z "${BASELINE:-}" ] || words+=(--baseline "$BASELINE")
case "${FAIL_ON:-error}" in
    never) words+=(--exit-zero) ;;
    *) words+=(--fail-on "${FAIL_ON:-error}") ;;
esac

rm -f -- "$SARIF" # of an earlier run
"${CONTRACT_SCAN:-$RUNNER_TEMP/contract-scan/bin/contract-scan}" check \
    --output-format github --output-format "sarif=$SARIF" \
    "${words[@]}" "${more[@]}" "${paths[@]}"
status=$?

echo "status=$status" >>"$GITHUB_OUTPUT"
if [ -s "$SARIF" ]; then
    echo "sarif-file=$SARIF" >>"$GITHUB_OUTPUT"
    # The results of an incomplete scan would close the alerts of what was not looked at.
    if grep -q '"executionSuccessful": true' "$SARIF"; then
        echo "complete=true" >>"$GITHUB_OUTPUT"
    fi
fi
exit "$status"
