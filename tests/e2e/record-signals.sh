# SPDX-License-Identifier: MIT
# The command lives with its terminal and its signals as if dltrace-record were not there.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3

# A terminal of its own: types Ctrl-C, Ctrl-Z and text at a shell with job control.
cat >terminal.py <<'END'
import os, pty, select, signal, sys, time
record = sys.argv[1:]
pid, fd = pty.fork()
if pid == 0:
    os.environ["PS1"] = "ready> "
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
seen = b""

def expect(text, limit=30):
    global seen
    end = time.time() + limit
    while text not in seen:
        if time.time() > end or not select.select([fd], [], [], 1)[0] and time.time() > end:
            sys.exit("no %r in %r" % (text, seen[-2000:]))
        if select.select([fd], [], [], 0.2)[0]:
            seen += os.read(fd, 4096)
    seen = seen[seen.index(text) + len(text):]

def do(line):
    os.write(fd, line.encode() + b"\n")

def until_ended(folder, limit=30):
    end = time.time() + limit
    while "\nend " not in open(folder + "/recording").read():
        if time.time() > end:
            sys.exit(folder + " does not end")
        time.sleep(0.1)

command = " ".join(record)
do("echo be''gin"); expect(b"begin")
# reading from the terminal
do(command + " -o read -- sh -c 'echo as''k; read x; echo got $x; exit 5'"); expect(b"ask")
do("hello"); expect(b"got hello"); do("echo status=$?"); expect(b"status=5")
# Ctrl-C: the command dies of it, dltrace-record finishes the trace
do(command + " -o int -- sh -c 'echo runn''ing; sleep 60'"); expect(b"running")
time.sleep(0.5); os.write(fd, b"\x03"); do("echo status=$?"); expect(b"status=130")
# Ctrl-C ends a loop, since bash sees that the signal was the end
do("for i in 1 2; do " + command + " -o loop$i -- sh -c 'echo runn''ing; sleep 60'; done; echo status=$?"); expect(b"running")
time.sleep(0.5); os.write(fd, b"\x03"); do("echo aft''er"); expect(b"after")
if os.path.exists("loop2"):
    sys.exit("the loop went on")
# Ctrl-C where the command survives it
do(command + """ -o int2 -- sh -c 'trap "echo caugh""t; go=on" INT; echo runn''ing; until [ "$go" ]; do sleep 0.1; done; exit 7'"""); expect(b"running")
time.sleep(0.5); os.write(fd, b"\x03"); expect(b"caught"); do("echo status=$?"); expect(b"status=7")
# Ctrl-Z, and on
do(command + " -o stop -- sh -c 'echo runn''ing; until [ -e woken ]; do sleep 0.1; done; echo aw''ake; exit 9'"); expect(b"running")
time.sleep(0.3); os.write(fd, b"\x1a"); expect(b"Stopped")
do("touch woken"); do("fg"); expect(b"awake"); do("echo status=$?"); expect(b"status=9")
# a command that stops itself, and on
do(command + " -o self -- sh -c 'kill -STOP $$; echo aw''ake; exit 9'"); expect(b"Stopped")
do("fg"); expect(b"awake"); do("echo status=$?"); expect(b"status=9")
# one that is stopped and goes on by its pid: nobody brings dltrace-record to the foreground
do(command + " -o bypid -- sh -c 'echo $$ >bypid.new; mv bypid.new bypid.pid; echo runn''ing; until [ -e go-on ]; do sleep 0.1; done; exit 9'")
expect(b"running")
stopped = int(open("bypid.pid").read())
os.kill(stopped, signal.SIGSTOP); expect(b"Stopped")
os.kill(stopped, signal.SIGCONT)
do("touch go-on")
until_ended("bypid")
do("exit")
END
/usr/bin/python3 terminal.py "$RECORD" -q || fail "terminal"
for t in read int loop1 int2 stop self bypid; do
	grep -q '^end ' $t/recording || fail "$t has no end"
done
grep -q '^signal 2$' int/recording || fail "the signal is not in the label"

echo "SIGTERM to dltrace-record is for the command"
"$RECORD" -q -o term -- sh -c 'trap "kill \$!; exit 11" TERM; echo $$ >pid; sleep 60 & wait' &
recorder=$!
while [ ! -s pid ]; do sleep 0.1; done
kill -TERM $recorder
status=0
wait $recorder || status=$?
same "status" 11 $status
grep -q '^exit 11$' term/recording || fail "label"

