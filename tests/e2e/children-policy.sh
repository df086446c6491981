# SPDX-License-Identifier: MIT
# DLTRACE_CHILDREN: which processes are in the trace, and what the others' parents say of them.
# The first process always is, also when it is a shell; children whose parent clears the
# environment are followed; multiprocessing by fork and by spawn is traced under auto.
. "$top_srcdir/tests/lib.sh"
need babeltrace2
[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"

cat >family.py <<'END'
import multiprocessing as m, os, subprocess, sys

def work():
    os.getpid()

if __name__ == "__main__":
    subprocess.run(["sh", "-c", "exec env true"])
    subprocess.run([sys.executable, "-c", "pass"], env={})
    subprocess.run(["cat"], stdin=subprocess.DEVNULL, env={"LD_PRELOAD": ""})
    for method in "fork", "spawn":
        p = m.get_context(method).Process(target=work)
        p.start()
        p.join()
        assert p.exitcode == 0
END
cat >family.sh <<'END'
/usr/bin/python3 family.py
(: in a subshell)
cat /dev/null
END

# The programs of the processes in the trace, with a count each: "2 sh 5 python3"
programs() {
	rm -rf trace
	session_start 'dltrace_proc:*'
	env LD_PRELOAD="$DLTRACE_LIB" ${1:+DLTRACE_CHILDREN="$1"} dash family.sh
	session_stop
	babeltrace2 trace >text
	sed -n 's/.*dltrace_proc:process: .*exe = "\([^"]*\)".*/\1/p' text | sed 's,.*/,,; s/python3.*/python/' |
		sort | uniq -c | sed 's/^ *//' | tr '\n' ' ' | sed 's/ $//'
}

# dash: the first and its subshell (commands go by vfork). python: the script, the one with an empty
# environment, the worker by fork, the one by spawn with its resource tracker.
same "auto" "2 dash 5 python" "$(programs)"
grep -q 'dltrace_proc:child: .*how = 1, .*traced = 1, path = "/usr/bin/sh"' text ||
	fail "a shell is not said to be only counted"
grep -q 'dltrace_proc:child: .*how = 1, .*traced = 0, path = "/usr/bin/python3"' text ||
	fail "a python is not said to be traced"
same "all" "1 cat 3 dash 1 env 5 python 1 true" "$(programs all)"
same "fork" "2 dash" "$(programs fork)"
same "none" "1 dash" "$(programs none)"
same "a pattern" "1 cat 2 dash" "$(programs 'nothing,c?t')"

echo "what PyInstaller made of a script starts itself again, by whatever name"
cp "$(command -v cat)" frozen
cp "$(command -v cat)" other
cat >family.sh <<'END'
_PYI_ARCHIVE_FILE=$PWD/frozen ./frozen /dev/null
_PYI_ARCHIVE_FILE=$PWD/frozen ./other /dev/null
_MEIPASS2=/tmp/_MEI1 ./frozen /dev/null
_MEIPASS2= ./other /dev/null
END
same "frozen" "1 dash 2 frozen" "$(programs)"
