# SPDX-License-Identifier: MIT
# Every function that a toolkit's own stub of the driver exports, and that the newest cuda.h here declares, is wrapped.
. "$top_srcdir/tests/source/nvidia.inc"
need nm

nm -D --defined-only "$DLTRACE_LIB" | sed -n 's/.* T //p' | sort >ours
# wrapped WHAT: those in the file theirs
wrapped() {
	[ "$(wc -l <theirs)" -gt 500 ] || fail "$1 has only $(wc -l <theirs) functions"
	same "functions of $1 that are not wrapped" "" "$(comm -23 theirs ours | tr '\n' ' ')"
	seen="$seen $1"
}
seen=
for stub in $(nvidia lib64/stubs/libcuda.so); do
	nm -D --defined-only "$stub" | sed -n 's/.* T \(cu[A-Z]\)/\1/p' | sort >theirs
	wrapped "$stub"
done
set -- $(cuda_headers | head -n 1)
if [ $# = 2 ] && command -v gcc >/dev/null; then
	printf '#define __CUDA_API_VERSION_INTERNAL\n#include <cuda.h>\n' | gcc -E -w -I"$2" - |
		grep -o '\<cu[A-Z][A-Za-z0-9_]*(' | tr -d '(' | sort -u >theirs
	wrapped "$2/cuda.h"
fi
[ -n "$seen" ] || skip "no stub of libcuda.so and no cuda.h is here: CUDA_HOME, /usr/local/cuda, scripts/setup frameworks"
echo "compared with$seen"
