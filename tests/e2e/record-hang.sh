# SPDX-License-Identifier: MIT
# A call that does not return is said while it hangs, with function and thread; and in the samples.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
ldconfig -p | grep -q libgomp.so.1 || skip "no libgomp"

cat >hang.c <<'END'
#include <unistd.h>
void GOMP_parallel(void (*f)(void *), void *data, unsigned width, unsigned flags);
static void hang(void *p) { if (p) sleep(4); }
int main(void) { GOMP_parallel(hang, &main, 1, 0); return 0; }
END
${CC:-cc} -o hang hang.c -l:libgomp.so.1 2>/dev/null || skip "no libgomp to link"
"$RECORD" -q --children all --hang 1s -o t -- ./hang
babeltrace2 t >events
grep -q 'kind = "hang",.*GOMP_parallel has not returned' events || fail "no word of it"
same "once" 1 "$(grep -c 'kind = "hang"' events)"
grep 'dltrace_sample:thread:' events | grep -qv 'function = 0,' || fail "no call in flight in the samples"
grep -q '^note 1 hang ' t/recording || fail "not in the label"

# However seldom samples are taken.
"$RECORD" -q --children all --hang 1s --sample 1h -o seldom -- ./hang
grep -q '^note 1 hang ' seldom/recording || fail "--sample 1h: no word of it"

# Threads that hang nearly together, each once.
cat >hangs.c <<'END'
#include <pthread.h>
#include <unistd.h>
void GOMP_parallel(void (*f)(void *), void *data, unsigned width, unsigned flags);
static void hang(void *p) { if (p) sleep(4); }
static void *begin(void *p) { GOMP_parallel(hang, p, 1, 0); return p; }
int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++) {
		pthread_create(&threads[i], NULL, begin, &main);
		usleep(3000);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
${CC:-cc} -o hangs hangs.c -pthread -l:libgomp.so.1
"$RECORD" -q --children all --hang 1s -o three -- ./hangs
grep '^note 1 hang ' three/recording >said || fail "no word of three"
same "three, once each" "3 3" "$(wc -l <said) $(sed 's/.*thread \([0-9]*\):.*/\1/' said | sort -u | wc -l)"
