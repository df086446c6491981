/* SPDX-License-Identifier: MIT */
/*
 * Whether the kernel has killed a process of our control group, which is the command's, too, for lack of memory: it
 * counts these before it sends the signal (cgroup v2: memory.events, v1: memory.oom_control, Linux 4.13).
 */
#ifndef DLT_RECORD_OOM_H
#define DLT_RECORD_OOM_H

#include <stdbool.h>

/* groups: /proc/self/cgroup; mount: /sys/fs/cgroup. What has happened by now is nobody's of this recording. */
void oom_begin(const char *groups, const char *mount);

/* Asked when a process is found gone without a word. True: one more was killed so, and now that one is told. */
bool oom_has_killed(void);

#endif
