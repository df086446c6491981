# SPDX-License-Identifier: MIT
# Every way in which a program gets at CUDA (tests/ways/ways.tbl): each call that the stub counts is
# in the report, once; or none is, and the report says of which library.
. "$top_srcdir/tests/lib.sh"
need gcc
need python3

STUB_SOURCE=$top_srcdir/tests/stubs
TABLES=$top_srcdir/tracepoints
CALLER=$top_srcdir/tests/ways/caller.c
HOST=$TMP/host
SO="gcc -D_GNU_SOURCE -shared -fPIC -g -O1 -o"
gcc -g -O1 -D_GNU_SOURCE -o host "$top_srcdir/tests/ways/host.c"

# Word for word, but for what starts with a $ and the two short forms.
expand() {
	printf '%s\n' "$1" | sed "s,@\(1[23]\),-L\$STUBS -l:libcudart.so.\1 -Wl\\,-rpath\\,\$STUBS,g"
}

session_start 'dltrace_*'
grep -v '^#' "$top_srcdir/tests/ways/ways.tbl" | grep '|' | tr -d '\t' >ways
while IFS='|' read -r name covered build run; do
	name=$(echo $name)
	mkdir "$TMP/$name"
	cd "$TMP/$name"
	(eval "$(expand "$build")") || fail "$name: cannot be built"
	DLTRACE_STUB_REPORT=$TMP/$name/stub LD_PRELOAD=$DLTRACE_LIB sh -c "exec $(eval echo "\"$run\"") way=$name" ||
		fail "$name: ended with $?"
	[ -s stub ] || fail "$name: the stub was not called"
done <ways
cd "$TMP"
session_stop
"$REPORT" -q -f json trace >report.json

python3 - ways <<'PY'
import json, sys
report = json.load(open("report.json"))
wrong = 0
for line in open(sys.argv[1]):
    name, covered = (x.strip() for x in line.split("|")[:2])
    if covered == "later":
        continue
    stub, seen = {}, {}
    for row in open(f"{name}/stub"):
        library, function, calls = row.split()[:3]
        if library == "static":  # no symbols: the driver sees what it does
            continue
        stub[function] = stub.get(function, 0) + int(calls)
    process = [p["process"] for p in report["processes"] if f"way={name}" in p["command"]]
    assert len(process) == 1, (name, process)
    for row in report["breakdown"]:
        if row["process"] == process[0] and row["layer"] in ("runtime", "driver"):
            seen[row["function"]] = seen.get(row["function"], 0) + row["calls"]
    if seen != ({} if covered == "no" else stub):
        print(f"{name}: covered: {covered}; the stub counted {stub}, the report {seen}")
        wrong = 1
    said = [(c["library"], c["kind"]) for c in report["coverage"]
            if c["process"] == process[0] and c["covered"] == "no" and "cuda" in c["kind"]]
    limits = [l["text"] for l in report["limits"]
              if l["process"] == process[0] and l["kind"] == "uncovered" and "CUDA" in l["text"]]
    if not said == [] == limits if covered != "no" else "plugin.so" not in str(said) or "plugin.so" not in str(limits):
        print(f"{name}: covered: {covered}; not covered, says the report: {said}, {limits}")
        wrong = 1
    runtimes = {c["path"] for c in report["coverage"] if c["process"] == process[0] and c["kind"] in ("cuda runtime", "static cuda runtime")}
    maps = {r.split()[0] for r in open(f"{name}/stub")} - {"libcuda.so.1"}
    if len(runtimes) != len(maps):
        print(f"{name}: {maps} were called, the report knows of {runtimes}")
        wrong = 1
sys.exit(wrong)
PY
