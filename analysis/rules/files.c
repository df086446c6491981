/* SPDX-License-Identifier: MIT */
/* Rules: time in reading files. */
#include "analysis/rules/work.h"

#define READ_SPEED   50e6  /* bytes a second: less is what batches of photos take */
#define DISK_LEAST   0.1   /* threads that wait for a disk, on average */
#define SYSTEM_LEAST 0.2   /* of the process's CPU time */
#define READ_LEAST   256e6 /* bytes */

/* Its whole life: loading comes before the first computation, and in processes that compute
 * nothing. */
void rule_reads_files(struct findings *f, const struct process *p)
{
	struct span s = {p->begin, p->end != UNKNOWN ? p->end : p->trace->end};
	double read, disk, system, cpu, lost;
	char bytes[32], rate[32], time[32], waited[32];

	if (p->begin == UNKNOWN || span_length(s) < WORK_LEAST)
		return;
	read = (double)load_risen(p, &p->load.read, s.begin, s.end);
	system = (double)load_risen(p, &p->load.system, s.begin, s.end);
	cpu = (double)load_risen(p, &p->load.cpu, s.begin, s.end);
	disk = threads_on_disk(p, s);
	if (disk < 0 || read < READ_LEAST ||
	    (disk < DISK_LEAST &&
	     (read * 1e9 < READ_SPEED * span_length(s) || system < SYSTEM_LEAST * cpu)))
		return;
	lost = disk * span_length(s) + (system < SYSTEM_LEAST * cpu ? 0 : system);
	found(f, p, (struct stake){.since = p->load.read.buckets[0].min.t, .ns = lost, .bytes = 0},
	      json_pack("{s:f, s:f, s:f, s:f, s:f}", "bytes", read, "bytes_per_second",
			read * 1e9 / span_length(s), "system_ns", system, "cpu_ns", cpu,
			"disk_share", disk),
	      "%s read %s from files and pipes, %s a second: %s of its %s of CPU time went into "
	      "the kernel, and on average %.2f "
	      "of its threads waited for a disk",
	      process_who(p), bytes_text(bytes, sizeof(bytes), read),
	      bytes_text(rate, sizeof(rate), read * 1e9 / span_length(s)),
	      time_text(time, sizeof(time), system), time_text(waited, sizeof(waited), cpu), disk);
}
