# SPDX-License-Identifier: MIT
# A parent with 1 GiB, 8 forks and 1 GiB that all share is 2 GiB of memory, not 18: with Pss and without.
. "$top_srcdir/tests/lib.sh"
trace() {
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s'
	echo "[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1G rss_shmem=1G pss=$1"
	for i in 2 3 4 5 6 7 8 9; do
		echo "[3s] dltrace_proc:process process=$i parent=1 pid=20$i begin=3s reason=1"
		echo "[4s] dltrace_sample:process process=$i time=4s threads=1 rss_anon=1G rss_shmem=1G pss=$2"
	done
	echo "[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=1G rss_shmem=1G pss=$2"
	# one child writes 100 MB of its own
	echo "[5s] dltrace_sample:process process=2 time=5s threads=1 rss_anon=1124M rss_shmem=1G"
	echo "[6s] dltrace_sample:process process=2 time=6s final=1"
	# the parent goes: what they shared stays
	echo "[7s] dltrace_sample:process process=1 time=7s final=1"
	echo "[8s] dltrace_sample:process process=3 time=8s threads=1 rss_anon=1G rss_shmem=1G"
	# whoever took the parent's place goes, too: all but two
	for i in 3 4 5 6 7; do
		echo "[9s] dltrace_sample:process process=$i time=9s final=1"
	done
	for i in 8 9; do
		echo "[10s] dltrace_sample:process process=$i time=10s threads=1 rss_anon=1G rss_shmem=1G"
	done
	# one gives pages back that it shared: it has no less than none
	echo "[11s] dltrace_sample:process process=8 time=11s threads=1 rss_anon=1G rss_shmem=1G"
	echo "[11s] dltrace_sample:process process=9 time=11s threads=1 rss_anon=100M rss_shmem=1G"
}
at() {
	json "[round(v / 2**20) for t, v in points('rss_bytes') if t == $1 * 10**9][-1]"
}
# what 9 processes share evenly; a little over, since bytes do not divide
pss=$((2147483648 / 9))
trace 0 0 | report_text
same "before the fork" 2048 "$(at 1)"
same "with eight children" 2048 "$(at 3)"
same "when one writes" 2148 "$(at 4)"
same "without the writer" 2048 "$(at 5)"
same "without the parent" 2048 "$(at 6)"
same "without the parent's heirs" 2048 "$(at 9)"
same "when one of two gives back" true "$(json 'str(all(v >= 1124 * 2**20 for t, v in points("rss_bytes") if t >= 10**9)).lower()')"
trace 2G $pss | report_text
same "before the fork, by Pss" 2048 "$(at 1)"
same "with eight children, by Pss" 2048 "$(at 3)"
same "when one writes, by Pss" 2148 "$(at 4)"
same "without the writer, Pss being stale" 2048 "$(at 5)"
same "without the parent, Pss being stale" 2048 "$(at 6)"

# What they write after the fork shows when page faults say, though only a later reading says how much it was.
parting() {
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s'
	echo '[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1G minor_faults=1000'
	echo '[3s] dltrace_proc:process process=2 parent=1 pid=101 begin=3s reason=1'
	for second in 4:512M:0 5:0:0 6:0:$1 7:0:$2 8:0:$2 9:612M:$2 10:0:$2; do
		IFS=: read -r at pss faults <<-END
			$second
		END
		echo "[${at}s] dltrace_sample:process process=2 time=${at}s threads=1 rss_anon=1G pss=$pss minor_faults=10"
		echo "[${at}s] dltrace_sample:process process=1 time=${at}s threads=1 rss_anon=1G pss=$pss" \
			"minor_faults=$((1000 + faults))"
	done
}
parting 25600 51200 | report_text
same "while it writes" "1024 1024 1124 1224 1224 1224 1224" "$(for at in 3 4 5 6 7 8 9; do at $at; done | xargs)"
parting 0 0 | report_text
same "without faults by time" "1024 1064 1104 1144 1184 1224 1224" "$(for at in 3 4 5 6 7 8 9; do at $at; done | xargs)"

