# SPDX-License-Identifier: MIT
# Every function that a real libcudart exports has a row in runtime.tbl, or is passed over there by
# name; and the stub of that major version exports what the real one does, but for functions that a
# later minor version brought.
. "$top_srcdir/tests/source/nvidia.inc"
need nm

exported() {
	nm -D --defined-only "$1" | sed -n 's/.* T \(_*cuda[A-Za-z0-9_]*\).*/\1/p' | sort -u
}
"$top_srcdir/scripts/gen-functions" names -l runtime "$tables/events.tbl" "$tables/functions.tbl" \
	"$tables/runtime.tbl" | sort -u >rows
# One of each content: environments have the same ones.
libraries=$(ls ${CUDART_LIBRARIES:-} /usr/lib/x86_64-linux-gnu/libcudart.so.*[0-9] $(nvidia 'lib*/libcudart.so.*[0-9]') \
	2>/dev/null | xargs -r cksum | awk '!seen[$1]++ { print $3 }')
[ -n "$libraries" ] || skip "no libcudart is here: CUDA_HOME, /usr/local/cuda, scripts/setup frameworks, CUDART_LIBRARIES"
for library in $libraries; do
	exported "$library" >real
	[ -s real ] || fail "$library exports nothing"
	comm -23 real rows >missing
	[ ! -s missing ] || fail "$library: without a row: $(cat missing)"
	soname=$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')
	[ -e "$STUBS/$soname" ] || continue
	exported "$STUBS/$soname" >stub
	comm -23 real stub >missing
	[ ! -s missing ] || fail "$soname: the stub lacks $(cat missing)"
	comm -13 real stub >more
	echo "$library: $(wc -l <real) functions, all have rows; later versions have $(wc -l <more) more"
done
