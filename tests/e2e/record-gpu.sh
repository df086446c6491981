# SPDX-License-Identifier: MIT
# GPUs through NVML: a stand-in of libnvidia-ml.so.1 is found at run time and asked.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2
need python3

cat >nvml.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int nvmlInit_v2(void) { if (getenv("SLOW")) sleep(8); return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d) { *d = (void *)(long)(i + 1); return 0; }
int nvmlDeviceGetName(void *d, char *name, unsigned n) { strncpy(name, d == (void *)1 ? "Left" : "Right", n); return 0; }
int nvmlDeviceGetUtilizationRates(void *d, unsigned *u) { u[0] = 42; u[1] = 7; return d == (void *)2 ? 3 : 0; }
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long *m) { m[0] = 1000; m[1] = 600; m[2] = 400; return 0; }
int nvmlDeviceGetPowerUsage(void *d, unsigned *p) { *p = 250000; return d == (void *)2 ? 3 : 0; }
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, void *list)
{
	struct { unsigned pid; unsigned long long used; unsigned a, b; } one = { 77, 300, 0, 0 };

	memcpy(list, &one, sizeof(one));
	*n = 1;
	return 0;
}
END
${CC:-cc} -shared -fPIC -o libnvidia-ml.so.1 nvml.c
LD_LIBRARY_PATH=$TMP "$RECORD" -q -o t -- sleep 0.5
babeltrace2 t >events
grep -q 'dltrace_record:gpu:.* gpu = 0, name = "Left", utilisation = 42, memory = 1000, used = 400, power = 250000, clock = 4294967295' events ||
	fail "no GPU: $(grep -m 1 dltrace_record:gpu events)"
grep -q 'dltrace_record:gpu:.* gpu = 1, name = "Right", utilisation = 4294967295, .* power = 4294967295,' events ||
	fail "no second GPU"
# What the driver does not tell (of one that is cut up by MIG, say) is no curve, and nobody is said to be idle.
"$REPORT" -q -f json t >t.json
holds "what is known" '[.series[].name | select(startswith("gpu_"))] | sort == ["gpu_percent", "gpu_used_bytes", "gpu_used_bytes", "gpu_watts"]' t.json
grep -q 'dltrace_record:gpu_process:.* gpu = 1, pid = 77, used = 300' events || fail "no process on the GPU"
"$RECORD" -q -o none -- sleep 0.3
babeltrace2 none >events
! grep -q 'dltrace_record:gpu:.*name = "Left"' events || fail "GPUs out of nowhere"

# A driver that takes its time: the command begins without it, and from its first moment on it is recorded.
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(void)
{
	struct timespec now;

	free(malloc(1234567));
	clock_gettime(CLOCK_REALTIME, &now);
	printf("%lld\n", now.tv_sec * 1000LL + now.tv_nsec / 1000000);
	return 0;
}
END
${CC:-cc} -O0 -o program program.c
begun=$(SLOW=yes LD_LIBRARY_PATH=$TMP "$RECORD" -q -o slow -- ./program)
waited=$((begun - $(sed -n 's/^begin \([0-9]*\)......$/\1/p' slow/recording)))
[ $waited -lt 3000 ] || fail "the command began $waited ms after the recording"
events slow | grep -q dltrace_heap:alloc || fail "its first allocation is not recorded"

# Ctrl-C meanwhile is not lost.
cat >typed.py <<'END'
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "-q", "-o", "typed", "--", "sh", "-c", "sleep 30; exit 3"])
while not os.path.exists("typed/recording"):
    time.sleep(0.01)
time.sleep(1)
os.write(fd, b"\x03")
print(os.waitpid(pid, 0)[1])
END
same "Ctrl-C: how it ended" 2 "$(SLOW=yes LD_LIBRARY_PATH=$TMP /usr/bin/python3 typed.py "$RECORD")"
