# SPDX-License-Identifier: MIT
# A peak of memory that no sample sees is in the kernel's own mark, to the end of a process: by exit, _exit and exec.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq

cat >spike.py <<'END'
import os, sys, time
time.sleep(0.3)
block = bytearray(200 << 20)
block[::4096] = b"1" * len(block[::4096])
del block
with open("/proc/self/status") as f:
    print(f.read().split("VmHWM:")[1].split()[0], flush=True)
if sys.argv[1] == "_exit":
    os._exit(0)
if sys.argv[1] == "exec":
    os.execv("/bin/true", ["true"])
END
# peak HOW OPTION: what the first image of a program had, at most 1 MiB more than it saw itself, of our own last calls
peak() {
	echo "$*"
	exits 0 "$RECORD" -q $2 --sample=5s -o "t$1$2" -- /usr/bin/python3 spike.py "$1"
	"$REPORT" -q -f json "t$1$2" >report.json || fail "no report"
	holds "$*" ".processes[] | select(.name | test(\"^python\")) | .rss_most_bytes / 1024 - $(cat out) | . >= 0 and . < 1024"
	holds "$*: it is said" '[.limits[].text | select(test("VmHWM"))] | length == 1'
}
for how in exit _exit exec; do peak $how ""; done
peak exit --in-process
