# SPDX-License-Identifier: MIT
# dltrace-record as a plain user, as root beside the machine's own daemon, as root without
# CAP_SYS_ADMIN, twice at once, and where no LTTng daemon is installed.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need setpriv
[ "$(id -u)" = 0 ] || skip "only root can become somebody else"

recorded() {
	babeltrace2 "$1" >events || fail "$1 cannot be read"
	grep -q 'dltrace_proc:process:.*exe = "[^"]*'"$2" events || fail "$1: $2 is not in the trace"
}

echo "a plain user"
mkdir user && chmod 777 user && chmod 755 .
(cd user && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent \
	"$RECORD" -o t -- sleep 0.2) 2>err || fail "as nobody: $(cat err)"
recorded user/t sleep
same "owner of the trace" 65534 "$(stat -c %u user/t)"

echo "two at once"
"$RECORD" -q -o one -- sleep 1 &
first=$!
"$RECORD" -q -o two -- sleep 1.01 || fail "the second"
wait $first || fail "the first"
recorded one sleep
same "processes in one" 1 "$(sed -n 's/.*dltrace_proc:process:.* pid = \([0-9]*\),.*/\1/p' events | sort -u | wc -l)"
recorded two sleep
same "processes in two" 1 "$(sed -n 's/.*dltrace_proc:process:.* pid = \([0-9]*\),.*/\1/p' events | sort -u | wc -l)"

echo "no LTTng daemon installed"
mkdir bin
ln -s "$(command -v sleep)" bin/sleep
status=0
PATH=$TMP/bin "$RECORD" -o none -- sleep 0.1 2>err || status=$?
same "status" 0 $status
same "lines" 1 "$(wc -l <err)"
grep -q 'nothing is recorded: lttng-sessiond is not installed' err || fail "message: $(cat err)"
[ ! -e none ] || fail "an empty folder is left"
PATH=$TMP/bin "$RECORD" --require -o none -- sleep 0.1 2>err || status=$?
same "status with --require" 125 $status

echo "an LTTng daemon that ends at once"
cat >ends <<'END'
#!/bin/sh
printf 'a word\nError: \tno room here\n' >&2
exit 3
END
chmod +x ends
LTTNG_SESSIOND_PATH=$TMP/ends "$RECORD" -o none -- sleep 0.1 2>err || fail "the command's status is another's"
same "lines" 1 "$(wc -l <err)"
grep -q 'nothing is recorded: lttng-sessiond ended at once with status 3: Error:  no room here' err || fail "message: $(cat err)"

echo "root without CAP_SYS_ADMIN shares the machine's daemon, or starts it"
exec 9>"/tmp/dltrace-test-session-$(id -u).lock"
flock -w 250 9 || fail "another test holds the session daemon"
capsh --drop=cap_sys_admin -- -c '"$0" -v -o shared -- sleep 0.3 9>&-' "$RECORD" 2>err || fail "$(cat err)"
recorded shared sleep

echo "root beside the machine's daemon"
lttng-sessiond --daemonize --no-kernel 9>&- >daemon.log 2>&1 || fail "$(cat daemon.log)"
"$RECORD" -q -o beside -- sleep 0.3 9>&- || fail "beside the daemon"
recorded beside sleep
same "sessions in the machine's daemon" "Currently no available recording session" \
	"$(lttng --no-sessiond list 2>&1 | grep -o 'Currently no available.*session')"
capsh --drop=cap_sys_admin -- -c '"$0" -q -o shared2 -- sleep 0.3 9>&-' "$RECORD" 2>err || fail "$(cat err)"
recorded shared2 sleep
lttng --no-sessiond list >/dev/null || fail "the machine's daemon is gone"
kill "$(cat /run/lttng/lttng-sessiond.pid)"
