# SPDX-License-Identifier: MIT
# Where 2^30 descriptors are allowed, as in Docker's containers without a limit, LTTng in the process does not take
# 128 MiB of its memory; and what the program is told of its limits is what the system says.
. "$top_srcdir/tests/lib.sh"
need gcc
need lttng-sessiond

cat >allowed.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/resource.h>

int getrlimit(__rlimit_resource_t which, struct rlimit *limit)
{
	int (*real)(__rlimit_resource_t, struct rlimit *) = dlsym(RTLD_NEXT, "getrlimit");
	int result = real(which, limit);

	if (which == RLIMIT_NOFILE)
		limit->rlim_max = 1 << 30;
	return result;
}
END
gcc -shared -fPIC -o allowed.so allowed.c -ldl
cat >program.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

int main(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	struct rlimit files;
	char line[256];
	long kib = 0;

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "VmHWM: %ld", &kib);
	getrlimit(RLIMIT_NOFILE, &files);
	printf("%lld %s\n", (long long)files.rlim_max, kib && kib < 64 << 10 ? "little" : "much");
	return 0;
}
END
gcc -w -o program program.c
exits 0 "$RECORD" --in-process --require -o trace -- env LD_PRELOAD="$DLTRACE_LIB:$PWD/allowed.so" ./program
same "limit and memory" "1073741824 little" "$(cat out)"
"$REPORT" --dump trace | grep -q program || fail "the program's events: $("$REPORT" trace 2>&1)"
