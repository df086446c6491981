# SPDX-License-Identifier: MIT
# Root of a user namespace that has no number for LTTng's group; a user whose instances of inotify are used up.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
unshare -r true 2>/dev/null || skip "no user namespaces"

unshare -rm "$RECORD" -q -o mapped -- /usr/bin/python3 -c 'x = [bytearray(100000) for i in range(100)]' 2>err
same "what it says" "" "$(cat err)"
events mapped >events
grep -q 'dltrace_heap:alloc' events || fail "nothing was recorded"

cat >none.sh <<'END'
echo 0 >/proc/sys/user/max_inotify_instances
exec "$RECORD" -q -o none -- /usr/bin/python3 -c 'import time; x = [bytearray(100000) for i in range(100)]; time.sleep(1)'
END
unshare -rm sh none.sh 2>err
same "what it says without inotify" "" "$(cat err)"
events none >events
[ "$(grep -c 'dltrace_sample:process' events)" -ge 5 ] || fail "no samples without inotify"
grep -q 'dltrace_heap:alloc' events || fail "no events without inotify"
grep -q '^events [1-9]' none/recording || fail "not counted"
grep -q '^note 1 inotify ' none/recording || fail "the label does not say so"