# One of three has written 300 MiB, and ends: they go with it.
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s'
	echo '[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1G'
	for i in 2 3; do
		echo "[3s] dltrace_proc:process process=$i parent=1 pid=20$i begin=3s reason=1"
		echo "[4s] dltrace_sample:process process=$i time=4s threads=1 rss_anon=1G"
	done
	echo '[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=1G'
	for process in 2:567629141 3:410342741 1:410342741; do
		echo "[5s] dltrace_sample:process process=${process%:*} time=5s threads=1 rss_anon=1G pss=${process#*:}"
	done
	echo '[6s] dltrace_sample:process process=2 time=6s final=1'
	for process in 3 1; do
		echo "[7s] dltrace_sample:process process=$process time=7s threads=1 rss_anon=1G"
	done
} | report_text
same "a writer ends" "1024 1324 1024 1024" "$(for at in 3 4 5 6; do at $at; done | xargs)"

# What one gives back has parted as well, when it gives it back: the others have it alone then.
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s'
	echo '[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1000M minor_faults=1000'
	echo '[3s] dltrace_proc:process process=2 parent=1 pid=101 begin=3s reason=1'
	for second in 4:1000M:500M:500M 5:1000M:0:0 6:10M:0:0 7:10M:0:0 8:10M:5M:995M 9:10M:0:0; do
		IFS=: read -r at anon pss other <<-END
			$second
		END
		echo "[${at}s] dltrace_sample:process process=2 time=${at}s threads=1 rss_anon=1000M pss=$other minor_faults=10"
		echo "[${at}s] dltrace_sample:process process=1 time=${at}s threads=1 rss_anon=$anon pss=$pss minor_faults=1000"
	done
} | report_text
same "one gives back" "[1000]" "$(json 'sorted({round(v / 2**20) for t, v in points("rss_bytes") if t >= 10**9})')"

# Whoever is counted for what others share gives it back, dies, or is read after them: it is theirs all the same.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=3000M
[3s] dltrace_proc:process process=2 parent=1 pid=101 begin=3s reason=1
[4s] dltrace_sample:process process=2 time=4s threads=1 rss_anon=3000M
[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=3000M
[5s] dltrace_sample:process process=2 time=5s threads=1 rss_anon=3000M
[5s] dltrace_sample:process process=1 time=5s threads=1 rss_anon=100M
[6s] dltrace_sample:process process=2 time=6s threads=1 rss_anon=3000M
[6s] dltrace_sample:process process=1 time=6s threads=1 rss_anon=100M
END
same "who is counted gives back" "[3000]" "$(json 'sorted({round(v / 2**20) for t, v in points("rss_bytes") if t >= 10**9})')"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=3000M
[3s] dltrace_proc:process process=2 parent=1 pid=101 begin=3s reason=1
[3s] dltrace_proc:process process=3 parent=1 pid=102 begin=3s reason=1
[4s] dltrace_sample:process process=2 time=4s threads=1 rss_anon=3000M
[4s] dltrace_sample:process process=3 time=4s threads=1 rss_anon=3000M
[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=3000M
[5s] dltrace_sample:process process=2 time=5s threads=1 rss_anon=3000M
[5s] dltrace_sample:process process=3 time=5s threads=1 rss_anon=100M
[5s] dltrace_sample:process process=1 time=5s threads=1 rss_anon=3000M
[6s] dltrace_sample:process process=1 time=6s final=1
[7s] dltrace_sample:process process=2 time=7s threads=1 rss_anon=3000M
[7s] dltrace_sample:process process=3 time=7s threads=1 rss_anon=100M
END
same "an heir that has given back" "[3000]" "$(json 'sorted({round(v / 2**20) for t, v in points("rss_bytes") if t >= 10**9})')"
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1000M pss=0 allocated=1000M
[3s] dltrace_proc:process process=2 parent=1 pid=101 begin=3s reason=1 inherited_bytes=1000M inherited_blocks=9
[4s] dltrace_sample:process process=2 time=4s threads=1 rss_anon=1000M pss=500M
[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=1000M pss=500M allocated=1000M
[5s] dltrace_sample:process process=2 time=5s threads=1 rss_anon=1000M pss=950M
[5s] dltrace_sample:process process=1 time=5s threads=1 rss_anon=100M pss=50M allocated=1000M freed=900M
[6s] dltrace_sample:process process=2 time=6s threads=1 rss_anon=1000M pss=950M
[6s] dltrace_sample:process process=1 time=6s threads=1 rss_anon=100M pss=50M allocated=1000M freed=900M
END
same "the heap of who is counted" "[1000]" "$(json 'sorted({round(v / 2**20) for t, v in points("heap_bytes") if t >= 10**9})')"
for order in "2 1" "1 2"; do
	{
		echo 'dltrace-text 1'
		for process in $order; do
			case $process in
			1) echo '[1s] dltrace_proc:process process=1 pid=100 begin=100ms reason=3' ;;
			2) echo '[1s] dltrace_proc:process process=2 parent=1 pid=101 begin=500ms reason=3 inherited_blocks=5 inherited_bytes=900M' ;;
			esac
		done
		for at in 2 3 4; do
			echo "[${at}s] dltrace_sample:process process=2 time=${at}s threads=1 rss_anon=1000M allocated=1M"
			echo "[${at}s] dltrace_sample:process process=1 time=${at}s threads=1 rss_anon=1000M allocated=901M"
		done
	} | report_text
	same "announced as $order, read the child first" "[1000] [902]" \
		"$(json '" ".join(str(sorted({round(v / 2**20) for t, v in points(name) if t >= 10**9})) for name in ("rss_bytes", "heap_bytes"))')"
done

# What is never read of one, since it is too large, is said of all who shared with it.
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s'
	echo '[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1500M'
	for i in 2 3; do
		echo "[3s] dltrace_proc:process process=$i parent=1 pid=10$i begin=3s reason=1"
		echo "[4s] dltrace_sample:process process=$i time=4s threads=1 rss_anon=1500M pss=500M"
	done
	echo '[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=1500M pss=500M'
	echo '[6s] dltrace_sample:process process=3 time=6s final=1'
	for at in 7 8 9 10 11 12 13 14 15 16 17 18 19; do
		echo "[${at}s] dltrace_sample:process process=2 time=${at}s threads=1 rss_anon=1500M pss=${at}50M"
		echo "[${at}s] dltrace_sample:process process=1 time=${at}s threads=1 rss_anon=3000M"
	done
} >large
report_text <large
same "unread" True "$(json 'any("those that it has written since are missing" in l["text"] and "pid 102" in l["text"] for l in r["limits"])')"

