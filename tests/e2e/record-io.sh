# SPDX-License-Identifier: MIT
# What a process reads and writes by read and write is known until its end: of one that lives shorter than the time
# between two readings, whoever waits for it, of one that is replaced by exec, and of a command that is killed.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3

cat >moves.py <<'END'
import os, signal, sys
read, write, end = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
zero, null = os.open("/dev/zero", os.O_RDONLY), os.open("/dev/null", os.O_WRONLY)
assert len(os.read(zero, read)) == read
assert os.write(null, bytes(write)) == write
if end == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if end == "exec":
    os.execv("/bin/true", ["true"])
END

# moved TRACE: what Python's processes read and wrote, in MiB
moved() {
	"$REPORT" -q -f json "$1" >r.json || [ $? = 1 ]
	json '["%d %d" % (p["read_bytes"] >> 20, p["write_bytes"] >> 20) for p in r["processes"] if "python" in p["name"]]'
}

cat >children.sh <<'END'
/usr/bin/python3 moves.py 33554432 25165824 exit
/usr/bin/python3 moves.py 67108864 41943040 exit
/usr/bin/python3 moves.py 50331648 8388608 exec
true
END
"$RECORD" -q --children all -o children -- sh children.sh
same "children" "['32 24', '64 40', '48 8']" "$(moved children)"
"$RECORD" -q -o killed -- /usr/bin/python3 moves.py 33554432 25165824 kill 2>/dev/null && fail "killed: status"
same "killed" "['32 24']" "$(moved killed)"
