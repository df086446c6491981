# SPDX-License-Identifier: MIT
# libdltrace.so needs nothing but libc: a missing dependency of a preload stops every program.
. "$top_srcdir/tests/lib.sh"
needed=$(objdump -p "$DLTRACE_LIB" | awk '/NEEDED/ && $2 !~ /^(libc\.so|ld-linux)/ { print $2 }')
same "other libraries needed" "" "$needed"
ours=$(nm -D --defined-only "$DLTRACE_LIB" | awk '$3 ~ /^_?dlt_/ { print $3 }')
same "internal names exported" "" "$ours"
