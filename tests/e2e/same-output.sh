# SPDX-License-Identifier: MIT
# A dozen commands and more: output and status byte for byte the same as without, with a session
# that records everything and without any daemon. (No command that shows its environment.)
. "$top_srcdir/tests/lib.sh"

cat >commands <<'END'
true
false
echo hello
sh -c 'kill -TERM $$'
sh -c 'kill -SEGV $$'
sh -c 'echo a; exec sh -c "exit 9"'
sh -c 'exec 9>f; echo x >&9; exec 9>&-; cat f; (exec 3<f; cat <&3)'
bash -c 'exec {fd}>g; echo $fd; coproc cat; echo y >&${COPROC[1]}; read -u ${COPROC[0]} l; echo $l'
ls /proc/self/task
sh -c 'printf "b\na\n" | sort | tr a-z A-Z'
find /etc/alternatives -name 'e*'
/usr/bin/python3 -c 'import os; print(os.open("/dev/null", 0), os.dup(1), os.pipe())'
/usr/bin/python3 -c 'import signal; print([signal.getsignal(s) for s in range(1, 32) if s not in (9, 19)])'
/usr/bin/python3 -c 'import subprocess; print(subprocess.run(["sh", "-c", "exit 3"]).returncode, subprocess.run("echo q", shell=True, capture_output=True, close_fds=True))'
/usr/bin/python3 -c 'import os; print(os.posix_spawn("/bin/echo", ["echo", "s"], {}) > 0, os.waitstatus_to_exitcode(os.wait()[1]))'
/usr/bin/python3 -c 'import os; os.abort()'
/usr/bin/python3 -c 'import faulthandler, os; faulthandler.enable(); os.abort()'
/usr/bin/python3 -c 'import faulthandler; faulthandler.enable(); faulthandler._sigsegv()'
/usr/bin/python3 -c 'import ctypes; ctypes.string_at(0)'
/usr/bin/python3 -c 'import sys; sys.exit("bye")'
/usr/bin/python3 -c 'import threading, sys; t = threading.Thread(target=sys.exit, args=(3,)); t.start(); t.join(); print(threading.active_count())'
/usr/bin/python3 -c 'import multiprocessing as m; p = m.Pool(2); print(p.map(abs, range(-5, 5))); p.close(); p.join()'
/usr/bin/python3 -c 'import multiprocessing as m; m.set_start_method("spawn"); q = m.Process(target=print, args=("spawned",)); q.start(); q.join(); print(q.exitcode)'
/usr/bin/python3 -c 'import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)); print(open("/dev/null").fileno())'
$APPS/bad_exec
/nonexistent
END
ulimit -c 0

# runs the command and says its status; pids in messages of the shell and thread ids are cut
try() {
	status=0
	rm -f f g
	env ${2:+LD_PRELOAD="$2"} sh -c "exec $1" 2>&1 </dev/null || status=$?
	echo "status $status"
}
all() {
	while read -r command; do
		echo "\$ $command"
		try "$command" "$1" | sed 's/0x[0-9a-f]*/0x/g; s/\[[0-9]*\]//g; s/line [0-9]*: *[0-9]* /line: /'
	done <commands
}

LTTNG_HOME=$TMP/nowhere all "" >plain
grep -vx '[0-9]*' plain >plain.filtered
check() {
	grep -vx '[0-9]*' "$1" >filtered
	diff plain.filtered filtered || fail "$2"
}
LTTNG_HOME=$TMP/nowhere all "$DLTRACE_LIB" >alone
check alone "differs without a daemon"
session_start 'dltrace_*' 'dltracefull_*'
all "$DLTRACE_LIB" >traced
DLTRACE_CHILDREN=all all "$DLTRACE_LIB" >children
session_stop
check traced "differs under a session"
check children "differs under a session with all children"
