# SPDX-License-Identifier: MIT
# Lists of sentences as text: what limits many processes alike is told once, with how many; failures are told one by
# one; where there are many, few of each kind; a list of iterations that has none says so.
. "$top_srcdir/tests/lib.sh"

# processes COUNT EXE: of which none is read to its end, and each that has failed allocations has its own number
processes() {
	echo 'dltrace-text 1'
	for i in $(seq "$1"); do
		echo "[1s] dltrace_proc:process process=$i pid=$((100 + i)) begin=1s host=\"h\" exe=\"$2\""
		echo "[2s] dltrace_sample:process process=$i time=2s threads=1 failed_allocations=$((i == 1 ? 5 : i == 2 ? 300 : 0))"
	done
}
# flat TRACE...: its text, a sentence a line
flat() {
	"$REPORT" -q --width 400 "$@" >out || [ $? = 1 ] || fail "dltrace-report failed"
	cat out
}
processes 4 /usr/bin/python3 >four.txt
flat four.txt >text
same "limits" 1 "$(grep -c '· python3 (pid 101) and 3 others: no last reading: its totals' text)"
same "once" 1 "$(grep -c 'no last reading' text)"
same "failures" 2 "$(grep -c 'allocations returned nothing: when' text)"
processes 2 /usr/bin/python3 >two.txt
same "of each trace" "3 others,1 other" "$(flat four.txt two.txt | grep -o '[0-9] others*: no last reading' | sed 's/: .*//' | paste -sd,)"
processes 3 '/usr/bin/a: b (pid 7): c' >odd.txt
same "a name like a sentence" 3 "$(flat odd.txt | grep -c 'no last reading')"
processes 1 /usr/bin/python3 >one.txt
same "alone" 1 "$(flat one.txt | grep -c '· python3 (pid 101): no last reading')"
processes 1500 /usr/bin/python3 >many.txt
same "many" 1 "$(flat many.txt | grep -c 'and 1,499 others: no last reading')"

# Frameworks whose iterations are not found: no empty list.
{
	processes 3 /usr/bin/python3
	for i in 1 2 3; do echo "[1s] dltrace_proc:library process=$i library=5 path=\"/usr/lib/libmxnet.so\""; done
} >frameworks.txt
same "no iterations" "· not found in any of 3 processes (--table iterations says why)" \
	"$(flat frameworks.txt | sed -n '/^Iterations/{n;s/^ *//p}')"

# What is not told is counted in words.
{
	processes 12 /usr/bin/python3
	echo '[1s] dltrace_proc:function function=sgemm_ layer="blas" kind="compute" name="sgemm_"'
	for i in $(seq 12); do
		echo "[2s] dltrace_sample:function process=$i function=sgemm_ calls=$i outer_calls=$i total=${i}ms outer_total=${i}ms"
	done
} >counted.txt
flat counted.txt | grep -q '· and [0-9]* more: .*[0-9] calls only counted.* (--table limits)$' || fail "kinds: $(flat counted.txt | grep more)"
