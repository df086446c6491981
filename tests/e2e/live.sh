# SPDX-License-Identifier: MIT
# --live on a running recording: as JSON and text, on a terminal, to its end; hostile names, calls
# that hang, boxes that break, and what is no recording.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need jq
need gcc

# Two processes: a name that means harm, a heap and GPU memory that are known, and with libgomp a call that hangs.
cat >program.c <<'END'
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int cudaMalloc(void **p, size_t size);
#ifdef GOMP
void GOMP_parallel(void (*f)(void *), void *data, unsigned width, unsigned flags);
#else
#define GOMP_parallel(f, data, width, flags) f(data)
#endif
static void hang(void *p) { if (p) for (;;) sleep(1); }
int main(void)
{
	void *volatile block = malloc(50 << 20);
	void *p;
	cudaMalloc(&p, 12345);
	prctl(PR_SET_NAME, "\033[31m<b>\"x");
	if (!fork())
		hang((void *)&block);
	GOMP_parallel(hang, (void *)&block, 1, 0);
	return 0;
}
END
cuda="-L$STUBS -l:libcudart.so.13 -Wl,-rpath,$STUBS"
gomp=
if gcc -w -DGOMP -o program program.c -l:libgomp.so.1 $cuda 2>/dev/null; then gomp=yes; else gcc -w -o program program.c $cuda; fi

# live NAME [OPTION]...: ends by itself or fails
live() {
	timeout -k 5 60 "$REPORT" --live "$@"
}

"$RECORD" -q --children all -o trace -- ./program &
recorder=$!
for try in $(seq 100); do
	live $recorder --count 1 --interval 100ms --hang 50ms -f json >line.json 2>err &&
		[ "$(jq '.processes | length' line.json)" = 2 ] &&
		{ [ -z "$gomp" ] || [ "$(jq '.in_flight | length' line.json)" -gt 0 ]; } && break
	sleep 0.2
done

# JSON
live $recorder --count 3 --interval 100ms --hang 50ms -f json >lines.json
same "lines" 3 "$(wc -l <lines.json)"
tail -n 1 lines.json >last.json
holds "processes" '.processes | length == 2' last.json
holds "parent and child" '.processes[1].parent == .processes[0].process' last.json
holds "the heap" '.processes[0].heap_bytes > 50000000 and .processes[0].heap_peak_bytes >= .processes[0].heap_bytes' last.json
holds "what the fork shares counts once" '.processes[1].heap_bytes > 50000000 and .heap_bytes < 80000000' last.json
meanwhile() {
	"$REPORT" trace >meanwhile 2>&1 || cat meanwhile
	grep -q "still being recorded" meanwhile
}
until_so "a report meanwhile says that it is still being recorded" meanwhile
holds "GPU memory" '[.processes[].gpu_bytes] == [12345, 0]' last.json
holds "the name as it is" '.processes[0].name == "\u001b[31m<b>\"x"' last.json
holds "the recording" '.level == "calls" and .command == "./program" and (.trace | endswith("/trace"))' last.json
holds "the machine" '.machine.cpus > 0 and .machine.memory_bytes > .machine.available_bytes' last.json
program=$(jq '.processes[0].pid' last.json)
[ -z "$gomp" ] || holds "who hangs where" ".in_flight[] | select(.pid == $program) | .function == \"GOMP_parallel\" and .since_ns > 50000000" last.json

# Text, by folder and by the program's own pid; no name reaches the terminal as it is.
live trace --count 1 --interval 100ms >text
live "$program" --count 1 --interval 100ms -o - >>text
same "blocks" 2 "$(grep -c 'FUNCTION' text)"
grep -q '\\x1b\[31m<b>"x' text || fail "no process in: $(cat text)"
! grep -q "$(printf '\033')" text || fail "control characters are printed"
awk 'length > 100' text >long
[ ! -s long ] || fail "too long: $(cat long)"

! grep -q ' $' text || fail "blanks at a line's end: $(grep -n ' $' text)"
grep -q '^machine: CPU [0-9.]* % of [0-9]* cores, RAM ' text || fail "whose CPU: $(cat text)"

# A terminal.
cat >terminal.py <<'END'
import fcntl, os, pty, select, struct, sys, termios, time
try:
    import pyte
except ImportError:
    pyte = None

