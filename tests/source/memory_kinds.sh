# SPDX-License-Identifier: MIT
# The kinds of GPU memory: events.tbl says of each that memory_kinds.h has which number it is, by its name there.
. "$top_srcdir/tests/lib.sh"
tables=$top_srcdir/tracepoints

# "NUMBER NAME" of each, in the order of the enumeration
awk '/^enum dlt_memory \{/ { inside = 1; next }
	inside && /^\};/ { exit }
	inside && /DLT_MEMORY_/ { gsub(/[\t,]/, ""); print n++, $1 }' "$tables/memory_kinds.h" |
	while read -r number kind; do
		sed -n "s/.*\[$kind\] = { \"\([a-z]*\)\".*/$number \1/p" "$tables/memory_kinds.h"
	done >kinds
[ "$(wc -l <kinds)" -gt 15 ] || fail "memory_kinds.h has only $(wc -l <kinds) kinds"
sed -n 's/^  memory .*"kind: \(.*\)"$/\1/p; s/^  memory .*"kind, as in alloc; \(.*\)"$/\1/p; s/^  gpu_memory .*kinds as in dltrace_cuda:alloc; \([^)]*\)).*/\1/p' \
	"$tables/events.tbl" | tr ',;' '\n\n' | sed 's/^ *//' >told
while read -r number name; do
	[ "$name" != gpu ] || name="the sum of what is physical"
	grep -q "^$number $name" told || grep -q "^$number: $name" told || fail "events.tbl does not say that $number is $name"
done <kinds
