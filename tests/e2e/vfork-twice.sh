# SPDX-License-Identifier: MIT
# A child of vfork that vforks from the same place: both come back, and their parent goes on being traced.
. "$top_srcdir/tests/lib.sh"

"$RECORD" -q --require -o trace -- "$APPS/vfork_twice" >said || fail "status $?"
same "statuses" "5 5" "$(paste -s -d ' ' said)"
"$REPORT" --dump trace >dump
same "children" 2 "$(grep -c 'dltrace_proc:child .*how=1' dump)"
grep -q 'dltrace_heap:free .*size=52' dump || fail "nothing of the parent after that"