class Terminal:
    def __init__(self, columns, lines, *command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", LC_ALL="C.UTF-8", COLUMNS="", LINES="")
            os.execv(command[0], command)
        self.bytes = b""
        self.screen = pyte.Screen(columns, lines) if pyte else None
        self.stream = pyte.ByteStream(self.screen) if pyte else None
        self.resize(columns, lines)
    def resize(self, columns, lines):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if pyte:
            self.screen.resize(lines, columns)
    def read(self):
        if not select.select([self.fd], [], [], 0.1)[0]:
            return True
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            return False
        self.bytes += got
        if pyte and got:
            self.stream.feed(got)
        return bool(got)
    def text(self):
        return "\n".join(self.screen.display) if pyte else self.bytes.decode(errors="replace")
    def until(self, text, what):
        end = time.time() + 30
        while text not in self.text():
            if not self.read() or time.time() > end:
                sys.exit(f"{what}: no {text!r} on the screen:\n{self.text()}")
    def press(self, keys):
        self.bytes = b""
        os.write(self.fd, keys)
    def end(self):
        while self.read():
            pass
        return os.waitpid(self.pid, 0)[1]

report, recorder = sys.argv[1:]
for columns, lines in (80, 24), (120, 40):
    t = Terminal(columns, lines, report, "--live", recorder, "--interval", "200ms", "--hang", "50ms")
    t.until("PROCESS (by tree)", "start")
    t.until("FUNCTION", "start")
    t.until("q quit", "start")
    t.press(b"t")
    t.until("(threads of ", "threads")
    t.press(b"s")
    t.until("PROCESS (by CPU)", "sorted")
    t.press(b"\x1b[B\x1bOB\r")
    t.until("*\\x1b[31m", "picked")
    t.press(b"h")
    t.until("the recording goes on", "help")
    t.until("counted at every call; GPU reserved by calls that were seen", "the help in its width")
    t.press(b"p")
    t.until("PAUSED", "pause")
    t.resize(60, 12)
    t.press(b"pf")
    t.until("FUNCTION", "small")
    t.press(b"q")
    if t.end():
        sys.exit("q: bad status")
    if b"\x1b[?1049l" not in t.bytes:
        sys.exit(f"the screen is not given back: {t.bytes}")
t = Terminal(80, 24, report, "--live", recorder)
t.until("q quit", "start")
t.press(b"\x03")
status = t.end()
if os.WTERMSIG(status) != 2 or b"\x1b[?1049l" not in t.bytes:
    sys.exit(f"Ctrl-C: status {status}, {t.bytes}")
END
if ldd "$REPORT" 2>/dev/null | grep -q ncurses || ldd "$(dirname "$REPORT")/.libs/dltrace-report" 2>/dev/null | grep -q ncurses; then
	timeout -k 5 200 /usr/bin/python3 terminal.py "$REPORT" $recorder || fail "on a terminal"
fi
TERM=dumb live $recorder --count 1 --interval 100ms >dumb
grep -q FUNCTION dumb || fail "nothing on a dumb terminal"

# Boxes that are none, of another version, cut while they are read.
place=$(mktemp -d /dev/shm/.dltrace-999999999-XXXXXX)
trap 'rm -rf "$place"' EXIT
mkdir "$place/box"
: >"$place/lock"
(flock 9 && exec sleep 1000) 9<"$place/lock" &
holder=$!
head -c 8192 /dev/zero >"$place/box/1-0123456789abcdef0123456789abcdef.box"
{ printf 'dltbox1\0\143\0\0\0'; head -c 8192 /dev/zero; } >"$place/box/2-0123456789abcdef0123456789abcdef.box"
exits 4 live "$place" --count 1
same "lines about it" "1 another version" "$(wc -l <err) $(grep -o 'another version' err)"
cp "/dev/shm/.dltrace-$recorder-"*/box/"$program"-*.box "$place/box" 2>/dev/null ||
	cp "/tmp/.dltrace-$recorder-"*/box/"$program"-*.box "$place/box"
live "$place" --count 30 --interval 100ms -f json >cut.json &
cutting=$!
for try in $(seq 100); do [ -s cut.json ] && break; sleep 0.1; done
truncate -s 4096 "$place/box/$program"-*.box
wait $cutting || fail "a box that is cut ends --live: status $?"
holds "the cut one is given up" '.processes == [] or .processes[0].ended' "$(tail -n 1 cut.json >cut_last.json; echo cut_last.json)"
rm -f "$place"/box/*
dead=$(sh -c 'echo $$')
cp "/dev/shm/.dltrace-$recorder-"*/box/"$program"-*.box "$place/box/$dead-0123456789abcdef0123456789abcdef.box" 2>/dev/null ||
	cp "/tmp/.dltrace-$recorder-"*/box/"$program"-*.box "$place/box/$dead-0123456789abcdef0123456789abcdef.box"
live "$place" --count 5 --interval 2500ms -f json >stays.json
holds "one that has ended and whose box stays counts once" '.ended == 1' "$(tail -n 1 stays.json >stays_last.json; echo stays_last.json)"
same "its calls, too" "$(sed -n 2p stays.json | jq -c '[.functions[] | .calls]')" "$(tail -n 1 stays.json | jq -c '[.functions[] | .calls]')"
kill $holder 2>/dev/null || true
rm -rf "$place"

# What is no recording.
exits 4 live $$
says_one_line
exits 4 live "$TMP/nowhere"
says 'No such file'
for words in '--count 0' '--interval 10' '--interval 1ms' '-f csv' '--verify' 'a b'; do
	# shellcheck disable=SC2086
	exits 2 live $words
done

# The program is killed in the middle: the recording ends, and its trace is named.
live $recorder --interval 100ms -f json >end.json 2>err &
watching=$!
for try in $(seq 100); do [ -s end.json ] && break; sleep 0.1; done
kill -9 "$(jq '.processes[1].pid' last.json)" "$program"
wait $recorder || true
wait $watching || fail "the end of the recording is status $?"
same "the end is said" 1 "$(grep -c 'the recording has ended; its trace: .*/trace$' err)"
"$REPORT" -q --verify trace >out || fail "the trace: $(cat out)"
! grep -q "still being recorded" out || fail "it does not know that the recording has ended"
