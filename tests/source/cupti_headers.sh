# SPDX-License-Identifier: MIT
# What interpose/cupti/layout.h says of CUPTI's records is so in each version's headers that are here.
. "$top_srcdir/tests/source/nvidia.inc"
need gcc

# agrees LAYOUT-CHECK INCLUDE CUDA-INCLUDE
agrees() {
	gcc -fsyntax-only -I"$top_srcdir/interpose/cupti" -isystem "$2" -isystem "$3" "$1"
}
by_version CUPTI_API_VERSION $(nvidia include/cupti_version.h) >found
seen=
while read -r version header; do
	cupti=${header%/*} cuda=
	for include in "$cupti" "${cupti%/*/*}/cuda_runtime/include" "${cupti%/extras/CUPTI/include}/include"; do
		[ -n "$cuda" ] || [ ! -e "$include/cuda.h" ] || cuda=$include
	done
	[ -n "$cuda" ] || continue
	agrees "$top_srcdir/interpose/cupti/layout_check.c" "$cupti" "$cuda" || fail "layout.h and $cupti differ"
	seen="$seen $version"
done <found
[ -n "$seen" ] || skip "no headers of CUPTI are here: CUDA_HOME, /usr/local/cuda, scripts/setup frameworks"
echo "compared with CUPTI$seen"
