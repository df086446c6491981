# SPDX-License-Identifier: MIT
# LTTng's consumer daemon, or its session daemon, answers no more: the recorder ends all the same, with the
# program's exit status, says what is missing, and leaves no daemon behind.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond

# lives PID: a zombie does not, and who was just killed need not be gone yet
lives() {
	tries=0
	while grep -q '^State:.[^ZX]' "/proc/$1/status" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 50 ] || return 0
		sleep 0.1
	done
	return 1
}

for victim in sessiond consumerd; do
	rm -f runs go
	"$RECORD" --children all -o $victim -- sh -c 'touch runs; until [ -e go ]; do sleep 0.1; done; exit 3' 2>err &
	recorder=$!
	until_so "the command's begin" [ -e runs ]
	pids=$(below $recorder lttng-sessiond; below $recorder lttng-consumerd)
	frozen=$(below $recorder lttng-$victim | head -n 1)
	[ -n "$frozen" ] || fail "no lttng-$victim below the recorder"
	kill -STOP $frozen
	touch go
	status=0
	wait $recorder || status=$?
	for pid in $pids; do
		if lives $pid; then
			kill -KILL $pids || :
			fail "with lttng-$victim frozen there stays $pid"
		fi
	done
	same "exit status with lttng-$victim frozen" 3 $status
	grep -q "LTTng's daemons do not answer, some of the trace may be missing" err || fail "$victim: not said: $(cat err)"
	grep -q '^stalled 1$' $victim/recording || fail "$victim: not in the label: $(cat $victim/recording)"
done
