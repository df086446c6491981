# SPDX-License-Identifier: MIT
# The ledger of GPU memory in the black box equals the program's and the stub's own accounts, though
# nobody listens: by kind, with four threads that free each other's blocks; peaks; a reset; what
# fails, what nobody allocated, and what a forked child does counts for nobody.
. "$top_srcdir/tests/lib.sh"

# run WHAT [ARGUMENT]...: the program's account in `wanted`, the ledger in `rows`
run() {
	boxes
	LD_PRELOAD=$DLTRACE_LIB "$APPS/gpu_ledger" "$@" >out
	"$APPS/ledgerdump" "$DLTRACE_BOX" >rows
	grep -v '^stub' out | sort >wanted
}

# row KIND COLUMN
row() {
	awk -v kind="$1" -v column="$2" '$2 == kind { print $column }' rows
}

run storm 4 3000
awk '$4 == "gpu_ledger" { print $2, $5, $7, $8, $9 }' rows | sort >got
diff wanted got || fail "by kind: live, allocated, allocations, frees (< program, > ledger)"
same "all of the stub's memory" "$(awk '$1 == "stub" { print $2 }' out)" \
	"$(awk '$2 != "gpu" { sum += $5 } END { print sum + 0 }' rows)"
same "physical" "$(awk '$2 == "device" || $2 == "async" { sum += $5 } END { print sum }' rows)" "$(row gpu 5)"
[ "$(row stray 9)" = "" ] || fail "frees of unknown blocks"

run steps
same "peak of the GPU" $((1048576 + 2097152 - 1)) "$(row gpu 6)"
same "live in the end" 1048576 "$(row gpu 5)"
same "largest" 2097151 "$(row device 10)"

run reset
awk '$4 == "gpu_ledger" { print $2, $5, $7, $8, $9 }' rows | sort >got
diff wanted got || fail "a reset frees everything (< program, > ledger)"

DLTRACE_STUB_MEMORY=100000000 run odd
same "processes" 2 "$(cut -d' ' -f1 rows | sort -u | wc -l)"
same "live, by process" "1000 500" "$(awk '$2 == "device" { print $5 }' rows | sort -rn | xargs)"
same "failures" 1 "$(awk '$2 == "device" { f += $11 } END { print f }' rows)"
same "asked for" 1099511627776 "$(awk '$2 == "device" && $11 { print $12 }' rows)"
same "stray frees" "1 1" "$(row stray 9 | xargs)"
same "registered" "0 64" "$(row registered 5) $(row registered 7)"

# A runtime that goes to the driver: both levels are seen, each block counts once.
DLTRACE_STUB_OVER=1 run storm 3 500
awk '$4 == "gpu_ledger" { print $2, $5, $7, $8, $9 }' rows | sort >got
diff wanted got || fail "runtime over driver (< program, > ledger)"
same "callers" gpu_ledger "$(awk '$4 != "-" { print $4 }' rows | sort -u | xargs)"

# A static runtime inside a plugin: only the driver's level is seen, and whose it is.
boxes
LD_PRELOAD=$DLTRACE_LIB "$APPS/static_runtime" 20
same "a plugin's" "device libstaticplugin.so 0 4096 81920 20 20" \
	"$("$APPS/ledgerdump" "$DLTRACE_BOX" | awk '$2 != "gpu" { print $2, $4, $5, $6, $7, $8, $9 }')"
