# SPDX-License-Identifier: MIT
# Files that a report is written to: a signal or a crash leaves nothing half-written, whoever could not read the file
# that is replaced cannot read the new one, and a folder keeps no figures of another report.
. "$top_srcdir/tests/lib.sh"
training=$top_srcdir/tests/report/training.txt
cp "$training" t.txt

# A pipe is opened twice, for the clocks first. The second time its writer is silent. What is before it is complete.
mkfifo pipe
cp t.txt u.txt
is_begun() {
	ls -A out/r.ctf/ust-2 | grep channel0_0 && [ "$(cat /proc/$writer/comm)" = sleep ]
}
begin() {
	rm -rf out
	mkdir out
	(cat t.txt >pipe; sleep 2; exec sleep 60 >pipe) &
	writer=$!
	env --default-signal=INT "$REPORT" -q t.txt u.txt pipe -o out/r.ctf -o out/r.pftrace -o out/r.trace.json 2>err &
	report=$!
	until_so "all that is begun" is_begun
	same "begun" 6 "$(find out -name '.*' | wc -l)"
}
# end WHAT STATUS
end() {
	status=0
	wait $report || status=$?
	kill $writer
	same "exit status after $1" $2 $status
}

for number in 1 2 15; do
	begin
	kill -$number $report
	end "signal $number" $((128 + number))
	same "left after signal $number" "" "$(ls -A out)"
done
# Crashes, limits, and want of memory end the child alone: the other trace is reported.
for signal in SEGV XCPU KILL; do
	begin
	kill -$signal "$(pgrep -P $report)"
	end "the child's $signal" 1
	same "made in spite of $signal" "r.ctf r.pftrace r.trace.json" "$(echo $(ls -A out))"
	same "left after $signal" "" "$(find out -name '.*')"
	[ -s out/r.ctf/ust/metadata ] && [ -s out/r.ctf/ust-2/metadata ] || fail "$signal: no metadata"
done

# The pages of a folder are there together, or not: one of them is a pipe that nobody reads.
is_waiting() {
	[ "$(ls -A out/r.md | wc -l)" = 8 ]
}
for signal in INT TERM; do
	rm -rf out
	mkdir -p out/r.md
	mkfifo out/r.md/shares.md
	env --default-signal=INT "$REPORT" -q t.txt -o out/r.md/ &
	report=$!
	until_so "the pages before the pipe" is_waiting
	kill -$signal $report
	wait $report || :
	same "pages left after SIG$signal" shares.md "$(ls -A out/r.md)"
done
rm -rf out
exits 5 sh -c 'ulimit -f 4; exec "$@"' sh "$REPORT" -q t.txt -o pages.md/
[ ! -e pages.md ] || fail "pages left where one cannot be written: $(ls -A pages.md)"

# mode WHAT EXPECTED: of m.json, once it is written again
mode() {
	"$REPORT" -q t.txt -o m.json
	same "mode of $1" "$2" "$(stat -c %a m.json)"
}
umask 027
mode "a new file" 640
chmod 600 m.json
mode "a private file" 600
chmod 604 m.json
mode "an odd one" 604
mv m.json private
chmod 600 private
ln -s private m.json
"$REPORT" -q t.txt -o m.json
same "a link's mode" 600 "$(stat -L -c %a m.json)"
[ -L m.json ] || fail "the link is gone"
if [ "$(id -u)" = 0 ]; then
	chown 65534:65534 private
	chmod 640 private
	"$REPORT" -q t.txt -o m.json
	same "whose it is" "65534 65534 640" "$(stat -L -c '%u %g %a' m.json)"
fi

# Of figures that show nothing there is no file, nor one of an earlier report.
"$REPORT" -q t.txt -o f.svg/
grep -v 'cudaMalloc\|dltrace_cuda:\|dltrace_sample:gpu' t.txt >cpu.txt
: >f.svg/mine.svg
: >f.svg/gpu-memory.png
"$REPORT" -q cpu.txt -o f.svg/ --figure curves
[ -s f.svg/gpu-memory.svg ] || fail "one figure alone is written, and another one is gone"
"$REPORT" -q cpu.txt -o f.svg/
"$REPORT" -q cpu.txt -o new.svg/
! [ -e new.svg/gpu-memory.svg ] || fail "GPU memory without a GPU"
same "figures in a folder of another report" "gpu-memory.png mine.svg $(echo $(ls new.svg))" \
	"$(echo $(ls f.svg | grep gpu-memory.png) $(ls f.svg | grep mine) $(ls f.svg | grep -v 'mine\|png'))"
