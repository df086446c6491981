# SPDX-License-Identifier: MIT
# A test's session daemon is gone before its next one begins, also where each test part is a subshell of
# its own: two at a time once made `lttng destroy` hang. With a daemon that takes a second to end.
mkdir bin
cat >bin/lttng <<'END'
#!/bin/sh
case $* in *list*) exit 1 ;; esac
END
cat >bin/lttng-sessiond <<'END'
#!/bin/sh
cd "$TMP"
for last in $(cat daemons); do
	grep '^State:.[^Z]' "/proc/$last/status" >>lived 2>/dev/null
done
sh -c 'trap "sleep 1; exit" TERM; while :; do sleep 0.05; done' &
echo $! >sessiond.pid
echo $! >>daemons
END
chmod +x bin/*
PATH=$TMP/bin:$PATH
. "$top_srcdir/tests/lib.sh"
: >daemons
: >lived

part() {
	session_start 'nothing:*'
	session_stop
}
part
(part)
(part)
same "daemons" 3 "$(wc -l <daemons)"
[ ! -s lived ] || fail "two session daemons at a time"
