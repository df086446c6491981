# SPDX-License-Identifier: MIT
# dltrace-record keeps the command's exit status and output, refuses what it should, and leaves a
# trace that can be read, with nothing of its own behind.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2

status() {
	set +e
	"$@" >out 2>err
	code=$?
	set -e
}

status "$RECORD" -o t1 -- false
same "status of false" 1 $code
status "$RECORD" -o t2 -- sh -c 'kill -KILL $$'
same "status after SIGKILL" 137 $code
status "$RECORD" -o t3 -- sh -c 'printf "a\0b\n\n"; echo error >&2; exit 42'
same "status" 42 $code
printf 'a\0b\n\n' | cmp - out || fail "output differs"
grep -q '^error$' err || fail "the command's stderr is lost"
same "lines of dltrace-record on stderr" 1 "$(grep -c '^dltrace-record: ' err)"
status "$RECORD" -q -o t4 -- true
same "-q on stderr" "" "$(cat err)"

cat >ends.py <<'END'
import resource, subprocess, sys
resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_CORE)[1]))
command = [sys.argv[1], "-q", "-o", "ends-%p", "--", "sh", "-c", "ulimit -c 0; kill -$0 $$"]
print(*(subprocess.run(command + [name]).returncode for name in ("SEGV", "INT", "PIPE", "CHLD")))
END
python3 ends.py "$RECORD" >ends
same "signals that end the command, seen by Python" "-11 -2 -13 0" "$(cat ends)"
! ls core* 2>/dev/null || fail "a core of dltrace-record's own"

# ld.so would take the path of the library for two names.
mkdir -p "of ours/.libs"
cp "$RECORD" "of ours/"
cp "$DLTRACE_LIB" "of ours/.libs/libdltrace.so"
status "of ours/dltrace-record" -o t5 -- sh -c 'echo "${LD_PRELOAD:-plain}"; exit 4'
same "a path with a space: status" 4 $code
same "a path with a space: output" plain "$(cat out)"
grep -q '^dltrace-record: nothing is recorded: the loader preloads nothing whose path has a space' err || fail "$(cat err)"
same "a path with a space: lines" 1 "$(wc -l <err)"
status "of ours/dltrace-record" --require -o t5 -- true
same "a path with a space, --require" 125 $code
ln -s "of ours/.libs" no-space
status env LD_PRELOAD="$TMP/no-space/libdltrace.so" DLTRACE_CHILDREN=all LTTNG_HOME="$TMP/nowhere" \
	env -u LD_PRELOAD sh -c 'true; echo "${LD_PRELOAD:-plain}"'
same "a symlink to such a path" plain "$(cat out)"
same "a symlink to such a path: errors" "" "$(cat err)"

mkdir here
printf '#!/bin/sh\nexit 3\n' >here/program
chmod +x here/program
for path in "$PATH:" ":$PATH" "$PATH::/usr/bin"; do
	status sh -c 'cd here && PATH=$1 exec "$0" -q -o "../in-%p" -- program' "$RECORD" "$path"
	same "found in the current folder by PATH=$path" 3 $code
done

# Of two that are given the same folder at the same time one has it.
for number in 1 2; do
	(status "$RECORD" -q -o both -- sh -c 'sleep 1; exit 3'; echo $code >both.$number) &
done
wait
same "two into one folder" "3 125" "$(sort -n both.1 both.2 | xargs)"
babeltrace2 both >events || fail "two into one folder: the trace cannot be read"
grep -q '^exit 3$' both/recording || fail "two into one folder: the label"

status "$RECORD" -o t5 -- ./nowhere
same "not found" 127 $code
status "$RECORD" -o t5 -- nowhere-at-all
same "not found on PATH" 127 $code
: >plain
status "$RECORD" -o t5 -- ./plain
same "not executable" 126 $code
[ ! -e t5 ] || fail "a folder for a command that could not be run"

