# SPDX-License-Identifier: MIT
# Wrappers that are two functions (interpose/calls.h): the exported one only jumps, to the other one and to the real
# function. A call would make dltrace itself the caller of all that the program calls. Those of @quick functions call
# where they count without the clock, since they need the result.
. "$top_srcdir/tests/lib.sh"
need objdump
grep -q '^#define DLT_TAIL_CALLS 1' "$top_builddir/config.h" || skip "this compiler makes no jumps: each wrapper is one function"
touch callers
objdump -d --no-show-raw-insn "$DLTRACE_LIB" | awk '
	/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); next }
	$2 ~ /^j/ && $0 ~ /<heard_[^+>]*>/ { heard = $NF; gsub(/[<>]|[.].*/, "", heard); print heard, name }
	$2 ~ /^call/ { print name >"callers" }
' | sort -u >jumps
nm "$DLTRACE_LIB" | awk '$2 == "t" && $3 ~ /^heard_/ { sub(/[.].*/, "", $3); print $3 }' | sort -u >halves
[ "$(wc -l <halves)" -gt 1000 ] || fail "no more than $(wc -l <halves) wrappers are two functions"
same "second halves that their first ones do not jump to" "" "$(awk '$1 == "heard_" $2 { print $1 }' jumps | sort -u | comm -13 - halves)"
sed -n 's/^[^#(]*[ *]\([A-Za-z0-9_]*\)(.*@quick.*/\1/p' "$top_srcdir"/tracepoints/*.tbl | sort -u >quick
same "first halves that call" "$(cat quick)" "$(awk '{ print $2 }' jumps | sort -u | grep -Fxf - callers | sed 's/_ptsz$//; s/_ptds$//' | sort -u)"