echo "SIGTERM to the whole group comes once, to dltrace-record alone too"
cat >twice.py <<'END'
import os, signal, sys, time
n = 0
def count(*_):
    global n
    n += 1
for s in signal.SIGTERM, signal.SIGHUP: signal.signal(s, count)
with open("twice.new", "w") as f: f.write(str(os.getpid()))
os.rename("twice.new", "twice.pid")
end = time.monotonic() + 60
while not n and time.monotonic() < end: time.sleep(0.001)
end = time.monotonic() + 1.5
while time.monotonic() < end: time.sleep(0.001)
sys.exit(n)
END
for whom in group alone; do
	rm -f twice.pid
	setsid "$RECORD" -q -o twice-$whom -- /usr/bin/python3 twice.py &
	recorder=$!
	while [ ! -s twice.pid ]; do sleep 0.1; done
	group=$(ps -o pgid= -p "$(cat twice.pid)" | tr -d ' ')
	parent=$(ps -o ppid= -p "$(cat twice.pid)" | tr -d ' ')
	case $whom in
	group)	# dltrace-record gets to it when the command has long had its own
		kill -STOP "$parent"
		kill -TERM -"$group"
		sleep 0.3
		kill -CONT "$parent"
		;;
	alone) kill -TERM "$parent" ;;
	esac
	status=0
	wait $recorder || status=$?
	same "$whom: how often the signal came" 1 $status
	! pgrep -x dltrace-witness -g "$group" || fail "$whom: a witness is left"
done

echo "a hangup reaches the command where dltrace-record leads the session, and comes once where a shell does"
cat >hangup.py <<'END'
import os, pty, signal, sys, time

def start(*command):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    return pid, terminal

def until(path):
    while not os.path.exists(path): time.sleep(0.05)

def hang_up(folder, *command):
    leader, terminal = start(sys.argv[1], "-q", "-o", folder, "--", *command)
    until("up")
    os.remove("up")
    os.close(terminal)
    return os.waitpid(leader, 0)[1]

begin = time.monotonic()
print("signal", os.WTERMSIG(hang_up("hangup", "sh", "-c", ": >up; exec sleep 60")))
print("early" if time.monotonic() - begin < 40 else "late")
# one that has left the session is not told
print("status", os.WEXITSTATUS(hang_up("apart", "setsid", "sh", "-c", ": >up; sleep 2; exit 7")), flush=True)
leader, terminal = start("sh", "-c", '"$0" -q -o hangups -- /usr/bin/python3 twice.py; :', sys.argv[1])
until("twice.pid")
recorder = int(open("/proc/%s/stat" % open("twice.pid").read()).read().rsplit(")")[1].split()[1])
os.kill(recorder, signal.SIGSTOP)  # it gets to it when the command has long had its own
os.kill(leader, signal.SIGKILL)
time.sleep(0.3)
os.kill(recorder, signal.SIGCONT)
until("over")
END
rm twice.pid
timeout 200 python3 hangup.py "$RECORD" >hangup.out &
for try in $(seq 1800); do
	! grep -qs '^exit' hangups/recording || break
	sleep 0.1
done
: >over
wait $! || fail "the terminals"
same "hangups" "signal 1 early status 7" "$(echo $(cat hangup.out))"
grep -q '^signal 1$' hangup/recording || fail "the hangup is not in the label"
same "how often it came to a group" "exit 1" "$(grep '^exit' hangups/recording)"

echo "whatever is sent to dltrace-record alone is for the command, whatever is sent to the group is not its end"
cat >takes.py <<'END'
import os, signal, subprocess, sys
for name in "SIGABRT", "SIGSEGV", "SIGTRAP", "SIGPIPE", "SIGSTKFLT", "SIGRTMIN":
    child = subprocess.Popen([sys.argv[1], "-q", "-o", "takes-" + name, "--", "/usr/bin/python3", "-X", "faulthandler",
                              "-c", "import signal; signal.signal(signal.%s, lambda *_: exit(3)); "
                              "print('up', flush=True); signal.pause()" % name], stdout=subprocess.PIPE)
    child.stdout.readline()
    child.send_signal(getattr(signal, name))
    print(name, child.wait())
END
timeout 100 python3 takes.py "$RECORD" >takes 2>&1
for name in SIGABRT SIGSEGV SIGTRAP SIGPIPE SIGSTKFLT SIGRTMIN; do
	grep -qx "$name 3" takes || fail "$name: $(cat takes)"