# A start that comes to nothing leaves nothing, and takes nothing that was there.
printf '#!/no/such/interpreter\n' >script
chmod +x script
mkdir own
for output in t5 t5 own own; do
	status "$RECORD" -o $output -- ./script
	same "no interpreter, into $output" 127 $code
done
status env LTTNG_SESSIOND_PATH=/bin/false "$RECORD" -o own -- true
same "no session daemon" 0 $code
same "the user's folder" own "$(find own)"
status python3 -c 'import os, sys; from signal import *; pthread_sigmask(SIG_BLOCK, [SIGTERM])
os.kill(os.getpid(), SIGTERM); os.execvp(sys.argv[1], sys.argv[1:])' "$RECORD" -o t5 -- touch ran
same "SIGTERM during the start" 143 $code
[ ! -e ran ] || fail "the command was run"
[ ! -e t5 ] || fail "a folder of a start that came to nothing: $(find t5)"

status "$RECORD" -o t1 -- true
same "folder not empty" 125 $code
status "$RECORD" -o plain -- touch ran
same "a file in its place" 125 $code
[ ! -e ran ] || fail "the command was run"
status "$RECORD" --nonsense -- true
same "usage" 125 $code
status "$RECORD" --delay 5 -- true
same "time without unit" 125 $code
status "$RECORD" --help
same "--help" 0 $code

cat >closed.sh <<'END'
"$@" sh -c 'ls -1 /proc/$$/fd >fds' <&- >&- 2>&-
END
sh closed.sh env
grep -x '[012]' fds >plain-fds || :
sh closed.sh "$RECORD" -q -o t6 -- || fail "status without standard descriptors"
same "standard descriptors that were closed" "$(cat plain-fds)" "$(grep -x '[012]' fds)"
babeltrace2 t6 >events || fail "no trace without standard descriptors"
# Who is at the other end of the command's pipes learns that it has closed them, not when the recorder ends.
cat >pipes.py <<'END'
import os, subprocess, sys, time

def start(script, **pipes):
    global begin
    begin = time.monotonic()
    return subprocess.Popen([sys.argv[1], "-q", "-o", "pipes-%p", "--", "sh", "-c", script + "; exec sleep 25"], **pipes)

def when():
    return "early" if time.monotonic() - begin < 15 else "late"

child = start("echo 8080; exec >&-", stdout=subprocess.PIPE)
print("stdout", child.stdout.read().decode().strip(), when())
child.terminate()
child = start("exec <&-", stdin=subprocess.PIPE)
try:
    while when() == "early":
        os.write(child.stdin.fileno(), b"y")
        time.sleep(0.01)
except BrokenPipeError:
    pass
print("stdin", when())
child.terminate()
ours, its = os.pipe()
child = start("echo ready >&%d; exec %d>&-" % (its, its), pass_fds=[its])
os.close(its)
print("another", open(ours).read().strip(), when())
child.terminate()
END
timeout 100 python3 pipes.py "$RECORD" >pipes
same "pipes" "stdout 8080 early
stdin early
another ready early" "$(cat pipes)"
# No descriptor of the recorder's is open in the command (LTTng's own are).
"$RECORD" -q -o t7 -- python3 -c 'import os; print(sorted(os.readlink("/proc/self/fd/" + f) for f in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + f)))' >fds
! grep -q '/dev/shm/.dltrace-' fds || fail "descriptors of ours: $(cat fds)"

babeltrace2 t3 >events
grep -q 'dltrace_record:recording.*level = "calls"' events || fail "no recording event"
grep -q '^exit 42$' t3/recording || fail "no status in the label"
grep -q '^signal 9$' t2/recording || fail "no signal in the label"
! ls -d /dev/shm/.dltrace-*/ 2>/dev/null | grep -q . || for d in /dev/shm/.dltrace-*/; do
	! flock -n "$d/lock" true || fail "left behind: $d"
done
