# SPDX-License-Identifier: MIT
# dltrace-record keeps the command's exit status and output, refuses what it should, and leaves a
# trace that can be read, with nothing of its own behind.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need babeltrace2

exits 1 "$RECORD" -o t1 -- false
exits 137 "$RECORD" -o t2 -- sh -c 'kill -KILL $$'
exits 42 "$RECORD" -o t3 -- sh -c 'printf "a\0b\n\n"; echo error >&2; exit 42'
printf 'a\0b\n\n' | cmp - out || fail "output differs"
grep -q '^error$' err || fail "the command's stderr is lost"
same "lines of dltrace-record on stderr" 1 "$(grep -c '^dltrace-record: ' err)"
exits 0 "$RECORD" -q -o t4 -- true
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
exits 4 "of ours/dltrace-record" -o t5 -- sh -c 'echo "${LD_PRELOAD:-plain}"; exit 4'
same "a path with a space: output" plain "$(cat out)"
grep -q '^dltrace-record: nothing is recorded: the loader preloads nothing whose path has a space' err || fail "$(cat err)"
same "a path with a space: lines" 1 "$(wc -l <err)"
exits 125 "of ours/dltrace-record" --require -o t5 -- true  # a path with a space, --require
ln -s "of ours/.libs" no-space
exits 0 env LD_PRELOAD="$TMP/no-space/libdltrace.so" DLTRACE_CHILDREN=all LTTNG_HOME="$TMP/nowhere" \
	env -u LD_PRELOAD sh -c 'true; echo "${LD_PRELOAD:-plain}"'
same "a symlink to such a path" plain "$(cat out)"
same "a symlink to such a path: errors" "" "$(cat err)"

mkdir here
printf '#!/bin/sh\nexit 3\n' >here/program
chmod +x here/program
for path in "$PATH:" ":$PATH" "$PATH::/usr/bin"; do
	exits 3 sh -c 'cd here && PATH=$1 exec "$0" -q -o "../in-%p" -- program' "$RECORD" "$path"
done

# Of two that are given the same folder at the same time one has it.
for number in 1 2; do
	(code=0; "$RECORD" -q -o both -- sh -c 'sleep 1; exit 3' 2>/dev/null || code=$?; echo $code >both.$number) &
done
wait
same "two into one folder" "3 125" "$(sort -n both.1 both.2 | xargs)"
babeltrace2 both >events || fail "two into one folder: the trace cannot be read"
grep -q '^exit 3$' both/recording || fail "two into one folder: the label"

exits 127 "$RECORD" -o t5 -- ./nowhere
exits 127 "$RECORD" -o t5 -- nowhere-at-all  # not found on PATH
: >plain
exits 126 "$RECORD" -o t5 -- ./plain  # not executable
[ ! -e t5 ] || fail "a folder for a command that could not be run"

# A start that comes to nothing leaves nothing, and takes nothing that was there.
printf '#!/no/such/interpreter\n' >script
chmod +x script
mkdir own
for output in t5 t5 own own; do
	exits 127 "$RECORD" -o $output -- ./script
done
exits 0 env LTTNG_SESSIOND_PATH=/bin/false "$RECORD" -o own -- true  # no session daemon
same "the user's folder" own "$(find own)"
# SIGTERM during the start.
exits 143 python3 -c 'import os, sys; from signal import *; pthread_sigmask(SIG_BLOCK, [SIGTERM])
os.kill(os.getpid(), SIGTERM); os.execvp(sys.argv[1], sys.argv[1:])' "$RECORD" -o t5 -- touch ran
[ ! -e ran ] || fail "the command was run"
[ ! -e t5 ] || fail "a folder of a start that came to nothing: $(find t5)"

exits 125 "$RECORD" -o t1 -- true  # folder not empty
exits 125 "$RECORD" -o plain -- touch ran  # a file in its place
[ ! -e ran ] || fail "the command was run"
exits 0 "$RECORD" --help

# refused LINE OPTION...: one line says why, and the command is not run
refused() {
	line=$1
	shift
	exits 125 "$RECORD" "$@" -- touch ran
	says "^dltrace-record: $line"
	says_one_line
	[ ! -e ran ] || fail "$*: the command was run"
}
refused "unrecognized option '--nonsense': dltrace-record --help lists them$" --nonsense
refused 'unrecognized option .--a\\n\\x1b\[31mb.: ' "$(printf -- '--a\n\033[31mb')"
refused '--level: a\\n\\x1b\[31mb: one of' -l "$(printf 'a\n\033[31mb')"
refused "--delay: 5: a time with a unit is needed" --delay 5
refused "--children: one of auto, all" --children=
refused "--debug: typo: there are box, .* and all$" --debug=heap,typo
refused "--relay: foo: net://HOST is needed" --relay=foo
refused "-o: a folder is needed" -o ''
refused "-o %q{DLT_NOT_SET}: the variable DLT_NOT_SET is not set" -o '%q{DLT_NOT_SET}'
refused "-o and --session are two places" -o t5 --session=test
refused "-o and --relay are two places" -o t5 --relay=net://localhost
refused "--max-size: not with --session" --session=test --max-size=4M
refused "--rotate: not with --session" --session=test --rotate=10m
refused "--max-size: not with --relay" --relay=net://localhost --max-size=4M
refused "--session and --relay are two places" --session=test --relay=net://localhost
for folder in /proc/x /dev/null /dev/null/x; do
	refused "not run, since nothing can be recorded: cannot record into $folder: .* (take another -o)" -o $folder
done
exits 125 "$RECORD" --control 1 snapshot dump; says "--control: dump: one request at a time"; says_one_line

# What cannot be written is no success.
for words in --help --version "--print -- true"; do
	exits 125 sh -c '"$@" >/dev/full' sh "$RECORD" $words
	says "^dltrace-record: cannot write standard output: No space left"; says_one_line
done
exits 125 sh -c '"$@" >&-' sh "$RECORD" --help
says "cannot write standard output"

# It has ended before it was to be recorded: nothing is left, and that is said.
exits 3 "$RECORD" -q --delay 1h -o t5 -- sh -c 'exit 3'
says "^dltrace-record: nothing was recorded: the command ended before --delay$"; says_one_line
[ ! -e t5 ] || fail "a folder of nothing: $(find t5)"

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