done
status=0
setsid -w "$RECORD" -q -o group -- bash -c 'trap "echo got" RTMIN; kill -RTMIN 0; sleep .3; exit 5' >got || status=$?
same "a signal to the group: status" 5 $status
same "a signal to the group: output" got "$(cat got)"

echo "what stops and continues dltrace-record alone is for the command; a session's leader goes on by itself"
cat >stops.py <<'END'
import os, pty, signal, subprocess, sys, time

def state(pid):
    return open("/proc/%d/stat" % pid).read().rpartition(")")[2].split()[0]

def until(what, true):
    end = time.monotonic() + 30
    while not true():
        if time.monotonic() > end: sys.exit("in vain: " + what)
        time.sleep(0.05)

SCRIPT = "echo $$ >%s.new; mv %s.new %s.pid; until [ -e %s.go ]; do sleep 0.1; done; exit 6"

def begin(name, start):
    child = start([sys.argv[1], "-q", "-o", name, "--", "sh", "-c", SCRIPT.replace("%s", name)])
    until("the begin", lambda: os.path.exists(name + ".pid"))
    return child, int(open(name + ".pid").read())

def go(name):
    open(name + ".go", "w").close()

# (a group of its own in our session: the kernel stops nobody of an orphaned one)
child, command = begin("passed", lambda words: subprocess.Popen(words, preexec_fn=os.setpgrp))
child.send_signal(signal.SIGTSTP)
until("the command's stop", lambda: state(command) == "T")
if state(child.pid) == "T": sys.exit("dltrace-record has stopped")
child.send_signal(signal.SIGCONT)
until("its going on", lambda: state(command) != "T")
go("passed")
print("passed", child.wait(30))

def in_terminal(words):
    pid, terminal = pty.fork()
    if pid == 0: os.execv(words[0], words)
    return pid, terminal

(leader, terminal), command = begin("led", in_terminal)
os.kill(command, signal.SIGSTOP)
time.sleep(0.5)
if state(leader) == "T": sys.exit("a session's leader has stopped")
os.kill(command, signal.SIGCONT)
go("led")
until("the leader's end", lambda: state(leader) == "Z")
print("led", os.WEXITSTATUS(os.waitpid(leader, 0)[1]))
END
timeout 150 python3 stops.py "$RECORD" >stops 2>&1 || fail "stops: $(cat stops)"
same "stops" "passed 6 led 6" "$(xargs <stops)"

echo "an alarm that was set before is the command's; a hangup that is ignored ends nothing"
status=0
timeout 60 python3 -c 'import os, signal, sys; signal.alarm(3); os.execvp(sys.argv[1], sys.argv[1:])' \
	"$RECORD" -q -o alarm -- sleep 40 || status=$?
same "status of an alarm" 142 $status
status=0
python3 -c 'import os, sys; from signal import *; signal(SIGHUP, SIG_IGN); pthread_sigmask(SIG_BLOCK, [SIGHUP])
os.kill(os.getpid(), SIGHUP); os.execvp(sys.argv[1], sys.argv[1:])' "$RECORD" -q -o hup -- sh -c 'exit 6' || status=$?
same "status under nohup" 6 $status

echo "--wait: SIGTERM after the command's end ends the recording, not what is waited for"
"$RECORD" -q --wait --children all -o waited -- sh -c 'sleep 60 & echo $! >left; echo $$ >shell; exit 4' &
recorder=$!
while [ ! -s shell ] || kill -0 "$(cat shell)" 2>/dev/null; do sleep 0.1; done
begun=$(date +%s)
kill -TERM $recorder
status=0
wait $recorder || status=$?
same "status" 4 $status
[ $(($(date +%s) - begun)) -lt 30 ] || fail "the signal ended nothing"
kill "$(cat left)" || fail "it ended what was waited for"
grep -q '^exit 4$' waited/recording || fail "no end in the label"

echo "SIGKILL of dltrace-record: the command goes on, the trace can be read, nothing is left"
"$RECORD" -q -o killed -- sh -c 'until [ -e go ]; do sleep 0.1; done; echo done >finished' &
recorder=$!
while ! grep -qs '^command' killed/recording; do sleep 0.1; done
sleep 1.5
kill -KILL $recorder
wait $recorder || :
left() { ls -d /dev/shm/.dltrace-$recorder-* 2>/dev/null; }
: >go
for try in $(seq 600); do
	[ ! -e finished ] || left >/dev/null || break
	sleep 0.1
done
[ -e finished ] || fail "the command died with dltrace-record"
babeltrace2 killed >events || fail "the trace cannot be read"
[ -s events ] || fail "the trace is empty"
! left || fail "left behind"
