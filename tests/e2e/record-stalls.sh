# SPDX-License-Identifier: MIT
# LTTng's consumer daemon does not run for a moment, as on a busy machine, while more comes than its buffers hold:
# nothing is lost. It does not run for long: what finds no room is lost and told, the program does not wait for it, and
# when it runs again so does the recording.
. "$top_srcdir/tests/lib.sh"
need gcc
need taskset
need jq
need lttng-sessiond

# LTTng has room for 4 MiB on a CPU, the black box for 4 MiB.
cat >burst.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* Not faster than the sampler comes to look. */
static void burst(int count)
{
	for (int i = 0; i < count; i++) {
		free(malloc(5000));
		if (i % 10000 == 9999)
			usleep(10000);
	}
}
static void wait_for(const char *name)
{
	while (access(name, F_OK) < 0)
		usleep(10000);
}
static void say(const char *name)
{
	fclose(fopen(name, "w"));
}
int main(int argc, char **argv)
{
	say("ready");
	wait_for("go");
	burst(argc > 1 ? atoi(argv[1]) : 0);
	say("said");
	wait_for("end");
	burst(1000);
	return 3;
}
C
gcc -O0 -o burst burst.c

cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
# stalled NAME COUNT SECONDS: records so many allocations, some 50 bytes each, the consumer daemon being stopped from right
# before them, so that who waited for it would not end them, until so long after
stalled() {
	rm -f ready go said end
	"$RECORD" --threshold=4K -o $1 -- ./burst $2 2>$1.err &
	recorder=$!
	until_so "the program's begin" [ -e ready ]
	consumer=$(below $recorder lttng-consumerd | head -n 1)
	[ -n "$consumer" ] || fail "no lttng-consumerd below the recorder"
	# Each CPU has buffers: on another one there would be room.
	taskset -cp $cpu "$(below $recorder dltrace-sampler)" >/dev/null
	kill -STOP $consumer
	touch go
	until_so "the first burst" [ -e said ]
	sleep $3
	kill -CONT $consumer
	touch end
	status=0
	wait $recorder || status=$?
	same "exit status" 3 $status
	"$REPORT" -q -f json -o $1.json $1 || [ $? = 1 ]
}

stalled short 130000 0.3
grep -q " 0 lost" short.err || fail "a short stall: $(cat short.err)"
holds "all that was emitted" '.traces[0].lost == 0' short.json
"$REPORT" -q --verify short >verify.txt || fail "not verified: $(cat verify.txt)"

stalled long 400000 5
holds "what found no room" '.traces[0].lost > 100000' long.json
holds "each is in the count of what was emitted" '.traces[0] | .lost + .events > 800000 and .lost + .events < 810000' long.json
jq -r '.findings[].text' long.json | grep -q "LTTng's consumer daemon took nothing for [2-9]\.[0-9] s" || fail "not said why"
holds "the end" '(.processes[] | select(.name == "burst") | .exit.status) == 3' long.json
