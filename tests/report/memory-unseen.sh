# SPDX-License-Identifier: MIT
# A peak of memory between two samples: the kernel's own mark has it, and the limits say by how much the curves lack it;
# not of one that is small, that began before the recording, or where a part of the time was chosen.
. "$top_srcdir/tests/lib.sh"

# trace MARK: of a process whose samples have 300 MiB at most, by a kernel whose mark is that
trace() {
	{
		echo 'dltrace-text 1'
		[ -z "${2-}" ] || echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/usr/bin/python3.11"'
		echo '[2s] dltrace_sample:process process=1 time=2s threads=1 rss_anon=100M rss_file=40M rss_shmem=10M rss_most=150M'
		echo '[3s] dltrace_sample:process process=1 time=3s threads=1 rss_anon=240M rss_file=40M rss_shmem=20M rss_most=300M'
		echo "[4s] dltrace_sample:process process=1 final=1 time=4s rss_most=$1"
		echo '[4s] dltrace_proc:exit process=1 how=0'
	} | report_text
}
unseen() {
	json "[l['text'].split(', by')[0] for l in r['limits'] if 'VmHWM' in l['text']]"
}
trace 900M seen
same "the mark" "$((900 << 20))" "$(json "r['processes'][0]['rss_most_bytes']")"
same "what was sampled" "$((240 << 20))" "$(json "r['processes'][0]['rss_peak_bytes']")"
same "it is said" "['python3.11 (pid 100): it held 900 MiB at once for a moment']" "$(unseen)"
same "by how much" "$((600 << 20))" "$(json "[l['value'] for l in r['limits'] if 'VmHWM' in l['text']][0]" | sed 's/\.0$//')"
trace 360M seen
same "little" "[]" "$(unseen)"
trace 900M
same "it may have been before" "[]" "$(unseen)"
trace 900M seen
"$REPORT" --from 1s -q -f json trace.txt >r.json
same "a part of the time" "[]" "$(unseen)"
