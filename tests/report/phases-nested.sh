# SPDX-License-Identifier: MIT
# Time in nested calls by phase: all phases, and what is in none, are the whole of each function; where it cannot be
# told which function ran inside, it is said how far that may be off.
. "$top_srcdir/tests/lib.sh"
need jq

function() { # NAME LAYER KIND
	echo "[1s] dltrace_proc:function function=$1 layer=\"$2\" kind=\"$3\" name=\"$1\""
}

totals() { # NAME CALLS OUTERMOST TOTAL OUTER NESTED (ms)
	echo "[14s] dltrace_sample:function process=1 library=1 function=$1 calls=$2 outer_calls=$3 total=$4ms outer_total=$5ms nested=$6ms min=1 max=$4ms"
}

products() { # 10 before, 20 while it trains; 5 parallel regions of their own are no events
	function dgemm_ blas compute
	function GOMP_parallel openmp compute
	for i in $(seq 10); do
		echo "[$((2000 + 20 * i))ms] dltrace_cpu:blas thread=7 function=dgemm_ library=1 duration=10ms nested=1 nested_time=8ms"
	done
	for i in $(seq 20); do
		echo "[$((11000 + 20 * i))ms] dltrace_cpu:blas thread=7 function=dgemm_ library=1 duration=5ms nested=1 nested_time=4ms"
	done
	totals dgemm_ 30 30 200 200 160
	totals GOMP_parallel 35 5 165 5 0
}

own() { # FUNCTION
	json "sorted((f['phase'] or 'none', f['self_ns'] / 1e6, f['self_error_ns']) for f in rows('phase_functions', function='$1', process=1))"
}

whole() {
	for table in phase_kinds phase_layers phase_libraries; do
		same "the time of $table" True "$(json 'sum(k["self_ns"] for k in r["'$table'"]) == sum(k["self_ns"] for k in r["kinds"]) == sum(b["outer_ns"] for b in r["breakdown"])')"
	done
	same "each function's" True "$(json 'all(b["self_ns"] == sum(f["self_ns"] or 0 for f in rows("phase_functions", function=b["function"], process=b["process"])) for b in r["breakdown"])')"
	same "checked" "passed" "$(json 'row("checks", check="phases")["result"]')"
}

python3 "$top_srcdir/tests/report/phased.py" >plain.txt
{ cat plain.txt && products; } | report_text
whole
same "calls that hold others" "[('start-up', 20.0, 0), ('steady', 20.0, 0)]" "$(own dgemm_)"
same "what they hold" "[('none', 5.0, None), ('start-up', 80.0, 0), ('steady', 80.0, 0)]" "$(own GOMP_parallel)"
same "by layer" "[('start-up', 80.0), ('steady', 80.0), (None, 5.0)]" \
	"$(json '[(k["phase"], k["self_ns"] / 1e6) for k in rows("phase_layers", layer="openmp")]')"
"$REPORT" -q "$TMP/trace.txt" >r.txt
grep -q "5.00 ms more in calls that are no events" r.txt || fail "in no phase: not said: $(cat r.txt)"
! grep -q "Of nested calls only the sum is known" r.txt || fail "not exact: $(cat r.txt)"
same "what is exact" 0 "$(json 'row("exactness", numbers="time of nested calls in each phase")["error"]')"

# What runs inside is first of the kind of what it runs in; it may all be otherwise.
{
	cat plain.txt
	products
	function cudaSetDevice runtime initialise
	function cudaLaunchKernel runtime launch
	function cuInit driver initialise
	function cuLaunchKernel driver launch
	echo '[1500ms] dltrace_cuda:other thread=7 function=cudaSetDevice library=1 duration=20ms nested=1 nested_time=12ms'
	for i in $(seq 20); do
		echo "[$((11001 + 20 * i))ms] dltrace_cuda:launch thread=7 function=cudaLaunchKernel library=1 duration=1ms nested=1 nested_time=500us"
	done
	totals cudaSetDevice 1 1 20 20 12
	totals cudaLaunchKernel 20 20 20 20 10
	totals cuInit 1 0 12 0 0
	totals cuLaunchKernel 20 0 10 0 0
} | report_text
whole
same "within one that initialises" "[('start-up', 12.0, 12000000)]" \
	"$(json '[(f["phase"], f["self_ns"] / 1e6, f["self_error_ns"]) for f in rows("phase_functions", function="cuInit") if f["self_ns"]]')"
same "within launches" "[('steady', 10.0)]" "$(json '[(f["phase"], f["self_ns"] / 1e6) for f in rows("phase_functions", function="cuLaunchKernel") if f["self_ns"]]')"
"$REPORT" -q "$TMP/trace.txt" >r.txt
grep -q "up to 12.0 ms of a" r.txt || fail "not exact: not said: $(cat r.txt)"

# Where the totals are not to be had what ran inside stays with what it ran in.
"$REPORT" -q -f json --phase steady "$TMP/trace.txt" >steady.json
same "of a part" 100 "$(jq '[.kinds[] | select(.kind == "compute") | .self_ns] | add / 1e6 | floor - 961' steady.json)"
