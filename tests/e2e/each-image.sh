# SPDX-License-Identifier: MIT
# A real program that makes a thread, and one that makes a process, for each file of its data set: the report says
# so by itself, with how many; one that has a pool of four for the same files is not accused.
. "$top_srcdir/tests/lib.sh"
need python3
# Not a script of that name, which makes processes of its own.
python=$(python3 -c 'import sys; print(sys.executable)')
mkdir data
for i in $(seq 60); do
	head -c 30000 /dev/urandom >"data/$i.jpg"
done
cat >loads.py <<'END'
import concurrent.futures, glob, os, sys, threading, time

def load(path):
    with open(path, "rb") as file:
        data = file.read()
    time.sleep(0.005)
    return sum(data[::100])

def by_threads(path):
    thread = threading.Thread(target=load, args=(path,))
    thread.start()
    thread.join()

def by_processes(path):
    child = os.fork()
    if child == 0:
        load(path)
        os._exit(0)
    os.waitpid(child, 0)

files = sorted(glob.glob("data/*.jpg"))
if sys.argv[1] == "pool":
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(load, files))
else:
    for path in files:
        {"threads": by_threads, "processes": by_processes}[sys.argv[1]](path)
print("loaded", len(files))
END
for how in threads processes pool; do
	"$RECORD" -q --require -o $how -- "$python" loads.py $how >out
	same "$how: output" "loaded 60" "$(cat out)"
	"$REPORT" -q $how -o "$TMP/r.json"
	json '[(f["rule"], f["text"]) for f in r["findings"]]' >$how.txt
done
grep -q "thread_again.*makes the same thread again and again: 60 times" threads.txt || fail "threads: $(cat threads.txt)"
grep -q "short_processes.*60 short processes were started.*copies of itself 60" processes.txt ||
	fail "processes: $(cat processes.txt)"
! grep -E "thread_again|short_processes|thread_churn" pool.txt || fail "a pool"
