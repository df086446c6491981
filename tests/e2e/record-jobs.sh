# SPDX-License-Identifier: MIT
# SIGTTIN and SIGTTOU, which some servers take as words (gunicorn), reach the command by way of dltrace-record;
# from a terminal they stop the job, and it goes on as one.
. "$top_srcdir/tests/lib.sh"
need lttng-sessiond
need python3
need bash

cat >hears.sh <<'END'
trap 'echo in' TTIN
trap 'echo out' TTOU
trap 'echo end; exit 3' TERM
: >begun
while :; do sleep 0.05; done
END
"$RECORD" -q -o words -- sh hears.sh >heard &
recorder=$!
until_so "the command" test -e begun
kill -TTIN $recorder
until_so "SIGTTIN" grep -q in heard
kill -TTOU $recorder
until_so "SIGTTOU" grep -q out heard
kill -TERM $recorder
status=0
wait $recorder || status=$?
same "status" 3 $status
same "what it heard" "in out end" "$(paste -s -d ' ' heard)"

# A shell with a terminal of its own: a job in the background that reads, then in the foreground.
cat >terminal.py <<'END'
import os, pty, select, sys, time

pid, fd = pty.fork()
if pid == 0:
    os.environ["PS1"] = "@ "
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])

def until(word, seconds=60):
    text, end = b"", time.monotonic() + seconds
    while word not in text:
        if time.monotonic() > end or not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit(f"no {word} in {text}")
        text += os.read(fd, 4096)

def type_in(text):
    os.write(fd, text.encode())

until(b"@ ")
type_in(f"{os.environ['RECORD']} -q -o job -- sh -c 'read word; echo =$word=; exit 5' &\n")
until(b"@ ")
for i in range(600):
    type_in("jobs\n")
    try:
        until(b"Stopped", 0.5)
        break
    except SystemExit as no:
        if i == 599:
            raise
type_in("fg\n")
until(b"exit 5'")
type_in("hello\n")
until(b"=hello=")
until(b"@ ")
type_in("echo status $?\n")
until(b"status 5")
type_in("exit\n")
os.waitpid(pid, 0)
END
timeout 120 python3 terminal.py || fail "status $?"
"$REPORT" job >report || fail "the job's recording cannot be read"
