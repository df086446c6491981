# SPDX-License-Identifier: MIT
# LTTng enables a program's events a moment before their session takes them, and drops in silence what comes in
# between: where that takes long (here each message of the session daemon to a program takes 10 ms) the recording's
# description and the first sample of the machine are in the trace all the same, and the count of events is right;
# with --delay, too, where the command runs already.
. "$top_srcdir/tests/lib.sh"
need gcc
need lttng-sessiond

cat >slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int) =
		(ssize_t (*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");

	nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	return real(fd, message, flags);
}
END
gcc -shared -fPIC -o slow.so slow.c
printf '#!/bin/sh\nLD_PRELOAD=%s exec %s "$@"\n' "$TMP/slow.so" "$(command -v lttng-sessiond)" >daemon
chmod +x daemon

# try NAME SECONDS OPTION...
try() {
	name=$1
	seconds=$2
	shift 2
	LTTNG_SESSIOND_PATH=$TMP/daemon "$RECORD" --require -o "$name" "$@" -- sleep "$seconds" 2>"$name.said" ||
		fail "$name: $(cat "$name.said")"
	"$REPORT" --dump "$name" >"$name.dump" 2>"$name.problems" || fail "$name: $(cat "$name.problems")"
	same "$name: problems" "" "$(cat "$name.problems")"
	grep -q "dltrace_record:recording " "$name.dump" || fail "$name: the recording is not described: $(cat "$name.dump")"
	machine=$(grep -n -m 1 "dltrace_sample:machine " "$name.dump" | cut -d : -f 1)
	[ -n "$machine" ] || fail "$name: no sample of the machine"
}
for round in 1 2 3; do
	try "first$round" 0.1
	process=$(grep -n -m 1 "dltrace_proc:process " "first$round.dump" | cut -d : -f 1)
	[ "$machine" -lt "$process" ] || fail "first$round: the first sample came late: $(cat "first$round.dump")"
done
try delayed 4 --delay 0.1s
