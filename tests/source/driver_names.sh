# SPDX-License-Identifier: MIT
# Every function that CUDA's own stub of the driver exports is wrapped; skips where there is none.
. "$top_srcdir/tests/lib.sh"
need nm

for cuda in "${CUDA_HOME:-}" /usr/local/cuda; do
	stub=$cuda/lib64/stubs/libcuda.so
	[ -n "$cuda" ] && [ -e "$stub" ] && break
	stub=
done
[ -n "$stub" ] || skip "no CUDA toolkit with a stub of libcuda.so"
nm -D --defined-only "$stub" | sed -n 's/.* T \(cu[A-Z]\)/\1/p' | sort >theirs
nm -D --defined-only "$DLTRACE_LIB" | sed -n 's/.* T //p' | sort >ours
[ "$(wc -l <theirs)" -gt 500 ] || fail "$stub exports only $(wc -l <theirs) functions"
comm -23 theirs ours >missing
[ ! -s missing ] || fail "not wrapped: $(tr '\n' ' ' <missing)"