# A child that a sampler announces before it does so itself.
report_text <<'END'
dltrace-text 1
[1s] dltrace_proc:process process=1 pid=100 begin=1s
[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=1G
[3s] dltrace_proc:process process=2 parent=1 pid=101 begin=3s reason=3 inherited_bytes=1000 inherited_blocks=10
[4s] dltrace_sample:process process=2 time=4s threads=1 rss_anon=1G
[4s] dltrace_sample:process process=1 time=4s threads=1 rss_anon=1G
[5s] dltrace_proc:process process=2 parent=1 pid=101 begin=3s reason=1 inherited_bytes=1000 inherited_blocks=10
[6s] dltrace_sample:process process=1 time=6s threads=1 rss_anon=1G
END
same "announced by the sampler first" 1024 "$(at 3)"

# The heap, too, is counted once, whoever of them still lives; and what each asked for since.
{
	echo 'dltrace-text 1'
	echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s'
	echo '[2s] dltrace_sample:process process=1 time=2s threads=1 allocated=1G'
	for i in 2 3 4 5; do
		echo "[3s] dltrace_proc:process process=$i parent=1 pid=20$i begin=3s reason=1 inherited_bytes=1G"
		echo "[4s] dltrace_sample:process process=$i time=4s threads=1 allocated=10M"
	done
	echo '[4s] dltrace_sample:process process=1 time=4s threads=1 allocated=1G'
	echo '[5s] dltrace_sample:process process=1 time=5s allocated=1G final=1'
	for at in 6 7; do
		for i in 2 3 4 5; do
			echo "[${at}s] dltrace_sample:process process=$i time=${at}s threads=1 allocated=10M"
		done
	done
	# one more of the same parent that nobody had seen before it went
	echo '[8s] dltrace_proc:process process=6 parent=1 pid=206 begin=3s reason=1 inherited_bytes=1G'
	for i in 2 3 4 5 6; do
		echo "[8s] dltrace_sample:process process=$i time=8s threads=1 allocated=10M"
	done
	for i in 2 3 4 5; do
		echo "[9s] dltrace_sample:process process=$i time=9s allocated=10M final=1"
	done
	echo '[10s] dltrace_sample:process process=6 time=10s threads=1 allocated=10M'
} | report_text
heap_at() {
	json "[round(v / 2**20) for t, v in points('heap_bytes') if t <= $1 * 10**9][-1]"
}
same "the heap with four children" 1064 "$(heap_at 3)"
same "the heap without the parent" 1064 "$(heap_at 6)"
same "the heap with a late one" 1074 "$(heap_at 7)"
same "the heap of the last one" 1034 "$(heap_at 9)"
