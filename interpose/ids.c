/* SPDX-License-Identifier: MIT */
/*
 * Ids of threads and processes: one counter that all processes of a recording share.
 *
 * With a recorder it is the first word of the file `ids` in the folder of boxes; without one
 * /dev/shm/dltrace-ids-<uid>; where neither can be had, private memory with a random start.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "clock.h"
#include "log.h"
#include "sys.h"
#include "thread.h"

static uint32_t private_counter;
static uint32_t *counter = &private_counter;

static uint32_t random_start(void)
{
	uint32_t start = 0;

	if (dlt_sys(SYS_getrandom, (long)&start, sizeof(start), GRND_NONBLOCK, 0, 0) != sizeof(start))
		start = (uint32_t)dlt_clock_ns() ^ (uint32_t)dlt_sys_pid() << 16;
	return start;
}

/* Ours alone: nobody else may have put something there. */
static bool is_trusted(int fd)
{
	struct stat st;

	return dlt_sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == dlt_sys_user() &&
	       (st.st_mode & 077) == 0 && st.st_nlink == 1;
}

/* The counter in the open file, which gets its four bytes if it has none. */
static uint32_t *map_counter(int fd)
{
	uint32_t *p;

	if (!is_trusted(fd) || dlt_sys(SYS_fallocate, fd, 0, 0, sizeof(*p), 0))
		return NULL;
	p = dlt_sys_map(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	if (p)
		dlt_sys_madvise(p, 4096, MADV_DONTDUMP);
	return p;
}

static uint32_t *open_counter(const char *path, int flags)
{
	int fd = dlt_sys_openat(AT_FDCWD, path, flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
	uint32_t *p;

	if (fd < 0)
		return NULL;
	p = map_counter(fd);
	dlt_sys_close(fd);
	return p;
}

static uint32_t *shared_counter(const char *folder)
{
	char path[300], digits[12], *d = digits + sizeof(digits) - 1;
	unsigned uid = dlt_sys_user();

	if (*folder && strlen(folder) < sizeof(path) - 5)
		return open_counter(strcat(strcpy(path, folder), "/ids"), 0);
	*d = '\0';
	do
		*--d = (char)('0' + uid % 10);
	while (uid /= 10);
	return open_counter(strcat(strcpy(path, "/dev/shm/dltrace-ids-"), d), O_CREAT);
}

void dlt_ids_init(const char *folder)
{
	int saved = errno;
	uint32_t *shared, none = 0;

	/* A forked child goes on with the same shared counter; a private one starts anew. */
	if (counter != &private_counter)
		return;
	private_counter = random_start();
	shared = shared_counter(folder);
	if (shared) {
		if (!*folder)
			__atomic_compare_exchange_n(shared, &none, random_start(), false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		counter = shared;
	}
	dlt_log(DLT_LOG_IDS, shared ? "shared counter" : "private counter", folder, 0);
	errno = saved;
}

uint32_t dlt_thread_new_id(void)
{
	uint32_t id;

	do
		id = __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
	while (id == 0);
	return id;
}
