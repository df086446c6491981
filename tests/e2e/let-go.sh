# SPDX-License-Identifier: MIT
# A worker that its maker ends by SIGTERM, as multiprocessing's pools do, has not failed; one that
# somebody else ends has.
. "$top_srcdir/tests/lib.sh"
cat >maker.py <<'END'
import multiprocessing, subprocess, sys, time
fork = multiprocessing.get_context("fork")
runs = fork.Event()
worker = fork.Process(target=lambda: (runs.set(), time.sleep(60)))
worker.start()
runs.wait()
if sys.argv[1] == "itself":
    worker.terminate()
else:
    subprocess.run(["/bin/kill", str(worker.pid)])
worker.join()
assert worker.exitcode == -15
END
for who in itself another; do
	"$RECORD" -q --require -o trace-$who -- /usr/bin/python3 maker.py $who
	"$REPORT" -q -f json trace-$who >$who.json
	same "how the worker ended" '{"signal":15}' "$(jq -c '.processes[1].exit' $who.json)"
done
same "failures, findings of it" "[0,0]" \
	"$(jq -c '[(.failures | length), ([.findings[] | select(.text | contains("died"))] | length)]' itself.json)"
same "failures, findings of another one's" "[1,1]" \
	"$(jq -c '[(.failures | length), ([.findings[] | select(.text | contains("died"))] | length)]' another.json)"
