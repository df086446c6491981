# SPDX-License-Identifier: MIT
# A program with a malloc of its own is said to have one (heap=1), not shown as 0 bytes.
. "$top_srcdir/tests/lib.sh"

boxes
same "output" "own heap" "$(LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_own")"
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
grep -q ' heap=1 ' totals || fail "cover: $(cat totals)"

boxes
LD_PRELOAD=$DLTRACE_LIB "$APPS/heap_edge" large
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
grep -q ' heap=0 ' totals || fail "cover of glibc's heap: $(cat totals)"

# A program at a fixed address that takes malloc's address: its symbol is only a way to ours.
cat >fixed.c <<'C'
#include <stdlib.h>
void *(*volatile allocate)(size_t) = malloc;
int main(void)
{
	free(allocate(100000));
	return 0;
}
C
$CC -no-pie -fno-pie -fno-builtin -o fixed fixed.c
boxes
LD_PRELOAD=$DLTRACE_LIB ./fixed
"$APPS/box_totals" "$DLTRACE_BOX"/*.box >totals
grep -q ' heap=0 ' totals || fail "cover of a fixed program: $(cat totals)"
