# SPDX-License-Identifier: MIT
# The report's GPU memory equals the program's own account, at both levels: by counters alone
# (summary), and by events, which agree with the counters (calls). What NVML says beyond that is
# unaccounted. Who held the memory when an allocation was refused.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond

# NVML says of every process of the recording that it uses 2 MiB more than a MiB, on the second GPU.
cat >nvml.c <<'END'
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **d) { *d = (void *)(long)(i + 1); return 0; }
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, void *list)
{
	struct { unsigned pid; unsigned long long used; unsigned a, b; } *p = list;
	DIR *dir = opendir("/proc");
	struct dirent *e;
	unsigned count = 0;

	while (dir && (e = readdir(dir)) && count < *n)
		if (d == (void *)2 && atoi(e->d_name) > 1) {
			memset(&p[count], 0, sizeof(*p));
			p[count].pid = (unsigned)atoi(e->d_name);
			p[count++].used = 3 << 20;
		}
	if (dir)
		closedir(dir);
	*n = count;
	return 0;
}
END
${CC:-cc} -shared -fPIC -o libnvidia-ml.so.1 nvml.c

export DLTRACE_STUB_MEMORY=100000000
for level in summary calls; do
	LD_LIBRARY_PATH=$TMP "$RECORD" -q -l $level -o $level -- "$APPS/gpu_ledger" hold >out-$level
	"$REPORT" -q -f json $level >$level.json || [ $? = 1 ] || fail "no report of $level"
	jq -r '.gpu_memory[] | "\(.kind) \(.live_bytes) \(.allocated_bytes) \(.allocations) \(.frees)"' $level.json | sort >got
	grep -v '^stub' out-$level | sort >wanted
	diff wanted got || fail "$level: kind, live, allocated, allocations, frees (< program, > report)"
	holds "$level: peak" '.gpu[0].peak_bytes == 3145727 and .gpu[0].live_bytes == 1048576' $level.json
	holds "$level: unaccounted" '.gpu[0] | .nvml_bytes == 3145728 and .ledger_bytes == 1048576 and .unaccounted_bytes == 2097152' $level.json
	holds "$level: who held" '[.failures[] | select(.kind == "allocation")] | length == 1 and .[0].size_bytes == 1099511627776 and
		.[0].count == 1 and .[0].live_bytes == 1048576 and .[0].holders[0].library == "gpu_ledger" and .[0].holders[0].kind == "async"' $level.json
	holds "$level: what was free" '[.failures[] | select(.kind == "allocation")][0] | .free_bytes == 98951424 and .total_bytes == 100000000' $level.json
done
# The curve of events ends where the counters do, and has the peak that only events can see.
holds "the curve" '[.series[] | select(.name == "gpu_reserved_bytes" and .process != null)][0].points | map(.[1]) |
	.[-1] == 1048576 and max == 3145727' calls.json
holds "which call" '[.failures[] | select(.kind == "allocation")][0] | .function == "cudaMalloc" and .code == 2' calls.json

# A storm of threads: nothing is lost, so events and counters agree to the byte.
"$RECORD" -q -o storm -- "$APPS/gpu_ledger" storm 3 1500 >out
"$REPORT" -q -f json storm >storm.json || [ $? = 1 ]
jq -r '.gpu_memory[] | "\(.kind) \(.live_bytes) \(.allocated_bytes) \(.allocations) \(.frees)"' storm.json | sort >got
grep -v '^stub' out | sort >wanted
diff wanted got || fail "storm (< program, > report)"
same "events" "$(awk '!/^stub/ { n += $4 + $5 } END { print n }' out)" \
	"$(jq '[.breakdown[] | select(.kind == "allocate" and .layer == "runtime") | .calls] | add' storm.json)"
