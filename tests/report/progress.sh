# SPDX-License-Identifier: MIT
# The limit of CPU time is for one step of the report: it is set anew before each analysis, rule, file and condition.
. "$top_srcdir/tests/lib.sh"
cat >trace.txt <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s exe="/bin/train"
[1s] dltrace_proc:function function=malloc layer="heap" kind="allocate" name="malloc"
[2s] dltrace_heap:alloc thread=1 function=malloc library=1 size=64K ptr=0x1000
[3s] dltrace_proc:exit process=1 how=0 code=0
END
# steps OPTION...: how often a report with these sets it
steps() {
	rm -f "$TMP/limits"
	LIMITS=$TMP/limits ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS:-} LD_PRELOAD=$APPS/limits \
		"$REPORT" -q "$@" trace.txt >"$TMP/out" || fail "dltrace-report $*: exit status $?"
	wc -l <"$TMP/limits"
}
# rows MACRO FILE: of a table of the sources
rows() {
	grep -c "^$1(" "$top_srcdir/analysis/$2"
}
one=$(steps -o a.json)
rules=$(rows RULE rules/rules.tbl)
least=$(($(rows ANALYSIS analyses.tbl) + rules))
[ "$one" -ge $least ] || fail "the limit was set $one times for $least analyses and rules"
two=$(steps -o a.json trace.txt)
[ "$two" -ge $((one + rules + 10)) ] || fail "the limit was set $((two - one)) times more for a second trace: not by rules and analyses"
{
	cat trace.txt
	for i in $(seq 2 101); do echo "[1s] dltrace_proc:process process=$i pid=$((i + 99)) begin=1s exe=\"/bin/train\""; done
} >more.txt
more=$(steps -o a.json more.txt)
[ "$more" -ge $((two + 100)) ] || fail "the limit was set $((more - two)) times more for 100 processes: not when iterations are looked for"
same "with two more files" $((one + 2)) "$(steps -o a.json -o b.json -o c.md)"
same "with two conditions" $((one + 2)) "$(steps -o a.json --fail-if 'total>1h' --fail-if 'total>2h')"
folder=$(steps -o a.json -o tables.csv/)
pages=$(ls tables.csv | wc -l)
[ "$folder" -ge $((one + pages)) ] || fail "the limit was set $folder times, not once for each of $pages pages"
[ "$(steps -o a.json -o t.pftrace)" -gt "$one" ] || fail "the limit was not set before a timeline was ended"
