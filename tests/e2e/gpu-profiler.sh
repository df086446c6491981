# SPDX-License-Identifier: MIT
# A program that profiles itself with CUPTI is told the same, record by record, with and without
# --gpu=activity; we read its records on their way, and what it did not ask for is a gap.
. "$top_srcdir/tests/lib.sh"
need babeltrace2

export DLTRACE_STUB_GPU_NS=10000
cat >compare.py <<'E2'
import re, sys
from collections import Counter
text = open("text").read()
fields = lambda line: dict(re.findall(r'(\w+) = ("[^"]*"|-?\w+)', line))
events = [(re.search(r"dltrace_gpu:(\w+)", l)[1], fields(l)) for l in text.splitlines() if "dltrace_gpu:" in l]
works = Counter(f["correlation"] for kind, f in events if kind in ("kernel", "copy"))
gaps = [f for kind, f in events if kind == "gap" and f["reason"] == "4"]
# Who waits is told by its calls, too.
longest = max((f for f in gaps if f["kinds"] != "63"), key=lambda f: int(f["end"]) - int(f["begin"]))
if int(longest["kinds"]) != 4 + 32:
    sys.exit(f"kinds that are missing: {longest}")
truth = [l.split() for l in open("truth")]
missing = [t for t in truth if t[2] not in works]
if any(t[0] != "2" for t in missing):
    sys.exit(f"missing, and no set: {missing[:3]}")
if max(works.values()) > 1:
    sys.exit("told twice")
# Each piece that is missing lies in a gap.
spans = [(int(g["begin"]), int(g["end"])) for g in gaps if g["end"] != "0"]
if not all(any(b <= int(t[5]) <= e for b, e in spans) for t in missing):
    sys.exit(f"missing outside of gaps: {missing[0]} {spans}")
begins = {f["correlation"]: int(f["begin"]) for kind, f in events if kind in ("kernel", "copy")}
worst = max(abs(begins[t[2]] - int(t[5])) for t in truth if t[2] in begins)
unknown = sum(f["caller"] == "0" for kind, f in events if kind in ("kernel", "copy"))
# Two clocks are read one after the other, and a busy machine may come in between: how far off that can
# be is said, and is no excuse for what has nothing to do with it.
said = max(int(f["clock_error"]) for kind, f in events if kind == "gap")
right = (worst < 5000 or worst <= said) and said < 1000000
print(len(missing), "missing", unknown, "unknown", "times", "right" if right else f"off by {worst}, said {said}")
E2

# WORDS: its profiler is told the same
told() {
	rm -rf trace truth out.* # shellcheck disable=SC2086
	"$APPS/gpu_profiler" $1 >out.without || fail "without: $?"
	DLTRACE_STUB_GPU_TRUTH=$TMP/truth "$RECORD" -q --gpu=activity -o trace -- "$APPS/gpu_profiler" $1 >out.with ||
		fail "with: $?"
	# Buffers are handed over by CUPTI's thread too: the order of what they hold may differ.
	sort out.without >a
	sort out.with >b
	diff a b >diff || fail "$1: the profiler is told something else (> with us): $(head -5 diff)"
}
# WORDS, sets that are missing
check() {
	told "$1"
	same "$1" "$2 missing 0 unknown times right" "$(events trace >text && python3 compare.py)"
}
check "" 200
check clock 200
check "finalize handles" 200
check twice 400
# The second time, CUPTI is ended while we fetch what there is.
STUB_CUPTI_SLOW=1 "$RECORD" -q --gpu=activity -o slow -- "$APPS/gpu_profiler" finalize twice >out.slow || fail "slow: $?"
same "CUPTI is ended twice" 2 "$(grep -c '^finalize 0' out.slow)"
check dlsym 200
check early 200
check "early dlsym twice" 400
# Calls that it chose one by one, and those alone.
told choose
grep -q '^call ' out.with || fail "it is told of no call"
# Where CUPTI is of no known version we keep out of its way.
STUB_CUPTI_VERSION=99 told ""
same "nothing is recorded" 0 "$("$REPORT" -q --dump trace | grep -c 'dltrace_gpu:kernel ')"
# What it is told of queries is CUPTI's own default again while it has the turn.
told queries
same "synchronisations: each query, and the end" 201 "$(grep -c '^sync ' out.with)"
same "waits, each once" "3 3" "$("$REPORT" -q --dump trace | sed -n 's/.*dltrace_gpu:sync .*\(correlation=[0-9]*\).*/\1/p' |
	sort | uniq -c | awk '{ n += $1 } END { print NR, n }')"
# Where it tells nothing more once somebody has ended it, the gap lasts until the end.
STUB_CUPTI_POISONED=1 "$RECORD" -q --gpu=activity -o poisoned -- "$APPS/gpu_profiler" finalize >out.poisoned || fail "poisoned: $?"
same "the last gap" "reason=4 kinds=63 end=0" "$("$REPORT" -q --dump poisoned |
	sed -n 's/.*dltrace_gpu:gap .*\(reason=[1-9] kinds=[0-9]*\) .*\(end=[0-9]*\) .*/\1 \2/p' | tail -n 1)"
# Should CUPTI count us as a subscriber, we are gone before the second try.
export STUB_CUPTI_COUNTS=1
check "" 200
same "subscribed" "subscribe 0" "$(grep subscribe out.with | head -n 1)"
