# SPDX-License-Identifier: MIT
# A process ends with its last thread, whoever that is, as without: LTTng's threads do not keep it. And it
# ends as it wants to where nothing is left to end with: no descriptor, no memory, no file to be found.
. "$top_srcdir/tests/lib.sh"

ways='main late together alone forked descriptors memory'
[ "$(id -u)" != 0 ] || ways="$ways chroot"
# Leaving pthread_exit needs it, with and without us.
[ -e /lib/x86_64-linux-gnu/libgcc_s.so.1 ] || [ -e /lib64/libgcc_s.so.1 ] || skip "no libgcc_s"

all() {
	for way in $ways; do
		status=0
		timeout 60 "$@" "$APPS/last_thread" $way 2>&1 || status=$?
		echo "$way: $status"
	done
}
all env >plain
grep -qx 'main: 0' plain && grep -qx 'memory: 5' plain || fail "it does something else: $(cat plain)"
all env LTTNG_HOME="$TMP/nowhere" LD_PRELOAD="$DLTRACE_LIB" >alone
diff plain alone || fail "without a daemon it ends in another way"
all "$RECORD" -q -l full -o "$TMP/recorded-%p" -- >recorded
diff plain recorded || fail "recorded it ends in another way"

# The end by the last thread is an exit as any.
"$RECORD" -q --require -o trace -- "$APPS/last_thread" main >/dev/null
"$REPORT" -q -f json trace >report.json
holds "how it ended" '.processes[0].exit == {"status": 0}'

# Where nobody else says how it ended, it does so itself.
DLTRACE_CHILDREN=last_thread "$RECORD" -q --require -o unheard -- sh -c 'dash -c "$APPS/last_thread late; true"; true' >/dev/null
"$REPORT" -q -f json unheard >report.json
holds "how it ended where its parent is only counted" '[.processes[] | select(.command[0] | endswith("/last_thread"))] | length == 1 and .[0].exit == {"status": 0}'
holds "it is no failure" '.failures | length == 0'
