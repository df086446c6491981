# SPDX-License-Identifier: MIT
# A process that ends in a signal's handler says so, also where that came in the middle of an event: one of
# five of these. Their parent is only counted and says nothing of them.
. "$top_srcdir/tests/lib.sh"

cat >many.sh <<'END2'
for i in $(seq 40); do
	"$APPS/handler_ends"
done
true
END2
for way in '' --in-process; do
	rm -rf trace
	DLTRACE_CHILDREN=handler_ends "$RECORD" -q --require $way -o trace -- sh -c 'dash many.sh; true'
	"$REPORT" -f json trace >report.json
	holds "how they ended" '[.processes[] | select(.name == "handler_ends" and .exit == {"status": 3})] | length == 40'
done
