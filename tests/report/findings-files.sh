# SPDX-License-Identifier: MIT
# Rules on files: time in the kernel while much is read, threads that wait for a disk.
. "$top_srcdir/tests/lib.sh"

# reads MB SYSTEM DISK: bytes a second, ms of each 100 ms of CPU time, samples of a hundred with a thread in state D
reads() {
	{
		echo 'dltrace-text 1'
		echo '[1s] dltrace_proc:process process=1 pid=100 begin=1s host="h" exe="/bin/reads"'
		echo '[1s] dltrace_proc:thread thread=1 process=1 tid=100 begin=1s'
		awk -v mb="$1" -v kernel="$2" -v disk="$3" 'BEGIN { for (i = 10; i <= 110; i++) {
			if (i - 10 < disk) printf "[%dms] dltrace_sample:thread thread=1 time=%dms cpu=%dms state=68\n", i * 100, i * 100, i
			printf "[%dms] dltrace_sample:process process=1 time=%dms threads=1 user=%dms system=%dms read_bytes=%d\n",
				i * 100, i * 100, i * (100 - kernel), i * kernel, i * mb * 100000
		} }'
		echo '[11s] dltrace_proc:exit process=1'
	} | report_text
}
found() {
	json "[f['text'] for f in r['findings'] if f['rule'] == 'reads_files']"
}
reads 55 22 0
same "kernel" "['reads (pid 100) read 525 MiB from files and pipes, 52 MiB a second: 2.2 s of its 10 s of CPU time went into the kernel, and on average 0.00 of its threads waited for a disk']" "$(found)"
reads 55 18 0
same "little time in the kernel" "[]" "$(found)"
reads 45 22 0
same "slowly" "[]" "$(found)"
reads 45 18 12
same "disk" 1 "$(json "len($(found))")"
reads 45 18 8
same "a quick disk" "[]" "$(found)"
reads 30 22 50
same "enough" 1 "$(json "len($(found))")"
reads 25 22 50
same "less" "[]" "$(found)"
reads 20 22 50
same "not much" "[]" "$(found)"
