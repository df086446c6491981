# SPDX-License-Identifier: MIT
# Under dltrace-record a process has nothing of LTTng's in it: no thread, no descriptor, no library. Its events
# take the way through its black box, all of them, and are those that it would give to LTTng itself
# (--in-process). Where the recorder does not come, what finds no room is lost and told; nobody waits.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq
need gcc

cat >program.c <<'END'
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>
static int entries(const char *path)
{
	DIR *d = opendir(path);
	int count = 0;

	while (d && readdir(d))
		count++;
	if (d)
		closedir(d);
	return count;
}
static int lttng(void)
{
	char line[4096];
	FILE *f = fopen("/proc/self/maps", "r");
	int count = 0;

	while (f && fgets(line, sizeof(line), f))
		count += strstr(line, "lttng") != NULL;
	if (f)
		fclose(f);
	return count;
}
int main(int argc, char **argv)
{
	int pairs = argc > 1 ? atoi(argv[1]) : 1000;

	if (argc > 2)
		while (access("go", F_OK))
			usleep(1000);
	for (int i = 0; i < pairs; i++)
		free(malloc(100000));
	printf("%d threads, %d descriptors, %d mappings of LTTng's, single %d\n", entries("/proc/self/task") - 2,
	       entries("/proc/self/fd") - 2, lttng(), __libc_single_threaded);
	fflush(stdout);
	if (argc > 2)
		while (access("end", F_OK))
			usleep(1000);
	return 0;
}
END
gcc -O0 -o program program.c
./program >plain
"$RECORD" -q --require -o outbox -- ./program >recorded
diff plain recorded || fail "differs under dltrace-record"
"$RECORD" -q --require --in-process -o inside -- ./program >recorded
grep -q ' 0 mappings' recorded && fail "--in-process: $(cat recorded)"

# TRACE: what was emitted, as often as it was read
count() {
	"$REPORT" -q -f json -o report.json "$1" || fail "$1: status $?"
	holds "$1: nothing lost" '[.traces[], .threads[] | .lost // 0] | add == 0'
	holds "$1: a process, once" '.processes | length == 1 and .[0].exit.status == 0'
	"$REPORT" -q --verify "$1" >verify.txt || fail "$1: $(cat verify.txt)"
	"$REPORT" --dump "$1" | awk '$2 ~ /^dltrace_heap:/ { print $2 }' | sort | uniq -c
}
count outbox >events.outbox
same "pairs" 2000 "$(awk '{ sum += $1 } END { print sum }' events.outbox)"
same "the same events" "$(cat events.outbox)" "$(count inside)"

# One with a GPU too.
DLTRACE_STUB_GPU_NS=10000 "$RECORD" -q --require --gpu=activity -o gpu -- "$APPS/gpu_work" 2 50 >/dev/null || fail "gpu_work: $?"
"$REPORT" --dump gpu >gpu.txt
[ "$(grep -c 'dltrace_gpu:kernel' gpu.txt)" -gt 50 ] || fail "no kernels"
grep -q 'dltrace_proc:library .*/libdltrace-cupti' gpu.txt || fail "CUPTI's reader is not named"
! grep 'dltrace_proc:library .*lttng' gpu.txt || fail "LTTng is in a process with a GPU"

# let_wait TRACE PAIRS: records a program that waits for `go`, until the recorder has said of it what it says by
# itself, as of its libraries: $recorder, $sampler
let_wait() {
	rm -f go end recorded
	"$RECORD" --require -o "$1" -- ./program "$2" wait >recorded 2>errors &
	recorder=$!
	for try in $(seq 200); do
		sampler=$(pgrep -P $recorder -x dltrace-sampler || :)
		[ -n "$sampler" ] && pgrep -P $recorder -x program >/dev/null && break
		sleep 0.05
	done
	until_so "the program's word about itself" sh -c \
		"\"\$RECORD\" --control $recorder dump | grep -q '(program).*[^0-9]2 events'"
	sleep 0.3
}

# The recorder's eyes are closed for as long as the program works.
let_wait late 400000
kill -STOP "$sampler"
touch go
until_so "the program, which waits for the recorder" [ -s recorded ]
kill -CONT "$sampler"
touch end
wait $recorder || fail "status $?"
"$REPORT" -q -f json -o report.json late || [ $? = 1 ] || fail "late: status $?"
read=$("$REPORT" --dump late | grep -c 'dltrace_heap:')
lost=$(jq '[.threads[].lost // 0] | add' report.json)
[ "$lost" -gt 100000 ] || fail "only $lost events are told as lost"
same "read and lost" 800000 $((read + lost))
holds "heap: counted all the same" '.heap[0].allocations >= 400000'
same "as the recorder counted them" "lost $lost" "$(grep '^lost ' late/recording)"
same "as the process did" "$lost" "$(jq '[.limits[] | select(.kind == "lost" and .process != null) | .value] | add' report.json)"

# It is killed: another one goes on where it was.
let_wait killed 20000
kill -KILL "$sampler"
touch go
for try in $(seq 600); do
	[ -s recorded ] && [ "$(pgrep -P $recorder -x dltrace-sampler || echo "$sampler")" != "$sampler" ] && break
	sleep 0.1
done
touch end
wait $recorder || fail "status $?: $(cat errors)"
"$REPORT" -q -f json -o report.json killed || [ $? = 1 ] || fail "killed: status $?"
same "killed: read" 40000 "$("$REPORT" --dump killed | grep -c 'dltrace_heap:')"
holds "killed: nothing of the program's is lost" '[.threads[].lost // 0] | add == 0'
holds "killed: it is said" '[.. | strings | select(test("sampler has died and was started again"))] | length > 0'

# A child that may make no file among the boxes, as it is another user's now, is there, but only counted.
[ "$(id -u)" = 0 ] || exit 0
cat >user.py <<'END'
import os
os.setgid(65534)
os.setuid(65534)
child = os.fork()
if child == 0:
    os._exit(7)
print(child, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END
"$RECORD" -q --require -o user -- python3 user.py >recorded || fail "status $?"
read -r child status <recorded
same "its status" 7 "$status"
"$REPORT" -q -f json -o report.json user || [ $? = 1 ] || fail "user: status $?"
holds "it is told" ".processes[] | select(.pid == $child) | .parent != null and .exit == null and (.name | test(\"python\"))"
