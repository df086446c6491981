# SPDX-License-Identifier: MIT
# make bundle: nothing in it asks for a glibc after 2.34 or for a library that is neither in it nor
# glibc's, and in a chroot with nothing but a shell and a C library, which is made to be 2.34, it
# records and reports, as root and as a plain user: a C program and one that calls CUDA.
. "$top_srcdir/tests/lib.sh"
need patchelf
need dpkg-query
unset MAKEFLAGS MFLAGS MAKELEVEL
mkdir build
make -s -C "$top_builddir" bundle BUNDLE="$TMP/bundle" BUNDLE_TREE="$TMP/tree" >make.log 2>&1 || fail "$(tail make.log)"
[ "$(stat -c %s bundle.tar.gz)" -lt 40000000 ] || fail "$(stat -c %s bundle.tar.gz) bytes"
tar xzf bundle.tar.gz -C build

# ---- what it needs ----
find build/bundle -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print >elf
[ "$(wc -l <elf)" -gt 20 ] || fail "few programs and libraries: $(cat elf)"
host="libc.so.6 libm.so.6 ld-linux-x86-64.so.2 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2"
while read -r file; do
	newest=$(readelf -VW "$file" | sed -n '/version_r/,$p' | grep -o 'GLIBC_[A-Z0-9_.]*' | sort -V | tail -n 1)
	case $(printf '%s\nGLIBC_2.34\n' "$newest" | sort -V | tail -n 1) in
	GLIBC_2.34) ;;
	*) fail "$file needs $newest" ;;
	esac
	for name in $(objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }'); do
		[ -e "build/bundle/lib/$name" ] || case " $host " in
		*" $name "*) ;;
		*) fail "$file needs $name, which is not there" ;;
		esac
	done
	[ -z "$(objdump -p "$file" | grep -E 'R(UN)?PATH' | grep -v '\$ORIGIN')" ] || fail "$file is not relative"
done <elf
# In the application, a library of ours with a usual name would stand in for the application's own.
inside=$(cd build/bundle/lib && echo libdltrace*.so | tr ' ' '\n')
for round in 1 2 3; do
	inside=$(cd build/bundle/lib && for file in $inside; do
		echo "$file"
		objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }' | while read -r name; do [ ! -e "$name" ] || echo "$name"; done
	done | sort -u)
done
same "usual names in the application" "" "$(echo "$inside" | grep -v '^libdltrace\|^liblttng-ust')"
grep -q "^liblttng-ust1 .* source ust " build/bundle/share/doc/dltrace/licences/SOURCES || fail "no sources are named"
[ -s build/bundle/share/doc/dltrace/licences/LGPL-2.1 ] || fail "no licence texts"

status=0
python3 build/bundle/scripts/gpu-acceptance --only nothing -o acceptance >said || status=$?
[ $status = 0 ] || [ $status = 77 ] || fail "gpu-acceptance of the bundle: status $status: $(cat said)"

# ---- where nothing is installed ----
[ "$(id -u)" = 0 ] || skip "the rest needs root"
root=$TMP/root
mkdir -p "$root/bin" "$root/proc" "$root/dev/shm" "$root/tmp" "$root/opt" "$root/run" "$root/var"
ln -s ../run "$root/var/run"
chmod 1777 "$root/tmp" "$root/dev/shm"
chmod 755 "$TMP" "$root"
for program in sh cat grep mkdir; do
	cp -L "$(command -v $program)" "$root/bin/"
done
cp "$APPS/heap_many" "$APPS/cuda_work" "$STUBS/libcudart.so.12" "$root/bin/"
for lib in $(ldd "$root"/bin/* | grep -o '/[^ ]*' | grep -v "^$root\|:$" | sort -u); do
	mkdir -p "$root${lib%/*}"
	cp -L "$lib" "$root$lib"
done
# Versions after 2.34 get other names: to the loader they are not there.
for lib in libc.so.6 libm.so.6; do
	path=$(ldd "$REPORT" "$root/bin/sh" | sed -n "s,.*=> \(/[^ ]*/$lib\) .*,\1,p" | head -n 1)
	mkdir -p "$root${path%/*}"
	cp -L "$path" "$root$path"
done
find "$root" -name 'lib[cm].so.6' -o -name 'ld-linux*' | xargs sed -i 's/GLIBC_2\.3[5-9]/GLIBC_X.YZ/g'
cp -r build/bundle "$root/opt/moved"
: >"$root/dev/null"
chroot=$(PATH=$PATH:/usr/sbin command -v chroot)
export chroot
inside() {
	unshare -m sh -c 'mount --bind /dev/null "$1/dev/null" && mount -t proc none "$1/proc" &&
		mount -t tmpfs none "$1/dev/shm" &&
		mkdir -p "${ELSEWHERE:-$1/run/lttng}" && chmod 1777 "$1/dev/shm" && root=$1 && user=$2 && shift 2 &&
		exec env -i PATH=/bin HOME=/tmp LD_LIBRARY_PATH=/bin "$chroot" --userspec="$user" "$root" "$@"' sh "$root" "$@"
}
try() {
	inside "$1" /bin/sh -euc 'cd /tmp && mkdir "$1" && cd "$1"
		for program in "heap_many 20" cuda_work; do
			trace=${program%% *}
			/opt/moved/bin/dltrace-record --require -o "$trace" -- $program 2>errors || { cat errors; exit 1; }
			grep -q " 0 lost" errors || { cat errors; exit 1; }
			/opt/moved/bin/dltrace-report "$trace" -o r.json -o f.svg 2>>errors || { cat errors; exit 1; }
			/opt/moved/bin/dltrace-report "$trace"
		done' sh "$2" >"$2.log" 2>&1 || fail "$2: $(cat "$2.log")"
	grep -q cudaMalloc "$2.log" || fail "$2: no CUDA call in the report: $(cat "$2.log")"
}
# A root that lacks what LTTng needs: one line, and the command runs.
rmdir "$root/run"
mkdir elsewhere
ELSEWHERE=$TMP/elsewhere inside 0:0 /opt/moved/bin/dltrace-record -o /tmp/none -- heap_many 20 >bare 2>&1 || fail "status $?: $(cat bare)"
same "without /run" "dltrace-record: nothing is recorded: /run/lttng/dltrace.lock: No such file or directory; LTTng needs /run, and /var/run, a link to it: make them" "$(cat bare)"
mkdir "$root/run"
# LTTng would cancel its threads, for which glibc needs libgcc_s: where there is none, programs end all the same.
inside 0:0 /opt/moved/bin/dltrace-record -q -o /tmp/bare -- heap_many 20 >bare 2>&1 || fail "status $?: $(cat bare)"
same "without libgcc_s" "" "$(cat bare)"
cp build/bundle/lib/libgcc_s.so.1 build/bundle/lib/libdltrace-compat.so "$root/lib/x86_64-linux-gnu/"
try 0:0 root
try 1000:1000 user
