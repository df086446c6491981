# SPDX-License-Identifier: MIT
# A static CUDA runtime is known by what it needs of the C library (interpose/coverage.c): each version's that is here
# does, and of the C library, the driver's stub and other libraries of NVIDIA's that have none inside none does.
. "$top_srcdir/tests/source/nvidia.inc"
need nm

names=$(sed -n '/fingerprint\[\] = {/,/};/p' "$top_srcdir/interpose/coverage.c" | grep -o '"[^"]*"' | tr -d '"')
[ "$(echo "$names" | wc -l)" = 3 ] || fail "no fingerprint in interpose/coverage.c"

# needs FILE NM-OPTION...: how many of them it refers to
needs() {
	file=$1
	shift
	nm -u "$@" "$file" 2>/dev/null | awk '{ print $2 }' | sed 's/@.*//' | sort -u >needed
	echo "$names" | grep -cxFf needed || :
}

seen=
for runtime in $(nvidia 'lib*/libcudart_static.a'); do
	same "what $runtime needs" 3 "$(needs "$runtime")"
	seen="$seen $runtime"
done
[ -n "$seen" ] || skip "no libcudart_static.a is here: CUDA_HOME, /usr/local/cuda, scripts/setup frameworks"
for other in $(nvidia 'lib/libnvrtc*.so*') $(nvidia 'lib/libcupti.so*') $(nvidia 'lib/libnvJitLink.so*') \
	/lib/x86_64-linux-gnu/libc.so.6 /lib/x86_64-linux-gnu/libstdc++.so.6 /usr/lib/x86_64-linux-gnu/libpython3*.so.1.0; do
	[ ! -e "$other" ] || [ "$(needs "$other" -D)" -lt 3 ] || fail "$other would be taken for one"
done
echo "compared with$seen"
