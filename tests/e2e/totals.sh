# SPDX-License-Identifier: MIT
# Totals in the black box equal the stub's own account: calls, failures and bytes exactly, times
# between what the stub measured inside and the program outside, shares of time within 0.5 points,
# nesting within 2 %; by two threads at once, and by 40 one after another.
. "$top_srcdir/tests/lib.sh"

rounds=100
session_start 'dltrace_sample:*'
# The least of the durations is far over what a call costs to trace, 2 to 3 us with cold caches, so shares can be
# compared.
DLTRACE_STUB_NS=400000,cudaMalloc=1600000,cudaMemcpy=1000000,cudaLaunchHostFunc=4000000
export DLTRACE_STUB_NS
export DLTRACE_STUB_MEMORY=100000

# What the machine took between two readings of clocks, the stub's inside and the program's outside,
# is nobody's error, and says nothing about ours: with more than half a point of it, once more.
measure() {
	rm -rf "box$1" "stub$1" "outside$1"
	mkdir -m 700 "box$1"
	DLTRACE_BOX=$TMP/box$1 DLTRACE_STUB_REPORT=$TMP/stub$1 CUDA_WORK_TIMES=$TMP/outside$1 LD_PRELOAD=$DLTRACE_LIB \
		"$APPS/cuda_work" "$1" $rounds || fail "$1 threads: exit status $?"
	"$APPS/boxdump" "box$1" >"seen$1"
	awk 'NR == FNR { inside += $6; next } { outside += $2 }
		END { printf "%.0f ns inside, %.0f outside\n", inside, outside; exit !(outside < 1.005 * inside) }' \
		"stub$1" "outside$1" >"apart$1"
}
for threads in 1 2; do
	tries=1
	until measure $threads; do
		[ $tries -lt 30 ] || fail "$threads threads: shares cannot be measured on this machine: $(cat apart$threads)"
		tries=$((tries + 1))
	done
done
# 40 threads one after another need no more entries than one.
mkdir -m 700 apart
DLTRACE_STUB_NS=1000 DLTRACE_BOX=$TMP/apart LD_PRELOAD=$DLTRACE_LIB "$APPS/cuda_work" 40 2 apart
"$APPS/boxdump" apart >seen
session_stop

awk '$2 == "cudaMalloc" { calls = $4 } $15 != 1 { bad = 1 } END { exit bad || calls != 160 }' seen ||
	fail "entries of ended threads are not used again"

for threads in 1 2; do
	# NAME CALLS FAILED BYTES
	awk '{ print $2, $3, $4, $5 }' stub$threads | sort >wanted
	awk '{ n[$2] += $4; f[$2] += $6; b[$2] += $12 }
		END { for (x in n) printf "%s %.0f %.0f %.0f\n", x, n[x], f[x], b[x] }' seen$threads | sort >got
	diff wanted got || fail "$threads threads: calls, failures, bytes (< stub, > dltrace)"
	grep -q '^cudaMalloc .* '$((threads * rounds))' ' wanted || fail "no call failed: the test does not test"
	awk '$4 != $14 { exit 1 }' seen$threads || fail "buckets do not hold every call"

	# The counter that we read runs as the clock does to 1 in 1000.
	awk 'FILENAME ~ /stub/ { inside[$2] += $6; next } FILENAME ~ /seen/ { own[$2] += $7; next } { outside[$1] = $2 }
		END {
			for (x in inside)
				if (own[x] < 0.999 * inside[x] || own[x] > 1.001 * outside[x]) {
					print x, inside[x], own[x], outside[x]
					bad = 1
				}
			exit bad
		}' stub$threads seen$threads outside$threads || fail "$threads threads: time that no call took (inside, ours, outside)"

	# Shares: of the summed time of all calls, the stub's against ours.
	awk 'NR == FNR { stub[$2] += $6; all += $6; next } { own[$2] += $7; total += $7 }
		END {
			for (x in stub) {
				d = 100 * (stub[x] / all - own[x] / total)
				if (d > 0.5 || d < -0.5) { print x, d; bad = 1 }
			}
			exit bad
		}' stub$threads seen$threads || fail "$threads threads: shares of time differ"

	# cudaLaunchHostFunc makes three calls of cudaSetDevice: their time is its nested time.
	awk '$2 == "cudaSetDevice" { inside = $7; outer = $5 } $2 == "cudaLaunchHostFunc" { nested = $9 }
		END { exit !(outer == 0 && nested > 0.98 * inside && nested < 1.02 * inside) }' seen$threads ||
		fail "$threads threads: nested time is not that of the calls inside"
done
