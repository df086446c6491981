# SPDX-License-Identifier: MIT
# dltrace-record --audit: what RTLD_DEEPBIND hides is recorded; a program with much thread-local
# storage, which glibc does not start under an audit library, starts; what the user audits goes on;
# what exists and what does not is answered as ever; --print shows it.
. "$top_srcdir/tests/lib.sh"
need gcc
gcc -D_GNU_SOURCE -o host "$top_srcdir/tests/ways/host.c"
gcc -shared -fPIC -D_GNU_SOURCE -o plugin.so -DLINKED "$top_srcdir/tests/ways/caller.c" -L"$STUBS" -l:libcudart.so.12 -Wl,-rpath,"$STUBS"
export DLTRACE_STUB_REPORT=$TMP/stub
"$RECORD" -q -o without -- ./host deep:./plugin.so work
"$RECORD" -q --audit -o with -- ./host deep:./plugin.so work
"$REPORT" -q -f json without >without.json
"$REPORT" -q -f json with >with.json
same "launches seen without" 0 "$(jq '[.breakdown[] | select(.function == "cudaLaunchKernel") | .calls] | add // 0' without.json)"
same "launches seen with" 7 "$(jq '[.breakdown[] | select(.function == "cudaLaunchKernel") | .calls] | add' with.json)"
unset DLTRACE_STUB_REPORT

cat >tls.c <<'C'
__attribute__((tls_model("initial-exec"))) __thread char much[20000];
char *f(void) { return much; }
C
cat >main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
char *f(void);
int main(void)
{
	f()[0] = 1;
	printf("%s %s\n", getenv("GLIBC_TUNABLES"), getenv("LD_AUDIT"));
	return 0;
}
C
gcc -shared -fPIC -O1 -o libtls.so tls.c
gcc -o main main.c -L. -ltls -Wl,-rpath,"$TMP"
printf 'unsigned la_version(unsigned v) { return v; }\n' >users.c
gcc -shared -fPIC -o users.so users.c
LD_AUDIT=$TMP/users.so ./main 2>/dev/null && fail "the test does not test"
same "environment" "glibc.malloc.check=0:glibc.rtld.optional_static_tls=65536 ${DLTRACE_LIB%.so}-audit.so" \
	"$(GLIBC_TUNABLES=glibc.malloc.check=0 "$RECORD" -q --audit -o tls -- ./main)"
same "what the user audits" "glibc.rtld.optional_static_tls=40000 ${DLTRACE_LIB%.so}-audit.so:$TMP/users.so" \
	"$(LD_AUDIT=$TMP/users.so GLIBC_TUNABLES=glibc.rtld.optional_static_tls=40000 "$RECORD" -q --audit -o tls2 -- ./main)"

"$APPS/exists" "+$STUBS/libcudart.so.13" >plain
LD_AUDIT=${DLTRACE_LIB%.so}-audit.so LD_PRELOAD=$DLTRACE_LIB "$APPS/exists" "+$STUBS/libcudart.so.13" >traced
diff plain traced || fail "what exists"
same "--print" "LD_AUDIT=${DLTRACE_LIB%.so}-audit.so GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536 LD_PRELOAD=$DLTRACE_LIB:$TMP/users.so true" \
	"$(LD_PRELOAD=$TMP/users.so "$RECORD" --audit --print -- true | tail -n 2 | head -n 1)"

# Threads with little stack have as much of it as they ask for; memory of the program's own stays as it is.
cat >stacks.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *use(void *size)
{
	/* All but what the C library and this function need. */
	volatile char *much = __builtin_alloca((size_t)size - 12288);
	memset((void *)much, 1, (size_t)size - 12288);
	return (void *)(size_t)much[0];
}
int main(void)
{
	for (size_t size = 16384; size <= 262144; size *= 2) {
		pthread_attr_t a, after;
		pthread_t t;
		void *result = NULL, *memory;
		size_t now;
		int error;
		pthread_attr_init(&a);
		pthread_attr_setstacksize(&a, size);
		error = pthread_create(&t, &a, use, (void *)size);
		if (error == 0)
			pthread_join(t, &result);
		pthread_attr_getstacksize(&a, &now);
		printf("%zu: %d %zu %zu\n", size, error, (size_t)result, now);
		if (size < 131072)
			continue;
		memory = aligned_alloc(4096, size);
		pthread_attr_setstack(&a, memory, size);
		error = pthread_create(&t, &a, use, (void *)(size_t)16384);
		if (error == 0 && pthread_getattr_np(t, &after) == 0) {
			pthread_attr_getstacksize(&after, &now);
			pthread_join(t, &result);
		}
		printf("%zu of its own: %d %zu %zu\n", size, error, (size_t)result, now);
	}
	return 0;
}
C
gcc -o stacks stacks.c
./stacks >plain
"$RECORD" -q --audit -o stacks-trace -- ./stacks >traced || fail "small stacks: status $?"
diff plain traced || fail "threads with small stacks"
