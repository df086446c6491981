# SPDX-License-Identifier: MIT
# libdltrace.so and -audit.so need nothing but libc: a missing dependency of a preload stops every
# program.
. "$top_srcdir/tests/lib.sh"
needed=$(objdump -p "$DLTRACE_LIB" | awk '/NEEDED/ && $2 !~ /^(libc\.so|ld-linux)/ { print $2 }')
same "other libraries needed" "" "$needed"
needed=$(objdump -p "${DLTRACE_LIB%.so}-audit.so" | awk '/NEEDED/ && $2 !~ /^(libc\.so|ld-linux)/ { print $2 }')
same "other libraries needed for auditing" "" "$needed"
ours=$(nm -D --defined-only "$DLTRACE_LIB" | awk '$3 ~ /^_?dlt_/ { print $3 }')
same "internal names exported" "" "$ours"
declared=$(sed -n 's/^void \(dltrace_[a-z]*\)(.*/\1/p' "$top_srcdir/interpose/dltrace.h" | sort)
exported=$(nm -D --defined-only "$DLTRACE_LIB" | awk '$3 ~ /^dltrace_/ && $3 !~ /^dltrace_(nvtx|audited)$/ { print $3 }' | sort)
same "functions of dltrace.h exported" "$declared" "$exported"
for name in $declared; do
	grep -q "$name" "$top_srcdir/man/dltrace.7" || fail "$name is not in dltrace(7)"
done
