# SPDX-License-Identifier: MIT
# --verify of real recordings: the checks that apply pass, by both sources, and the hash is coreutils'.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq
need gcc

# check FOLDER CHECK...: these have passed, none has failed
check() {
	folder=$1
	shift
	"$REPORT" -q --verify=full -f json "$folder" >result.json ||
		fail "$folder: $(jq -c '.checks[] | select(.result == "failed")' result.json)"
	for check; do
		holds "$folder: $check" ".checks[] | select(.check == \"$check\") | .result == \"passed\" and .compared > 0" result.json
	done
	hash=$(jq -r '.certificate[0].sha256' result.json)
	case $hash in
	*libcrypto*) ;;
	*) same "hash of $folder" "$hash" "$(cd "$folder" && find . -type f -print0 |
		LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-64)" ;;
	esac
}

cat >program.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *allocates(void *data)
{
	free(malloc(80000));
	return data;
}
static void *stays(void *data)
{
	allocates(data);
	usleep(100000);
	allocates(data);
	pause();
	return data;
}
static void child(int i)
{
	pthread_t threads[3], one;

	pthread_create(&one, NULL, stays, NULL);
	for (int t = 0; t < 3; t++)
		pthread_create(&threads[t], NULL, allocates, NULL);
	for (int t = 0; t < 3; t++)
		pthread_join(threads[t], NULL);
	usleep(120000);
	_exit(*(char *)calloc(1, 70000 + i));
}
int main(void)
{
	for (int i = 0; i < 1000; i++)
		*(void *volatile *)&(void *){ NULL } = realloc(malloc(i), 100000 + i);
	for (int i = 0; i < 2; i++)
		if (!fork())
			child(i);
	while (wait(NULL) > 0)
		;
	usleep(300000);
	return 0;
}
END
gcc -w -o program program.c -lpthread
"$RECORD" -q --children all -l full -o heap -- ./program
check heap readable emitted named ended heap heap-peak heap-events clocks
"$REPORT" -q -f json heap >report.json || fail "status $?"
same "threads, each with an id of its own" "11 11" "$(jq -r '[.threads[].tid] | unique | length' report.json) $(jq -r '[.threads[].thread] | unique | length' report.json)"

# The limit of CPU time is set anew for what is done by either source, too: tests/report/progress.sh has the rest.
steps() {
	rm -f limits
	LIMITS=$TMP/limits ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS:-} LD_PRELOAD=$APPS/limits \
		"$REPORT" -q "$1" -f json heap >result.json || fail "$1: status $?"
	wc -l <limits
}
analyses=$(grep -c '^ANALYSIS(' "$top_srcdir/analysis/analyses.tbl")
[ "$(steps --verify=full)" -gt $(($(steps --verify) + 2 * analyses)) ] || fail "both sources have one limit for all"

# The last word of each thread, also of one that was so young when its process ended that it was seen once.
last_words() {
	"$REPORT" --dump heap | sed -En "s/.* ($1) thread=([0-9]*) .*/\\2/p" | sort -u
}
same "threads whose last count is known" "$(last_words dltrace_proc:thread)" "$(last_words 'dltrace_proc:thread_end|dltrace_sample:thread')"

gcc -rdynamic -o work -I"$top_srcdir/tracepoints" "$top_srcdir/tests/apps/gpu_work.c" -L"$STUBS" \
	-l:libcudart.so.12 -Wl,-rpath,"$STUBS" -lpthread
DLTRACE_STUB_GPU_NS=30000 "$RECORD" -q --gpu=activity -o gpu -- ./work 3 40 long
check gpu readable emitted totals named ended gpu-kernels gpu-copies shares nesting clocks

# A recording that is killed in the middle is as good as it can be, and says what is missing.
"$RECORD" -q -o killed -- sh -c './program & wait; kill -9 $$' || true
check killed readable emitted named ended heap

# Without a recorder a process samples itself, before it ends: what destructors free afterwards is in no count.
cat >destructor.c <<'END'
#include <stdlib.h>
static char *blocks[50];
__attribute__((destructor)) static void late(void)
{
	for (int i = 0; i < 50; i++)
		free(blocks[i]);
}
int main(void)
{
	for (int i = 0; i < 50; i++)
		blocks[i] = malloc(100000 + i);
	return 0;
}
END
gcc -shared -fPIC -w -Dmain=allocate -o libdestructor.so destructor.c
echo 'int allocate(void); int main(void) { return allocate(); }' | gcc -x c -o linked - -L. -ldestructor -Wl,-rpath,"$PWD"
session_start 'dltrace*'
LD_PRELOAD=$DLTRACE_LIB ./linked
session_stop
check trace readable emitted named heap heap-peak heap-events
