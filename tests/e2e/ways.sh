# SPDX-License-Identifier: MIT
# Every way in which a program gets at CUDA (tests/ways/ways.tbl), with the preload alone and with
# the audit library beside it: each call that the stub counts is in the report, once; or none is, and
# the report says of which library.
. "$top_srcdir/tests/lib.sh"
need gcc
need python3
# Not a script of that name, which makes processes of its own.
PYTHON=$(python3 -c 'import sys; print(sys.executable)')

WAYS=$top_srcdir/tests/ways
CALLER=$WAYS/caller.c
HOST=$TMP/host
SO="gcc -D_GNU_SOURCE -shared -fPIC -g -O1 -o"
gcc -g -O1 -D_GNU_SOURCE -o host "$WAYS/host.c"

# Word for word, but for what starts with a $ and the two short forms.
expand() {
	printf '%s\n' "$1" | sed "s,@\(1[23]\),-L\$STUBS -l:libcudart.so.\1 -Wl\\,-rpath\\,\$STUBS,g"
}

# As dltrace-record --audit sets it, room for thread-local storage included.
audit="LD_AUDIT=${DLTRACE_LIB%.so}-audit.so GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536"
grep -v '^#' "$WAYS/ways.tbl" | grep '|' | tr -d '\t' >ways
session_start 'dltrace_*'
while IFS='|' read -r name covered build run; do
	name=$(echo $name)
	mkdir "$TMP/$name"
	cd "$TMP/$name"
	(eval "$(expand "$build")") || fail "$name: cannot be built"
	for more in "" "$audit"; do
		env LD_PRELOAD="$DLTRACE_LIB" DLTRACE_CHILDREN=all $more \
			DLTRACE_STUB_REPORT="$TMP/$name/stub${more:+-audit}" \
			$(eval echo "\"$run\"") "way=$name${more:+-audit}" || fail "$name: ended with $?"
		[ -s "stub${more:+-audit}" ] || fail "$name: the stub was not called"
	done
done <ways
cd "$TMP"
session_stop
"$REPORT" -q -f json trace >report.json
python3 "$WAYS/compare.py" ways report.json || fail "see above"
