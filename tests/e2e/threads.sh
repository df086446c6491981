# SPDX-License-Identifier: MIT
# Threads: name, creator, start routine and end of each, whoever named it; LTTng's own left out;
# events told at each thread's end are those in the trace.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

same "threads without" "threads 7" "$("$APPS/threads")"
session_start 'dltrace_proc:*'
LD_PRELOAD=$DLTRACE_LIB "$APPS/threads" >out
session_stop
babeltrace2 trace >text

field() {
	sed -n "s/.* $1 = \([^,}]*\).*/\1/p" | tr -d '" '
}

# end_of NAME: how its thread ended, by the id that the name was given to
end_of() {
	id=$(grep "dltrace_proc:thread: .*name = \"$1\"" text | field thread | sort -u)
	grep "dltrace_proc:thread_end: .*thread = $id," text | field how
}

for expected in returner:0 exiter:1 cancelled:2 named:0 detached:0 small:0; do
	same "end of ${expected%:*}" "${expected#*:}" "$(end_of "${expected%:*}")"
done
same "threads announced at their start" 7 \
	"$(grep 'dltrace_proc:thread: .*reason = 0' text | field thread | sort -u | wc -l)"
same "all made by the first" 6 "$(grep 'dltrace_proc:thread: .*reason = 0' text |
	field creator | grep -cFx "$(grep 'dltrace_proc:process:' text | field process)")"

# events told by each thread against those that LTTng recorded of it: those that name it, but for
# announcements of a name that another gave it, which are the other's
for id in $(grep 'dltrace_proc:thread_end' text | field thread); do
	told=$(grep "dltrace_proc:thread_end: .*thread = $id," text | field events)
	same "events of thread $id" "$told" \
		"$(grep -c -e " thread = $id,.* by = 0," -e " by = $id," -e "thread_end: .* thread = $id," text)"
done
grep -q 'reason = 2, by = [1-9]' text || fail "no thread was named by another"
told=$(grep 'dltrace_proc:exit:' text | field events)
same "events of the process" "$told" "$(grep -c 'dltrace_' text)"
